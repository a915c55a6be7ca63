"""The failure that stops a pass over the constraints, as plain data (docs/spec 04 §5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl.runtime.events.recorder import Event
from abl.runtime.plan.parts import RulePlan

BOUND = 3
"""Jumps and retries of one rule in a turn; then the failure is terminal (docs/spec 04 §5)."""
NO_ACTION: dict[str, Any] = {"type": "detour", "target": None, "fields": [], "then": None, "clear": []}
"""The action of a rule that does not act during a detour, when its failure still keeps the agent from completing."""


@dataclass(slots=True)
class Failure:
    """The rule that stopped a pass, with its planned action and rendered message."""

    plan: RulePlan
    action: dict[str, Any]
    message: str | None
    event: Event
    point: str
    target: str | None
