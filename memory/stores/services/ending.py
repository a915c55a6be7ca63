"""How records, sessions and files end: by time, and when everything about a user is erased (docs/spec 11)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from editor.models import Project, User
from memory.facts.purge import tombstone_days
from memory.facts.services import VIRTUAL_KEPT, actor_of
from memory.log.ledger import Ledger, writing
from memory.log.tombstones import erase
from memory.models import Artifact, FactChange, SessionMeta, StoreDefinition, StoreRecord
from memory.stores.services.artifacts import artifacts_end, orphans_remove
from memory.stores.services.records import leave_record_tombstones
from memory.stores.services.sessions import forget_metadata

BATCH = 200


def purge(*, now: datetime | None = None, limit: int = BATCH, batches: int = 50) -> int:
    """Remove the content of expired records and the files whose links ended. Returns how many went.

    Works in batches of ``limit``, one transaction per project in each, so that no writer waits for long.
    """
    now = now or timezone.now()
    gone = 0
    for _ in range(batches):
        number = _purge_records(now, limit) + _purge_artifacts(now, limit)
        gone += number
        if not number:
            break
    for project in Project.objects.order_by("pk"):
        kept = timedelta(days=tombstone_days(project))
        StoreRecord.objects.filter(project=project, purged_at__lte=now - kept).delete()
    orphans_remove(now=now)
    return gone


def _due(now: datetime) -> Any:
    real_clock_or_old = Q(virtual_clock=False) | Q(recorded_at__lte=now - VIRTUAL_KEPT)
    return StoreRecord.objects.filter(real_clock_or_old, expires_at__lte=now, purged_at__isnull=True)


def _purge_records(now: datetime, limit: int) -> int:
    due = _due(now).order_by("expires_at", "id").values_list("project_id", "pk")[:limit]
    gone = 0
    for project_id, pks in by_project(due).items():
        with writing(project_id, now=now) as ledger:
            # Read again under the lock: a record may have been written anew since it was found.
            records = list(_due(now).filter(pk__in=pks).select_related("store").order_by("expires_at", "id"))
            leave_record_tombstones(ledger, records, reason="")
        gone += len(records)
    return gone


def _purge_artifacts(now: datetime, limit: int) -> int:
    due = Artifact.objects.filter(expires_at__lte=now).order_by("expires_at", "id").values_list("project_id", "pk")
    gone = 0
    for project_id, pks in by_project(due[:limit]).items():
        with writing(project_id, now=now) as ledger:
            files = list(Artifact.objects.filter(pk__in=pks))
            artifacts_end(ledger, files, FactChange.Kind.EXPIRE, reason="")
        gone += len(files)
    return gone


def by_project(rows: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Project to primary keys."""
    found: dict[int, list[int]] = {}
    for project_id, pk in rows:
        found.setdefault(project_id, []).append(pk)
    return found


def owner_erase(
    *, project: Project, user: str, actor: User | None = None, reason: str = "", limit: int | None = None
) -> dict[str, int]:
    """Delete everything that stores keep about a user: records, what belongs to the user's sessions, files.

    Returns how many of each: ``records``, ``sessions``, ``artifacts``. One transaction; it may join a larger one.

    :param limit: how many sessions at most, the oldest first.
    """
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        sessions = list(SessionMeta.objects.filter(project=project, user=user).order_by("pk")[:limit])
        names = [meta.session for meta in sessions]
        return {
            "records": _erase_records(ledger, project, user, names, reason),
            "artifacts": artifacts_end(
                ledger,
                list(Artifact.objects.filter(project=project, session__in=names)),
                FactChange.Kind.DELETE,
                reason=reason,
            ),
            "sessions": _erase_sessions(ledger, sessions, reason),
        }


def _erase_records(ledger: Ledger, project: Project, user: str, sessions: list[str], reason: str) -> int:
    access = StoreDefinition.Access
    theirs = Q(store__access=access.USER, owner=user) | Q(store__access=access.SESSION, owner__in=sessions)
    records = list(StoreRecord.objects.filter(theirs, project=project).select_related("store").order_by("id"))
    for record in records:
        erase(ledger, record, FactChange.Kind.DELETE, at=ledger.now, reason=reason)
    StoreRecord.objects.filter(pk__in=[record.pk for record in records]).delete()
    return len(records)


def _erase_sessions(ledger: Ledger, sessions: list[SessionMeta], reason: str) -> int:
    for meta in sessions:
        forget_metadata(ledger, meta, FactChange.Kind.DELETE, at=ledger.now, reason=reason)
    # The whole row: a session that continues is noted anew by its next turn, and so can be erased again.
    SessionMeta.objects.filter(pk__in=[meta.pk for meta in sessions]).delete()
    return len(sessions)
