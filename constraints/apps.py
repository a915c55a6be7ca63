"""Test conversations on workers, turns, traces and how constraints went."""

from django.apps import AppConfig


class ConstraintsConfig(AppConfig):
    """Application ``constraints``."""

    name = "constraints"

    def ready(self) -> None:
        """Connect the guards of documents."""
        from constraints import guards  # noqa: F401
