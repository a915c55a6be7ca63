"""Who has something in which memory system: the tree over all of them, with counts that stop at a bound.

As in ``memory.lists.tree`` a level costs as many short reads as it shows names, whatever lies under them: each system
is asked for its next names by an index, and the answers are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from editor.models import Project
from memory.lists import tree, walks
from memory.lists.lanes import LAST, Condition, Lane
from memory.lists.tree import COUNTED, Count
from memory.models import BankEntry, Block, Scope, SessionMeta, StoreDefinition, StoreRecord

FACT, BLOCK, RECORD, SESSION, BANK = "fact", "block", "record", "session", "bank"
SYSTEMS = (FACT, BLOCK, RECORD, SESSION, BANK)
USER, PROJECT, SESSIONS, TREES, BANKS = "user", "project", "session", "execution_tree", "bank"
SCOPES = {
    USER: (FACT, BLOCK, RECORD, SESSION),
    PROJECT: (FACT, RECORD),
    SESSIONS: (SESSION, RECORD),
    TREES: (FACT,),
    BANKS: (BANK,),
}
"""What each scope may hold. The owner is a user, nobody, a session, an execution tree or a bank."""
ACCESS = {USER: "user", PROJECT: "application", SESSIONS: "session"}
"""Scope to the access of the stores whose records belong to it."""


@dataclass(slots=True)
class OwnerCounts:
    """A name, and how much it has in each system."""

    name: str
    counts: dict[str, Count] = field(default_factory=dict)

    @property
    def total(self) -> Count:
        """In all systems together."""
        return sum(self.counts.values(), Count(0))


@dataclass(frozen=True, slots=True)
class OwnerPage:
    """Names beside each other, in order; ``more`` lie behind the last."""

    owners: list[OwnerCounts]
    more: bool


def owner_page(*, project: Project, scope: str, starts: str = "", limit: int = 20) -> OwnerPage:
    """Owners in a scope whose names begin with ``starts``, each with what it has in every system of the scope."""
    found: dict[str, OwnerCounts] = {}
    more = False
    for system in SCOPES[scope]:
        names = list(_NAMES[system](project, scope, starts, limit + 1))
        more = more or len(names) > limit
        for name, number in names:
            found.setdefault(name, OwnerCounts(name)).counts[system] = Count(number).upto(COUNTED)
    # Each system stops at the same bound, so whatever is among the first of all is among the first of its own.
    ordered = [found[name] for name in sorted(found)]
    shown = OwnerPage(ordered[:limit], more or len(ordered) > limit)
    for owner in shown.owners:
        owner.counts = {**owner.counts, **_missing(project, scope, owner)}
    return shown


def _missing(project: Project, scope: str, owner: OwnerCounts) -> dict[str, Count]:
    """What a system has of a name that it did not name itself: of a session the records."""
    unnamed = {RECORD} if scope == SESSIONS else set()
    found = {system: held(project=project, scope=scope, owner=owner.name, system=system) for system in unnamed}
    return {system: number for system, number in found.items() if number}


def held(*, project: Project, scope: str, system: str, owner: str = "") -> Count:
    """How much a scope, or an owner in it, has in a system; 0 where the scope has none of it."""
    if system not in SCOPES[scope]:
        return Count(0)
    if system == FACT:
        return tree.count_below(project=project, scope=scope, owner=owner)
    return bounded(things(project=project, scope=scope, system=system, owner=owner))


def things(*, project: Project, scope: str, system: str, owner: str = "") -> QuerySet[Any]:
    """The blocks, records, sessions or texts of a scope ("": of all), or of an owner in it, without an order."""
    if system == BLOCK:
        found: QuerySet[Any] = Block.objects.filter(project=project)
        return found.filter(owner=owner) if owner else found
    if system == RECORD:
        stores = [store.pk for store in stores_of(project=project, scope=scope)]
        found = StoreRecord.objects.filter(project=project, store__in=stores)
        return found.filter(owner=owner) if owner else found
    if system == SESSION:
        found = SessionMeta.objects.filter(project=project)
        return found.filter(**{"session" if scope == SESSIONS else "user": owner}) if owner else found
    found = BankEntry.objects.filter(project=project)
    return found.filter(bank__name=owner) if owner else found


def stores_of(*, project: Project, scope: str) -> list[StoreDefinition]:
    """The stores whose records belong to a scope, or all, those with few records first.

    There are at most ``definitions.MOST_STORES``; one of the application has a single record.
    """
    found = StoreDefinition.objects.filter(project=project, **({"access": ACCESS[scope]} if scope else {}))
    return list(found.defer("schema").order_by("access", "technical_name"))


def bounded(rows: QuerySet[Any]) -> Count:
    """How many rows, as far as they are counted."""
    return Count(rows.order_by()[: COUNTED + 1].count()).upto(COUNTED)


def agents_in_banks(*, project: Project, starts: str, limit: int = 20) -> list[BankEntry]:
    """Texts in banks of agents whose name begins with ``starts``."""
    found = BankEntry.objects.filter(project=project, agent__gte=starts, agent__lt=starts + LAST)
    return list(found.select_related("bank").defer("content").order_by("bank", "agent")[:limit])


def stores_named(*, project: Project, starts: str, limit: int = 20) -> list[StoreDefinition]:
    """Stores whose technical name begins with ``starts``."""
    named = {"technical_name__gte": starts, "technical_name__lt": starts + LAST}
    found = StoreDefinition.objects.filter(project=project, **named)
    return list(found.defer("schema").order_by("technical_name")[:limit])


Names = Iterable[tuple[str, int]]


def _facts(project: Project, scope: str, starts: str, limit: int) -> Names:
    if scope == Scope.PROJECT:
        return []
    level = tree.owners(project=project, scope=scope, starts=starts, limit=limit)
    return [(branch.name, branch.count.number + branch.count.more) for branch in level.branches]


def _blocks(project: Project, scope: str, starts: str, limit: int) -> Names:
    lane = _lane("one_block_of_a_type", "memory_block", project, "owner", starts)
    return walks.neighbours(lane, "owner", start="", at="", limit=limit, most=COUNTED, by="scope, agent_id")


def _sessions(project: Project, scope: str, starts: str, limit: int) -> Names:
    if scope == SESSIONS:
        found = SessionMeta.objects.filter(project=project, session__gte=starts, session__lt=starts + LAST)
        return [(name, 1) for name in found.order_by("session").values_list("session", flat=True)[:limit]]
    lane = _lane("session_of_user", "memory_sessionmeta", project, "user", starts)
    return walks.neighbours(lane, '"user"', start="", at="", limit=limit, most=COUNTED, by="id")


def _banks(project: Project, scope: str, starts: str, limit: int) -> Names:
    named = project.banks.filter(name__gte=starts, name__lt=starts + LAST).order_by("name")[:limit]
    texts = BankEntry.objects.filter(project=project)
    return [(bank.name, int(bounded(texts.filter(bank=bank)))) for bank in named]


def _records(project: Project, scope: str, starts: str, limit: int) -> Names:
    """By leaps over all stores at once: each gives its next owner, and the first of these is the next of all."""
    if scope != USER:
        return []
    stores = "FROM memory_storedefinition AS store WHERE store.project_id = %s AND store.access = 'user'"
    behind = "SELECT record.owner FROM memory_storerecord AS record WHERE record.store_id = store.id AND record.owner"
    ahead = f"{behind} {{sign}} AND record.owner < %s ORDER BY record.owner LIMIT 1"
    leap = f"SELECT min(each.owner) FROM (SELECT ({ahead}) AS owner {stores}) AS each"  # noqa: S608
    text = f"""
WITH RECURSIVE leap(name, number) AS (
  SELECT ({leap.format(sign=">= %s")}), 1
  UNION ALL SELECT ({leap.format(sign="> leap.name")}), number + 1 FROM leap WHERE name IS NOT NULL AND number < {limit}
)
SELECT name, (SELECT count(*) {stores} AND EXISTS ({behind} = leap.name)) FROM leap WHERE name IS NOT NULL
ORDER BY number
"""  # noqa: S608
    end = starts + LAST
    with connection.cursor() as cursor:
        cursor.execute(text, [starts, end, project.pk, end, project.pk, project.pk])
        return [(str(name), int(number)) for name, number in cursor.fetchall()]


_NAMES: dict[str, Callable[[Project, str, str, int], Names]] = {
    FACT: _facts,
    BLOCK: _blocks,
    RECORD: _records,
    SESSION: _sessions,
    BANK: _banks,
}


def _lane(index: str, table: str, project: Project, column: str, starts: str) -> Lane:
    served = [Condition("project_id = %s", (project.pk,))]
    if starts:
        quoted = f'"{column}"'
        served.append(Condition(f"{quoted} >= %s AND {quoted} < %s", (starts, starts + LAST)))
    return Lane(index, tuple(served), table=table)
