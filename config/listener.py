"""The process that takes connections: it answers ``/healthz`` and hands every other connection to the web process.

Requests may keep every thread of the web process busy, and a single long call into C code stops its event loop, because
the interpreter runs one thread at a time. This process has an interpreter of its own and does nothing that takes long
(docs/decisions/0008). It reads what a client sends first. A connection that asks for something else than the health
goes, with those bytes, through a Unix socket to the web process, which owns it from then on. While no web process takes
them they wait in that socket.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress

from django.conf import settings

from config.health import Monitor, Probe, render
from config.heartbeats import Heartbeats

log = logging.getLogger("abl_workbench.listener")

FIRST_BYTES = 4096
"""What is read of a connection before it is handed over; a request line with the path of the health is shorter."""
MOST_HEADER_BYTES = 16_384
LINGER_SECONDS = 2.0
"""How long a client may take to read its answer and hang up."""
RETRY_SECONDS = 0.05
BEAT_SECONDS = 0.5


class Listener:
    """Accepts on ``listening`` and passes connections through ``web``, a ``SOCK_SEQPACKET`` socket."""

    def __init__(self, listening: socket.socket, web: socket.socket, heartbeats: Heartbeats) -> None:
        self.listening = listening
        self.web = web
        self.heartbeats = heartbeats
        self.monitor = Monitor()
        self.probe = Probe(self.hand_over, heartbeats)
        self.questions = questions(settings.FORCE_SCRIPT_NAME or "")
        self.waiting: dict[asyncio.Task[None], None] = {}  # connections that have sent nothing yet, oldest first
        self.sending = asyncio.Lock()

    async def run(self) -> None:
        """Serve until the process is ended."""
        self.listening.setblocking(False)
        self.web.setblocking(False)
        self.monitor.start()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.beat())
            group.create_task(self.probe.run())
            group.create_task(self.accept())

    async def beat(self) -> None:
        """Show the supervisor that this process answers."""
        while True:
            self.heartbeats.beat("listener")
            await asyncio.sleep(BEAT_SECONDS)

    async def accept(self) -> None:
        """Take connections. Those that have sent nothing for the longest time make room for new ones."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self.listening)
            except OSError as error:  # the client is gone already, or descriptors have run out
                log.warning("cannot accept a connection: %s", error)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if len(self.waiting) >= settings.CONNECTIONS:
                next(iter(self.waiting)).cancel()
            task = asyncio.create_task(self.welcome(connection))
            self.waiting[task] = None
            task.add_done_callback(lambda done: self.waiting.pop(done, None))

    async def welcome(self, connection: socket.socket) -> None:
        """Read what a client wants, then answer it or hand it over."""
        loop = asyncio.get_running_loop()
        connection.setblocking(False)
        with connection, suppress(OSError, TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(settings.HEAD_SECONDS):
                data = await loop.sock_recv(connection, FIRST_BYTES)
                while data and (found := self.is_question(data)) is None:
                    more = await loop.sock_recv(connection, FIRST_BYTES)
                    data = data + more if more else b""
                if data and found:
                    await self.answer(connection, data)
            if data and not found:
                self.waiting.pop(asyncio.current_task(), None)  # type: ignore[arg-type]
                await self.hand_over(connection, data)

    def is_question(self, data: bytes) -> bool | None:
        """Whether the first bytes ask for the health; None while that is open."""
        for question in self.questions:
            if data.startswith(question):
                rest = data[len(question) : len(question) + 1]
                return rest in (b" ", b"?") if rest else None
            if question.startswith(data):
                return None
        return False

    async def answer(self, connection: socket.socket, data: bytes) -> None:
        """The health, to a client whose header is read to its end: one that is cut off might not read the answer."""
        loop = asyncio.get_running_loop()
        while b"\r\n\r\n" not in data and b"\n\n" not in data and len(data) < MOST_HEADER_BYTES:
            more = await loop.sock_recv(connection, FIRST_BYTES)
            if not more:
                return
            data += more
        state = await self.monitor.state(web=self.probe.state())
        await loop.sock_sendall(connection, render(state, head=data.startswith(b"HEAD")))
        connection.shutdown(socket.SHUT_WR)
        async with asyncio.timeout(LINGER_SECONDS):
            while await loop.sock_recv(connection, FIRST_BYTES):
                pass

    async def hand_over(self, connection: socket.socket, data: bytes) -> None:
        """Pass a connection and what was read of it to the web process; waits while there is no room in between."""
        async with self.sending:  # in the order of arrival
            while True:
                try:
                    socket.send_fds(self.web, [data], [connection.fileno()])
                    return
                except OSError:
                    # The socket is full, or too many connections are on their way: the web process is busy or away.
                    await asyncio.sleep(RETRY_SECONDS)


def questions(prefix: str) -> list[bytes]:
    """How requests for the health begin, with and without the path prefix."""
    paths = {"/healthz", f"{prefix}/healthz"}
    return [f"{method} {path}".encode() for method in ("GET", "HEAD") for path in sorted(paths)]


def listen(listening: int, web: int, heartbeats: Heartbeats) -> None:
    """Run on descriptors that the supervisor has opened."""
    with socket.socket(fileno=listening) as accepting, socket.socket(fileno=web) as channel:
        asyncio.run(Listener(accepting, channel, heartbeats).run())
