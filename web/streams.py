"""Server-sent events for many viewers at the price of one (DESIGN §4).

One thread per process notices that the database changed, asks a reader once what is new for everyone who listens, and
hands the encoded messages to asyncio queues. A stream therefore touches no ORM and holds no connection. A viewer is
known by a cursor, the ``id`` of the last message it got, so catching up after a break and following live are the same.

On SQLite the change counter of the file (``PRAGMA data_version``) is polled on a connection of its own; on PostgreSQL
the writer calls :func:`announce` in its transaction and the thread listens.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

log = structlog.get_logger("abl_workbench.streams")

CHANNEL = "abl_changes"
POLL_SECONDS = 0.01
"""How often the change counter of SQLite is read; one read takes microseconds."""
SLICE_SECONDS = 0.05
"""How long a new viewer waits at most while PostgreSQL is listened to."""
IDLE_SECONDS = 0.25
"""The longest time between two looks, also without a sign of change."""
RETRY_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
BACKLOG = 2000
"""Messages a slow viewer may be behind; then its stream ends and the browser catches up by its cursor."""

HEARTBEAT = b": still here\n\n"


@dataclass(frozen=True, slots=True)
class Message:
    """One server-sent event. Only a message with an ``id`` moves the cursor of a viewer."""

    event: str
    data: Any
    id: int | None = None

    def encode(self) -> bytes:
        """The bytes on the wire; ``data`` as JSON, so it never holds a line break."""
        head = f"id: {self.id}\n" if self.id is not None else ""
        body = json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))
        return f"{head}event: {self.event}\ndata: {body}\n\n".encode()


Topic = Hashable
Wants = Sequence[tuple[Topic, int]]
"""(topic, cursor) pairs: who listens to what, and up to where they know it."""
News = Mapping[tuple[Topic, int], tuple[int, Iterable[Message]]]
"""For a pair with something new: the new cursor and the messages in order."""
Reader = Callable[[Wants], News]


class Watcher(Protocol):
    """Knows when the database may have changed."""

    def wait(self, seconds: float, wake: threading.Event) -> None:
        """Return on a change, when ``wake`` is set, or after ``seconds``."""
        ...

    def close(self) -> None: ...


class SqliteWatcher:
    """Reads the change counter of a SQLite file: it moves when any other connection commits."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        name = str(settings["NAME"])
        self._connection = sqlite3.connect(name, uri=name.startswith("file:"), isolation_level=None)
        self._seen = self._version()

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def wait(self, seconds: float, wake: threading.Event) -> None:
        until = time.monotonic() + seconds
        while (now := self._version()) == self._seen and time.monotonic() < until:
            if wake.wait(POLL_SECONDS):
                break
        self._seen = now

    def close(self) -> None:
        self._connection.close()


class PostgresWatcher:
    """Listens to the channel that :func:`announce` notifies."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        import psycopg

        wanted = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
        given = {key: settings[name] for key, name in wanted.items() if settings.get(name)}
        self._error = psycopg.Error
        try:
            self._connection = psycopg.connect(**given, autocommit=True, connect_timeout=5)
            self._connection.execute(f"LISTEN {CHANNEL}")
        except self._error as error:
            raise DatabaseError(str(error)) from error

    def wait(self, seconds: float, wake: threading.Event) -> None:
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until and not wake.is_set():
                if any(True for _ in self._connection.notifies(timeout=SLICE_SECONDS, stop_after=1)):
                    return
        except self._error as error:
            raise DatabaseError(str(error)) from error

    def close(self) -> None:
        self._connection.close()


def watcher() -> Watcher:
    """The watcher of the default database."""
    kind = PostgresWatcher if connection.vendor == "postgresql" else SqliteWatcher
    return kind(connection.settings_dict)


def announce() -> None:
    """Tell listening processes of a change, when the running transaction commits. Nothing to do on SQLite."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")


@dataclass(eq=False, slots=True)
class Viewer:
    """One open stream."""

    topic: Topic
    cursor: int
    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    behind: bool = False

    def put(self, chunk: bytes | None) -> None:
        """Hand over from the polling thread; a closed loop means that nobody listens any more."""
        try:
            self.loop.call_soon_threadsafe(self.queue.put_nowait, chunk)
        except RuntimeError:
            self.behind = True


class Hub:
    """Viewers of one kind of topic, and the thread that serves them while there are any."""

    def __init__(self, read: Reader, watch: Callable[[], Watcher] = watcher) -> None:
        self._read = read
        self._watch = watch
        self._viewers: set[Viewer] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._arrived = threading.Event()

    async def stream(self, *, topic: Topic, cursor: int) -> AsyncGenerator[bytes]:
        """Chunks for a ``StreamingHttpResponse``: what came after ``cursor``, then what comes, with heartbeats."""
        viewer = Viewer(topic=topic, cursor=cursor, loop=asyncio.get_running_loop())
        self._join(viewer)
        try:
            yield b"retry: 1000\n\n"
            while True:
                try:
                    chunk = await asyncio.wait_for(viewer.queue.get(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    chunk = HEARTBEAT
                if chunk is None:
                    return
                yield chunk
        finally:
            with self._lock:
                self._viewers.discard(viewer)

    def _join(self, viewer: Viewer) -> None:
        with self._lock:
            self._viewers.add(viewer)
            self._arrived.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="streams", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        """Serve until nobody listens. A database that is away is told to the viewers, and tried again."""
        away = False
        source: Watcher | None = None
        while not self._stopped():
            try:
                if source is None:
                    source = self._watch()
                else:
                    source.wait(IDLE_SECONDS, self._arrived)
                self._arrived.clear()
                self._serve()
                if away:
                    self._tell(Message("back", {"what": "database"}))
                away = False
            except (DatabaseError, InterfaceError, sqlite3.Error, OSError) as error:
                log.warning("database away", error=str(error))
                if not away:
                    self._tell(Message("away", {"what": "database"}))
                close(source)
                away, source = True, None
                time.sleep(RETRY_SECONDS)
        close(source)
        connection.close()

    def _stopped(self) -> bool:
        with self._lock:
            if self._viewers:
                return False
            self._thread = None
            return True

    def _serve(self) -> None:
        close_old_connections()
        groups: dict[tuple[Topic, int], list[Viewer]] = defaultdict(list)
        with self._lock:
            for viewer in self._viewers:
                if not viewer.behind:
                    groups[(viewer.topic, viewer.cursor)].append(viewer)
        if not groups:
            return
        for key, (cursor, messages) in self._read(list(groups)).items():
            chunk = b"".join(message.encode() for message in messages)
            for viewer in groups[key]:
                viewer.cursor = cursor
                self._hand(viewer, chunk)

    def _hand(self, viewer: Viewer, chunk: bytes) -> None:
        if viewer.queue.qsize() >= BACKLOG:
            viewer.behind = True
            viewer.put(None)
        elif chunk:
            viewer.put(chunk)

    def _tell(self, message: Message) -> None:
        with self._lock:
            viewers = list(self._viewers)
        for viewer in viewers:
            viewer.put(message.encode())


def close(source: Watcher | None) -> None:
    """Close a watcher whose connection may be gone already."""
    try:
        if source is not None:
            source.close()
    except Exception as error:
        log.info("watcher closed with an error", error=str(error))
