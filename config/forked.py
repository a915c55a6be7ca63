"""Programs that run in a fork of this process, with all modules loaded already (docs/decisions/0004).

A killed program is back in a fraction of a second, even on a busy machine: most of a start is importing modules, and
they are imported only once.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

from config.parent import die_with

HIGHEST_DESCRIPTOR = 4096
SIGNALS = (signal.SIGINT, signal.SIGTERM)
MODULES = (
    "uvicorn",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "config.asgi",
    "config.listener",
    "config.server",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.worker.consumer",
)
"""What the programs would load one by one, beside the applications."""


class Forked:
    """A child process. ``returncode`` is None while it runs, then its exit code, or minus the signal that ended it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Collect it if it has ended, and return ``returncode``."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, seconds: float) -> int | None:
        """Wait for its end, at most so long; ``returncode``."""
        deadline = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


def fork(title: str, main: Callable[[], object], keep: Iterable[int] = ()) -> Forked:
    """Run ``main`` in a child in a session of its own: Ctrl+C in the terminal reaches this process alone.

    The child has no open files but the standard ones and ``keep``, and ends when this process does. ``title`` is what
    ``ps`` shows. A fork must not interrupt anything in this process: no other thread, no open connection.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    # A signal that comes before the child has handlers of its own must not run those of the supervisor.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        pid = os.fork()
        if not pid:
            become(title, main, tuple(keep), parent, before)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return Forked(pid)


def become(title: str, main: Callable[[], object], keep: tuple[int, ...], parent: int, mask: Iterable[int]) -> None:
    """What the child does; it never returns."""
    code = 1
    try:
        os.setsid()
        die_with(parent)
        close_others(keep)
        retitle(title)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # whatever it is, the frames above belong to the supervisor
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def close_others(keep: tuple[int, ...]) -> None:
    """Close inherited files, such as the lock of the data folder, and read from nowhere."""
    low = 3
    for descriptor in sorted(keep):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, HIGHEST_DESCRIPTOR)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)


def retitle(title: str) -> None:
    """Show ``title`` as the command line of this process as far as the old one has room for it; Linux only."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return
    start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end of proc(5), without the first two fields
    words = title.encode().replace(b" ", b"\0")
    if 0 < start < end:
        ctypes.memmove(start, words[: end - start - 1].ljust(end - start, b"\0"), end - start)


def load() -> None:
    """Load what the programs need, leave no connection open, and let children share the memory of it."""
    from celery import current_app
    from django.db import connections
    from django.urls import get_resolver

    from constraints.running import programs

    for name in MODULES:
        import_module(name)
    current_app.loader.import_default_modules()
    current_app.finalize()
    len(get_resolver().url_patterns)
    programs.warm_up()
    connections.close_all()
    gc.collect()
    gc.freeze()
