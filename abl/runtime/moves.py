"""Moves: how control leaves an agent, as small values.

Flows, rules, hooks, guardrails and tools say which move is due and hand it to ``Engine.move``. Only
``abl.runtime.agents.moving`` carries moves out, so no module below has to import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl.runtime.plan.parts import HandoffPlan


@dataclass(frozen=True, slots=True)
class HandOver:
    """Another agent gets control. Without ``plan`` the first HANDOFF entry to it says how."""

    to: str
    span: Any = None
    plan: HandoffPlan | None = None
    condition: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Escalate:
    """A human takes over. ``reason`` is what the author wrote, ``priority`` that of the trigger, as are ``tags``."""

    reason: str | None = None
    span: Any = None
    priority: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Complete:
    """The agent has completed. ``recorded``: there is an event for it already."""

    recorded: bool = False


Move = HandOver | Escalate | Complete
