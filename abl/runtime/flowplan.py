"""A flow prepared for running: steps, and every action list under a key, so that a position in it is plain data.

The position of a run is a stack of ``[list key, index]`` (docs/spec 06 §9). What the text expresses by nesting (the
branches of a CALL, the handler of a digression) becomes lists of their own plus the small markers below; a snapshot of
the stack can therefore be taken between any two actions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from abl.syntax import nodes

HANDLER_ORDER = {"RESPOND": 0, "SAY": 0, "SET": 1, "CLEAR": 2, "CALL": 3, "DELEGATE": 4, "HANDOFF": 4}
QUIET_SETTINGS = frozenset(
    [
        "REASONING",
        "WHEN",
        "MAX_ATTEMPTS",
        "COMPLETE_WHEN",
        "GOAL",
        "BEHAVIOR",
        "AVAILABLE_TOOLS",
        "EXIT_WHEN",
        "MAX_TURNS",
        "STEP_CONSTRAINTS",
        "PROMPT",
        "STRATEGY",
        "ON_ERROR",
        "CORRECTIONS",
    ]
)
"""Settings of a step that are read where they take effect, so meeting them does nothing."""


@dataclass(frozen=True, slots=True)
class Select:
    """Choose a branch of a list. ``lenient`` leaves ELSE out (06 §6.2: ON_RESULT behind a failure block)."""

    kind: str
    branches: tuple[nodes.Branch, ...]
    keys: tuple[str, ...]
    lenient: bool = False


@dataclass(frozen=True, slots=True)
class CallFailed:
    """Behind the failure branches of a call: goes on when one of them ran, else the error handling of 06 §6.2."""

    call: nodes.Call


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
    """The end of a handler: how its step goes on (06 §7)."""

    handler: nodes.IntentHandler
    kind: Literal["digression", "sub_intent"]


Action = nodes.Directive | Select | CallFailed | Zone | Input | Leave | Resume


class Lists:
    """Action lists by key. A key is made from places in the text, so it is the same in every process."""

    def __init__(self) -> None:
        self._lists: dict[str, tuple[Action, ...]] = {}

    def __getitem__(self, key: str) -> tuple[Action, ...]:
        return self._lists[key]

    def get(self, key: str) -> tuple[Action, ...]:
        """The list of a key, empty when the text has no such place (any more)."""
        return self._lists.get(key, ())

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

    def _select(self, key: str, kind: str, branches: tuple[nodes.Branch, ...]) -> Select | None:
        return Select(kind, branches, self._add_branches(key, branches)) if branches else None

    def _add_branches(self, key: str, branches: tuple[nodes.Branch, ...]) -> tuple[str, ...]:
        return tuple(self.add(f"{key}/{at}", branch.actions) for at, branch in enumerate(branches))

    def select(self, key: str, kind: str, branches: tuple[nodes.Branch, ...]) -> Select:
        """Register branches and give the action that chooses among them."""
        return Select(kind, branches, self._add_branches(key, branches))


@dataclass(frozen=True, slots=True)
class HandlerPlan:
    """A digression or sub-intent and the list it runs."""

    handler: nodes.IntentHandler
    kind: Literal["digression", "sub_intent"]
    scope: str  # step | global
    key: str


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A step with what belongs together found."""

    step: nodes.Step
    key: str
    gather: nodes.Gather | None
    present: nodes.Respond | None
    on_input: nodes.OnInput | None
    input_select: Select | None
    actions: tuple[tuple[nodes.ActionHandler, str], ...]  # handlers of ON_ACTION with the keys of their lists
    then: nodes.Transition | None
    on_exhausted: nodes.Transition | None
    handlers: tuple[HandlerPlan, ...]

    @property
    def name(self) -> str:
        """Name of the step."""
        return self.step.name.value

    def setting(self, keyword: str) -> nodes.Text | None:
        """Value of a setting."""
        found = self.step.setting(keyword)
        return found.value if found is not None else None


@dataclass(frozen=True, slots=True)
class FlowPlan:
    """The flow of an agent; ``lists`` also takes the lists of hooks and the like."""

    flow: nodes.Flow
    steps: dict[str, StepPlan]
    lists: Lists
    digressions: tuple[HandlerPlan, ...]
    gathers: dict[str, nodes.Gather] = field(default_factory=dict)

    @classmethod
    def of(cls, flow: nodes.Flow) -> FlowPlan:
        """Prepare a parsed flow; of steps with one name the first counts."""
        lists = Lists()
        steps: dict[str, StepPlan] = {}
        for step in flow.steps:
            if step.name.value not in steps:
                steps[step.name.value] = _step(step, lists)
        handlers = _handlers(flow.digressions, "digression", "global", "global", lists)
        gathers = {name: plan.gather for name, plan in steps.items() if plan.gather is not None}
        return cls(flow, steps, lists, handlers, gathers)

    @property
    def entry(self) -> str | None:
        """The entry step, the first that exists when the written one does not."""
        entry = self.flow.entry
        return entry if entry in self.steps else next(iter(self.steps), None)

    def after(self, name: str) -> str | None:
        """The next step of the effective order."""
        order = [n for n in self.flow.order if n in self.steps]
        at = order.index(name) + 1 if name in order else len(order)
        return order[at] if at < len(order) else None


def _step(step: nodes.Step, lists: Lists) -> StepPlan:
    name = step.name.value
    found = {type(d): d for d in reversed(step.directives)}
    gather = found.get(nodes.Gather)
    on_input = found.get(nodes.OnInput)
    present = next((d for d in step.directives if isinstance(d, nodes.Respond) and d.keyword == "PRESENT"), None)
    select = None
    if isinstance(on_input, nodes.OnInput):
        select = lists.select(f"step:{name}/on_input", "on_input", on_input.branches)
    actions: list[Action] = []
    for directive in step.directives:
        if directive is present and gather is not None:
            continue
        if isinstance(directive, nodes.OnInput | nodes.Transition | nodes.IntentHandlers | nodes.ActionHandlers):
            continue
        if isinstance(directive, nodes.Setting) and directive.keyword in QUIET_SETTINGS:
            continue
        actions.append(directive)
    if step.reasoning:
        rest = [action for action in actions if action is not gather]
        actions = [*([gather] if isinstance(gather, nodes.Gather) else []), Zone(name), *rest]
    on_action = tuple(
        (handler, lists.add(f"step:{name}/on_action/{at}", handler_actions(handler)))
        for at, handler in enumerate(
            h for d in step.directives if isinstance(d, nodes.ActionHandlers) for h in d.handlers
        )
    )
    if select is not None or on_action:
        actions.append(Input(name))
    key = lists.add(f"step:{name}", [*actions, Leave(name)])
    return StepPlan(
        step=step,
        key=key,
        gather=gather if isinstance(gather, nodes.Gather) else None,
        present=present,
        on_input=on_input if isinstance(on_input, nodes.OnInput) else None,
        input_select=select,
        actions=on_action,
        then=step.then or _transition(step, "GOTO") or _transition(step, "TRANSITION"),
        on_exhausted=_transition(step, "ON_EXHAUSTED"),
        handlers=_step_handlers(step, lists),
    )


def _transition(step: nodes.Step, keyword: str) -> nodes.Transition | None:
    return next((d for d in step.directives if isinstance(d, nodes.Transition) and d.keyword == keyword), None)


def _step_handlers(step: nodes.Step, lists: Lists) -> tuple[HandlerPlan, ...]:
    """Sub-intents before digressions (06 §7)."""
    plans: list[HandlerPlan] = []
    for keyword, kind in (("SUB_INTENTS", "sub_intent"), ("DIGRESSIONS", "digression")):
        for directive in step.directives:
            if isinstance(directive, nodes.IntentHandlers) and directive.keyword == keyword:
                key = f"step:{step.name.value}/{kind}"
                plans += _handlers(directive.handlers, kind, "step", key, lists)  # type: ignore[arg-type]
    return tuple(plans)


def _handlers(
    handlers: tuple[nodes.IntentHandler, ...],
    kind: Literal["digression", "sub_intent"],
    scope: str,
    key: str,
    lists: Lists,
) -> tuple[HandlerPlan, ...]:
    return tuple(
        HandlerPlan(h, kind, scope, lists.add(f"{key}/{at}", [*handler_actions(h), Resume(h, kind)]))
        for at, h in enumerate(handlers)
    )


def handler_actions(handler: nodes.IntentHandler | nodes.ActionHandler) -> list[nodes.Directive]:
    """Flat keys in their fixed order; a DO list in authored order; behind its RESUME all is dead (06 §7)."""
    if handler.ordered:
        resumes = isinstance(handler, nodes.IntentHandler) and handler.resume
        return list(takewhile(lambda a: not (resumes and a.keyword == "RESUME"), handler.actions))
    return sorted(handler.actions, key=lambda a: HANDLER_ORDER.get(a.keyword, 5))
