"""Removing what has expired: values become tombstones, and tombstones are dropped after the project's retention time.

None of it changes what can be read: expiry is judged at every read. So it works in small batches with pauses between
them, and a late, lost or repeated run does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from editor.models import Project
from memory.log.ledger import writing
from memory.log.tombstones import history_length, leave_tombstones, wipe_before
from memory.models import Fact

BATCH = 100
"""Facts in one transaction: a writer may have to wait that long."""
WIPED = 1000
"""Past values erased in one transaction."""
TOMBSTONE_DAYS = 30
"""How long a purged fact is still explained, unless the project says otherwise. Its entries in the log stay."""
TOMBSTONES_KEPT = timedelta(days=TOMBSTONE_DAYS)
LONGEST_DAYS = 3650
VIRTUAL_KEPT = timedelta(days=1)
"""A conversation with its own clock may still read what the real clock calls expired; purged when it is this old."""
LONGEST_REST = 0.05


def purge_expired(*, now: datetime | None = None, limit: int = BATCH, batches: int = 200) -> int:
    """Remove the values of expired facts, leaving tombstones. Returns how many values went.

    Each batch is a transaction per project. After each batch it pauses for as long as the batch took: SQLite's lock
    has no queue, so without a pause the next batch would take it before any waiting writer.
    """
    now = now or timezone.now()
    gone = 0
    for _ in range(batches):
        began = time.monotonic()
        due = _due(now, limit)
        for project_id, pks in due.items():
            gone += _purge_some(project_id, pks, now)
        if sum(map(len, due.values())) < limit:
            break
        _give_way(began)
    return gone


def tombstone_days(project: Project) -> int:
    """How long the project keeps tombstones (setting ``tombstone_days``), in days."""
    days = project.settings.get("tombstone_days", TOMBSTONE_DAYS)
    return days if isinstance(days, int) and 0 <= days <= LONGEST_DAYS else TOMBSTONE_DAYS


def drop_tombstones(*, now: datetime | None = None, limit: int = 1000) -> int:
    """Drop the tombstones that their projects keep no longer. Returns how many."""
    now = now or timezone.now()
    gone = 0
    for project in Project.objects.order_by("pk"):
        old = Fact.objects.filter(project=project, purged_at__lte=now - timedelta(days=tombstone_days(project)))
        while keys := list(old.values_list("pk", flat=True)[:limit]):
            began = time.monotonic()
            Fact.objects.filter(pk__in=keys, purged_at__isnull=False).delete()
            gone += len(keys)
            _give_way(began)
    return gone


def _due(now: datetime, limit: int) -> dict[int, list[int]]:
    """Project to the keys of expired facts whose values are still there, the longest expired first."""
    found: dict[int, list[int]] = {}
    for facts in _due_kinds(now):
        left = limit - sum(map(len, found.values()))
        for project_id, pk in facts.values_list("project_id", "pk")[: max(left, 0)]:
            found.setdefault(project_id, []).append(pk)
    return found


def _due_kinds(now: datetime) -> tuple[Any, Any]:
    expired = Fact.objects.filter(expires_at__lte=now, purged_at__isnull=True)
    by_real_clock = expired.filter(virtual_clock=False).order_by("expires_at", "id")
    virtual = expired.filter(virtual_clock=True, recorded_at__lte=now - VIRTUAL_KEPT).order_by("recorded_at", "id")
    return by_real_clock, virtual


def _purge_some(project_id: int, pks: Iterable[int], now: datetime) -> int:
    pks = list(pks)
    wiped = _wipe_long_histories(project_id, pks, now)
    with writing(project_id, now=now) as ledger:
        # Read again under the lock: a fact may have been written anew since it was found.
        facts = _due_among(pks, now)
        leave_tombstones(
            ledger, facts, reason="", wiped=[fact.pk for fact in facts if wiped.get(fact.pk) == fact.version]
        )
    return len(facts)


def _due_among(pks: Iterable[int], now: datetime) -> list[Fact]:
    return [fact for kind in _due_kinds(now) for fact in kind.filter(pk__in=pks).defer("value")]


def _wipe_long_histories(project_id: int, pks: list[int], now: datetime) -> dict[int, int]:
    """Erase past values in steps, so that purging a fact with a million versions blocks nobody.

    A fact that is written anew meanwhile has lost nothing: what replaces an expired fact erases its past first.
    Returns the facts whose past is out of the log, with their versions.
    """
    done = {}
    room = WIPED
    for fact in _due_among(pks, now):
        room -= history_length(fact, most=WIPED + 1)
        if room < 0 and _wiped(project_id, fact, now):
            done[fact.pk] = fact.version
    return done


def _wiped(project_id: int, fact: Fact, now: datetime) -> bool:
    """Erase the past of one fact in rounds; False when it is not due any more."""
    before: int | None = None
    while True:
        began = time.monotonic()
        with writing(project_id, now=now):
            if not any(each.version == fact.version for each in _due_among([fact.pk], now)):
                return False
            before = wipe_before(fact, before=before, limit=WIPED)
        if before is None:
            return True
        _give_way(began)


def _give_way(began: float) -> None:
    """Let others write for as long as the last batch took."""
    time.sleep(min(time.monotonic() - began, LONGEST_REST))
