"""The threads that requests are answered in, and how busy they are."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from typing import Any

THREADS = 16
"""Requests that are answered at once; others wait their turn. Each thread has a connection to the database."""

CLIENT_THREADS = 8
"""Requests of one client (a user, else an address) that are answered at once; its others wait in their own queue."""
TOKEN_THREADS = 4
"""Requests with tokens of one user that are answered at once, beside those of the user's sessions."""
CLIENT_STREAMS = 2
"""Streams of one user that are opened at once, beside other requests: a page does not wait behind a hundred of them."""
CLIENT_REQUESTS = 150
"""Requests of one user that are answered or wait: all streams a user may open, and what their pages ask for."""
ADDRESS_REQUESTS = 500
"""Requests of an address, of those not known, that are answered or wait: the other connections are for others."""
KNOWN_CLIENTS = 10_000
"""Sessions and tokens whose users are kept in mind; beyond it those that have been silent the longest are forgotten."""


class RequestThreads(ThreadPoolExecutor):
    """A pool of threads that counts how many are free, how much work waits for one, and for how long."""

    clock = staticmethod(time.monotonic)

    def __init__(self, size: int = THREADS) -> None:
        super().__init__(size, thread_name_prefix="request")
        self.size = size
        self.busy = 0
        self.waiting = 0
        self._asked: dict[int, float] = {}
        self._numbers = count()
        self._finished_at = 0.0
        self._counting = threading.Lock()

    @property
    def free(self) -> int:
        """Threads that have nothing to do."""
        return self.size - self.busy

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As in any pool. Work that is cancelled before it starts never runs."""
        with self._counting:
            number = next(self._numbers)
            self.waiting += 1
            self._asked[number] = self.clock()
        future = super().submit(self._run, number, fn, *args, **kwargs)
        future.add_done_callback(partial(self._forget_cancelled, number))
        return future

    @property
    def oldest_wait(self) -> float:
        """Seconds that the request which waits the longest for a thread has waited; 0.0 if none does."""
        with self._counting:
            return self.clock() - next(iter(self._asked.values())) if self._asked else 0.0

    @property
    def standstill(self) -> float:
        """Seconds for which requests have waited and none was finished; 0.0 while there is progress, or none waits."""
        with self._counting:
            if not self._asked or self.busy < self.size:
                return 0.0
            return self.clock() - max(next(iter(self._asked.values())), self._finished_at)

    def _run(self, number: int, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with self._counting:
            self._leave_line(number)
            self.busy += 1
        try:
            return fn(*args, **kwargs)
        finally:
            with self._counting:
                self.busy -= 1
                self._finished_at = self.clock()

    def _forget_cancelled(self, number: int, future: Future[Any]) -> None:
        if future.cancelled():
            with self._counting:
                self._leave_line(number)

    def _leave_line(self, number: int) -> None:
        self.waiting -= 1
        del self._asked[number]


request_threads = RequestThreads()
"""Those of this process. No thread runs before the first request, so a process with this may fork."""


class TooManyWait(Exception):
    """A client has too many waiting requests, so another one is refused."""


class Line:
    """Requests of one client that were asked for and not answered yet."""

    def __init__(self, size: int) -> None:
        self.slots = asyncio.Semaphore(size)
        self.asked = 0


class ClientLines:
    """A queue for each client in front of the common one, so that a client with many requests only delays itself.

    ``size`` requests of a client are answered at once, or wait for a thread; ``most`` may be asked for.
    """

    def __init__(self, size: int = CLIENT_THREADS, most: int = CLIENT_REQUESTS) -> None:
        self.size, self.most = size, most
        self._lines: dict[Hashable, Line] = {}

    def asked(self, client: Hashable) -> int:
        """Requests of a client that are answered or wait."""
        return self._lines[client].asked if client in self._lines else 0

    @asynccontextmanager
    async def turn_of(self, client: Hashable, most: int | None = None) -> AsyncGenerator[None]:
        """Wait for the turn of a request and hold it meanwhile; :class:`TooManyWait` at once where too many do.

        ``most`` takes the place of that of all clients.
        """
        if self.asked(client) >= (self.most if most is None else most):
            raise TooManyWait(client)
        line = self._lines.setdefault(client, Line(self.size))
        line.asked += 1
        try:
            async with line.slots:
                yield
        finally:
            line.asked -= 1
            if not line.asked:
                del self._lines[client]


class KnownClients:
    """Which sessions and tokens are whose. A name that nobody has signed in with is worth no more than its address:

    else a stranger who calls themselves otherwise in each request would have as many lines as they like.
    """

    def __init__(self, most: int = KNOWN_CLIENTS) -> None:
        self.most = most
        self._users: OrderedDict[str, Hashable] = OrderedDict()

    def remember(self, name: str, user: Hashable) -> None:
        """A request under this name was of this user."""
        self._users[name] = user
        self._users.move_to_end(name)
        if len(self._users) > self.most:
            self._users.popitem(last=False)

    def user_of(self, name: str) -> Hashable | None:
        """Whose name it is; None where no request under it was anybody's yet."""
        return self._users.get(name)


known_clients = KnownClients()
"""Those of this process; its one event loop alone uses them, and the lines below."""
client_lines = ClientLines()
"""For requests of sessions, and of all who are not known."""
token_lines = ClientLines(TOKEN_THREADS)
"""For requests with tokens."""
stream_lines = ClientLines(CLIENT_STREAMS)
"""For requests that open a stream."""
