"""Test conversations on workers, turns, traces and how constraints went."""

from django.apps import AppConfig


class ConstraintsConfig(AppConfig):
    """Application ``constraints``."""

    name = "constraints"

    def ready(self) -> None:
        """Connect the guards of documents and what is erased with a user."""
        from constraints import erasing, guards  # noqa: F401
