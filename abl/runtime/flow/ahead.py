"""What lies ahead of a position in a step: whether a way from it leads to a write (docs/spec 04 §5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from abl.runtime.flow.position import is_own
from abl.runtime.plan.action_lists import Action, Input, Leave, Select, Zone
from abl.runtime.plan.flow import FlowPlan
from abl.source import Span
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.analysis.flow.detours import Detour


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

    def leads_on(self, detour: Detour) -> bool:
        """True when a write or a step of the detour is ahead."""
        return self.writes or bool(self.exits & detour.steps.keys())

    def _follows(self, key: str, start: int = 0) -> bool:
        """Go through a list; True when an exit ends it."""
        for at, action in enumerate(self.flow.lists.get(key)[start:], start):
            self.writes = self.writes or self.is_write(action)
            self._nested(f"{key}/{at}", action)
            if isinstance(action, nodes.Transition | Leave):
                self._leaves(action)
                return True
        return False

    def is_write(self, action: Action) -> bool:
        """True for an action at one of the places that write."""
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


def dead_ends(flow: FlowPlan, detour: Detour) -> set[str]:
    """Tools that the steps of a detour call where neither a write nor a step of it is ahead: that is its work."""
    found = set()
    for step in detour.steps:
        for key in flow.lists.below(flow.steps[step].key):
            for at, action in enumerate(flow.lists.get(key)):
                if isinstance(action, nodes.Call) and action.tool is not None and is_own(key):
                    ahead = Ahead(flow, detour.places)
                    ahead.look([*_around(flow, key), (key, at)])
                    if not ahead.leads_on(detour):
                        found.add(action.tool.value)
    return found


def _around(flow: FlowPlan, key: str) -> list[tuple[str, int]]:
    """Where the flow continues behind a list: the lists around it, from the outermost, each with an index."""
    outer, _, rest = key.rpartition("/")
    while outer and outer not in flow.lists:
        outer, _, more = outer.rpartition("/")
        rest = f"{more}/{rest}"
    if not outer:
        return []
    listed = flow.lists.get(outer)
    at = next((n for n, a in enumerate(listed) if isinstance(a, Input)), len(listed))
    if (word := rest.partition("/")[0]).isdigit():
        at = int(word) + 1
        at += at < len(listed) and isinstance(listed[at], Select)  # the branches of a GATHER stand behind it
    return [*_around(flow, outer), (outer, at)]
