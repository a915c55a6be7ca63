"""Whether the process that works on a turn still lives, known at once and without asking it (docs/decisions/0003).

Each process that works on turns holds a lock on a file of its own; the kernel lets go of it when the process ends in
any way. Who can take the lock knows that the process is gone. A process on another machine has no file here: of that
one only the lease tells.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import socket
from functools import lru_cache
from pathlib import Path
from typing import IO

from django.conf import settings

SUFFIX = ".alive"
_held: dict[str, IO[bytes]] = {}
"""Open files of this process; the lock lasts as long as they do."""


def worker_name() -> str:
    """Host, process and a mark that makes it unique, as a running turn names its worker."""
    return _name_of(os.getpid())


@lru_cache(maxsize=2)
def _name_of(pid: int) -> str:
    mark = f"{pid}-{secrets.token_hex(4)}"
    with contextlib.suppress(OSError):  # without a file the lease tells, as for other machines
        _held[mark] = held(file_of(mark))
    return f"{socket.gethostname()[:80]}:{mark}"


def folder() -> Path:
    """Where the files lie: processes that share it know of each other."""
    return Path(settings.VAR_DIR) / "workers"


def file_of(mark: str) -> Path:
    """The file of a process."""
    return folder() / f"{mark}{SUFFIX}"


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
    return is_free(file_of(worker.rpartition(":")[2]))


def is_free(path: Path) -> bool:
    """Whether the file is there and nobody holds its lock."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def forget_the_gone() -> None:
    """Remove the files of processes that have ended. A turn that names one of them waits for the end of its lease."""
    for path in folder().glob(f"*{SUFFIX}"):
        if is_free(path):
            path.unlink(missing_ok=True)
