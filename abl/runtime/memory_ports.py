"""Facts, tools and clocks in memory, under the name of docs/spec 12 §1; the code is in :mod:`abl.runtime.memory`."""

from abl.runtime.memory.in_memory import FixedClock, MemoryFacts, MockTools, SystemClock

__all__ = ["FixedClock", "MemoryFacts", "MockTools", "SystemClock"]
