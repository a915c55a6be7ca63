"""When periodic work last finished, and that no kind of it runs twice in one process (docs/architecture.md §4).

The time is that of a file in ``ABL_VAR_DIR/periodic``: it can be read without the database, which may be what hangs.
Periodic work on another machine leaves no file here.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from pathlib import Path

from django.conf import settings

_at_work: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def periodic(name: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator for periodic work that returns how much it did.

    Work that is still running when it is due again is not started a second time: the call returns 0. Otherwise a slow
    purge would use up every thread of the worker, one after the other. Only work that succeeds counts as finished.
    """

    def decorate(work: Callable[..., int]) -> Callable[..., int]:
        @wraps(work)
        def run(*args: object, **kwargs: object) -> int:
            lock = _at_work[name]
            if not lock.acquire(blocking=False):
                return 0
            try:
                done = work(*args, **kwargs)
                finished(name)
                return done
            finally:
                lock.release()

        return run

    return decorate


def finished(name: str) -> None:
    """Record that periodic work of this name has just finished."""
    path = file_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def lag(name: str) -> float | None:
    """Seconds since periodic work of this name last finished; None if it never did on this machine."""
    try:
        return max(0.0, time.time() - file_of(name).stat().st_mtime)
    except OSError:
        return None


def file_of(name: str) -> Path:
    """The file whose time of change says when work of this name finished."""
    return Path(settings.VAR_DIR) / "periodic" / name


__all__ = ["finished", "lag", "periodic"]
