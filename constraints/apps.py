"""Test conversations on workers, turns, traces and how constraints went."""

from django.apps import AppConfig


class ConstraintsConfig(AppConfig):
    """Application ``constraints``."""

    name = "constraints"

    def ready(self) -> None:
        """Connect the guards of documents, what is erased with a user, and the last values that the editor shows."""
        from constraints import erasing, guards, last_seen  # noqa: F401
