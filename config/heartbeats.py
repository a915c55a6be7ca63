"""When the processes of the workbench last answered, in memory that they share with the supervisor.

The supervisor forks, so it has no thread and no connection with which it could ask (docs/decisions/0004). A number in
shared memory needs neither.
"""

from __future__ import annotations

import mmap
import struct
import time
from typing import Literal

Name = Literal["listener", "web", "progress"]
OFFSETS: dict[Name, int] = {"listener": 0, "web": 8, "progress": 16}


class Heartbeats:
    """Times of ``time.monotonic()`` by name, 0.0 before the first. Children made by fork write into the same memory."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)

    def beat(self, name: Name, *, ago: float = 0.0) -> None:
        """Record an answer now, or ``ago`` seconds ago."""
        struct.pack_into("d", self._memory, OFFSETS[name], time.monotonic() - ago)

    def last(self, name: Name) -> float:
        """When it answered last."""
        return float(struct.unpack_from("d", self._memory, OFFSETS[name])[0])

    def web_silence(self, since: float) -> float:
        """Seconds between the last answer of the web process, or ``since``, and the last time that it was looked for.

        The listener asks it. While the machine was too busy to run the listener, the web process could not answer
        either.
        """
        return self.last("listener") - max(self.last("web"), since)

    def web_standstill(self, since: float) -> float:
        """Seconds for which requests waited in the web process and none was finished, when it last answered.

        What was before ``since`` does not count: it is about the process before.
        """
        return self.last("web") - max(self.last("progress"), since)

    def listener_silence(self, since: float) -> float:
        """Seconds since the listener went through its event loop, or since ``since``."""
        return time.monotonic() - max(self.last("listener"), since)
