"""Facts that agents persist: store, expiry, change log, inspector."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Application ``memory``."""

    name = "memory"
