"""Writes of facts. Each service is one transaction and takes the project's log first (``memory.log.ledger``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from abl.runtime.ports import FactWrite
from editor.models import Project, User
from memory import values
from memory.facts.declarations import nearest
from memory.facts.purge import TOMBSTONES_KEPT, VIRTUAL_KEPT
from memory.facts.selectors import fact_live, shown
from memory.facts.storing import (
    ANY,
    Expected,
    Place,
    conflict_at,
    fact_stored,
    fact_there,
    keep_what_was,
    new_fact,
    put_quickly,
)
from memory.log.ledger import NOBODY, Actor, Ledger, writing
from memory.log.tombstones import erase, leave_tombstone_of_expired, leave_tombstones, wipe
from memory.models import Fact, FactChange
from web.errors import Conflict, Invalid, NotFound

REASON_LENGTH = 300

__all__ = [
    "ANY", "NOBODY", "REASON_LENGTH", "TOMBSTONES_KEPT", "VIRTUAL_KEPT", "Actor", "Expected", "Place", "actor_of",
    "by_hand", "checked_reason", "fact_delete", "fact_expire", "fact_put", "fact_reveal", "facts_commit",
    "facts_delete",
]  # fmt: skip


def actor_of(user: User | None) -> Actor:
    """A signed-in user as the log names them."""
    return Actor(user.pk, user.get_username()) if user is not None else NOBODY


def by_hand(actor: User | None) -> dict[str, Any]:
    """The source of a fact that no run wrote."""
    return {"cause": "manual", "by": actor.get_username() if actor else ""}


def fact_put(
    *,
    project: Project,
    scope: str,
    owner: str,
    path: str,
    value: Any,
    expected_version: int | Expected | None = ANY,
    ttl: str | None = None,
    sensitive: bool | None = None,
    masking: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
    actor: User | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> Fact:
    """Write a fact and return it. ``now`` is the writer's clock, the real one by default.

    :param expected_version: the version that must be there; None: no live fact may be there; ``ANY``: no condition.
    :param ttl: such as ``90d``; None never expires, also where the fact did before (docs/spec 03 §4).
    :param sensitive: None keeps what the fact was. ``memory.facts.revising.fact_write`` looks up what agents declare.
    :param masking: how it is shown when it is ``sensitive``, fields of ``abl.runtime.privacy.masking.Display``.
    :raises Invalid: naming the fields. :raises Conflict: with the live fact as ``current``, or None.
    """
    text = _checked(scope=scope, owner=owner, path=path, value=value, ttl=ttl, expected=expected_version, reason=reason)
    real = timezone.now()
    at = now or real
    fact = new_fact(
        project.pk,
        scope=scope,
        owner=owner,
        path=path,
        value=value,
        type=values.type_of(value),
        ttl=ttl or "",
        written_at=at,
        expires_at=at + timedelta(seconds=values.ttl_seconds(ttl) or 0) if ttl else None,
        source=values.source_of(source or by_hand(actor)),
        recorded_at=real,
        virtual_clock=at != real,
    )
    who = actor_of(actor)
    if isinstance(expected_version, int) and not sensitive and put_quickly(fact, text, expected_version, who, reason):
        return fact
    key = (project.pk, scope, owner, path)
    with writing(project.pk, now=real, actor=who) as ledger:
        fact.sensitive, fact.tag = sensitive, None  # type: ignore[assignment]
        fact.masking = None if sensitive is None else dict(masking or {})
        if not isinstance(expected_version, int):
            leave_tombstone_of_expired(ledger, key, at)
            keep_what_was(fact)
        if not fact_stored(ledger, fact, text, expected=expected_version, reason=reason):
            raise conflict_at(fact_there(fact), fact, expected_version)
    return fact


def facts_commit(
    *,
    project: Project,
    writes: Sequence[FactWrite],
    conversation: int | None = None,
    turn: int | None = None,
    started_by: str = "",
    revisions: Mapping[str, int] | None = None,
    virtual_clock: bool = False,
    sensitive: Mapping[str, Mapping[str, Any]] | None = None,
    domains: Mapping[str, str] | None = None,
    seen: Mapping[Place, int | None] | None = None,
) -> list[Fact]:
    """Apply the buffered writes of a turn in order, inside the caller's transaction (docs/spec 09, T18).

    :param conversation: its number, for the address of the event that wrote. :param started_by: who started it.
    :param revisions: path of a document to the number of the revision that ran.
    :param sensitive: path of a sensitive declaration to the fields of ``abl.runtime.privacy.masking.Display``
        (docs/spec 03 §3). ``sensitive`` and ``masking`` in the source of a write do the same.
    :param domains: path of a declaration to its DOMAIN (docs/spec 03 §5).
    :param seen: the versions that the turn read, None where it found no live fact. What it writes there is built on
        them; what it did not read may have any.
    :returns: the facts written, in order; deletions give none.
    :raises Conflict: when a fact that was read and is written has another version by now; nothing is written then.
    :raises Invalid: for a path or a value beyond what a fact may hold, whoever writes it.
    """
    if not writes:
        return []
    real = timezone.now()
    written = []
    with writing(project.pk, now=real) as ledger:
        _check_seen(project, writes, seen or {})
        for write in writes:
            origin = {
                **write.source,
                "conversation": conversation,
                "turn": write.source.get("turn", turn),
                "by": started_by,
                "revisions": revisions,
            }
            fact = _fact_of(project, write, origin, real)
            fact.virtual_clock = virtual_clock
            fact.sensitive, fact.masking = _sensitivity(write, sensitive or {})
            fact.tag = values.storable(str((domains or {}).get(write.path, "")))[:300]
            if write.delete:
                _delete_key(ledger, fact)
                continue
            leave_tombstone_of_expired(ledger, (project.pk, fact.scope, fact.owner, fact.path), write.written_at)
            fact_stored(ledger, fact, _bounded_text(fact), expected=ANY, reason="")
            written.append(fact)
    return written


def fact_delete(
    *, project: Project, pk: int, expected_version: int | None = None, actor: User | None = None, reason: str = ""
) -> None:
    """Delete one fact, of the version that was seen if given. Raises ``NotFound`` or ``Conflict``."""
    if not facts_delete(project=project, chosen={pk: expected_version}, actor=actor, reason=reason):
        raise NotFound(f"There is no fact {pk} in {project.name}.")


def facts_delete(
    *, project: Project, chosen: Mapping[int, int | None], actor: User | None = None, reason: str = ""
) -> int:
    """Delete chosen facts, all or none, and erase their values from the log. Returns how many.

    :param chosen: primary key to the version that was seen, or None for any. A fact that is gone is passed over.
    :raises Conflict: when a fact has another version by now.
    """
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        facts = list(Fact.objects.filter(project=project, pk__in=chosen).order_by("pk"))
        for fact in facts:
            if chosen[fact.pk] not in (None, fact.version):
                raise Conflict(
                    f"{fact.path} has version {fact.version} now, not {chosen[fact.pk]}. Nothing was deleted.",
                    current=shown(fact, now).as_dict(),
                )
        wipe([fact.pk for fact in facts])
        for fact in facts:
            ledger.noted(FactChange.Kind.DELETE, fact, at=now, reason=reason[:REASON_LENGTH])
        Fact.objects.filter(pk__in=[fact.pk for fact in facts]).delete()
    return len(facts)


def fact_expire(*, project: Project, pk: int, expected_version: int | None = None, actor: User | None = None) -> Fact:
    """End a live fact now: it becomes a tombstone. Raises ``NotFound`` or ``Conflict``."""
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        fact = fact_live(project=project, pk=pk, now=now)
        if expected_version not in (None, fact.version):
            raise Conflict(f"{fact.path} has version {fact.version} now.", current=shown(fact, now).as_dict())
        leave_tombstones(ledger, [fact], reason="expired manually", ended=now)
    return fact


def fact_reveal(*, project: Project, pk: int, actor: User, reason: str) -> Fact:
    """The fact with its value, after writing down who looked at it and why."""
    checked_reason(reason)
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        fact = fact_live(project=project, pk=pk, now=now)
        ledger.noted(FactChange.Kind.REVEAL, fact, at=now, reason=reason.strip())
    return fact


def checked_reason(reason: str) -> None:
    """Raise ``Invalid`` for what is no reason to look at a sensitive value."""
    if not 0 < len(reason.strip()) <= REASON_LENGTH:
        raise Invalid(fields={"reason": f"enter a reason of 1 to {REASON_LENGTH} characters; it is logged"})
    if not values.storable_text(reason):
        raise Invalid(fields={"reason": "has a character that cannot be stored (NUL or half a surrogate pair)"})


def _checked(*, ttl: str | None, value: Any, expected: int | Expected | None, reason: str, **address: str) -> str:
    problems = values.problems_of(ttl=ttl, **address)
    text = ""
    try:
        text = values.value_text(value)
    except ValueError as error:
        problems["value"] = str(error)
    if isinstance(expected, int) and not 0 < expected < 2**31:
        problems["expected_version"] = f"{expected} is not a version; give 1 or more, or null where no fact may be"
    if len(reason) > REASON_LENGTH or not values.storable_text(reason):
        problems["reason"] = f"at most {REASON_LENGTH} characters, without NUL"
    if problems:
        raise Invalid(fields=problems)
    return text


def _bounded_text(fact: Fact) -> str:
    """The canonical JSON of what a run writes, held to the bounds of what people and programs write."""
    if len(fact.path) > values.PATH_LENGTH:
        long = f"{fact.path[:80]}… has {len(fact.path)} characters; at most {values.PATH_LENGTH} are allowed"
        raise Invalid(fields={"path": long})
    try:
        return values.value_text(fact.value)
    except ValueError as error:
        raise Invalid(fields={fact.path: f"the value {error}"}) from error


def _check_seen(project: Project, writes: Sequence[FactWrite], seen: Mapping[Place, int | None]) -> None:
    """Refuse writes that are built on facts as they are no more. The log is held, so nobody changes them now."""
    for place, write in {(write.scope, write.owner, write.path): write for write in reversed(writes)}.items():
        if place in seen:
            wanted = _fact_of(project, write, write.source, write.written_at)
            there = fact_there(wanted)
            if (there.version if there is not None else None) != seen[place]:
                raise conflict_at(there, wanted, seen[place])


def _fact_of(project: Project, write: FactWrite, source: Mapping[str, Any], real: datetime) -> Fact:
    origin = values.source_of(source)
    return new_fact(
        project.pk,
        scope=write.scope,
        owner=values.storable(write.owner),
        path=write.path,
        value=values.storable(write.value),
        type=write.type[:20],
        written_at=write.written_at,
        expires_at=write.expires_at,
        ttl=(write.ttl or "")[:20],
        source=origin,
        recorded_at=real,
    )


def _sensitivity(write: FactWrite, declared: Mapping[str, Mapping[str, Any]]) -> tuple[bool, dict[str, Any]]:
    """Whether a write is sensitive and how it shows: by the nearest declaration at or above its path."""
    found = nearest(declared, write.path)
    if found is not None:
        return True, dict(found)
    return bool(write.source.get("sensitive")), dict(write.source.get("masking") or {})


def _delete_key(ledger: Ledger, gone: Fact) -> None:
    fact = Fact.objects.filter(project=gone.project_id, scope=gone.scope, owner=gone.owner, path=gone.path).first()
    if fact is not None:
        fact.source = gone.source
        erase(ledger, fact, FactChange.Kind.DELETE, at=gone.written_at, reason="")
        fact.delete()
