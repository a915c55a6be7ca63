"""Django's admin for all that is remembered: facts, blocks, stores, banks, and their log (docs/architecture.md §4)."""

from memory.admin import facts, log, systems

__all__ = ["facts", "log", "systems"]
