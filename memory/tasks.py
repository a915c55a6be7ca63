"""Periodic work on facts."""

from celery import shared_task

from memory import purge
from memory.stores.tasks import purge_records


@shared_task(name="memory.purge_expired", ignore_result=True)
def purge_expired() -> int:
    """Remove the values of facts whose time has passed. Late or lost runs change nothing that can be read."""
    return purge.purge_expired()


@shared_task(name="memory.drop_tombstones", ignore_result=True)
def drop_tombstones() -> int:
    """Drop the tombstones that their projects keep no longer."""
    return purge.drop_tombstones()


__all__ = ["drop_tombstones", "purge_expired", "purge_records"]
