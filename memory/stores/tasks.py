"""Periodic work on records and files."""

from celery import shared_task

from memory.stores import services
from web.periodic import periodic


@shared_task(name="memory.purge_records", ignore_result=True)
@periodic("purge-records")
def purge_records() -> int:
    """Remove what has expired; look at records whose schema changed. Late runs change nothing that can be read."""
    services.stores_recheck()
    return services.purge()
