"""Where migration 0007 finds ``seal_of``; the module is ``memory.log.seals``."""

from memory.log.seals import seal_of

__all__ = ["seal_of"]
