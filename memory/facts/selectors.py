"""Reads of facts. An expired fact is never readable here, purged or not (docs/architecture.md §2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from django.db.models import DateTimeField, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan
from django.utils import timezone

from editor.models import ApiToken, Project, User
from editor.selectors import project_get
from memory import values
from memory.lists import walks
from memory.lists.lanes import phases_of
from memory.lists.paging import LARGEST, Walk
from memory.lists.query import STATES, FactQuery
from memory.lists.tree import COUNTED, Count
from memory.log.chain import canonical
from memory.log.ledger import Stored
from memory.models import NEAR, ChangeHead, Fact, FactChange, Scope
from web.errors import NotFound

NEVER = datetime.max.replace(tzinfo=UTC)


def project_for_facts(*, user: User, slug: str, write: bool = False, token: ApiToken | None = None) -> Project:
    """The project, for reading its facts (any member) or changing them (editor, owner)."""
    return project_get(user=user, slug=slug, permission="project.edit" if write else "project.view", token=token)


def may_write(*, user: User, project: Project) -> bool:
    """Whether the user may write, reveal and delete facts."""
    return user.has_perm("project.edit", project)


def expired(now: datetime) -> Q:
    """Condition: not readable at ``now``."""
    return Q(purged_at__isnull=False) | Q(expires_at__lte=now)


def live(now: datetime) -> Q:
    """Condition: readable at ``now``.

    One comparison and no OR: most facts are live, and an OR would lead planners away from the index that has the order.
    """
    end = Coalesce("expires_at", Value(NEVER), output_field=DateTimeField())
    return Q(purged_at__isnull=True) & Q(GreaterThan(end, now))


def in_state(state: str, now: datetime) -> Q:
    """Condition of a state. ``live`` is everything readable; ``expiring`` and ``forever`` are parts of it."""
    return {
        "live": live(now),
        "expiring": Q(purged_at__isnull=True, expires_at__gt=now, expires_at__lte=now + NEAR),
        "expired": Q(expires_at__isnull=False, expires_at__lte=now),
        "forever": Q(expires_at__isnull=True),
    }[state]


@dataclass(frozen=True, slots=True)
class Shown:
    """A fact as people and programs see it at a moment: without its value when expired, masked when sensitive."""

    fact: Fact
    now: datetime
    revealed: bool = False

    @property
    def state(self) -> str:
        return self.fact.state(self.now)

    @property
    def readable(self) -> bool:
        return self.state != "expired"

    @property
    def masked(self) -> bool:
        return self.fact.sensitive and self.readable and not self.revealed

    @property
    def value(self) -> Any:
        if not self.readable:
            return None
        return values.masked(self.fact.value, self.fact.masking) if self.masked else self.fact.value

    @property
    def part_left(self) -> int:
        """Per cent of the life that is left; 0 when expired or endless."""
        fact = self.fact
        if fact.expires_at is None or not self.readable or fact.expires_at <= fact.written_at:
            return 0
        left = (fact.expires_at - self.now) / (fact.expires_at - fact.written_at)
        return max(0, min(100, round(100 * left)))

    def as_dict(self) -> dict[str, Any]:
        """The shape of the API; times as ISO text."""
        fact = self.fact
        return {
            "id": fact.pk,
            "scope": fact.scope,
            "owner": fact.owner,
            "path": fact.path,
            "value": self.value,
            "type": fact.type,
            "version": fact.version,
            "state": self.state,
            "sensitive": fact.sensitive,
            "masked": self.masked,
            "written_at": fact.written_at.isoformat(),
            "expires_at": fact.expires_at.isoformat() if fact.expires_at else None,
            "purged_at": fact.purged_at.isoformat() if fact.purged_at else None,
            "ttl": fact.ttl or None,
            "virtual_clock": fact.virtual_clock,
            "source": fact.source,
        }


def shown(fact: Fact, now: datetime, *, revealed: bool = False) -> Shown:
    """How ``fact`` is seen at ``now``."""
    return Shown(fact, now, revealed)


def fact_get(*, project: Project, pk: int) -> Fact:
    """A fact of the project by primary key, tombstones too. Raises ``NotFound``."""
    fact = Fact.objects.filter(project=project, pk=pk).first()
    if fact is None:
        raise NotFound(f"There is no fact {pk} in {project.name}.")
    return fact


def fact_live(*, project: Project, pk: int, now: datetime) -> Fact:
    """A readable fact by primary key. Raises ``NotFound``."""
    fact = fact_get(project=project, pk=pk)
    if fact.state(now) == "expired":
        raise NotFound(f"{fact.path} expired at {fact.expires_at:%Y-%m-%d %H:%M:%S} UTC; its value is not readable.")
    return fact


def facts_chosen(*, project: Project, pks: Iterable[int]) -> list[Fact]:
    """The facts with these keys, in order of path."""
    return list(Fact.objects.filter(project=project, pk__in=list(pks)).order_by("path", "pk"))


def counts(
    *, project: Project, query: FactQuery, now: datetime, states: Iterable[str] = ("all", *STATES)
) -> dict[str, Count]:
    """Facts in each state, and ``all``, that pass the other filters of a query, as far as they are counted."""
    wanted = {state: replace(query, state="" if state == "all" else state, sort="") for state in states}
    return {state: _count(project, each, now) for state, each in wanted.items()}


def facts_count(*, project: Project, query: FactQuery, now: datetime, upto: int = 10_000) -> Count:
    """How many facts pass the filters, exact up to ``upto``: the number to name before all of them are deleted."""
    walk = Walk(project, query, now, None)
    number = sum(1 for _ in islice(walk.spots(LARGEST, float("inf")), upto + 1))
    return Count(number).upto(upto)


def _count(project: Project, query: FactQuery, now: datetime) -> Count:
    if not (query.owner or query.agent or query.domain) and query.state in ("expiring", "expired"):
        query = replace(query, sort="time")
    elif not query.since:
        query = replace(query, sort="path")
    total = Count(0)
    for phase in phases_of(project.pk, query, now):
        for lane in phase.lanes:
            total += Count(*walks.count(lane, most=COUNTED, rows=min(walks.rows_of(query)[1], COUNTED * 5 // 4)))
    return total


def log_head(*, project: Project) -> int:
    """Number of the newest entry of the project's log; it moves with every change of any fact."""
    return ChangeHead.objects.filter(project=project).values_list("seq", flat=True).first() or 0


def last_removal(*, project: Project) -> tuple[datetime, int] | None:
    """When values of expired facts were removed last, and of how many facts; None where there is no tombstone."""
    tombstones = Fact.objects.filter(project=project, purged_at__isnull=False)
    at = tombstones.order_by("-purged_at", "-id").values_list("purged_at", flat=True).first()
    return (at, tombstones.filter(purged_at=at)[:COUNTED].count()) if at is not None else None


def log_entries(*, project: Project) -> QuerySet[FactChange]:
    """A project's log, newest first."""
    return FactChange.objects.filter(project=project).order_by("-seq")


@dataclass(frozen=True, slots=True)
class Step:
    """An entry in the history of a fact and what it changed: lines that went and lines that came."""

    change: FactChange
    minus: list[str]
    plus: list[str]
    expiry_before: datetime | None


def fact_history(*, fact: Fact | Stored, limit: int = 50, now: datetime | None = None) -> list[Step]:
    """What happened to the path of a fact, newest first, also before it was deleted and written again.

    Of a fact that is expired at ``now`` (the real time by default) no value is readable, past ones neither; of one that
    is sensitive all are masked, those too that it had before it was.
    """
    place = {
        "project": fact.project_id,
        "system": fact.system,
        "scope": fact.scope,
        "owner": fact.owner,
        "path": fact.path,
    }
    changes = list(FactChange.objects.filter(**place).order_by("-seq")[: limit + 1])
    for change in changes:
        change_hide(change, fact, now or timezone.now())
    writes = [change for change in changes if change.kind == FactChange.Kind.WRITE]
    before = {later.pk: earlier for later, earlier in itertools.pairwise(writes)}
    return [_step(change, before.get(change.pk)) for change in changes[:limit]]


def change_hide(change: FactChange, thing: Fact | Stored, now: datetime) -> None:
    """Leave in an entry about a thing, which is not to be saved, only what may be read of its value at ``now``."""
    if thing.expires_at is not None and thing.expires_at <= now:
        change.value = None
    elif isinstance(thing, Fact) and thing.sensitive and change.value is not None and not change.sensitive:
        change.value = canonical(values.masked(values.parsed(change.value), thing.masking))
        change.hidden = True


def change_of(*, fact: Fact, seq: int) -> FactChange:
    """The entry of the log with this number, a write of the fact's path. Raises ``NotFound``."""
    place: dict[str, Any] = {"scope": fact.scope, "owner": fact.owner, "path": fact.path, "system": fact.system}
    entry = FactChange.objects.filter(project=fact.project_id, seq=seq, kind="write", **place).first()
    if entry is None:
        raise NotFound(f"Entry {seq} of the log is no write of {fact.path}.")
    return entry


def fact_of(change: FactChange) -> Fact | None:
    """The fact that an entry of the log is about, tombstones too; None when it is gone or another system is meant."""
    place = {"project": change.project_id, "scope": change.scope, "owner": change.owner, "path": change.path}
    return Fact.objects.filter(**place).first() if change.system == Fact.system else None


def _step(change: FactChange, before: FactChange | None) -> Step:
    if before is None or change.value is None or before.value is None:
        return Step(change, [], [], before.expires_at if before else None)
    old, new = values.lines_of(before.value), values.lines_of(change.value)
    return Step(change, [x for x in old if x not in new], [x for x in new if x not in old], before.expires_at)


def fact_now(*, project: Project, place: Mapping[str, str], now: datetime) -> Fact | None:
    """The live fact at a place (scope, owner, path), or None."""
    return Fact.objects.filter(live(now), project=project, **place).first()


def sensitive_stored(*, project: int, owners: Iterable[str], path: str) -> dict[str, dict[str, Any]]:
    """How the sensitive facts at a path, above it and below it are shown, those of the project among them.

    :param project: its key. :param owners: a user and a session. :returns: path to the fields of ``Display``.
    """
    parts = path.split(".")
    above = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
    near = Q(path__in=above) | Q(path__gte=f"{path}.", path__lt=f"{path}/")
    named = {values.storable(owner) for owner in owners}
    found = Fact.objects.filter(near, project=project, scope__in=Scope.values, owner__in=["", *named], sensitive=True)
    return dict(found.values_list("path", "masking"))


def facts_of_owner(*, project: Project, scope: str, owner: str, now: datetime) -> list[Fact]:
    """All live facts of an owner in order of path."""
    return list(Fact.objects.filter(live(now), project=project, scope=scope, owner=owner).order_by("path"))
