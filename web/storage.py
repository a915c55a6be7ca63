"""Recognising a full disk by the errors of Python, SQLite and PostgreSQL."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT))
SQLITE_FULL = frozenset((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE))
"""The second: the index of the write-ahead log could not grow."""
POSTGRES_FULL = "53100"
SMALLEST_ROOM = 1_000_000
"""Bytes that a turn with its trace may need at once."""


def is_full(exc: BaseException | None) -> bool:
    """Whether an error, or one that it was made of, says that there is no room to write."""
    while exc is not None:
        if isinstance(exc, OSError) and exc.errno in NO_ROOM:
            return True
        if getattr(exc, "sqlite_errorcode", None) in SQLITE_FULL or getattr(exc, "sqlstate", None) == POSTGRES_FULL:
            return True
        exc = exc.__cause__
    return False


def has_room(folder: Path) -> bool:
    """Whether there is room for work on the volume of a folder."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize >= SMALLEST_ROOM


def remove_leftovers(older_than: float = 0.0) -> None:
    """Remove files of uploads whose process was killed before it could; ``older_than`` is an age in seconds."""
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime >= older_than:
                path.unlink()
