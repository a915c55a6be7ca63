"""Changes of existing facts by people: an earlier value, another time to live, many at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any

from django.db import transaction
from django.utils import timezone

from editor.models import Project, User
from memory.facts.declarations import declared_now
from memory.facts.selectors import change_of, fact_live, facts_count
from memory.facts.services import REASON_LENGTH, actor_of, checked_reason, fact_put, facts_delete
from memory.lists.paging import facts_matching
from memory.lists.query import FactQuery
from memory.log.ledger import writing
from memory.models import Fact, FactChange
from memory.values import storable_text
from web.errors import Conflict, Invalid, NotFound

BATCH = 200
MOST_DELETED = 10_000


def fact_write(*, project: Project, path: str, sensitive: bool | None = None, **given: Any) -> Fact:
    """``fact_put`` for people and programs: a path that an agent declares sensitive is stored so (docs/spec 03 §3),
    and so is an object with a part that one does.

    :param sensitive: False counts for other paths only. :param given: what else ``fact_put`` takes.
    """
    declared = declared_now(project=project, path=path, value=given.get("value"))
    if declared is not None:
        return fact_put(project=project, path=path, sensitive=True, masking=declared, **given)
    return fact_put(project=project, path=path, sensitive=sensitive, **given)


def fact_restore(
    *,
    project: Project,
    pk: int,
    seq: int,
    expected_version: int | None = None,
    actor: User | None = None,
    reason: str = "",
) -> Fact:
    """Make the value of an earlier entry of a live fact's history its next version, with that entry's time to live.

    :param seq: number of the entry in the log. :param expected_version: the version that was seen; None: any.
    :raises Invalid: when the entry holds no value: it was sensitive and so was kept masked, or it was erased.
    :raises NotFound: for a fact that is not live, and for an entry of another place.
    """
    fact = fact_live(project=project, pk=pk, now=timezone.now())
    entry = change_of(fact=fact, seq=seq)
    return fact_write(
        project=project,
        scope=fact.scope,
        owner=fact.owner,
        path=fact.path,
        value=_value_of(entry, "restored"),
        ttl=entry.ttl or None,
        actor=actor,
        expected_version=expected_version or fact.version,
        source={"cause": "restore", "by": actor.get_username() if actor else ""},
        reason=reason or f"version {entry.version} again",
    )


def version_reveal(*, project: Project, pk: int, seq: int, actor: User, reason: str) -> Fact:
    """A live fact as it was in an entry of its history, after writing down who looked at it and why. Not to be saved.

    :raises Invalid: as ``fact_restore``, and for a reason that is none. :raises NotFound: as ``fact_restore``.
    """
    now = timezone.now()
    checked_reason(reason)
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        fact = fact_live(project=project, pk=pk, now=now)
        entry = change_of(fact=fact, seq=seq)
        fact.value, fact.type, fact.version = _value_of(entry, "revealed"), entry.type, entry.version
        fact.written_at, fact.source, fact.ttl = entry.at, entry.source, entry.ttl
        ledger.noted(FactChange.Kind.REVEAL, fact, at=now, reason=reason.strip())
    return fact


def _value_of(entry: FactChange, done: str) -> Any:
    """The value of an entry. Raises ``Invalid`` when it is not in the log."""
    if entry.sensitive:
        raise Invalid(fields={"seq": f"entry {entry.seq} only has the masked value, so it can't be {done}"})
    if entry.value is None:
        raise Invalid(fields={"seq": f"the value of entry {entry.seq} was erased, so it can't be {done}"})
    return json.loads(entry.value)


def fact_retime(
    *,
    project: Project,
    pk: int,
    ttl: str | None,
    expected_version: int | None = None,
    actor: User | None = None,
    reason: str = "",
) -> Fact:
    """Give a live fact another time to live, counted from now, or none (``ttl`` None).

    The value stays; the version moves, and its source is who did this. The history shows where the value came from.

    :raises Invalid: for a ``ttl`` that is none. :raises NotFound: when it is not live.
    :raises Conflict: as ``fact_put``.
    """
    fact = fact_live(project=project, pk=pk, now=timezone.now())
    return fact_write(
        project=project,
        scope=fact.scope,
        owner=fact.owner,
        path=fact.path,
        value=fact.value,
        ttl=ttl,
        actor=actor,
        expected_version=expected_version or fact.version,
        source={"cause": "ttl", "by": actor.get_username() if actor else ""},
        reason=reason or (f"expires in {ttl}" if ttl else "no longer expires"),
    )


def facts_retime(
    *, project: Project, chosen: Mapping[int, int | None], ttl: str | None, actor: User | None = None, reason: str = ""
) -> int:
    """``fact_retime`` for chosen facts, all or none. Returns how many; one that is not live is passed over."""
    number = 0
    with transaction.atomic():
        for pk, version in sorted(chosen.items()):
            try:
                fact_retime(project=project, pk=pk, ttl=ttl, expected_version=version, actor=actor, reason=reason)
            except NotFound:
                continue
            number += 1
    return number


def facts_delete_found(
    *,
    project: Project,
    query: FactQuery,
    expected: int | None = None,
    actor: User | None = None,
    reason: str = "",
    limit: int = MOST_DELETED,
) -> int:
    """Delete all facts that pass the filters, such as a subtree (``FactQuery.below``). Returns how many.

    In batches: writers continue between them, and a fact that is written meanwhile may be among those deleted or not.
    ``memory.facts.selectors.facts_count`` says before how many it will be.

    :param expected: how many they were when somebody decided to delete them; None: however many they are.
    :raises Conflict: when they are not that many by now, with ``{"count": …}`` as ``current``; nothing is deleted.
    :raises Invalid: when there are more than ``limit``, and nothing is deleted; and for a query without any filter.
    """
    now = timezone.now()
    if len(reason) > REASON_LENGTH or not storable_text(reason):
        raise Invalid(fields={"reason": f"at most {REASON_LENGTH} characters, without NUL"})
    if not query.narrowed:
        raise Invalid(fields={"query": "would delete every fact of the project; narrow the filters"})
    there = facts_count(project=project, query=query, now=now, upto=limit)
    if there.more:
        raise Invalid(fields={"query": f"matches more than {limit:,} facts; narrow the filters"})
    if expected not in (None, int(there)):
        raise Conflict(
            f"{there} facts match these filters now, not {expected:,}. Nothing was deleted.",
            current={"count": int(there)},
        )
    found = iter([fact.pk for fact in facts_matching(project=project, query=query, now=now, limit=limit)])
    number = 0
    while batch := list(islice(found, BATCH)):
        number += facts_delete(project=project, chosen=dict.fromkeys(batch), actor=actor, reason=reason)
    return number
