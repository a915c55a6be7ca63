"""The end of a fact: its values are removed, and a tombstone keeps when and why (docs/architecture.md §2)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import datetime

from django.db import connection
from django.db.models import QuerySet

from memory.log.ledger import Ledger, Stored
from memory.models import Fact, FactChange, System

_WIPE = """
UPDATE memory_factchange SET value = NULL, nonce = '' WHERE id IN (
  SELECT entry.id FROM memory_fact AS fact JOIN memory_factchange AS entry
    ON entry.project_id = fact.project_id AND entry.system = 'fact' AND entry.scope = fact.scope
    AND entry.owner = fact.owner AND entry.path = fact.path
  WHERE fact.id IN ({keys}) AND entry.value IS NOT NULL)
"""


def leave_tombstone_of_expired(ledger: Ledger, key: tuple[int, str, str, str], at: datetime) -> None:
    """Log the end of what is about to be replaced, so that the history of a path has no gap."""
    project_id, scope, owner, path = key
    place = Fact.objects.filter(project=project_id, scope=scope, owner=owner, path=path)
    fact = place.filter(purged_at__isnull=True, expires_at__lte=at).first()
    if fact is not None:
        leave_tombstones(ledger, [fact], reason="replaced after it had expired")


def leave_tombstones(
    ledger: Ledger,
    facts: Sequence[Fact],
    *,
    reason: str,
    ended: datetime | None = None,
    wiped: Container[int] = (),
) -> None:
    """Turn facts into their tombstones; ``ended`` where that is before the time that they had.

    :param wiped: keys of those whose past values are out of the log already.
    """
    end = {"expires_at": ended} if ended is not None else {}
    pks = [fact.pk for fact in facts]
    wipe([pk for pk in pks if pk not in wiped])
    for fact in facts:
        fact.value, fact.seal = None, ""
        fact.purged_at, fact.expires_at = ledger.now, ended or fact.expires_at
        ledger.noted(FactChange.Kind.EXPIRE, fact, at=fact.expires_at or ledger.now, reason=reason)
    Fact.objects.filter(pk__in=pks).update(value=None, seal="", purged_at=ledger.now, **end)


def wipe(pks: Sequence[int]) -> None:
    """Take the values of facts, past ones too, out of the log."""
    if pks:
        with connection.cursor() as cursor:
            cursor.execute(_WIPE.format(keys=", ".join(["%s"] * len(pks))), list(pks))


def history_length(fact: Fact, *, most: int) -> int:
    """How many entries the log has about the place of a fact, counted up to ``most``."""
    return _entries_of(fact)[:most].count()


def wipe_before(fact: Fact, *, before: int | None, limit: int) -> int | None:
    """Take the values of ``limit`` entries about a fact out of the log, the newest before the number ``before``.

    Returns where to continue, None at the end: each entry is looked at once, however many there are.
    """
    entries = _entries_of(fact) if before is None else _entries_of(fact).filter(seq__lt=before)
    seqs = list(entries.order_by("-seq").values_list("seq", flat=True)[:limit])
    if seqs:
        here = entries.filter(seq__gte=seqs[-1], seq__lte=seqs[0], value__isnull=False)
        here.update(value=None, nonce="")
    return seqs[-1] if len(seqs) == limit else None


def _entries_of(fact: Fact) -> QuerySet[FactChange]:
    place = {"project": fact.project_id, "scope": fact.scope, "owner": fact.owner, "path": fact.path}
    return FactChange.objects.filter(**place, system=System.FACT).order_by()


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
