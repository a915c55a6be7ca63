"""Whether the process that works on a turn still lives, and what it works on (docs/decisions/0003 and 0007).

Each process that works on turns holds a lock on a file of its own; the kernel lets go of it when the process ends in
any way. Whoever can take the lock knows that the process is gone. The file says which turn the process is running, so
that others can kill exactly the process that hangs in it, and then where in the turn it is. A
process on another machine has no file here: only its lease is known.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import signal
import socket
import time
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings

SUFFIX = ".alive"
RECORD_BYTES = 160
PLACE_BYTES = 8192
"""Bytes of a note of a place; a longer one, because of long names in the agent, is left out."""
STOPPED = 0.0
"""Stands for the time of a process that was killed because of its turn."""
_held: dict[str, IO[bytes]] = {}
"""Open files of this process; the lock lasts as long as they do."""


class Work(NamedTuple):
    """What a process is working on: a turn, when it was claimed, and its deadline on the monotonic clock."""

    turn: int
    claimed: str
    until: float


def worker_name() -> str:
    """Host, parent, process and a mark that makes it unique, as a running turn names its worker."""
    return _name_of(os.getpid(), os.getppid())


@lru_cache(maxsize=2)
def _name_of(pid: int, parent: int) -> str:
    mark = f"{pid}-{secrets.token_hex(4)}"
    with contextlib.suppress(OSError):  # without a file the lease decides, as for other machines
        _held[mark] = held(file_of(mark))
    return f"{socket.gethostname()[:80]}/{parent}:{mark}"


def group_of(worker: str) -> str:
    """Host and parent of a process: what the processes of one pool have in common."""
    return worker.rpartition(":")[0]


def folder() -> Path:
    """Where the files lie: processes that share it know of each other."""
    return Path(settings.VAR_DIR) / "workers"


def file_of(mark: str) -> Path:
    """The file of a process."""
    return folder() / f"{mark}{SUFFIX}"


def path_of(worker: str) -> Path:
    """The file of a process by its whole name."""
    return file_of(worker.rpartition(":")[2])


def held(path: Path) -> IO[bytes]:
    """A new file with a lock on it. It gets its name with the lock, so nobody ever finds it without one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    file = part.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.rename(part, path)
    return file


def is_gone(worker: str) -> bool:
    """True if the process of that name has ended; False while it lives, and where that cannot be known."""
    return is_free(path_of(worker))


def is_free(path: Path) -> bool:
    """Whether the file is there and nobody holds its lock."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def parent_lives(worker: str) -> bool:
    """Whether the process that started this one is there still, on this machine."""
    host, _, parent = group_of(worker).rpartition("/")
    if host != socket.gethostname()[:80]:
        return False
    try:
        state = Path(f"/proc/{int(parent)}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, ValueError, IndexError):
        return False
    return state not in ("Z", "X")  # ended, and not collected yet


def begin(*, turn_id: int, claimed: datetime | None, seconds: float) -> None:
    """Write down that this process begins to work on a turn, for at most so many seconds."""
    _write(Work(turn_id, _text(claimed), time.monotonic() + seconds))


def rest() -> None:
    """Write down that this process works on no turn."""
    _write(None)


def _write(work: Work | None) -> None:
    file = _held.get(worker_name().rpartition(":")[2])
    if file is not None:
        with contextlib.suppress(OSError):
            os.pwrite(file.fileno(), _record(work), 0)  # in one piece: nobody reads half of it


def note(*, turn_id: int, claimed: datetime | None, place: dict[str, Any]) -> None:
    """Write down where in its turn this process is, so that whoever has to kill it can report the place."""
    file = _held.get(worker_name().rpartition(":")[2])
    data = json.dumps([turn_id, _text(claimed), place]).encode() + b"\n"
    if file is not None and len(data) <= PLACE_BYTES:
        with contextlib.suppress(OSError):
            os.pwrite(file.fileno(), data, RECORD_BYTES)


def place_of(worker: str, *, turn_id: int, claimed: datetime | None) -> dict[str, Any]:
    """Where the process was at last in this claim of the turn; empty where that is not known."""
    try:
        line = path_of(worker).read_bytes()[RECORD_BYTES:].partition(b"\n")[0]
        *of, place = json.loads(line)
    except (OSError, ValueError, TypeError):
        return {}
    return dict(place) if of == [turn_id, _text(claimed)] else {}


def _record(work: Work | None) -> bytes:
    return json.dumps(work).encode().ljust(RECORD_BYTES)


def _text(claimed: datetime | None) -> str:
    return claimed.isoformat() if claimed is not None else ""


def work_of(path: Path) -> Work | None:
    """The turn that the process of a file works on, or worked on when it ended; None without one."""
    try:
        found = json.loads(path.read_bytes()[:RECORD_BYTES])
        return Work(*found) if found is not None else None
    except (OSError, ValueError, TypeError):
        return None


def is_here(worker: str) -> bool:
    """Whether the process runs or ran on this machine, so that more than its lease is known of it."""
    return path_of(worker).exists()


def is_at_work(worker: str, *, turn_id: int, claimed: datetime | None) -> bool:
    """Whether the process lives on this machine and is at this claim of the turn."""
    path = path_of(worker)
    work = work_of(path)
    return work is not None and work[:2] == (turn_id, _text(claimed)) and not is_free(path)


def stop(worker: str, *, turn_id: int, claimed: datetime | None) -> bool:
    """Kill the process if it lives on this machine and is at this claim of the turn. Returns whether it was killed.

    The process is stopped while this is checked. If it has finished the turn and waits for the next one it must not be
    killed, because it may hold a lock that the others of its pool need.
    """
    pid = worker.rpartition(":")[2].partition("-")[0]
    if not pid.isdecimal() or not is_at_work(worker, turn_id=turn_id, claimed=claimed):
        return False
    try:
        os.kill(int(pid), signal.SIGSTOP)
        still = is_at_work(worker, turn_id=turn_id, claimed=claimed)
        if still:
            _write_stopped(path_of(worker))
        os.kill(int(pid), signal.SIGKILL if still else signal.SIGCONT)
    except ProcessLookupError:
        return False
    return still


def _write_stopped(path: Path) -> None:
    """Record that the process was killed because of its turn."""
    work = work_of(path)
    with contextlib.suppress(OSError), path.open("r+b") as file:
        os.pwrite(file.fileno(), _record(work and work._replace(until=STOPPED)), 0)


def was_stopped(worker: str, *, turn_id: int, claimed: datetime | None) -> bool:
    """Whether the process was killed by ``stop`` or ``stop_overdue`` for this claim of the turn."""
    return work_of(path_of(worker)) == Work(turn_id, _text(claimed), STOPPED)


def stop_overdue(pid: int, *, grace: float) -> bool:
    """Kill a process that is at a turn for longer than it may and ``grace`` seconds more. Returns whether it was."""
    for path in folder().glob(f"{pid}-*{SUFFIX}"):
        work = work_of(path)
        if work is not None and time.monotonic() > work.until + grace:
            claimed = datetime.fromisoformat(work.claimed) if work.claimed else None
            return stop(f":{path.name.removesuffix(SUFFIX)}", turn_id=work.turn, claimed=claimed)
    return False


def ended_at_work(pid: int) -> bool:
    """Whether a process that has ended was at a turn then, and so held no lock of its pool."""
    found = sorted((path.stat().st_mtime, path) for path in folder().glob(f"{pid}-*{SUFFIX}"))
    return bool(found) and work_of(found[-1][1]) is not None  # the last: numbers of processes are used again


def forget_the_gone() -> None:
    """Remove the files of processes that have ended. A turn that names one of them waits for the end of its lease."""
    for path in folder().glob(f"*{SUFFIX}"):
        if is_free(path):
            path.unlink(missing_ok=True)
