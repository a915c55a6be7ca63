"""What applications above this one add to it: they put it in here when they start, since nothing imports upwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LastValue:
    """A value that a run gave a name, as its trace shows it, and which turn of which conversation that was.

    ``gone``: that turn took the value away.
    """

    value: Any
    conversation: int
    turn: int
    gone: bool = False


FindLastValue = Callable[[int, str, str, bool], LastValue | None]
"""Takes the id of a project, the name of an agent, a name, and whether that is the path of a fact."""


class Ports:
    """Each port does nothing until somebody provides it."""

    last_value: FindLastValue = staticmethod(lambda project, agent, name, fact: None)


ports = Ports()
