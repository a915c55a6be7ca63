"""ROUTING of a supervisor: where a message goes by conditions and intents (docs/spec 09 §4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from abl.language import plain
from abl.runtime.agents import pipeline, unresolved
from abl.runtime.constraints.records import condition_record, judged
from abl.runtime.flow.signals import Signal
from abl.runtime.moves import Escalate, HandOver
from abl.runtime.plan.listed import entries, named
from abl.runtime.turn import lifecycle

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.routes import Route, RoutePlan
    from abl.runtime.state import Thread


def route(engine: Engine, thread: Thread) -> Signal:
    """The first rule that holds, once a turn: MOVED when control left, WAIT when it answered, else NEXT."""
    if engine.turn.routed or engine.turn.refused:
        return Signal.NEXT
    for plan in engine.program(thread).routes:
        if plan.when.node is None and plan.when.text not in {"", "true", "false"}:
            outcome = pipeline.sentence_holds(engine, thread, plan.when)
            if outcome is None:
                engine.recorder.not_executed("routing.when", "a sentence needs a model", plan.span, text=plan.when.text)
                continue
        else:
            outcome = None
        if not _in_limits(engine, thread, plan):
            continue
        if outcome is None:
            unresolved.look(engine, thread, f"ROUTING {plan.name}".rstrip(), plan.when)
            outcome = judged(engine, thread, plan.when)
        chosen = _chosen(engine, plan) if outcome.holds else None
        if chosen is None:
            continue
        engine.turn.routed = True
        record = condition_record(engine, thread, plan.when, outcome, source="gate")
        if plan.name:
            record["route"] = plan.name
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
    action, given = chosen.action, chosen.given
    match action:
        case "ROUTE_TO" | "HANDOFF":
            return _moved(engine.move(thread, HandOver(_agent(engine, thread, given), plan.span, condition=record)))
        case "ROUTE_TO_VARIABLE":
            value = engine.context(thread).value(given)
            to = _agent(engine, thread, str(value)) if value is not None else ""
            return _moved(engine.move(thread, HandOver(to, plan.span, condition=record)))
        case "ROUTE_TO_USER":
            engine.say_template(thread, given, kind="reply", span=plan.span, data={"by": "routing"})
            return Signal.WAIT
        case "ESCALATE":
            engine.move(thread, Escalate(given.rpartition("REASON:")[2].strip(" \"'") or None, plan.span))
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
