"""The ways out of a step with what happens on them (docs/spec 06 §5.9, §6, §8, 10 §1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from abl.syntax import nodes
from abl.syntax.vocabulary import STEP_EXITS

_WORDS = frozenset({"continue", "retry"})


class Move(NamedTuple):
    """A transition to ``target`` with the names that are cleared before it; ``collects`` names what is asked again.

    ``failed``: it is taken when a CHECK, CALL or GATHER has failed, or when no condition over a result held.
    """

    target: nodes.Name
    cleared: tuple[nodes.Name, ...] = ()
    failed: bool = False
    collects: bool = False


def moves_of(step: nodes.Step) -> Iterator[Move]:
    """Every transition of a step, in authored order."""
    yield from _in_actions(step.directives, (), False)


def _in_actions(actions: Iterable[nodes.Directive], outer: tuple[nodes.Name, ...], failed: bool) -> Iterator[Move]:
    actions = tuple(actions)
    cleared = (*outer, *(name for action in actions if isinstance(action, nodes.Clear) for name in action.names))
    for action in actions:
        match action:
            case nodes.Transition(target=target) if target is not None and action.keyword in STEP_EXITS:
                yield Move(target, cleared, failed)
            case nodes.Check(on_fail=on_fail):
                yield from _on_fail(on_fail, cleared)
            case nodes.Call():
                yield from _of_call(action, cleared)
            case nodes.Outcome(keyword="ON_RESULT", branches=branches):
                yield from _of_result(branches, cleared)
            case nodes.Outcome(branches=branches):
                yield from _in_branches(branches, cleared, failed=action.keyword == "ON_FAILURE")
            case nodes.OnInput(branches=branches):
                yield from _in_branches(branches, cleared)
            case nodes.IntentHandlers(handlers=handlers):
                for handler in handlers:
                    yield from _in_actions(handler.actions, (), False)
            case nodes.ActionHandlers(handlers=reactions):
                for reaction in reactions:
                    yield from _in_actions(reaction.actions, cleared, False)


def _of_call(call: nodes.Call, cleared: tuple[nodes.Name, ...]) -> Iterator[Move]:
    yield from _on_fail(call.on_fail, cleared)
    yield from _in_branches(call.on_failure, cleared, failed=True)
    yield from _in_branches(call.on_success, cleared)
    yield from _of_result(call.on_result, cleared)


def _of_result(branches: Iterable[nodes.Branch], cleared: tuple[nodes.Name, ...]) -> Iterator[Move]:
    branches = tuple(branches)
    asks = any(not branch.is_else for branch in branches)
    for branch in branches:
        yield from _in_actions(branch.actions, cleared, branch.is_else and asks)


def _in_branches(
    branches: Iterable[nodes.Branch], cleared: tuple[nodes.Name, ...], failed: bool = False
) -> Iterator[Move]:
    for branch in branches:
        yield from _in_actions(branch.actions, cleared, failed)


def _on_fail(action: nodes.OnFail | None, cleared: tuple[nodes.Name, ...]) -> Iterator[Move]:
    if action is None:
        return
    yield from _in_branches(action.branches, cleared, failed=True)
    then = action.then if action.then_word is None else None
    targets = (action.target if action.form in ("step", "then") else None, action.goto, then)
    target = next((name for name in targets if name is not None), None)
    if target is not None:
        yield Move(target, (*cleared, *action.clear), True, bool(action.collect))
