"""DELEGATE: another agent is asked within the turn and never speaks to the user (docs/spec 09 §6)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abl.expressions.values import text
from abl.runtime.agents import on_return, pipeline, unresolved
from abl.runtime.constraints.records import condition_record, judged
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.events.recorder import shortened
from abl.runtime.flow.variables import assign, keep_never
from abl.runtime.memory.triggers import remember
from abl.runtime.moves import Escalate
from abl.runtime.plan.delegations import plain_plan
from abl.runtime.plan.refusing import why_refused
from abl.runtime.state import Thread, TurnState
from abl.runtime.tools import confirm
from abl.runtime.turn import lifecycle

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.delegations import DelegatePlan
    from abl.syntax import nodes

Work = Callable[["Engine", str], None]
"""Lets the active agent work from a stage on, then whoever gets control (``abl.runtime.turn.work``)."""
LAST = "_delegated:"
"""Before the index of an entry: where a thread keeps the inputs of its last call."""


def consult(engine: Engine, thread: Thread, work: Work) -> None:
    """Every entry whose WHEN holds, in order; each sees what those before it returned (T12)."""
    for plan in engine.program(thread).delegations:
        if engine.state.escalated or engine.state.ended:
            return
        if plan.when.node is None and plan.when.text not in {"", "true", "false"}:
            outcome = pipeline.sentence_holds(engine, thread, plan.when)
            if outcome is None:
                engine.recorder.not_executed(
                    "delegate.when", "a sentence needs a model", plan.span, text=plan.when.text
                )
        else:
            unresolved.look(engine, thread, f"DELEGATE to {plan.agent}", plan.when)
            outcome = judged(engine, thread, plan.when)
        if outcome is None or not outcome.holds:
            thread.system.pop(f"{LAST}{plan.index}", None)
            continue
        inputs = {name: engine.evaluate(thread, formula).value for name, formula in plan.inputs}
        key = json.dumps(inputs, sort_keys=True, default=str)
        if thread.system.get(f"{LAST}{plan.index}") == key:
            continue
        thread.system[f"{LAST}{plan.index}"] = key
        record = condition_record(engine, thread, plan.when, outcome, source="gate")
        _attempts(engine, thread, plan, inputs, record, work=work)


def ask(engine: Engine, thread: Thread, agent: str, span: Any, back: nodes.Block | None, *, work: Work) -> None:
    """DELEGATE as an action: the entry of DELEGATE for that agent, now and whatever its WHEN says (06 §6.4, §7).

    ``back`` is the ON_RETURN beside the action, which counts in place of that of the entry.
    """
    plan = next((plan for plan in engine.program(thread).delegations if plan.agent == agent), None)
    plan = plan or plain_plan(agent, span)
    inputs = {name: engine.evaluate(thread, formula).value for name, formula in plan.inputs}
    _attempts(engine, thread, plan if back is None else replace(plan, on_return=back), inputs, None, work=work)


def _attempts(
    engine: Engine,
    thread: Thread,
    plan: DelegatePlan,
    inputs: dict[str, Any],
    record: dict[str, Any] | None,
    *,
    work: Work,
) -> None:
    error = None
    more = {"condition": record} if record is not None else {}
    for attempt in range(1, plan.retries + 2):
        error = _ask(engine, thread, plan, inputs, {"attempt": attempt, **more}, work=work)
        if error is None and plan.on_return is not None and not engine.state.escalated:
            _returned(engine, thread, plan)
        if error is None or engine.state.escalated:
            return
    for name in ("error", "_error"):
        engine.put(thread, name, error)
    match plan.on_fail:
        case "respond":
            engine.say_template(
                thread,
                plan.message or engine.program(thread).messages["error_default"],
                kind="notice",
                span=plan.span,
                data={"by": "delegate"},
            )
        case "escalate":
            engine.move(thread, Escalate(span=plan.span))
        case _:
            pass


def _returned(engine: Engine, thread: Thread, plan: DelegatePlan) -> None:
    """ON_RETURN behind RETURNS and ``map``: ``set`` and the handler. The agent has kept control, so it goes on."""
    on_return.assign_set(engine, thread, plan.on_return)
    word, name = on_return.words(plan.on_return)
    again = on_return.handle(engine, thread, name, plan.span) if name else None
    if again or word == "resume_intent":
        why = "control never left the agent; it goes on"
        engine.recorder.not_executed("delegate.resume_intent", why, plan.span)


def _ask(
    engine: Engine, thread: Thread, plan: DelegatePlan, inputs: dict[str, Any], more: dict[str, Any], *, work: Work
) -> dict[str, Any] | None:
    """One call; what went wrong, None when the results are there."""
    masker = engine.masker(thread)
    shown = {name: masker.shown(name, value) for name, value in inputs.items()}
    for name, formula in plan.inputs:
        if engine.derives(thread, formula.names):
            engine.recorder.add_derived(inputs[name])
            shown[name] = masker.hidden(name, inputs[name])
    data: dict[str, Any] = {"from": thread.agent, "to": plan.agent, "purpose": plan.purpose, "inputs": shown, **more}
    event = engine.recorder.emit("delegate", data, span=plan.span)
    engine.recorder.open(event)
    why = _refused(engine, thread, plan)
    if why is None:
        why = _run(engine, thread, plan, inputs, event["data"], work=work)
    engine.recorder.close()
    if why is None:
        return None
    subtype, message = why
    event["status"] = "failed"
    event["data"]["error"] = {"type": "routing_error", "subtype": subtype, "message": message}
    engine.recorder.error("RUN003", subtype, message, plan.span)
    return dict(event["data"]["error"])


def _refused(engine: Engine, thread: Thread, plan: DelegatePlan) -> tuple[str, str] | None:
    if plan.agent not in engine.programs:
        return "unknown_target", f"no agent {plan.agent!r}"
    if (refusal := why_refused(engine, plan.agent)) is not None:
        return "refused", refusal
    if plan.agent in engine.state.stack:
        return "delegate_loop", f"{plan.agent} is at work already"
    return None


def _run(
    engine: Engine, thread: Thread, plan: DelegatePlan, inputs: dict[str, Any], data: dict[str, Any], *, work: Work
) -> tuple[str, str] | None:
    """The agent in a thread and a turn of its own; what it says is kept for the trace only."""
    state = engine.state
    outer, stack, before = engine.turn, list(state.stack), state.threads.get(plan.agent)
    child = Thread(plan.agent, delegated=True)
    engine.use_thread(child)
    state.stack.append(plan.agent)
    engine.turn = TurnState(
        outer.number, since=outer.since, iterations=outer.iterations, handoffs=outer.handoffs, bounds=outer.bounds
    )
    secret = {name for name, formula in plan.inputs if engine.derives(thread, formula.names)}
    tool_made = {name for name, formula in plan.inputs if from_tool(thread, formula.names)}
    try:
        _begin(engine, child, inputs, secret, tool_made)
        if child.paused is None and not engine.state.escalated:
            work(engine, "collect")
        remember(engine, child)
        keep_never(engine, child)
        problem = _problem(engine, child)
        wanted = [field for field, _ in (*plan.returns, *on_return.mapped(plan.on_return))]
        values = {field: engine.context(child).value(field) for field in wanted}
        hidden = {field for field in wanted if engine.derives(child, [field])}
        made = {field for field in wanted if from_tool(child, [field])}
        data["said"] = [engine.recorder.text(message.text) for message in engine.turn.outbox]
    finally:
        outer.iterations, outer.handoffs = engine.turn.iterations, engine.turn.handoffs
        engine.turn, state.stack = outer, stack
        state.ended = False
        state.threads.pop(plan.agent, None)
        if before is not None:
            engine.use_thread(before)
        else:
            engine.forget_thread(plan.agent)
        engine.enter(thread)
    if state.escalated or problem is not None:
        return problem
    _take(engine, thread, plan, values, hidden=hidden, made=made)
    return None


def _begin(engine: Engine, child: Thread, inputs: dict[str, Any], secret: set[str], tool_made: set[str]) -> None:
    child.passed_in = list(inputs)
    engine.enter(child)
    for name, value in inputs.items():
        if value is not None and name not in engine.program(child).persistent:
            assign(engine, child, name, value, cause="delegate", sensitive=name in secret, from_tool=name in tool_made)
    lifecycle.activate(engine, child)


def _problem(engine: Engine, child: Thread) -> tuple[str, str] | None:
    """Why the agent has not finished; None when it has. An agent without a flow has finished when it has replied."""
    if engine.state.escalated or child.done:
        return None
    top = engine.state.stack[-1]
    if top != child.agent:
        return "delegate_handed_over", f"{child.agent} handed over to {top}"
    waits = child.collect is not None or child.paused is not None or confirm.pending(child)
    if engine.program(child).flow is None and not waits and child.system.get("_waiting") == "input":
        return None
    if child.system.get("_waiting") == "reasoning" or child.flow.reason == "reasoning":
        return "delegate_not_executed", f"{child.agent} needs a model"
    return "delegate_needs_input", f"{child.agent} would have to ask the user"


def _take(
    engine: Engine, thread: Thread, plan: DelegatePlan, values: dict[str, Any], *, hidden: set[str], made: set[str]
) -> None:
    """RETURNS and ``map`` of ON_RETURN, and what the model is to do with it."""
    for field, target in (*plan.returns, *on_return.mapped(plan.on_return)):
        assign(
            engine,
            thread,
            target,
            values[field],
            span=plan.span,
            cause="delegate",
            sensitive=field in hidden,
            from_tool=field in made,
        )
    if plan.use:
        masker = engine.masker(thread)
        got = ", ".join(f"{target} = {text(masker.shown(target, values[field]))}" for field, target in plan.returns)
        thread.notes[f"delegate:{plan.index}"] = shortened(f"{plan.agent}: {got}. {plan.use}")
