"""What is erased with a user, part by part. Each part counts what it has and erases it in batches.

Parts of applications above this one join by ``register``: test conversations do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from editor.models import Project, User
from memory.blocks.services import blocks_erase
from memory.facts.saved_views import views_about, views_forget
from memory.facts.services import actor_of, facts_delete
from memory.log.chain import without_owner
from memory.log.ledger import writing
from memory.models import Artifact, Block, Fact, FactChange, Scope, SessionMeta, StoreRecord, System
from memory.stores.services import owner_erase

FACTS = 200
SESSIONS = 10
ENTRIES = 500
"""Objects erased in one transaction: a writer may have to wait that long."""

Counts = dict[str, int]

_ERASE_ENTRY = """
UPDATE memory_factchange SET value = NULL, nonce = '', salt = '', owner = %s, actor = %s, user_id = %s, source = %s,
  reason = %s WHERE id = %s
"""


@dataclass(frozen=True, slots=True)
class Part:
    """``count(project, owner)``: the number of objects by kind, named as in the receipt, including zeros.

    ``erase(project, owner, actor, note)``: one batch, inside the caller's transaction; how many of what went, nothing
    or zeros when there is no more. ``note`` names the receipt, for the log.
    """

    name: str
    count: Callable[[Project, str], Counts]
    erase: Callable[[Project, str, User, str], Counts]


def register(part: Part) -> None:
    """Have a part erased too, before those of the memory systems."""
    if part.name not in {known.name for known in _ABOVE}:
        _ABOVE.append(part)


def parts() -> Sequence[Part]:
    """All parts in the order in which they are erased: parts that may still be written to come first, the log last."""
    return (*_ABOVE, *_OWN)


def _facts(project: Project, owner: str) -> QuerySet[Fact]:
    return Fact.objects.filter(project=project, scope=Scope.USER, owner=owner)


def _kinds(facts: QuerySet[Fact]) -> Counts:
    """Facts and what is left of purged ones."""
    found = facts.aggregate(all=Count("pk"), purged=Count("pk", filter=Q(purged_at__isnull=False)))
    return {"facts": found["all"] - found["purged"], "tombstones": found["purged"]}


def _facts_count(project: Project, owner: str) -> Counts:
    return _kinds(_facts(project, owner))


def _facts_erase(project: Project, owner: str, actor: User, note: str) -> Counts:
    return _some_erased(_facts(project, owner), project, actor, note)


def _some_erased(facts: QuerySet[Fact], project: Project, actor: User, note: str) -> Counts:
    with writing(project.pk, now=timezone.now(), actor=actor_of(actor)):
        some = facts.filter(pk__in=list(facts.order_by("pk").values_list("pk", flat=True)[:FACTS]))
        gone, chosen = _kinds(some), list(some.values_list("pk", flat=True))
        facts_delete(project=project, chosen=dict.fromkeys(chosen), actor=actor, reason=note)
    return gone


def _blocks_count(project: Project, owner: str) -> Counts:
    return {"blocks": Block.objects.filter(project=project, owner=owner).count()}


def _blocks_erase(project: Project, owner: str, actor: User, note: str) -> Counts:
    with writing(project.pk, now=timezone.now(), actor=actor_of(actor)) as ledger:
        return {"blocks": blocks_erase(ledger=ledger, project=project, owner=owner, reason=note)}


def _sessions(project: Project, owner: str) -> QuerySet[SessionMeta]:
    return SessionMeta.objects.filter(project=project, user=owner)


def _tree_facts(project: Project, sessions: Any) -> QuerySet[Fact]:
    return Fact.objects.filter(project=project, scope=Scope.EXECUTION_TREE, owner__in=sessions)


def _stores_count(project: Project, owner: str) -> Counts:
    sessions = _sessions(project, owner)
    names = sessions.values("session")
    theirs = Q(store__access="user", owner=owner) | Q(store__access="session", owner__in=names)
    return {
        "records": StoreRecord.objects.filter(theirs, project=project).count(),
        "sessions": sessions.count(),
        "artifacts": Artifact.objects.filter(project=project, session__in=names).count(),
        **_kinds(_tree_facts(project, names)),
    }


def _stores_erase(project: Project, owner: str, actor: User, note: str) -> Counts:
    """Records of the user and a few sessions with all that is theirs, the log of them too.

    Sessions are erased last, because they tell which records belong to the user.
    """
    with writing(project.pk, now=timezone.now(), actor=actor_of(actor)):
        names = list(_sessions(project, owner).order_by("pk").values_list("session", flat=True)[:SESSIONS])
        trees = _some_erased(_tree_facts(project, names), project, actor, note)
        if any(trees.values()):
            return trees
        gone = owner_erase(project=project, user=owner, actor=actor, reason=note, limit=len(names))
        entries = _unmarked(project, owners=names, places=_SESSION_PLACES)
        return {**gone, "log_entries": _mark(entries)}


def _views_count(project: Project, owner: str) -> Counts:
    return {"saved_views": len(views_about(project=project, owner=owner))}


def _views_erase(project: Project, owner: str, actor: User, note: str) -> Counts:
    return {"saved_views": views_forget(project=project, owner=owner)}


_PLACES = ((System.FACT, "user"), (System.BLOCK, "user"), (System.BLOCK, "agent"), (System.RECORD, "user"))
"""Where the owner of an entry of the log is a user."""
_SESSION_PLACES = ((System.FACT, "execution_tree"), (System.RECORD, "session"), (System.ARTIFACT, "session"))
"""Where it is a session."""


def _unmarked(project: Project, *, owners: Any, places: Iterable[tuple[System, str]]) -> list[QuerySet[FactChange]]:
    """The entries that still name one of the owners, a query for each place, so that each has its index."""
    entries = FactChange.objects.filter(project=project, owner__in=owners).exclude(salt="").order_by()
    return [entries.filter(system=system, scope=scope) for system, scope in places]


def _mark(found: Iterable[QuerySet[FactChange]], *, limit: int | None = None) -> int:
    """Erase values and people from entries of the log, ``limit`` at most. Returns how many.

    Of a path the oldest first: a value never is there without the entry that says how it ended.
    """
    rows: list[list[Any]] = []
    for entries in found:
        ordered = entries.order_by("-owner", "-path", "seq")
        for entry in ordered[: limit - len(rows)] if limit is not None else ordered:
            left = without_owner(entry)
            source = json.dumps(left["source"])
            rows.append([left["owner"], left["actor"], left["user_id"], source, left["reason"], entry.pk])
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_ERASE_ENTRY, rows)
    return len(rows)


def _log_count(project: Project, owner: str) -> Counts:
    of_sessions = _unmarked(project, owners=_sessions(project, owner).values("session"), places=_SESSION_PLACES)
    found = [*_unmarked(project, owners=[owner], places=_PLACES), *of_sessions]
    return {"log_entries": sum(entries.count() for entries in found)}


def _log_erase(project: Project, owner: str, actor: User, note: str) -> Counts:
    return {"log_entries": _mark(_unmarked(project, owners=[owner], places=_PLACES), limit=ENTRIES)}


_ABOVE: list[Part] = []
_OWN = (
    Part("facts", _facts_count, _facts_erase),
    Part("blocks", _blocks_count, _blocks_erase),
    Part("stores", _stores_count, _stores_erase),
    Part("views", _views_count, _views_erase),
    Part("log", _log_count, _log_erase),
)
