"""Writes of records (docs/spec 11 §2): merged or replaced, checked, logged. Each service is one transaction.

Every writer takes the project's log first (``memory.log.ledger``) and reads the record under that lock, so what two
write at the same time is merged one after the other and no field is lost. The schema check, which may take a second,
comes before the lock; under it the answer is known, unless somebody else wrote in between: then all is done once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from abl.runtime.memory.ports import SESSION_META
from editor.models import Project, User
from memory import values
from memory.facts.services import ANY, REASON_LENGTH, Expected, actor_of, by_hand
from memory.log.ledger import Ledger, writing
from memory.log.tombstones import erase
from memory.models import FactChange, StoreDefinition, StoreRecord, System
from memory.stores import selectors
from memory.stores.content import merged, object_text
from memory.stores.keywords import STEPS, TooMuchWork
from memory.stores.selectors import Subject
from memory.stores.services.changes import Change, Place, checked, schema_errors
from memory.stores.validation import Problem
from web.errors import Conflict, Forbidden, Invalid, NotFound

_Access, _Retention = StoreDefinition.Access, StoreDefinition.Retention


STEPS_LOCKED = STEPS // 20
"""Of a check under the lock, because of a writer in between: what takes more is begun anew, ``TRIES`` times."""
TRIES = 5


def content_set(
    *,
    project: Project,
    name: str,
    content: Mapping[str, Any],
    subject: Subject,
    merge: bool = True,
    expected_version: int | Expected | None = ANY,
    source: Mapping[str, Any] | None = None,
    actor: User | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> StoreRecord:
    """Create a record or merge into it, and return it (docs/spec 11 §2, ``set_content``).

    :param now: the writer's clock, the real one by default.
    :raises Invalid: naming the field; ``SchemaRefused`` where a strict store cannot take it.
    :raises Conflict: for another version, with the live record or None as ``current``; for a session that has ended.
    """
    real = timezone.now()
    virtual, source = now is not None and now != real, source or by_hand(actor)
    change = Change(content, now or real, merge, expected_version, virtual, source, reason, STEPS_LOCKED)

    def place() -> Place:
        store = writable_store(project=project, name=name)
        return Place(store, subject.owner_in(store), _session_of(project, store, subject))

    return _put_checked(project, place, change, now=real, actor=actor)


def _put_checked(
    project: Project, place: Callable[[], Place], change: Change, *, now: datetime, actor: User | None
) -> StoreRecord:
    """Write a record in a transaction of its own, checked before it.

    :param place: looks up where it goes, before the lock and again under it.
    """
    for _ in range(TRIES):
        _check_ahead(place(), change)
        try:
            with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
                return record_put(ledger, place(), change)
        except TooMuchWork:
            continue
    raise Conflict("Other writers keep changing this record, and its schema takes long to check. Wait, then try again.")


def _check_ahead(place: Place, change: Change) -> None:
    """Find the answer to a write before the log is locked. Raises ``Invalid`` for what takes too long."""
    record = StoreRecord.objects.filter(store=place.store, owner=place.owner).first()
    live = record if record is not None and record.is_live(change.at) else None
    object_text(change.content)
    content = _content_after(live, change)
    object_text(content)
    schema_errors(place.store, content)


def _content_after(live: StoreRecord | None, change: Change) -> dict[str, Any]:
    return dict(merged(live.content, change.content)) if live is not None and change.merge else dict(change.content)


def writable_store(*, project: Project, name: str) -> StoreDefinition:
    """A store to write to. Raises ``Forbidden`` for ``sessionMeta``, which nobody but the API of sessions writes."""
    if name == SESSION_META:
        raise Forbidden(f"{SESSION_META} is read-only. Set its metadata through the session.", code="read-only")
    return selectors.store_get(project=project, name=name)


def _session_of(project: Project, store: StoreDefinition, subject: Subject) -> str:
    """The session at whose end a record goes, if any; one that has ended takes nothing more."""
    if store.access != _Access.SESSION and store.retention != _Retention.SESSION:
        return ""
    if not subject.session:
        raise Invalid(fields={"session_id": f"{store.technical_name} is kept until a session ends; say which"})
    selectors.session_open(project=project, session=subject.session)
    return subject.session if store.retention == _Retention.SESSION else ""


def record_put(ledger: Ledger, place: Place, change: Change) -> StoreRecord:
    """Write one record inside a transaction that has the log. Raises as ``content_set`` does."""
    store = place.store
    record = StoreRecord.objects.filter(store=store, owner=place.owner).first()
    live = record is not None and record.is_live(change.at)
    _refuse_unexpected(record if live else None, store, change)
    object_text(change.content)
    if record is not None and not live and record.purged_at is None:
        leave_record_tombstones(ledger, [_with(record, store)], reason="replaced after it had expired")
    content = _content_after(record if live else None, change)
    text = object_text(content)
    errors = checked(store, content, change.steps)
    record = record or StoreRecord(project_id=store.project_id, store=store, owner=place.owner, version=0)
    fill(record, place, change, content=content, errors=errors, real=ledger.now)
    record.save()
    ledger.written(
        system=System.RECORD,
        key=(store.project_id, record.scope, record.owner, record.path),
        version=record.version,
        value_text=text,
        type=record.type,
        at=change.at,
        expires_at=record.expires_at,
        ttl=record.ttl,
        source=record.source,
        reason=change.reason[:REASON_LENGTH],
    )
    return record


def fill(
    record: StoreRecord,
    place: Place,
    change: Change,
    *,
    content: Mapping[str, Any],
    errors: list[Problem],
    real: datetime,
) -> None:
    """Set what a write changes; versions continue where the log of that place ends."""
    store = place.store
    record.store = store
    before = record.version or selectors.version_in_log(
        project_id=store.project_id, scope=record.scope, owner=record.owner, path=record.path
    )
    lifetime = StoreDefinition.LIFETIMES.get(store.retention)
    record.version, record.content, record.session = before + 1, content, place.session
    record.errors, record.flagged, record.checked = errors, bool(errors), store.schema_version
    record.written_at, record.recorded_at, record.virtual_clock = change.at, real, change.virtual_clock
    record.expires_at = change.at + lifetime if lifetime is not None else None
    record.purged_at, record.source = None, values.source_of(change.source)


def _refuse_unexpected(live: StoreRecord | None, store: StoreDefinition, change: Change) -> None:
    expected = change.expected
    if isinstance(expected, Expected) or expected == (live.version if live else None):
        return
    wanted = f"version {expected}" if expected is not None else "no record"
    there = f"version {live.version} is there" if live else "none is there"
    raise Conflict(
        f"{store.technical_name}: {wanted} was expected, {there}. Read it again and repeat your change.",
        current=selectors.record_dict(_with(live, store), change.at) if live else None,
    )


def _with(record: StoreRecord, store: StoreDefinition) -> StoreRecord:
    record.store = store
    return record


def record_edit(
    *,
    project: Project,
    pk: int,
    content: Mapping[str, Any],
    expected_version: int | None,
    merge: bool = False,
    actor: User | None = None,
    reason: str = "",
) -> StoreRecord:
    """A new version of a live record by hand, replaced as a whole unless ``merge``; its session stays what it was.

    Raises ``NotFound``, ``Conflict``, ``Invalid`` or ``SchemaRefused``.
    """
    now = timezone.now()
    refuse_reason(reason)

    def place() -> Place:
        record = selectors.record_get(project=project, pk=pk)
        if not record.is_live(now):
            raise NotFound(f"{record.path} of {record.owner or 'the application'} has expired. Write it again.")
        return Place(record.store, record.owner, record.session)

    change = Change(content, now, merge, expected_version, False, by_hand(actor), reason, STEPS_LOCKED)
    return _put_checked(project, place, change, now=now, actor=actor)


def refuse_reason(reason: str) -> None:
    """Raise ``Invalid`` for a reason that the log has no room for."""
    if len(reason) > REASON_LENGTH or not values.storable_text(reason):
        raise Invalid(fields={"reason": f"at most {REASON_LENGTH} characters, without NUL"})


def content_delete(
    *,
    project: Project,
    name: str,
    subject: Subject,
    expected_version: int | Expected | None = ANY,
    source: Mapping[str, Any] | None = None,
    actor: User | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> bool:
    """Remove the record of a subject, not the definition; False when there was none (``delete_content``)."""
    real = timezone.now()
    with writing(project.pk, now=real, actor=actor_of(actor)) as ledger:
        store = writable_store(project=project, name=name)
        change = Change({}, now or real, expected=expected_version, source=source or by_hand(actor), reason=reason)
        return record_remove(ledger, Place(store, subject.owner_in(store)), change)


def record_remove(ledger: Ledger, place: Place, change: Change) -> bool:
    """Delete one live record inside a transaction that has the log."""
    record = StoreRecord.objects.filter(store=place.store, owner=place.owner).first()
    live = record is not None and record.is_live(change.at)
    _refuse_unexpected(record if live else None, place.store, change)
    if record is None or not live:
        return False
    record.source = values.source_of(change.source)
    _erase(ledger, [_with(record, place.store)], at=change.at, reason=change.reason)
    return True


def records_delete(
    *, project: Project, chosen: Mapping[int, int | None], actor: User | None = None, reason: str = ""
) -> int:
    """Delete chosen records, all or none, and erase their values from the log. Returns how many.

    :param chosen: primary key to the version that was seen, or None for any. A record that is gone is passed over.
    :raises Conflict: when a record has another version by now.
    """
    now = timezone.now()
    refuse_reason(reason)
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        found = StoreRecord.objects.select_related("store").filter(project=project, pk__in=chosen).order_by("pk")
        records = list(found)
        for record in records:
            if chosen[record.pk] not in (None, record.version):
                raise Conflict(
                    f"{record.path} has version {record.version} now, not {chosen[record.pk]}. Nothing was deleted.",
                    current=selectors.record_dict(record, now),
                )
        _erase(ledger, records, at=now, reason=reason)
    return len(records)


def _erase(ledger: Ledger, records: Sequence[StoreRecord], *, at: datetime, reason: str) -> None:
    for record in records:
        erase(ledger, record, FactChange.Kind.DELETE, at=at, reason=reason[:REASON_LENGTH])
    StoreRecord.objects.filter(pk__in=[record.pk for record in records]).delete()


def leave_record_tombstones(
    ledger: Ledger, records: Sequence[StoreRecord], *, reason: str, ended: datetime | None = None
) -> None:
    """Turn records into tombstones; ``ended`` where that is before the time that they had."""
    for record in records:
        record.content, record.errors, record.flagged, record.purged_at = None, [], False, ledger.now
        record.expires_at = ended or record.expires_at
        erase(ledger, record, FactChange.Kind.EXPIRE, at=record.expires_at or ledger.now, reason=reason)
    StoreRecord.objects.bulk_update(records, ["content", "errors", "flagged", "purged_at", "expires_at"])


@dataclass(frozen=True, slots=True)
class RecordWrite:
    """A write that a turn buffered: ``content`` to merge, or None to delete the record. ``at``: session's clock."""

    name: str
    content: Mapping[str, Any] | None
    at: datetime
    source: Mapping[str, Any] = field(default_factory=dict)


def records_commit(
    *, project: Project, writes: Sequence[RecordWrite], subject: Subject, virtual_clock: bool = False
) -> None:
    """Apply the buffered writes of a turn in order, inside the caller's transaction (docs/spec 09, T18).

    Each is merged into what is there by now. Raises as ``content_set`` does, for a strict store when another writer
    came in between; then nothing of the turn may be kept. What a turn wrote was checked by its port, so that the answer
    is known here. Where another writer came in between and the check takes long, ``Conflict``: the turn begins again,
    and nobody waits a second for the log.
    """
    if not writes:
        return
    with writing(project.pk, now=timezone.now()) as ledger:
        for write in writes:
            store = writable_store(project=project, name=write.name)
            change = Change(
                write.content or {}, write.at, virtual_clock=virtual_clock, source=write.source, steps=STEPS_LOCKED
            )
            if write.content is None:
                record_remove(ledger, Place(store, subject.owner_in(store)), change)
            else:
                session = _session_of(project, store, subject)
                _put_at_once(ledger, Place(store, subject.owner_in(store), session), change)


def _put_at_once(ledger: Ledger, place: Place, change: Change) -> None:
    try:
        record_put(ledger, place, change)
    except TooMuchWork:
        words = f"{place.store.technical_name} was changed by someone else, and its schema takes long to check."
        raise Conflict(words) from None
