"""Periodic work on what belongs to no application."""

from __future__ import annotations

from importlib import import_module

from celery import shared_task
from django.conf import settings


@shared_task(name="config.clear_sessions", ignore_result=True)
def clear_sessions() -> None:
    """Delete the sign-ins whose time is over; each held a row that nobody reads again."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
