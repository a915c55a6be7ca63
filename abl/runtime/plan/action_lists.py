"""The action lists of a flow under keys, so that a position in one is plain data (docs/spec 06 §9).

The position of a run is a stack of ``[list key, index]``. What the text expresses by nesting (the branches of a CALL,
the handler of a digression) becomes lists of their own plus the small markers below; a snapshot of the stack can
therefore be taken between any two actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from abl.syntax import nodes
from abl.syntax.readers.outcomes import Gathered


@dataclass(frozen=True, slots=True)
class Select:
    """Choose a branch of a list. ``lenient`` leaves ELSE out (06 §6.2: ON_RESULT behind a failure block)."""

    kind: str
    branches: tuple[nodes.Branch, ...]
    keys: tuple[str, ...]
    lenient: bool = False


@dataclass(frozen=True, slots=True)
class CallFailed:
    """Behind the failure branches of a call: continues when one of them ran, else the error handling of 06 §6.2."""

    call: nodes.Call


@dataclass(frozen=True, slots=True)
class GatherFailed:
    """Follows the branch of a failed GATHER, whether that said something or not: the GATHER asks again (06 §6.2)."""

    speaks: Mapping[str, bool]  # by key of a branch


@dataclass(frozen=True, slots=True)
class Zone:
    """The reasoning zone of a step (06 §4.1)."""

    step: str


@dataclass(frozen=True, slots=True)
class Input:
    """ON_INPUT of a step (06 §6.3)."""

    step: str


@dataclass(frozen=True, slots=True)
class Leave:
    """The end of a step: THEN, else the implicit end (06 §8)."""

    step: str


@dataclass(frozen=True, slots=True)
class Resume:
    """The end of a handler: how its step continues (06 §7)."""

    handler: nodes.IntentHandler
    kind: Literal["digression", "sub_intent"]


Action = nodes.Directive | Select | CallFailed | GatherFailed | Zone | Input | Leave | Resume


@dataclass(frozen=True, slots=True)
class Failing:
    """What may run when a field of a GATHER has failed too often: the first list with a match, then ``key``."""

    key: str
    selects: tuple[Select, ...]


class Lists:
    """Action lists by key. A key is made from places in the text, so it is the same in every process."""

    def __init__(self) -> None:
        self._lists: dict[str, tuple[Action, ...]] = {}

    def __getitem__(self, key: str) -> tuple[Action, ...]:
        return self._lists[key]

    def get(self, key: str) -> tuple[Action, ...]:
        """The list of a key, empty when the text has no such place (any more)."""
        return self._lists.get(key, ())

    def below(self, key: str) -> list[str]:
        """The key and those of the lists nested in its list."""
        return [each for each in self._lists if each == key or each.startswith(f"{key}/")]

    def __contains__(self, key: str) -> bool:
        return key in self._lists

    def add(self, key: str, actions: Iterable[Action]) -> str:
        """Register a list with everything nested in it; returns the key."""
        listed = tuple(actions)
        self._lists[key] = listed
        for at, action in enumerate(listed):
            if isinstance(action, nodes.Call):
                self._add_routes(f"{key}/{at}", action)
            elif isinstance(action, nodes.Check) and action.on_fail is not None:
                self._add_branches(f"{key}/{at}/on_fail", action.on_fail.branches)
        return key

    def _add_routes(self, key: str, call: nodes.Call) -> None:
        """``key/+`` runs after a success, ``key/-`` after a failure (06 §6.2)."""
        result = self._select(f"{key}/on_result", "on_result", call.on_result)
        success = self._select(f"{key}/on_success", "on_success", call.on_success)
        self._lists[f"{key}/+"] = tuple(s for s in (success, result) if s is not None)
        branches = call.on_failure
        if not branches and call.on_fail is not None and call.on_fail.form == "branches":
            branches = call.on_fail.branches
        failure = self._select(f"{key}/on_failure", "on_failure", branches)
        if result is not None and (failure is not None or call.on_fail is not None):
            result = Select(result.kind, result.branches, result.keys, lenient=True)
        self._lists[f"{key}/-"] = (*(s for s in (failure, result) if s is not None), CallFailed(call))

    def add_outcomes(self, key: str, gathered: Gathered) -> tuple[tuple[Select, ...], Failing | None]:
        """What a GATHER continues with when it is complete, and when a field failed too often (06 §6.2)."""
        result = self._select(f"{key}/on_result", "on_result", gathered.on_result)
        success = self._select(f"{key}/on_success", "on_success", gathered.on_success)
        failure = self._select(f"{key}/on_failure", "on_failure", gathered.on_failure)
        lenient = Select(result.kind, result.branches, result.keys, lenient=True) if result is not None else None
        failing = tuple(s for s in (failure, lenient) if s is not None)
        branches = [pair for s in failing for pair in zip(s.keys, s.branches, strict=True)]
        self._lists[f"{key}/-"] = (GatherFailed({k: _has_respond(branch) for k, branch in branches}),)
        complete = tuple(s for s in (success, result) if s is not None)
        return complete, Failing(f"{key}/-", failing) if failing else None

    def _select(self, key: str, kind: str, branches: tuple[nodes.Branch, ...]) -> Select | None:
        return Select(kind, branches, self._add_branches(key, branches)) if branches else None

    def _add_branches(self, key: str, branches: tuple[nodes.Branch, ...]) -> tuple[str, ...]:
        return tuple(self.add(f"{key}/{at}", branch.actions) for at, branch in enumerate(branches))

    def select(self, key: str, kind: str, branches: tuple[nodes.Branch, ...]) -> Select:
        """Register branches and give the action that chooses among them."""
        return Select(kind, branches, self._add_branches(key, branches))


def _has_respond(branch: nodes.Branch) -> bool:
    return any(isinstance(action, nodes.Respond) for action in branch.actions)
