"""ROUTING of a supervisor: where a message goes by conditions and intents (docs/spec 09 §4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.language import plain
from abl.language.entry import Entry
from abl.language.written import unquoted
from abl.runtime.constraints.records import condition_record, judged
from abl.runtime.evaluation import Formula, condition
from abl.runtime.flow.signals import Signal
from abl.runtime.plan.listed import Listed, entries, entry_at, named

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

ACTIONS = ("ROUTE_TO", "ROUTE_TO_USER", "ROUTE_TO_VARIABLE", "INTENT_MATCH", "END_CONVERSATION", "SYSTEM_ACTION")


@dataclass(frozen=True, slots=True)
class Route:
    """What a rule does: one of ``ACTIONS``, or COMPLETE, ESCALATE, HANDOFF, with what stands behind it."""

    action: str
    given: str = ""


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """An entry of ROUTING. ``by_intent`` holds intents with their routes; ``fallback`` is for when none fits."""

    name: str
    priority: int
    when: Formula
    route: Route | None
    by_intent: tuple[tuple[frozenset[str], Route], ...]
    fallback: Route | None
    limits: Entry
    span: Any


def route_plans(program: Program) -> tuple[RoutePlan, ...]:
    """ROUTING, lower priority first, then as declared."""
    section = program.agent.section("ROUTING")
    listed = entries("routing", section.block if section is not None else None)
    return tuple(sorted((_plan(program, entry) for entry in listed), key=lambda plan: plan.priority))


def _plan(program: Program, entry: Listed) -> RoutePlan:
    given = entry.given
    then = given.lines("THEN")
    below = entry_at("routed", then) if then is not None and then.children else None  # type: ignore[arg-type]
    matches = next((e.lines("INTENT_MATCH") for e in (given, below) if e is not None and "INTENT_MATCH" in e), None)
    listed = [item.given for item in entries("intent_match", matches)] if matches is not None else []  # type: ignore[arg-type]
    fallbacks = [e.text("FALLBACK") for e in (given, *listed, *([below] if below is not None else []))]
    when = given.lines("WHEN")
    return RoutePlan(
        name=given.text("NAME") or "",
        priority=given.given("PRIORITY") if given.given("PRIORITY") is not None else 100,
        when=condition(when.value.value if when is not None and when.value is not None else ""),
        route=_route(given.text("THEN")) if below is None and "THEN" in given else _written(below or given),
        by_intent=tuple(
            (frozenset(plain(name) for name in match.texts("INTENTS")), route)
            for match in listed
            if (route := _route(match.text("ACTION"))) is not None
        ),
        fallback=next((route for text in fallbacks if (route := _route(text)) is not None), None),
        limits=Entry.at("route_limits", given.lines("CONSTRAINTS")),
        span=program.span(entry.block),
    )


def _route(text: str | None) -> Route | None:
    """``ROUTE_TO Desk``, ``ROUTE_TO_USER "Sorry?"``, ``END_CONVERSATION``."""
    word, _, rest = (text or "").strip().partition(" ")
    return Route(word.rstrip(":").upper(), unquoted(rest)) if word else None


def _written(given: Entry) -> Route | None:
    """A route that is a key of its own."""
    keys = [key for key in ACTIONS if key in given and key != "INTENT_MATCH"]
    return Route(keys[0], given.text(keys[0]) or "") if keys else None


# Taking one ------------------------------------------------------------------------------------------------------


def route(engine: Engine, thread: Thread) -> Signal:
    """The first rule that holds, once a turn: MOVED when control left, WAIT when it answered, else NEXT."""
    if engine.turn.routed or engine.turn.refused:
        return Signal.NEXT
    for plan in engine.program(thread).routes:
        if plan.when.node is None and plan.when.text not in {"", "true", "false"}:
            engine.recorder.not_executed("routing.when", "a sentence needs a model", plan.span, text=plan.when.text)
            continue
        if not _in_limits(engine, thread, plan):
            continue
        outcome = judged(engine, thread, plan.when)
        chosen = _chosen(engine, plan) if outcome.holds else None
        if chosen is None:
            continue
        engine.turn.routed = True
        record = condition_record(engine, thread, plan.when, outcome, source="gate")
        return _take(engine, thread, plan, chosen, record)
    return Signal.NEXT


def _in_limits(engine: Engine, thread: Thread, plan: RoutePlan) -> bool:
    limits = plan.limits
    channels = limits.texts("channels")
    if channels and engine.state.channel not in channels:
        return False
    context = engine.context(thread)
    if any(context.value(name) is None for name in limits.texts("requiresState")):
        return False
    return _intent(engine) not in {plain(name) for name in limits.texts("ignoreIntents")}


def _intent(engine: Engine) -> str | None:
    found = engine.state.system.get("intent")
    name = found.get("name") if isinstance(found, dict) else None
    return plain(str(name)) if name is not None else None


def _chosen(engine: Engine, plan: RoutePlan) -> Route | None:
    if plan.route is not None and plan.route.action != "INTENT_MATCH":
        return plan.route
    intent = _intent(engine)
    return next((found for names, found in plan.by_intent if intent in names), plan.fallback)


def _take(engine: Engine, thread: Thread, plan: RoutePlan, chosen: Route, record: dict[str, Any]) -> Signal:
    from abl.runtime.agents.coordination import escalate, hand_over

    action, given = chosen.action, chosen.given
    match action:
        case "ROUTE_TO" | "HANDOFF":
            return _moved(hand_over(engine, thread, _agent(engine, thread, given), span=plan.span, condition=record))
        case "ROUTE_TO_VARIABLE":
            value = engine.context(thread).value(given)
            to = _agent(engine, thread, str(value)) if value is not None else ""
            return _moved(hand_over(engine, thread, to, span=plan.span, condition=record))
        case "ROUTE_TO_USER":
            engine.say_template(thread, given, kind="reply", span=plan.span, data={"by": "routing"})
            return Signal.WAIT
        case "ESCALATE":
            escalate(engine, thread, given.rpartition("REASON:")[2].strip(" \"'") or None, plan.span)
            return Signal.MOVED
        case "END_CONVERSATION" | "COMPLETE":
            _end(engine, thread, plan, given, record)
            return Signal.MOVED
        case _:
            engine.recorder.not_executed(
                "routing.system_action", "the platform would carry it out", plan.span, action=given or action
            )
            return Signal.WAIT


def _moved(worked: bool) -> Signal:
    return Signal.MOVED if worked else Signal.WAIT


def _end(engine: Engine, thread: Thread, plan: RoutePlan, said: str, record: dict[str, Any]) -> None:
    from abl.runtime.turn import lifecycle

    engine.recorder.emit("complete", {"index": None, "reason": "routing", "condition": record}, span=plan.span)
    if said:
        engine.say_template(thread, said, kind="reply", span=plan.span, data={"by": "routing"})
    lifecycle.deactivate(engine, thread)
    engine.state.ended = True


def _agent(engine: Engine, thread: Thread, name: str) -> str:
    """An agent by its name, or by the alias that AGENTS gives it."""
    name = name.strip()
    if name in engine.programs:
        return name
    return next((agent for alias, agent in _aliases(engine, thread) if alias == name), name)


def _aliases(engine: Engine, thread: Thread) -> Iterator[tuple[str, str]]:
    """Alias and agent of the members: ``alias: Agent``, or ALIAS beside REF, the file of the agent."""
    section = engine.program(thread).agent.section("AGENTS")
    block = section.block if section is not None else None
    for member in named("member", block):
        if member.block.value is not None:
            yield member.name, member.block.value.value.strip()
    for member in entries("member", block):
        alias, file = member.given.text("ALIAS"), (member.given.text("REF") or "").rpartition("/")[2]
        if alias and file:
            found = (n for n, program in engine.programs.items() if program.source.path.rpartition("/")[2] == file)
            yield from ((alias, name) for name in found)
