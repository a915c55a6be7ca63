"""``/healthz``: whether the workbench is usable now, part by part, with figures that warn of trouble.

The listener answers from a :class:`Monitor`, which asks every part again each second, so no request waits for a slow
part (docs/decisions/0008). The view below asks at once; it serves where the web process runs without a
listener, and connections that the web process keeps open.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.celery import app, is_embedded, worker_alive
from config.heartbeats import Heartbeats
from config.threads import request_threads
from constraints.selectors import queue_age
from web.periodic import lag
from web.storage import has_room

TIMEOUT_SECONDS = 0.9
"""Seconds that the view waits for a part."""
PAUSE_SECONDS = 1.0
"""Seconds between two checks of a part by the monitor."""
LATE_SECONDS = 3.0
"""Seconds without an answer after which a part is unhealthy."""
FIRST_LOOK_SECONDS = 0.3
"""Seconds that a request right after the start waits for the first answers."""
BUSY_SECONDS = 5.0
"""Seconds that a request may wait for a thread before the web process is unhealthy."""
PROBE_SECONDS = 5.0
"""Seconds after which an unanswered question to the web process is repeated."""
QUESTION = b"GET /healthz?part=web HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n"
PURGES = ("purge-facts", "purge-records")
NO_ANSWER = "has not answered yet"

Check = Callable[[], Any]

# Threads of their own: a database that hangs may use up these, not those that serve pages.
_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="health")


def database() -> str:
    """``ok``, or what is wrong with the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        kept_here = connection.vendor == "sqlite"
        return room(Path(str(connection.settings_dict["NAME"])).parent) if kept_here else "ok"
    finally:
        connection.close()


def broker() -> str:
    """``ok``, or what is wrong with the broker. Connecting to the embedded one proves that it can be written."""
    with app.connection_for_write(connect_timeout=TIMEOUT_SECONDS) as link:
        link.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
    return room(settings.VAR_DIR) if is_embedded() else "ok"


def room(folder: Path) -> str:
    """``ok``, or that the disk is full: then pages can be read, but nothing can be saved."""
    return "ok" if has_room(folder) else "the disk is full"


def worker() -> str:
    """``ok``, or that no worker listens."""
    return "ok" if worker_alive() else "no worker answers"


def queue() -> float:
    """Seconds that the oldest queued turn has waited."""
    try:
        return queue_age()
    finally:
        connection.close()


def work_figures(queued: Any) -> dict[str, float | None]:
    """Seconds that the oldest turn has waited, and since purge and sweep were last done; None where that is unknown.

    ``queued`` is what :func:`queue` gave, or words if it gave nothing.
    """
    purges = [lag(name) for name in PURGES]
    known = [seconds for seconds in purges if seconds is not None]
    return {
        "queued_turn_seconds": rounded(queued if isinstance(queued, float) else None),
        "purge_lag_seconds": rounded(max(known) if len(known) == len(purges) else None),
        "sweep_lag_seconds": rounded(lag("sweep")),
    }


def rounded(seconds: float | None) -> float | None:
    """Tenths of a second."""
    return None if seconds is None else round(seconds, 1)


def checks() -> dict[str, Check]:
    """What is asked of each part; looked up when it is asked, so that tests can put others in their place."""
    return {"database": database, "broker": broker, "worker": worker}


def failure(exc: Exception) -> str:
    """An error in words: the type alone, because the message of a driver may hold the address and the user."""
    return f"does not work ({type(exc).__name__})"


def summary(parts: Mapping[str, str], figures: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer: ``status`` is ``ok`` if every part is, else ``unavailable``."""
    healthy = all(part == "ok" for part in parts.values())
    return {"status": "ok" if healthy else "unavailable", **parts, **figures}


def status_code(state: Mapping[str, Any]) -> int:
    """200 with every part ``ok``, else 503."""
    return 200 if state["status"] == "ok" else 503


class Monitor:
    """Checks every part repeatedly in threads, and keeps the results."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}
        self._at: dict[str, float] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._all_found = asyncio.Event()

    def start(self) -> None:
        """Start the checks, in the running event loop."""
        asked = {**checks(), "queue": queue}
        self._tasks = [asyncio.create_task(self._look(name, check)) for name, check in asked.items()]

    async def _look(self, name: str, check: Check) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                found = await loop.run_in_executor(_threads, check)
            except Exception as exc:
                found = failure(exc)
            self._found[name], self._at[name] = found, time.monotonic()
            if len(self._found) == len(self._tasks):
                self._all_found.set()
            await asyncio.sleep(PAUSE_SECONDS)

    def part(self, name: str) -> Any:
        """What the last look at a part found, or in words for how long it has not answered."""
        if name not in self._at:
            return NO_ANSWER
        silent = time.monotonic() - self._at[name]
        return self._found[name] if silent < LATE_SECONDS else f"has not answered for {silent:.0f} s"

    async def state(self, web: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
        """The whole answer. ``web`` is the word and the figures of the web process."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._all_found.wait(), FIRST_LOOK_SECONDS)
        word, figures = web
        parts = {"web": word, **{name: self.part(name) for name in checks()}}
        return summary(parts, {**figures, **work_figures(self.part("queue"))})


class Probe:
    """Asks the web process each second, over a connection that takes the way of every other one."""

    def __init__(self, hand_over: Callable[[socket.socket, bytes], Awaitable[None]], heartbeats: Heartbeats) -> None:
        self._hand_over = hand_over
        self._heartbeats = heartbeats
        self._figures: dict[str, Any] = web_figures(None)
        self._answered_at: float | None = None

    async def run(self) -> None:
        """Ask until the process ends."""
        while True:
            with suppress(OSError, ValueError, TimeoutError):
                async with asyncio.timeout(PROBE_SECONDS):
                    self._figures = await self._ask()
                self._answered_at = time.monotonic()
                self._heartbeats.beat("web")
                self._heartbeats.beat("progress", ago=float(self._figures.get("standstill_seconds") or 0.0))
            await asyncio.sleep(PAUSE_SECONDS)

    async def _ask(self) -> dict[str, Any]:
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            try:
                await self._hand_over(theirs, QUESTION)
                theirs.close()
                answer = await reader.read()
            finally:
                writer.close()
        return dict(json.loads(answer.partition(b"\r\n\r\n")[2]))

    def state(self) -> tuple[str, dict[str, Any]]:
        """``ok`` or for how long the web process has been silent, and its figures, which are unknown then."""
        if self._answered_at is None:
            return NO_ANSWER, web_figures(None)
        silent = time.monotonic() - self._answered_at
        if silent < LATE_SECONDS:
            return web_word(self._figures), self._figures
        return f"has not answered for {silent:.0f} s", web_figures(None)


def web_figures(threads: Any) -> dict[str, Any]:
    """The figures of the web process: threads that are free, requests that wait for one, and for how long.

    ``standstill_seconds``: for so long requests have waited without any being finished.
    """
    return {
        "free_request_threads": threads.free if threads is not None else None,
        "waiting_requests": threads.waiting if threads is not None else None,
        "oldest_wait_seconds": rounded(threads.oldest_wait if threads is not None else None),
        "standstill_seconds": rounded(threads.standstill if threads is not None else None),
    }


def web_word(figures: Mapping[str, Any]) -> str:
    """``ok``, or that requests have waited for a thread for too long."""
    waited = figures.get("oldest_wait_seconds") or 0.0
    if waited <= BUSY_SECONDS:
        return "ok"
    return f"busy: a request has waited {waited:.0f} s for a thread"


def render(state: Mapping[str, Any], *, head: bool) -> bytes:
    """An answer of the listener, which ends the connection. ``head`` leaves the content out."""
    content = json.dumps(state).encode()
    lines = [
        "HTTP/1.1 200 OK" if status_code(state) == 200 else "HTTP/1.1 503 Service Unavailable",
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + (b"" if head else content)


async def outcome(check: Check) -> Any:
    """What a check says; an exception or silence in words."""
    loop = asyncio.get_running_loop()
    try:
        return await asyncio.wait_for(loop.run_in_executor(_threads, check), TIMEOUT_SECONDS)
    except TimeoutError:
        return f"does not answer within {TIMEOUT_SECONDS} s"
    except Exception as exc:
        return failure(exc)


async def current() -> dict[str, Any]:
    """The whole answer, from a look at every part now."""
    asked = {**checks(), "queue": queue}
    results = await asyncio.gather(*(outcome(check) for check in asked.values()))
    found = dict(zip(asked, results, strict=True))
    web = web_figures(request_threads)
    figures = {**web, **work_figures(found.pop("queue"))}
    return summary({"web": web_word(web), **found}, figures)


@require_safe
@never_cache
async def healthz(request: HttpRequest) -> JsonResponse:
    """200 with every part ``ok``, or 503 where ``status`` is ``unavailable`` and the parts say what is not."""
    state = await current()
    return JsonResponse(state, status=status_code(state))


async def respond(scope: Mapping[str, Any], send: Callable[[Any], Awaitable[None]]) -> None:
    """Answer an ASGI request without Django, whose threads may be busy. ``?part=web`` asks this process alone."""
    if scope["query_string"] == b"part=web":
        status, state = 200, web_figures(request_threads)
    else:
        state = await current()
        status = status_code(state)
    content = json.dumps(state).encode()
    headers = {"content-type": "application/json", "content-length": str(len(content)), "cache-control": "no-store"}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})
