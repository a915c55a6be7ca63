"""Django's admin for everything that is remembered: facts, blocks, stores, banks, and the log of them (DESIGN §4)."""

from memory.admin import facts, log, systems

__all__ = ["facts", "log", "systems"]
