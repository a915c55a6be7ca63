"""Server-sent events for many viewers at the price of one (docs/architecture.md §4).

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
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from web.limits import STREAM_BYTES, STREAM_BYTES_OF_USER
from web.rights import Allowed, Claim, Rights

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
"""Messages that a slow viewer may be behind; beyond that its stream ends, and the browser catches up by its cursor."""

AT_ONCE = 16
"""Pairs of topic and cursor that are read together: what is read for them is in memory at once."""

HEARTBEAT = b": still here\n\n"


@dataclass(frozen=True)
class Message:
    """One server-sent event. Only a message with an ``id`` moves the cursor of a viewer."""

    event: str
    data: Any
    id: int | None = None

    @cached_property
    def wire(self) -> bytes:
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
    claim: Claim
    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    behind: bool = False
    given: int = 0
    """Bytes that its queue has been given, counted by the thread that serves."""
    taken: int = 0
    """Bytes that were taken from it, counted by the event loop: two counts, so that none needs a lock."""

    @property
    def unread(self) -> int:
        """Bytes that wait for the client."""
        return self.given - self.taken

    @property
    def user(self) -> Hashable:
        """In whose name it listens."""
        return getattr(self.claim, "user", None)


class Post:
    """What the thread has for viewers, handed to their event loops in one go: each hand-over wakes a loop."""

    def __init__(self) -> None:
        self._items: dict[asyncio.AbstractEventLoop, list[tuple[Viewer, bytes | None]]] = defaultdict(list)

    def put(self, viewer: Viewer, chunk: bytes | None) -> None:
        """Add a chunk for a viewer; None ends its stream."""
        self._items[viewer.loop].append((viewer, chunk))

    def send(self) -> None:
        """Hand everything over. A closed loop means that nobody listens there any more."""
        for loop, items in self._items.items():
            try:
                loop.call_soon_threadsafe(deliver, items)
            except RuntimeError:
                for viewer, _ in items:
                    viewer.behind = True


def deliver(items: list[tuple[Viewer, bytes | None]]) -> None:
    """Put chunks into the queues of their viewers; called in their event loop."""
    for viewer, chunk in items:
        viewer.queue.put_nowait(chunk)


class Hub:
    """Viewers of one kind of topic, and the thread that serves them while there are any."""

    def __init__(self, read: Reader, watch: Callable[[], Watcher] = watcher, allowed: Allowed = set) -> None:
        self._read = read
        self._watch = watch
        self.rights = Rights(self._claims, self._refuse, allowed)
        self._viewers: set[Viewer] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._arrived = threading.Event()

    async def stream(self, *, topic: Topic, cursor: int, claim: Claim = None) -> AsyncGenerator[bytes]:
        """Chunks for a ``StreamingHttpResponse``: what came after ``cursor``, then what comes, with heartbeats.

        It ends when ``claim``, by which the viewer listens, is no longer allowed.
        """
        viewer = Viewer(topic=topic, cursor=cursor, claim=claim, loop=asyncio.get_running_loop())
        self._join(viewer)
        self.rights.look_after()
        try:
            yield b"retry: 1000\n\n"
            while True:
                try:
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        chunk = await viewer.queue.get()
                except TimeoutError:
                    chunk = HEARTBEAT
                if chunk is None:
                    return
                if chunk is not HEARTBEAT:
                    self._took(viewer, len(chunk))
                yield chunk
        finally:
            with self._lock:
                self._viewers.discard(viewer)
            self.rights.changed()  # where nobody is left, its thread ends

    def _took(self, viewer: Viewer, size: int) -> None:
        viewer.taken += size
        if size >= STREAM_BYTES // 2:  # there may be more for it, which was not read yet
            self._arrived.set()

    def _join(self, viewer: Viewer) -> None:
        with self._lock:
            self._viewers.add(viewer)
            self._arrived.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="streams", daemon=True)
                self._thread.start()

    def _claims(self) -> set[Claim]:
        with self._lock:
            return {viewer.claim for viewer in self._viewers if not viewer.behind}

    def _refuse(self, claims: set[Claim]) -> None:
        """End the streams of those who may listen no longer; nothing new is handed to them."""
        with self._lock:
            refused = [viewer for viewer in self._viewers if viewer.claim in claims and not viewer.behind]
            for viewer in refused:
                viewer.behind = True
        post = Post()
        for viewer in refused:
            post.put(viewer, None)
        post.send()

    def _run(self) -> None:
        """Serve until nobody listens. While the database is away, viewers are notified and it is tried again."""
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
                    self._notify(Message("back", {"what": "database"}))
                away = False
            except (DatabaseError, InterfaceError, sqlite3.Error, OSError) as error:
                log.warning("database away", error=str(error))
                if not away:
                    self._notify(Message("away", {"what": "database"}))
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
                if not viewer.behind and viewer.unread < STREAM_BYTES:
                    groups[(viewer.topic, viewer.cursor)].append(viewer)
            unread = Counter[Hashable]()
            for viewer in self._viewers:
                unread[viewer.user] += viewer.unread
        keys = list(groups)
        for first in range(0, len(keys), AT_ONCE):
            post = Post()
            for key, (cursor, messages) in self._read(keys[first : first + AT_ONCE]).items():
                chunk = b"".join(message.wire for message in messages)
                for viewer in groups[key]:
                    self._hand(post, viewer, cursor, chunk, unread)
            post.send()

    @staticmethod
    def _hand(post: Post, viewer: Viewer, cursor: int, chunk: bytes, unread: Counter[Hashable]) -> None:
        """A piece for a viewer. With too much unread of its user, or too many messages, its stream ends if it is slow.

        One that has read everything waits instead. The browser of a stream that ends asks again from its cursor.
        """
        too_much = chunk and unread[viewer.user] and unread[viewer.user] + len(chunk) > STREAM_BYTES_OF_USER
        if viewer.queue.qsize() >= BACKLOG or (too_much and viewer.unread):
            viewer.behind = True
            post.put(viewer, None)
            return
        if too_much:
            return
        viewer.cursor = cursor
        if chunk:
            viewer.given += len(chunk)
            unread[viewer.user] += len(chunk)
            post.put(viewer, chunk)

    def _notify(self, message: Message) -> None:
        with self._lock:
            viewers = list(self._viewers)
        post = Post()
        for viewer in viewers:
            viewer.given += len(message.wire)
            post.put(viewer, message.wire)
        post.send()


def close(source: Watcher | None) -> None:
    """Close a watcher whose connection may be gone already."""
    try:
        if source is not None:
            source.close()
    except Exception as error:
        log.info("watcher closed with an error", error=str(error))
