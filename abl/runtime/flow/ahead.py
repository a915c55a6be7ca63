"""What lies ahead of a position in a step: whether a way from it leads to a write (docs/spec 04 §5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from abl.runtime.plan.action_lists import Action, Input, Leave, Select, Zone
from abl.runtime.plan.flow import FlowPlan
from abl.source import Span
from abl.syntax import nodes


@dataclass(slots=True)
class Ahead:
    """What is found behind a position: a place that writes, steps that are entered, a wait in the same step."""

    flow: FlowPlan
    places: frozenset[Span]
    writes: bool = False
    exits: set[str] = field(default_factory=set)

    def look(self, frames: Sequence[Sequence[object]]) -> None:
        """Follow a stack of frames, each a list key and an index, from the innermost list outwards."""
        for key, index in reversed(frames):
            if self._follows(str(key), int(str(index))):
                return

    def _follows(self, key: str, start: int = 0) -> bool:
        """Go through a list; True when an exit ends it."""
        for at, action in enumerate(self.flow.lists.get(key)[start:], start):
            self.writes = self.writes or self._is_write(action)
            self._nested(f"{key}/{at}", action)
            if isinstance(action, nodes.Transition | Leave):
                self._leaves(action)
                return True
        return False

    def _is_write(self, action: Action) -> bool:
        span = getattr(action, "span", None)
        return span is not None and any(span.start <= place.start < span.end for place in self.places)

    def _nested(self, key: str, action: Action) -> None:
        match action:
            case nodes.Call():
                self._lists((f"{key}/+", f"{key}/-"))
                self._fails(action.on_fail)
            case nodes.Check():
                branches = action.on_fail.branches if action.on_fail is not None else ()
                self._lists(f"{key}/on_fail/{at}" for at in range(len(branches)))
                self._fails(action.on_fail)
            case Select():
                self._lists(action.keys)
            case Input() | Zone():
                step = self.flow.steps[action.step]
                self._lists(step.input_select.keys if step.input_select is not None else ())
                self._lists(key for _, key in step.actions)
                self.exits.add(step.name)  # where no exit is taken, the next message is looked at here

    def _lists(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._follows(key)

    def _fails(self, on_fail: nodes.OnFail | None) -> None:
        if on_fail is not None:
            self.exits |= {name.value for name in (on_fail.target, on_fail.goto, on_fail.then) if name is not None}

    def _leaves(self, action: nodes.Transition | Leave) -> None:
        if isinstance(action, nodes.Transition):
            self.exits |= {action.target.value} if action.target is not None else set()
            return
        step = self.flow.steps[action.step]
        if step.then is not None:
            self._leaves(step.then)
        elif (following := self.flow.after(step.name)) is not None:
            self.exits.add(following)
