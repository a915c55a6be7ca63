"""Writes of memory banks. Each is one transaction that takes the project's log first (``memory.log.ledger``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from editor.models import Project, User
from memory import values
from memory.banks.selectors import bank_dict, bank_find, bank_get, bank_list, entry_dict, entry_find, last_version
from memory.banks.texts import fitting, max_lines_problem, name_problem, problems_of
from memory.facts.services import ANY, REASON_LENGTH, Expected, actor_of, by_hand
from memory.log.chain import canonical
from memory.log.definitions import Definition, defined, undefined, version_before
from memory.log.ledger import Ledger, writing
from memory.log.tombstones import erase
from memory.models import Bank, BankEntry, FactChange, System
from web.errors import Conflict, Invalid, NotFound


def bank_put(
    *, project: Project, name: str, max_lines: int | None = None, actor: User | None = None
) -> tuple[Bank, bool]:
    """The bank of that name with this bound, made where there is none; gives it and whether it is new.

    A smaller bound cuts a text when it is written next (docs/spec 11 §3). Raises ``Invalid``.
    """
    _refuse_bank(name, max_lines)
    with writing(project.pk, now=timezone.now(), actor=actor_of(actor)) as ledger:
        bank = bank_find(project=project, name=name)
        if bank is None:
            return _bank_made(ledger, project, name, max_lines, by_hand(actor)), True
        if bank.max_lines != max_lines:
            bank.max_lines = max_lines
            bank.save(update_fields=["max_lines"])
            _log_bank(ledger, bank, by_hand(actor))
    return bank, False


def _bank_made(ledger: Ledger, project: Project, name: str, max_lines: int | None, source: dict[str, Any]) -> Bank:
    bank = Bank.objects.create(project=project, name=name, max_lines=max_lines, created_at=ledger.now)
    _log_bank(ledger, bank, source)
    return bank


def _log_bank(ledger: Ledger, bank: Bank, source: dict[str, Any]) -> None:
    content = {"name": bank.name, "max_lines": bank.max_lines}
    before = definition_of(bank, source)
    defined(ledger, replace(before, version=before.version + 1), content)


def definition_of(bank: Bank, source: dict[str, Any] | None = None) -> Definition:
    """A bank as the log names it, in the version that the log knows."""
    version = version_before(project_id=bank.project_id, system=System.BANKS, path=bank.name)
    return Definition(System.BANKS, bank.project_id, bank.name, version, source or {})


def _refuse_bank(name: str, max_lines: int | None) -> None:
    found = {"name": name_problem(name), "max_lines": max_lines_problem(max_lines)}
    problems = {field: problem for field, problem in found.items() if problem is not None}
    if problems:
        raise Invalid(fields=problems)


def bank_create(*, project: Project, name: str, max_lines: int | None = None, actor: User | None = None) -> Bank:
    """A new bank. Raises ``Invalid``, and ``Conflict`` with the bank of that name as ``current``."""
    _refuse_bank(name, max_lines)
    with writing(project.pk, now=timezone.now(), actor=actor_of(actor)) as ledger:
        bank = bank_find(project=project, name=name)
        if bank is None:
            return _bank_made(ledger, project, name, max_lines, by_hand(actor))
    current = bank_dict(bank_list(project=project).get(pk=bank.pk))
    raise Conflict(f"Memory bank {name} already exists. Use PUT to change its limit.", current=current)


def bank_delete(*, project: Project, name: str, actor: User | None = None, reason: str = "") -> int:
    """Delete a bank with its texts; gives how many there were. Raises ``NotFound``."""
    with writing(project.pk, now=timezone.now(), actor=actor_of(actor)) as ledger:
        bank = bank_get(project=project, name=name)
        gone = _erase(ledger, BankEntry.objects.filter(bank=bank), reason)
        undefined(ledger, definition_of(bank, by_hand(actor)), reason=reason[:REASON_LENGTH])
        bank.delete()
    return gone


def bank_write(
    *,
    project: Project,
    name: str,
    agent: str,
    content: str,
    expected_version: int | Expected = ANY,
    source: Mapping[str, Any] | None = None,
    actor: User | None = None,
    reason: str = "",
) -> BankEntry:
    """Replace the text of an agent, cut to the last lines of the bank; before a first run this seeds it.

    :param expected_version: the version that was read, 0 where there was no text; ``ANY``: whatever is there goes.
    :raises Invalid: naming the fields. :raises NotFound: without such a bank.
    :raises Conflict: with the text as it is now as ``current``.
    """
    problems = problems_of(agent=agent, content=content) | _reason_problem(reason)
    if problems:
        raise Invalid(fields=problems)
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        bank = bank_get(project=project, name=name)
        entry = entry_find(bank=bank, agent=agent)
        if not isinstance(expected_version, Expected):
            _check_version(name, agent, entry, expected_version)
        origin = values.source_of({**(source or by_hand(actor)), "agent": agent})
        return _store(ledger, bank, entry, agent=agent, content=content, at=now, source=origin, reason=reason)


@transaction.atomic
def bank_seed(
    *, project: Project, name: str, agent: str, content: str, max_lines: int | None, actor: User, reason: str = ""
) -> BankEntry:
    """Give an agent its first text; makes the bank where there is none, with a bound if one is given.

    Raises ``Invalid`` naming bank, agent, content, max_lines or reason; nothing is made then.
    """
    problem = name_problem(name)
    if problem is not None:
        raise Invalid(fields={"bank": problem})
    if max_lines is not None or bank_find(project=project, name=name) is None:
        bank_put(project=project, name=name, max_lines=max_lines, actor=actor)
    return bank_write(project=project, name=name, agent=agent, content=content, actor=actor, reason=reason)


@dataclass(frozen=True, slots=True)
class BankWrite:
    """One text that a turn wrote, already cut. ``at`` is on the clock of the conversation; ``source``: who wrote it.

    ``built_on``: the version that the turn had read, 0 where there was no text; None when it read none.
    """

    agent: str
    content: str
    at: datetime
    source: Mapping[str, Any]
    built_on: int | None = None


def bank_commit(*, project: Project, name: str, writes: Iterable[BankWrite]) -> int:
    """Store what a turn wrote, inside the caller's transaction; makes the bank where there is none yet.

    Returns how many texts were written. Raises ``Conflict`` when one that was read has another version by now.
    """
    listed = list(writes)
    if not listed:
        return 0
    with writing(project.pk, now=timezone.now()) as ledger:
        bank = bank_find(project=project, name=name)
        if bank is None:
            _refuse_bank(name, None)
            bank = _bank_made(ledger, project, name, None, values.source_of(listed[0].source))
        for write in listed:
            entry = entry_find(bank=bank, agent=write.agent)
            if write.built_on is not None:
                _check_version(name, write.agent, entry, write.built_on)
            _store(
                ledger,
                bank,
                entry,
                agent=write.agent,
                content=write.content,
                at=write.at,
                source=values.source_of(write.source),
                reason="",
            )
    return len(listed)


def entry_edit(
    *, project: Project, pk: int, content: str, expected_version: int, actor: User, reason: str = ""
) -> BankEntry:
    """Replace a text by hand. Raises ``NotFound`` and what ``bank_write`` does."""
    entry = BankEntry.objects.select_related("bank").filter(project=project, pk=pk).first()
    if entry is None:
        raise NotFound("This text was already deleted.")
    return bank_write(
        project=project,
        name=entry.bank.name,
        agent=entry.agent,
        content=content,
        expected_version=expected_version,
        actor=actor,
        reason=reason,
    )


def entry_delete(*, project: Project, name: str, agent: str, actor: User | None = None, reason: str = "") -> None:
    """Delete the text of an agent. Raises ``NotFound``."""
    bank = bank_get(project=project, name=name)
    entry = entry_find(bank=bank, agent=agent)
    chosen: dict[int, int | None] = {entry.pk: None} if entry is not None else {}
    if not entries_delete(project=project, chosen=chosen, actor=actor, reason=reason):
        raise NotFound(f"{agent[:40]} has no text in {name}.")


def entries_delete(
    *, project: Project, chosen: Mapping[int, int | None], actor: User | None = None, reason: str = ""
) -> int:
    """Delete chosen texts, all or none, and erase them from the log. Returns how many.

    :param chosen: primary key to the version that was seen, or None for any. A text that is gone is passed over.
    :raises Conflict: when a text has another version by now.
    """
    problems = _reason_problem(reason)
    if problems:
        raise Invalid(fields=problems)
    with writing(project.pk, now=timezone.now(), actor=actor_of(actor)) as ledger:
        entries = BankEntry.objects.select_related("bank").filter(project=project, pk__in=chosen)
        for entry in entries:
            if chosen[entry.pk] not in (None, entry.version):
                raise Conflict(
                    f"{entry.agent} has version {entry.version} now, not {chosen[entry.pk]}. Nothing was deleted.",
                    current=entry_dict(entry),
                )
        return _erase(ledger, entries, reason)


def _check_version(name: str, agent: str, entry: BankEntry | None, expected: int) -> None:
    there = entry.version if entry is not None else 0
    if there != expected:
        raise Conflict(f"{agent} has version {there} in {name} now, not {expected}.", current=entry_dict(entry, agent))


def _store(
    ledger: Ledger,
    bank: Bank,
    entry: BankEntry | None,
    *,
    agent: str,
    content: str,
    at: datetime,
    source: dict[str, Any],
    reason: str,
) -> BankEntry:
    if entry is None:
        version = last_version(bank=bank, agent=agent)
        entry = BankEntry(project_id=bank.project_id, bank=bank, agent=agent, version=version)
    entry.content = fitting(content, bank.max_lines)
    entry.version += 1
    entry.written_at, entry.recorded_at, entry.source = at, ledger.now, source
    entry.save()
    ledger.written(
        system=System.BANK,
        key=(bank.project_id, entry.scope, bank.name, agent),
        version=entry.version,
        value_text=canonical(entry.content),
        type=entry.type,
        at=at,
        source=source,
        reason=reason,
    )
    return entry


def _erase(ledger: Ledger, entries: Iterable[BankEntry], reason: str) -> int:
    gone = list(entries)
    for entry in gone:
        erase(ledger, entry, FactChange.Kind.DELETE, at=ledger.now, reason=reason[:REASON_LENGTH])
    BankEntry.objects.filter(pk__in=[entry.pk for entry in gone]).delete()
    return len(gone)


def _reason_problem(reason: str) -> dict[str, str]:
    if len(reason) <= REASON_LENGTH and values.storable_text(reason):
        return {}
    return {"reason": f"at most {REASON_LENGTH} characters, without NUL"}
