"""How one action of a run ended, and where it leads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Signal(Enum):
    """What the loop over actions does next."""

    NEXT = "next"  # continue with the next action
    WAIT = "wait"  # the flow waits; the turn goes to T12
    MOVED = "moved"  # another agent or a human has control
    ENDED = "ended"  # the flow is over


@dataclass(frozen=True, slots=True)
class Exit:
    """Where a flow continues: a step, COMPLETE, ESCALATE or HANDOFF, by a kind of edge; without target it halts."""

    target: str | None
    edge: str
    span: Any = None
    agent: str | None = None
    reason: str | None = None
