"""A flow prepared for running: its steps, each with what belongs together found (docs/spec 06 §9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from abl.runtime.plan.action_lists import Action, Failing, Input, Leave, Lists, Resume, Select, Zone
from abl.syntax import nodes
from abl.syntax.readers.outcomes import gathers_of

HANDLER_ORDER = {
    "RESPOND": 0,
    "SAY": 0,
    "SET": 1,
    "SET_INTERACTION_LANGUAGE": 1,
    "CLEAR_INTERACTION_LANGUAGE": 1,
    "CLEAR": 2,
    "CALL": 3,
    "DELEGATE": 4,
    "HANDOFF": 4,
}
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
    failing: Failing | None
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
    actions: tuple[tuple[nodes.ActionHandler, str], ...] = ()
    """ACTION_HANDLERS of the agent, with the keys of their lists."""

    @classmethod
    def of(
        cls, flow: nodes.Flow, agent_wide: tuple[nodes.ActionHandler, ...] = (), inserted: Sequence[nodes.Step] = ()
    ) -> FlowPlan:
        """Prepare a parsed flow; of steps with one name the first counts. ``inserted`` steps are outside its order."""
        lists = Lists()
        steps: dict[str, StepPlan] = {}
        for step in (*flow.steps, *inserted):
            if step.name.value not in steps:
                steps[step.name.value] = _step(step, lists, clicks=bool(agent_wide))
        handlers = _handlers(flow.digressions, "digression", "global", "global", lists)
        gathers = {name: plan.gather for name, plan in steps.items() if plan.gather is not None}
        actions = tuple((h, lists.add(f"global/action/{at}", handler_actions(h))) for at, h in enumerate(agent_wide))
        return cls(flow, steps, lists, handlers, gathers, actions)

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


def _step(step: nodes.Step, lists: Lists, *, clicks: bool = False) -> StepPlan:
    """``clicks``: ACTION_HANDLERS of the agent take those of a step without handlers of its own."""
    name = step.name.value
    found = {type(d): d for d in reversed(step.directives)}
    gather = found.get(nodes.Gather)
    on_input = found.get(nodes.OnInput)
    select = None
    if isinstance(on_input, nodes.OnInput):
        select = lists.select(f"step:{name}/on_input", "on_input", on_input.branches)
    actions, failing = _actions(step, lists)
    on_action = tuple(
        (handler, lists.add(f"step:{name}/on_action/{at}", handler_actions(handler)))
        for at, handler in enumerate(
            h for d in step.directives if isinstance(d, nodes.ActionHandlers) for h in d.handlers
        )
    )
    if select is not None or on_action or (clicks and step.setting("ACTIONS") is not None):
        actions.append(Input(name))
    key = lists.add(f"step:{name}", [*actions, Leave(name)])
    return StepPlan(
        step=step,
        key=key,
        gather=gather if isinstance(gather, nodes.Gather) else None,
        failing=failing,
        present=_present(step),
        on_input=on_input if isinstance(on_input, nodes.OnInput) else None,
        input_select=select,
        actions=on_action,
        then=step.then or _transition(step, "GOTO") or _transition(step, "TRANSITION"),
        on_exhausted=_transition(step, "ON_EXHAUSTED"),
        handlers=_step_handlers(step, lists),
    )


def _present(step: nodes.Step) -> nodes.Respond | None:
    return next((d for d in step.directives if isinstance(d, nodes.Respond) and d.keyword == "PRESENT"), None)


def _actions(step: nodes.Step, lists: Lists) -> tuple[list[Action], Failing | None]:
    """What a step does, in order (06 §9), and what may follow a failure of its GATHER."""
    gathers = gathers_of(step.directives)
    first = gathers[0].gather if gathers else None
    apart = {id(outcome) for each in gathers for outcome in each.outcomes}
    if gathers:
        apart.add(id(_present(step)))  # said by the GATHER
    plain: list[Action] = [d for d in step.directives if id(d) not in apart and _acts(d)]
    if step.reasoning:
        early: list[Action] = [first] if first is not None else []
        plain = [*early, Zone(step.name.value), *(action for action in plain if action is not first)]
    outcomes = {id(each.gather): each for each in gathers if each.outcomes}
    actions: list[Action] = []
    failing: Failing | None = None
    for action in plain:
        actions.append(action)
        if id(action) in outcomes:
            key = f"step:{step.name.value}/{len(actions) - 1}"
            complete, failed = lists.add_outcomes(key, outcomes[id(action)])
            actions.extend(complete)
            failing = failed if action is first else failing
    return actions, failing


def _acts(directive: nodes.Directive) -> bool:
    """True for what runs where it stands; the rest is read where it takes effect."""
    if isinstance(directive, nodes.OnInput | nodes.Transition | nodes.IntentHandlers | nodes.ActionHandlers):
        return False
    return not isinstance(directive, nodes.Setting) or directive.keyword not in QUIET_SETTINGS


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
