"""The end of a fact: its values go, from the log too, and what stays says when and why (DESIGN §2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from memory.ledger import Ledger, Stored
from memory.models import Fact, FactChange

_WIPE = """
UPDATE memory_factchange SET value = NULL, nonce = '' WHERE id IN (
  SELECT entry.id FROM memory_fact AS fact JOIN memory_factchange AS entry
    ON entry.project_id = fact.project_id AND entry.system = 'fact' AND entry.scope = fact.scope
    AND entry.owner = fact.owner AND entry.path = fact.path
  WHERE fact.id IN ({keys}) AND entry.value IS NOT NULL LIMIT {limit})
"""


def bury_expired(ledger: Ledger, key: tuple[int, str, str, str], at: datetime) -> None:
    """Log the end of what is about to be replaced, so that the history of a path has no gap."""
    project_id, scope, owner, path = key
    place = Fact.objects.filter(project=project_id, scope=scope, owner=owner, path=path)
    fact = place.filter(purged_at__isnull=True, expires_at__lte=at).first()
    if fact is not None:
        bury(ledger, [fact], reason="replaced after it had expired")


def bury(ledger: Ledger, facts: Sequence[Fact], *, reason: str, ended: datetime | None = None) -> None:
    """Turn facts into their tombstones; ``ended`` where that is before the time that they had."""
    end = {"expires_at": ended} if ended is not None else {}
    pks = [fact.pk for fact in facts]
    wipe(pks)
    for fact in facts:
        fact.value, fact.purged_at, fact.expires_at = None, ledger.now, ended or fact.expires_at
        ledger.noted(FactChange.Kind.EXPIRE, fact, at=fact.expires_at or ledger.now, reason=reason)
    Fact.objects.filter(pk__in=pks).update(value=None, purged_at=ledger.now, **end)


def wipe(pks: Sequence[int], *, limit: int | None = None) -> int:
    """Take the values of facts, past ones too, out of the log, ``limit`` at most. Returns how many."""
    if not pks:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_WIPE.format(keys=", ".join(["%s"] * len(pks)), limit=limit or 1_000_000_000), list(pks))
        return int(cursor.rowcount)


def erase(ledger: Ledger, thing: Stored, kind: FactChange.Kind, *, at: datetime, reason: str) -> None:
    """Log the end of a thing and take its values, past ones too, out of the log; their commitments stay."""
    FactChange.objects.filter(
        project=thing.project_id,
        system=thing.system,
        scope=thing.scope,
        owner=thing.owner,
        path=thing.path,
        value__isnull=False,
    ).update(value=None, nonce="")
    ledger.noted(kind, thing, at=at, reason=reason)
