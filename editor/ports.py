"""Hooks for the layers above, which register functions here at start, because this package must not import them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


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


class RuleKey(NamedTuple):
    """What makes a rule the same one in two revisions: where it stands and what it says, not its number."""

    agent: str
    phase: str
    kind: str
    condition: str
    when: str
    before: str


@dataclass(slots=True)
class RuleTally:
    """How often a rule of one conversation had each outcome (docs/spec 04 §10), and the trace step to show for it: the
    last that failed or warned, else the last.
    """

    outcomes: Counter[str]
    seq: int


@dataclass(frozen=True, slots=True)
class LastRules:
    """How the rules of an agent went in the newest conversation that judged any."""

    conversation: int
    tallies: Mapping[RuleKey, RuleTally]


FindLastRules = Callable[[int, Collection[str]], LastRules | None]
"""Takes the id of a project and the names of agents."""


class Ports:
    """A port returns nothing until a function is registered."""

    last_rules: FindLastRules = staticmethod(lambda project, agents: None)
    last_value: FindLastValue = staticmethod(lambda project, agent, name, fact: None)


ports = Ports()
