"""Definitions of stores and banks in the log: who made, changed or deleted one, and what it was then.

They are of the project and about nobody, so what the log says of them stays when they are deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.log.chain import canonical
from memory.log.ledger import Ledger
from memory.models import FactChange, System

SCOPE = "project"


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition as the log names it: ``path`` is its name (``memory.log.ledger.Stored``)."""

    system: System
    project_id: int
    path: str
    version: int
    source: dict[str, Any] = field(default_factory=dict)
    scope: str = SCOPE
    owner: str = ""
    type: str = "definition"
    sensitive: bool = False
    expires_at: datetime | None = None
    ttl: str = ""


def defined(ledger: Ledger, definition: Definition, content: Mapping[str, Any], *, reason: str = "") -> None:
    """Log what a definition is from now on."""
    key = (definition.project_id, definition.scope, definition.owner, definition.path)
    ledger.written(
        system=definition.system,
        key=key,
        version=definition.version,
        value_text=canonical(content),
        type=definition.type,
        at=ledger.now,
        source=definition.source,
        reason=reason,
    )


def undefined(ledger: Ledger, definition: Definition, *, reason: str) -> None:
    """Log that a definition is deleted."""
    ledger.noted(FactChange.Kind.DELETE, definition, at=ledger.now, reason=reason)


def version_before(*, project_id: int, system: System, path: str) -> int:
    """The version of the newest entry about a definition; 0 without any."""
    entries = FactChange.objects.filter(project=project_id, system=system, scope=SCOPE, owner="", path=path)
    return entries.order_by("-seq").values_list("version", flat=True).first() or 0
