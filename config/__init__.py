"""Project configuration: settings, addresses, server, worker. Nothing of the domain."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
