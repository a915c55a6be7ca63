"""Where migration 0007 finds ``canonical``; the module is ``memory.log.chain``."""

from memory.log.chain import canonical

__all__ = ["canonical"]
