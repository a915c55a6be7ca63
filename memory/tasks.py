"""Periodic work on facts."""

from celery import shared_task

from memory.facts import purge
from memory.log import room
from memory.stores.tasks import purge_records
from web.periodic import periodic


@shared_task(name="memory.purge_expired", ignore_result=True)
@periodic("purge-facts")
def purge_expired() -> int:
    """Remove the values of facts whose time has passed. Late or lost runs change nothing that can be read."""
    return purge.purge_expired()


@shared_task(name="memory.drop_tombstones", ignore_result=True)
@periodic("drop-tombstones")
def drop_tombstones() -> int:
    """Drop the tombstones that their projects keep no longer, and count the room that others left."""
    gone = purge.drop_tombstones()
    room.recount()
    return gone


__all__ = ["drop_tombstones", "purge_expired", "purge_records"]
