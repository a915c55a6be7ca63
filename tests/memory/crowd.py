"""Room for tests that open many connections: a server takes a hundred, and processes of tests run side by side."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone() -> Iterator[None]:
    """One crowd at a time on this machine."""
    with (Path(tempfile.gettempdir()) / "abl-workbench-crowd.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
