"""Writes of store definitions (docs/spec 11 §2). Each takes the project's log first, as writers of records do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from time import thread_time
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils import timezone

from abl.runtime.memory.ports import SESSION_META
from editor.models import Project, User
from memory import values
from memory.facts.services import REASON_LENGTH, actor_of, by_hand
from memory.log.chain import canonical
from memory.log.definitions import Definition, defined, undefined
from memory.log.ledger import Ledger, writing
from memory.log.tombstones import erase
from memory.models import FactChange, StoreDefinition, StoreRecord, System
from memory.stores import selectors
from memory.stores.schema import problems_of
from memory.stores.validation import errors_of
from web.errors import Conflict, Invalid

BATCH = 200
PATIENCE = 2.0
"""Processor seconds after which a step ends."""
MOST_STORES = 200
NAME_LENGTH, TECHNICAL_LENGTH, DESCRIPTION_LENGTH = 120, 100, 2_000
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
CHANGEABLE = ("name", "description", "schema", "access", "retention", "strict")


def store_create(
    *,
    project: Project,
    name: str,
    technical_name: str,
    schema: Mapping[str, Any],
    access: str,
    retention: str,
    description: str = "",
    strict: bool = False,
    actor: User | None = None,
) -> StoreDefinition:
    """Define a store. Raises ``Invalid`` naming field and, in a schema, JSON pointer; ``Conflict`` for a name taken."""
    now = timezone.now()
    store = StoreDefinition(
        project=project,
        name=name.strip() or technical_name,
        technical_name=technical_name,
        schema=schema,
        access=access,
        retention=retention,
        description=description,
        strict=strict,
        created_at=now,
        updated_at=now,
    )
    refuse(problems_in(store))
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        existing = StoreDefinition.objects.filter(project=project)
        if existing.filter(technical_name=technical_name).exists():
            raise Conflict(f"Store {technical_name!r} already exists. Technical names are unique in a project.")
        if existing.count() >= MOST_STORES:
            raise Invalid(fields={"technical_name": f"the project has {MOST_STORES} stores; no more are allowed"})
        store.save()
        _log(ledger, store, actor)
    return store


def _log(ledger: Ledger, store: StoreDefinition, actor: User | None) -> None:
    defined(ledger, definition_of(store, actor), selectors.definition_dict(store))


def definition_of(store: StoreDefinition, actor: User | None = None) -> Definition:
    """A store as the log names it; ``actor`` is who changes it."""
    return Definition(System.STORE, store.project_id, store.technical_name, store.version, by_hand(actor))


def store_update(
    *,
    project: Project,
    technical_name: str,
    changes: Mapping[str, Any],
    expected_version: int | None = None,
    actor: User | None = None,
) -> StoreDefinition:
    """Change a definition. A new schema is held against the records, the first step at once and the others in more
    steps (``stores_recheck``), which flag those that break it.

    :param changes: some of ``CHANGEABLE``; a new ``retention`` counts from the next write of a record on.
    :param expected_version: the version that was read. Raises ``Conflict`` when it is another by now.
    """
    now = timezone.now()
    if "schema" in changes:
        # Before the lock: to read large patterns takes a while, for which no other writer has to wait.
        refuse(_schema_problem(changes["schema"]))
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        store = selectors.store_get(project=project, name=technical_name)
        if expected_version not in (None, store.version):
            raise Conflict(
                f"{technical_name} has version {store.version} now.", current=selectors.definition_dict(store)
            )
        before = selectors.definition_dict(store)
        for field in CHANGEABLE:
            if field in changes:
                setattr(store, field, changes[field])
        problems = _field_problems(store)
        if store.access != before["access"] and (number := selectors.record_count(store=store)):
            problems.setdefault("access", f"{_records(number)} kept per {before['access']}; delete them first")
        refuse(problems)
        rechecks = canonical(store.schema) != canonical(before["schema"])
        if selectors.definition_dict(store) != before:
            store.version += 1
            store.schema_version += rechecks
            store.updated_at = now
            store.save()
            _log(ledger, store, actor)
    if rechecks:
        recheck_some(store)
    return store


def problems_in(store: StoreDefinition) -> dict[str, str]:
    """Field to what is wrong with it; in ``schema`` the first problem with its JSON pointer."""
    return _field_problems(store) | _schema_problem(store.schema)


def _field_problems(store: StoreDefinition) -> dict[str, str]:
    found = {}
    if not isinstance(store.technical_name, str) or not _IDENTIFIER.fullmatch(store.technical_name):
        found["technical_name"] = f"{str(store.technical_name)[:80]!r} is not an identifier; use letters, digits and _"
    elif len(store.technical_name) > TECHNICAL_LENGTH:
        found["technical_name"] = f"has {len(store.technical_name)} characters; {TECHNICAL_LENGTH} are allowed"
    elif store.technical_name == SESSION_META:
        found["technical_name"] = f"{SESSION_META} is built in; choose another name"
    for field, most in (("name", NAME_LENGTH), ("description", DESCRIPTION_LENGTH)):
        text = getattr(store, field)
        if not isinstance(text, str) or len(text) > most or not values.storable_text(text):
            found[field] = f"give a text of at most {most:,} characters, without NUL"
    for field, choices in (("access", StoreDefinition.Access), ("retention", StoreDefinition.Retention)):
        value = getattr(store, field)
        if value not in choices.values:
            found[field] = f"{str(value)[:40]!r} is not one of {', '.join(choices.values)}"
    if not isinstance(store.strict, bool):
        found["strict"] = f"{store.strict!r} is not true or false"
    return found


def _schema_problem(schema: Any) -> dict[str, str]:
    problem = next(iter(problems_of(schema)), None)
    return {} if problem is None else {"schema": f"at {problem['path'] or 'the root'}: {problem['message']}"}


def refuse(problems: Mapping[str, str]) -> None:
    """Raise ``Invalid`` when there are problems."""
    if problems:
        raise Invalid(fields=problems)


def _records(number: int) -> str:
    return f"{number:,} record{' is' if number == 1 else 's are'}"


def store_delete(
    *,
    project: Project,
    technical_name: str,
    expected_records: int | None = None,
    actor: User | None = None,
    reason: str = "",
) -> int:
    """Delete a definition and its records, each of which leaves an entry in the log. Returns how many records went.

    In steps of ``BATCH``, so that no writer waits for long.

    :param expected_records: how many the caller was shown. ``Conflict`` when there are others; ``Invalid`` where none
        is given and there are records.
    """
    store = selectors.store_get(project=project, name=technical_name)
    number = selectors.record_count(store=store)
    if expected_records is None and number:
        many = f"{number:,} record{'' if number == 1 else 's'}"
        raise Invalid(fields={"records": f"is missing; {many} would go, so send records={number}"})
    if expected_records not in (None, number):
        raise Conflict(f"{_records(number)} in {technical_name} now, not {expected_records:,}. Nothing was deleted.")
    gone, more = 0, True
    while more:
        now = timezone.now()
        with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
            records = list(StoreRecord.objects.filter(store=store).select_related("store").order_by("id")[:BATCH])
            gone += _end_all(ledger, records, reason or "the store was deleted")
            more = len(records) == BATCH
            if not more and StoreDefinition.objects.filter(pk=store.pk).delete()[0]:
                undefined(ledger, definition_of(store, actor), reason=reason[:REASON_LENGTH])
    return gone


def _end_all(ledger: Ledger, records: list[StoreRecord], reason: str) -> int:
    kept = [record for record in records if record.purged_at is None]
    for record in kept:
        erase(ledger, record, FactChange.Kind.DELETE, at=ledger.now, reason=reason[:REASON_LENGTH])
    StoreRecord.objects.filter(pk__in=[record.pk for record in records]).delete()
    return len(kept)


def recheck_some(store: StoreDefinition, limit: int = BATCH) -> int:
    """Hold up to ``limit`` records against the schema, fewer where that takes long; returns how many are done.

    They are checked before the log is locked. One that somebody writes meanwhile is checked by that.
    """
    waiting = StoreRecord.objects.filter(store=store, checked__lt=store.schema_version, purged_at__isnull=True)
    until, seen = thread_time() + PATIENCE, {}
    for record in waiting.order_by("id")[:limit]:
        seen[record.pk, record.version] = errors_of(store.schema, record.content)
        if thread_time() > until:
            break
    with writing(store.project_id, now=timezone.now()):
        for (pk, version), errors in seen.items():
            waiting.filter(pk=pk, version=version).update(
                errors=errors, flagged=bool(errors), checked=store.schema_version
            )
    return len(seen)


def records_recheck(*, store_id: int, steps: int = 50) -> int:
    """Go on with the records of a store whose schema changed; returns how many were looked at.

    Each step is a transaction of its own. Whoever calls again continues where it stopped.
    """
    seen = 0
    for _ in range(steps):
        store = StoreDefinition.objects.filter(pk=store_id).first()
        if store is None:
            break
        number = recheck_some(store)
        seen += number
        if not number:
            break
    return seen


def stores_recheck() -> int:
    """Go on with every store whose records have not all been looked at since its schema changed."""
    behind = StoreRecord.objects.filter(
        store=OuterRef("pk"), checked__lt=OuterRef("schema_version"), purged_at__isnull=True
    )
    waiting = StoreDefinition.objects.filter(Exists(behind), schema_version__gt=1).values_list("pk", flat=True)
    return sum(records_recheck(store_id=pk) for pk in list(waiting))
