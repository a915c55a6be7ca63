"""Test conversations on workers, turns, traces and how constraints went."""

from django.apps import AppConfig


class ConstraintsConfig(AppConfig):
    """Application ``constraints``."""

    name = "constraints"

    def ready(self) -> None:
        """Connect the guards of documents, what is erased with a user, and what the editor shows of the last run."""
        from constraints.conversations import erasing, guards  # noqa: F401
        from constraints.traces import last_rules, last_seen  # noqa: F401
