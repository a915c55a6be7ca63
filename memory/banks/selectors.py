"""Reads of memory banks. Callers hold a project that ``editor.selectors`` let the user see."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, QuerySet

from editor.models import Project
from memory.models import Bank, BankEntry, FactChange, System
from web.errors import NotFound


def bank_find(*, project: Project, name: str) -> Bank | None:
    """The bank of that name, None where there is none."""
    return Bank.objects.filter(project=project, name=name).first()


def bank_get(*, project: Project, name: str) -> Bank:
    """The bank of that name. Raises ``NotFound``."""
    bank = bank_find(project=project, name=name)
    if bank is None:
        raise NotFound(f"There is no memory bank {name[:40]!r} in {project.name}.")
    return bank


def bank_list(*, project: Project) -> QuerySet[Bank]:
    """Banks of a project in order of name, each with ``agents``, how many keep a text in it."""
    return Bank.objects.filter(project=project).annotate(agents=Count("entries")).order_by("name")


def entry_list(*, bank: Bank) -> QuerySet[BankEntry]:
    """The texts in a bank in order of agent."""
    return BankEntry.objects.filter(project=bank.project_id, bank=bank).select_related("bank").order_by("agent")


def entry_find(*, bank: Bank, agent: str) -> BankEntry | None:
    """The text of an agent, None where it has written none."""
    return entry_list(bank=bank).filter(agent=agent).first()


def entry_get(*, project: Project, pk: int) -> BankEntry:
    """A text by primary key. Raises ``NotFound``."""
    entry = BankEntry.objects.select_related("bank").filter(project=project, pk=pk).first()
    if entry is None:
        raise NotFound(f"There is no text {pk} in a memory bank of {project.name}.")
    return entry


def project_entries(*, project: Project, bank: str = "", agent: str = "") -> QuerySet[BankEntry]:
    """Texts in all banks of a project, or those of one bank or agent: what an admin looks through."""
    entries = BankEntry.objects.filter(project=project).select_related("bank").order_by("bank__name", "agent")
    if bank:
        entries = entries.filter(bank__name=bank)
    if agent:
        entries = entries.filter(agent=agent)
    return entries


def texts_of(*, bank: Bank) -> dict[str, str]:
    """Agent to text, as it is now."""
    return dict(entry_list(bank=bank).values_list("agent", "content"))


def last_version(*, bank: Bank, agent: str) -> int:
    """Version of the newest entry of the log about a text, also after it was deleted; 0 without any."""
    log = FactChange.objects.filter(
        project=bank.project_id, system=System.BANK, scope=BankEntry.scope, owner=bank.name, path=agent
    ).order_by("-seq")
    return log.values_list("version", flat=True).first() or 0


def bank_dict(bank: Bank) -> dict[str, Any]:
    """A bank as every interface gives it; ``agents`` is there when it comes from ``bank_list``."""
    return {
        "name": bank.name,
        "max_lines": bank.max_lines,
        "agents": getattr(bank, "agents", None),
        "created_at": bank.created_at.isoformat(),
    }


def entry_dict(entry: BankEntry | None, agent: str = "") -> dict[str, Any]:
    """The text of an agent; "" at version 0 for one that has written none."""
    return {
        "agent": entry.agent if entry else agent,
        "content": entry.content if entry else "",
        "version": entry.version if entry else 0,
        "written_at": entry.written_at.isoformat() if entry else None,
    }
