"""The room that a project's log takes on the disk, which bounds what its memory may write (docs/reference/limits.md).

Every value that memory keeps is written to the log first, so the log bounds all systems. What is written is counted as
it is written; what purging and erasing take out of the log is counted anew every hour.
"""

from __future__ import annotations

from django.conf import settings
from django.db import connection, transaction

from memory.models import ChangeHead
from web.quotas import MEGABYTE, Quota

ENTRY_BYTES = 512
"""What an entry of the log takes beside its value."""
OF_PROJECT = Quota(
    "value",
    "values and changes in the memory",
    "ABL_PROJECT_MEMORY_MB",
    "Delete what is no longer needed, which makes room within the hour",
)
RECOUNTED_FROM = 0.5
"""The share of the quota from which a log is counted anew: below that share, space that was freed does not matter."""

_SUM = "SELECT COUNT(*), COALESCE(SUM({length}(value)), 0) FROM memory_factchange WHERE project_id = %s AND seq <= %s"


def recount() -> int:
    """Count the logs of projects that come near their quota. Returns how many were."""
    large = ChangeHead.objects.filter(stored_bytes__gt=RECOUNTED_FROM * settings.PROJECT_MEMORY_MB * MEGABYTE)
    for head in large:
        counted, up_to = _counted(head.project_id, head.seq), head.stored_bytes
        with transaction.atomic():
            now = ChangeHead.objects.select_for_update().get(pk=head.pk)
            # What was written meanwhile comes on top.
            ChangeHead.objects.filter(pk=head.pk).update(stored_bytes=counted + now.stored_bytes - up_to)
    return len(large)


def _counted(project_id: int, seq: int) -> int:
    length = "octet_length" if connection.vendor == "postgresql" else "length"
    with connection.cursor() as cursor:
        cursor.execute(_SUM.format(length=length), [project_id, seq])
        entries, values = cursor.fetchone()
    return int(entries) * ENTRY_BYTES + int(values)
