"""Blocks, records and the bank in memory, under the name of docs/spec 12 §1; see :mod:`abl.runtime.memory`."""

from abl.runtime.memory.systems_in_memory import MemoryBank, MemoryBlocks, MemoryRecords

__all__ = ["MemoryBank", "MemoryBlocks", "MemoryRecords"]
