"""The embedded broker: kombu's filesystem transport, safe for several readers and writers (docs/architecture.md §4).

A queue is a folder of files, one for each message. Three rules keep it whole:

- A message is written beside and renamed, so a reader sees all of it or nothing.
- A reader takes a message by renaming it into its own folder on the same volume; of two readers one wins.
- The table of bindings is replaced as a whole, by one writer at a time.

A file that holds no message is set aside as ``.bad`` and logged. A folder that vanished is made again. When the disk
refuses, kombu's ``ConnectionError`` is raised: publishers see ``OperationalError``, a worker connects again.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import threading
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError, ConnectionError
from kombu.transport import filesystem
from kombu.transport.filesystem import exchange_queue_t
from kombu.utils.json import dumps, loads

log = logging.getLogger("abl_workbench.broker")

POLLING_SECONDS = 0.02
LEFTOVER_SECONDS = 60
"""Age after which a file in transit is abandoned: its process died between two renames."""


class Channel(filesystem.Channel):  # type: ignore[misc]
    """A channel whose messages appear whole and are taken once."""

    def __init__(self, connection: Any, **kwargs: Any) -> None:
        super().__init__(connection, **kwargs)
        self.queue_folder = Path(self.data_folder_in)
        self.taken_folder = Path(self.processed_folder)
        self._waiting: defaultdict[str, deque[str]] = defaultdict(deque)
        with disk():
            self._make_folders()
            self._collect_leftovers()
            self._probe()

    # Writing

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:
        # Names sort by time of arrival; the suffix is the one kombu's own readers look for.
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        with disk():
            self._write_whole(self.queue_folder / name, dumps(payload))

    def _write_whole(self, path: Path, text: str) -> None:
        """Write beside and rename. Parts lie in the folder for what is under way, on the same volume."""
        part = self.taken_folder / f"{uuid.uuid4().hex}.part"
        try:
            part.write_text(text, encoding="utf-8")
            os.replace(part, path)
        except FileNotFoundError:
            self._make_folders()
            part.write_text(text, encoding="utf-8")
            os.replace(part, path)
        except OSError:
            part.unlink(missing_ok=True)
            raise

    # Reading

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        with disk():
            waiting = self._waiting[queue]
            if not waiting:
                # One listing serves many messages: a long queue costs a listing for each batch, not for each message.
                waiting.extend(self._names(queue))
            while waiting:
                payload = self._take(waiting.popleft())
                if payload is not None:
                    return payload
        raise Empty

    def _take(self, name: str) -> dict[str, Any] | None:
        """The message in a file, which is then gone; None if another reader was first or it holds no message."""
        taken = self.taken_folder / name
        try:
            os.rename(self.queue_folder / name, taken)
        except FileNotFoundError:
            self.taken_folder.mkdir(parents=True, exist_ok=True)
            return None
        try:
            payload: dict[str, Any] = loads(taken.read_bytes())
            self.Message(payload, channel=self)
        except OSError:
            raise
        except Exception as exc:  # whatever is in the file must not stop the worker
            os.replace(taken, taken.with_suffix(".bad"))
            log.error(
                "A file in the queue holds no message and was set aside as %s: %r", taken.with_suffix(".bad"), exc
            )
            return None
        taken.unlink(missing_ok=True)
        return payload

    def _names(self, queue: str) -> list[str]:
        """Messages that wait in a queue, oldest first."""
        try:
            names = os.listdir(self.queue_folder)
        except FileNotFoundError:
            self._make_folders()
            return []
        return sorted(name for name in names if name.partition(".")[2] == f"{queue}.msg")

    def _size(self, queue: str) -> int:
        with disk():
            return len(self._names(queue))

    def _purge(self, queue: str) -> int:
        with disk():
            return sum(self._take(name) is not None for name in self._names(queue))

    # Bindings

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        """Bindings of an exchange. Those that this process made hold even if the file is lost."""
        try:
            rows = loads(self._exchange_file(exchange).read_bytes())
        except FileNotFoundError:
            rows = self.state.exchanges.get(exchange, {}).get("table", [])
        except ValueError as exc:
            raise ChannelError(f"{self._exchange_file(exchange)} is not a table of bindings") from exc
        except OSError as exc:
            raise ConnectionError(f"The broker's folder cannot be read: {exc}") from exc
        return [exchange_queue_t(*row) for row in rows]

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        row = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._table_for_change(exchange) as table:
            if row not in table:
                table.insert(0, row)

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any) -> None:
        self._purge(queue)
        row = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._table_for_change(exchange) as table:
            if row in table:
                table.remove(row)

    @contextlib.contextmanager
    def _table_for_change(self, exchange: str) -> Iterator[list[exchange_queue_t]]:
        """The bindings of an exchange, written back if they change; others wait at the lock file."""
        path = self._exchange_file(exchange)
        with disk():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                table = [exchange_queue_t(*row) for row in loads(path.read_bytes())] if path.exists() else []
                before = list(table)
                yield table
                if table != before or not path.exists():
                    self._write_whole(path, dumps(table))

    # Folders

    def _make_folders(self) -> None:
        for folder in (self.queue_folder, self.taken_folder, self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)

    def _collect_leftovers(self) -> None:
        """Messages that a killed reader had taken and not read go back; parts of a killed writer go away."""
        now = time.time()
        for path in self.taken_folder.iterdir():
            with contextlib.suppress(FileNotFoundError):
                # ctime is when it was renamed; mtime would be when it was published, long ago perhaps.
                if now - path.stat().st_ctime < LEFTOVER_SECONDS:
                    continue
                if path.suffix == ".msg":
                    os.rename(path, self.queue_folder / path.name)
                elif path.suffix == ".part":
                    path.unlink()

    def _probe(self) -> None:
        """Prove that messages can be written, so that connecting fails where publishing would."""
        probe = self.queue_folder / f"{uuid.uuid4().hex}.probe"
        self._write_whole(probe, "")
        probe.unlink(missing_ok=True)


closing = threading.Event()
"""Set when this process shuts down: a worker then leaves its wait for messages at once, not after two seconds."""


class Transport(filesystem.Transport):  # type: ignore[misc]
    """``embedded://``: messages as files beside the database."""

    Channel = Channel
    polling_interval = POLLING_SECONDS

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:
        """Deliver the next message; ``TimeoutError`` when none comes in ``timeout`` seconds or the process closes."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            try:
                self.cycle.get(self._deliver, timeout=timeout)
                return
            except Empty:
                if closing.wait(self.polling_interval) or (deadline is not None and time.monotonic() >= deadline):
                    raise TimeoutError from None


@contextlib.contextmanager
def disk() -> Iterator[None]:
    """Errors of the disk as kombu's ``ConnectionError``, which names what went wrong."""
    try:
        yield
    except OSError as exc:
        reason = errno.errorcode.get(exc.errno or 0, "EIO")
        raise ConnectionError(f"The broker's folder does not work: {exc.strerror or exc} ({reason})") from exc
