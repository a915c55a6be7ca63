"""Comparing the rows of facts with the log (docs/architecture.md §2): what was changed, removed or added outside of it.

The chain proves the log alone. Here each row is compared with the last entry about its place, and each last entry that
says "written" has to have its row. Both are walked by number in pieces, so memory is bounded and the time linear.
Whoever writes meanwhile is no difference: what looks like one is judged again while the log is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from editor.models import Project
from memory import values
from memory.log.chain import canonical, commitment_of
from memory.log.ledger import writing
from memory.log.seals import seal_fits
from memory.models import Fact, FactChange, System

ROWS = 100
"""Facts in memory at once; one may hold ``values.VALUE_BYTES``."""
ENTRIES = 5000
"""Entries of the log that one statement looks at."""

_STATES = (FactChange.Kind.WRITE, FactChange.Kind.DELETE, FactChange.Kind.EXPIRE)
"""The kinds of entries that say what is at a place."""
_COLUMNS = {
    "version": "version", "type": "type", "written_at": "at", "expires_at": "expires_at", "ttl": "ttl",
    "sensitive": "sensitive", "source": "source", "recorded_at": "recorded_at",
}  # fmt: skip
"""Column of a fact to that of the entry which wrote it."""
_WORDS = {
    "written_at": "the time of writing",
    "expires_at": "the expiry",
    "recorded_at": "the time of recording",
    "ttl": "the time to live",
    "sensitive": "whether it is sensitive",
}
_PLACE = ("project", "scope", "owner", "path")


@dataclass(frozen=True, slots=True)
class Difference:
    """What is not as the log says: the key of the row (None where there is none), the entry (None too), and how.

    It names nobody and holds no value.
    """

    fact: int | None
    seq: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Piece:
    """What one piece of a walk found; ``last`` is the number to continue after, None at the end. ``seen`` rows."""

    found: list[Difference]
    last: int | None
    seen: int


def rows_compared(*, project: Project, after: int, limit: int = ROWS) -> Piece:
    """Compare the facts behind a primary key with the log, at most ``limit``; tombstones too."""
    facts = list(_with_last_entry(Fact.objects.filter(project=project, pk__gt=after)).order_by("pk")[:limit])
    suspects = [fact.pk for fact, why in _judged(facts) if why]
    found = _judged_again(project, suspects) if suspects else []
    return Piece(found, facts[-1].pk if len(facts) == limit else None, len(facts))


def entries_compared(*, project: Project, after: int, limit: int = ENTRIES) -> Piece:
    """Look for entries behind a number, at most ``limit``, that wrote the newest value of a fact which is gone.

    Entries of an erased user say no more whose they are; the receipt counts them.
    """
    upto = FactChange.objects.filter(project=project, seq__gt=after).order_by("seq").values_list("seq", flat=True)
    seqs = list(upto[:limit])
    if not seqs:
        return Piece([], None, 0)
    here = _entries_about()
    # LIMIT keeps PostgreSQL from reading all facts for each piece.
    rows = Fact.objects.filter(**{name: OuterRef(name) for name in _PLACE}).values("pk")[:1]
    wrote = FactChange.objects.filter(project=project, system=System.FACT, kind=FactChange.Kind.WRITE)
    gone = (
        wrote.filter(seq__gt=after, seq__lte=seqs[-1])
        .exclude(salt="", owner__gt="")
        .alias(row=Subquery(rows), later=Subquery(here.filter(seq__gt=OuterRef("seq")).values("seq")[:1]))
        .filter(row__isnull=True, later__isnull=True)
    )
    found = [Difference(None, seq, "the fact is missing, and the log doesn't record why") for seq in _numbers(gone)]
    return Piece(found, seqs[-1] if len(seqs) == limit else None, len(seqs))


def differences(project: Project) -> Iterator[Difference]:
    """Every difference between the facts of a project and its log, as they are found."""
    for walk in (rows_compared, entries_compared):
        after: int | None = 0
        while after is not None:
            piece = walk(project=project, after=after)
            yield from piece.found
            after = piece.last


def _entries_about() -> QuerySet[FactChange]:
    """Entries about the place of an outer row that say what is there, newest first."""
    place: dict[str, Any] = {name: OuterRef(name) for name in _PLACE}
    return FactChange.objects.filter(**place, system=System.FACT, kind__in=_STATES).order_by("-seq")


def _with_last_entry(facts: QuerySet[Fact]) -> QuerySet[Any]:
    """Facts with ``said``: the number of the last entry about each, read in the same statement."""
    return facts.annotate(said=Subquery(_entries_about().values("seq")[:1]))


def _judged(facts: Iterable[Any]) -> list[tuple[Any, str]]:
    """Facts of ``_with_last_entry`` and how each differs, "" where it does not."""
    facts, now = list(facts), timezone.now()
    said = {fact.said for fact in facts if fact.said is not None}
    projects = {fact.project_id for fact in facts}
    entries = FactChange.objects.filter(project__in=projects, seq__in=said).defer("value", "digest")
    known = {entry.seq: entry for entry in entries}
    return [(fact, difference_of(fact, known.get(fact.said), now)) for fact in facts]


def _judged_again(project: Project, pks: list[int]) -> list[Difference]:
    """The differences of some facts while nobody writes."""
    with writing(project.pk, now=timezone.now()):
        facts = _with_last_entry(Fact.objects.filter(project=project, pk__in=pks)).order_by("pk")
        return [Difference(fact.pk, fact.said, why) for fact, why in _judged(facts) if why]


def _numbers(entries: QuerySet[FactChange]) -> list[int]:
    return list(entries.order_by("seq").values_list("seq", flat=True))


def difference_of(fact: Fact, entry: FactChange | None, now: datetime) -> str:
    """How a fact differs from the last entry about its place, in words without its value; "" where it does not."""
    if entry is None:
        return "the log has no entry about it"
    if entry.kind == FactChange.Kind.DELETE:
        return f"entry {entry.seq} records that it was deleted"
    if entry.kind == FactChange.Kind.EXPIRE:
        left = fact.purged_at is None or fact.value is not None
        return f"entry {entry.seq} records that it expired" if left else _odd(fact, entry, ("version", "type"))
    if fact.purged_at is not None:
        return "its value was removed, and the log doesn't record it"
    if fact.domain != values.domain_of(fact.path) or fact.agent != fact.source.get("agent", ""):
        return "the agent or the domain that it is listed under is not its own"
    return _odd(fact, entry, tuple(_COLUMNS)) or _value_differs(fact, entry, now)


def _odd(fact: Fact, entry: FactChange, columns: Iterable[str]) -> str:
    odd = [name for name in columns if getattr(fact, name) != getattr(entry, _COLUMNS[name])]
    words = [_WORDS.get(name, f"the {name}") for name in odd]
    return f"{', '.join(words)} {'is' if len(words) == 1 else 'are'} not as written" if words else ""


def _value_differs(fact: Fact, entry: FactChange, now: datetime) -> str:
    try:
        text = canonical(fact.value)
        shown = canonical(values.masked(fact.value, fact.masking)) if fact.sensitive else text
    except (ValueError, TypeError):
        return "the value is not valid JSON"
    if not entry.nonce:
        # Past values of what has expired are erased in several steps before the row is.
        over = fact.expires_at is not None and fact.expires_at <= now
        return "" if over else "the log no longer has a value for it"
    if commitment_of(entry.nonce, shown) != entry.commitment:
        return "the value is not the one that was written"
    place = (fact.project_id, fact.scope, fact.owner, fact.path)
    if fact.sensitive and not seal_fits(fact.seal, place, fact.recorded_at, text):
        return "the value is not the one that was sealed, or the installation has another secret key"
    return ""
