"""The web process: uvicorn on connections that the listener hands over, or on a socket of its own.

Under the supervisor the connections come through a Unix socket, which outlives the process, so a restart refuses
nobody: connections wait in it. ``python -m config.server`` runs the web process alone, on HOST and PORT.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import sqlite3
import sys
from functools import partial

import uvicorn
from django.conf import settings
from django.db import connection

from config.asgi import application
from config.protocol import BoundedProtocol, look_at_all
from config.sockets import allow_descriptors, listen
from web.storage import remove_leftovers

GRACE_SECONDS = 1
"""Open streams end when the process does; browsers connect again by themselves."""
SWITCH_SECONDS = 0.0005
"""Seconds that a thread computes before it yields the interpreter to others. With the default, 5 ms, and sixteen busy
threads
each step of the event loop waits 80 ms, and a page waits anew after every query."""
AT_ONCE = 64
"""Connections that are taken before the event loop continues with the others."""
FIRST_BYTES = 65_536
DAY = 86_400.0
TICKS = 10
"""uvicorn ticks ten times a second; connections are looked at once."""


class Server(uvicorn.Server):
    """uvicorn, which takes connections from ``channel`` if there is one, and hangs up on clients that take too long."""

    def __init__(self, config: uvicorn.Config, channel: socket.socket | None = None) -> None:
        super().__init__(config)
        self.channel = channel
        self.taking: set[asyncio.Task[object]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections."""
        if self.channel is None:
            await super().startup(sockets)
            return
        await self.lifespan.startup()
        self.servers = []
        self.channel.setblocking(False)
        asyncio.get_running_loop().add_reader(self.channel.fileno(), self.take, self.channel)
        self.started = True

    def take(self, channel: socket.socket) -> None:
        """Take what the listener has handed over."""
        for _ in range(AT_ONCE):
            try:
                data, descriptors, _, _ = socket.recv_fds(channel, FIRST_BYTES, 1)
            except OSError:
                return  # there are no more, or no descriptor is free for one
            for descriptor in descriptors:
                self.serve_one(socket.socket(fileno=descriptor), data)

    def serve_one(self, connection: socket.socket, first: bytes) -> None:
        """Speak HTTP on a connection of which ``first`` has been read."""
        loop = asyncio.get_running_loop()
        connection.setblocking(False)
        protocol = partial(
            BoundedProtocol, self.config, self.server_state, self.lifespan.state, _loop=loop, first=first
        )
        task = loop.create_task(served(loop, protocol, connection))
        self.taking.add(task)
        task.add_done_callback(self.taking.discard)

    async def on_tick(self, counter: int) -> bool:
        """What uvicorn does, and once a second a look at every connection."""
        if counter % TICKS == 0:
            look_at_all(self.server_state)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Leave new connections to the next process, then finish the current ones."""
        if self.channel is not None:
            asyncio.get_running_loop().remove_reader(self.channel.fileno())
        await super().shutdown(sockets)


async def served(loop: asyncio.AbstractEventLoop, protocol: partial[BoundedProtocol], accepted: socket.socket) -> None:
    """Begin with a connection; nothing happens if its client has left by then."""
    try:
        await loop.connect_accepted_socket(protocol, accepted)
    except OSError:
        accepted.close()


def hold_database() -> sqlite3.Connection | None:
    """A connection that stays open without doing anything; None where the database is a server.

    SQLite sets up its log and the index of it for the first connection and removes both with the last one. Requests
    come one by one, so each would pay for that, and on a full disk, where nothing can be set up, none could even read.
    """
    if connection.vendor != "sqlite":
        return None
    accepted = sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)
    accepted.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    return accepted


def serve(channel: socket.socket | None, listening: socket.socket | None = None) -> None:
    """Answer requests until a signal says stop, on connections from a channel or on a listening socket."""
    # Under the supervisor no other process uses them.
    remove_leftovers(older_than=0.0 if channel is not None else DAY)
    held = hold_database()
    sys.setswitchinterval(SWITCH_SECONDS)
    # What is loaded by now stays: the collector need not go through it again while somebody waits for an answer.
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        application,
        http=BoundedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        lifespan="off",
        proxy_headers=False,  # config.asgi reads them, from the proxies that a setting names
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    Server(config, channel).run(sockets=[listening] if listening is not None else None)
    if held is not None:
        held.close()


def main() -> None:
    """The web process alone, for several machines."""
    allow_descriptors()
    serve(None, listen(settings.HOST, settings.PORT))


if __name__ == "__main__":
    main()
