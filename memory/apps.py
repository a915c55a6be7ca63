"""Facts that agents persist: store, expiry, change log, inspector."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Application ``memory``."""

    name = "memory"

    def ready(self) -> None:
        """Connect what follows from a document that is saved."""
        from memory.facts import marking  # noqa: F401
