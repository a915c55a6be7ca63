"""How one action of a run ended."""

from __future__ import annotations

from enum import Enum


class Signal(Enum):
    """What the loop over actions does next."""

    NEXT = "next"  # go on with the next action
    WAIT = "wait"  # the flow waits; the turn goes to T12
    MOVED = "moved"  # another agent or a human has control
    ENDED = "ended"  # the flow is over
