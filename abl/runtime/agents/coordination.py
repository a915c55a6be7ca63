"""Which move is due after the work: ESCALATE, HANDOFF, COMPLETE (docs/spec 09 §3 T12, §5, §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.agents import delegating, pipeline, routing, unresolved
from abl.runtime.constraints.failures import NO_ACTION
from abl.runtime.constraints.on_fail import act
from abl.runtime.constraints.passes import run_pass
from abl.runtime.constraints.points import Point
from abl.runtime.constraints.records import condition_record, judged
from abl.runtime.evaluation import value as value_formula
from abl.runtime.events.recorder import note
from abl.runtime.flow.actions import model_context, wording
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import assign, assign_written
from abl.runtime.moves import Complete, Escalate, HandOver
from abl.runtime.plan.assignments import assignments_of, line_of
from abl.runtime.plan.parts import CompletionPlan
from abl.runtime.plan.refusing import refused
from abl.runtime.state import Thread
from abl.runtime.turn import lifecycle
from abl.runtime.turn.presenting import present, spoken

if TYPE_CHECKING:
    from abl.runtime.engine import Engine


# The phase -------------------------------------------------------------------------------------------------------


def coordinate(
    engine: Engine, thread: Thread, work: delegating.Work, *, complete: bool = True, handoffs: bool = True
) -> Signal:
    """ESCALATE, HANDOFF by priority, COMPLETE; MOVED when control left, ENDED when the agent completed.

    ``work`` lets an agent that is asked do its work.
    """
    if engine.state.turn == 0 and thread.flow.status != "ended":
        return Signal.NEXT  # a greeting leads to no move, unless its work ended the flow (09 §3)
    if check_escalation(engine, thread):
        return Signal.MOVED
    if _hand_off(engine, thread, allowed=handoffs):
        return Signal.MOVED
    if handoffs and (signal := routing.route(engine, thread)) is not Signal.NEXT:
        return signal
    delegating.consult(engine, thread, work)
    if engine.state.escalated:
        return Signal.MOVED
    if not complete:
        return Signal.NEXT
    return _complete(engine, thread)


def _hand_off(engine: Engine, thread: Thread, *, allowed: bool) -> bool:
    if engine.turn.refused:
        return False
    for plan in engine.program(thread).handoffs:
        if (thread.agent, plan.index) in engine.turn.returned or refused(engine, thread, plan.node):
            continue  # what holds on return is not taken again in the same turn
        if plan.when.node is None and plan.node.when is not None and plan.when.text not in {"true", "false"}:
            outcome = pipeline.sentence_holds(engine, thread, plan.when)
            if outcome is None:
                engine.recorder.not_executed("handoff.when", "a sentence needs a model", plan.span, text=plan.when.text)
                continue
        else:
            unresolved.look(engine, thread, f"HANDOFF to {plan.to}", plan.when)
            outcome = judged(engine, thread, plan.when)
        if not outcome.holds:
            continue
        record = condition_record(engine, thread, plan.when, outcome, source="gate")
        if not allowed:
            notes = [note("RUN014", "handoff_condition_suppressed", f"HANDOFF to {plan.to} waits for the flow", "info")]
            data = {"to": plan.to, "suppressed": True, "condition": record, "notes": notes}
            engine.recorder.emit("handoff", data, status="skipped", span=plan.span)
            continue
        return engine.move(thread, HandOver(plan.to, plan.span, plan, record))
    return False


def _complete(engine: Engine, thread: Thread) -> Signal:
    for plan in engine.program(thread).completions:
        if refused(engine, thread, plan.node):
            continue
        outcome = judged(engine, thread, plan.when)
        if not outcome.holds:
            thread.system.pop(f"_completed:{plan.index}", None)
            continue
        if not _allowed(engine, thread):
            return Signal.NEXT if engine.state.stack and engine.active is thread else Signal.MOVED
        return _finish(engine, thread, plan, condition_record(engine, thread, plan.when, outcome, source="gate"))
    if thread.flow.status == "ended" and thread.flow.outcome == "complete":
        engine.move(thread, Complete())
        return Signal.ENDED
    return Signal.NEXT


def _allowed(engine: Engine, thread: Thread) -> bool:
    """A COMPLETE is void while a rule without BEFORE fails; its ON_FAIL runs once in a turn."""
    if engine.state.turn == 0:
        return True
    if engine.turn.blocked:
        engine.recorder.emit("complete", {"notes": [_void()]}, status="skipped")
        return False
    failure = run_pass(engine, thread, Point("turn", completing=True))
    if failure is None:
        return True
    engine.recorder.emit("complete", {"notes": [_void()]}, status="skipped")
    if failure.action is not NO_ACTION and failure.plan.id not in engine.turn.acted:
        engine.turn.voided.add(failure.plan.id)
        act(engine, thread, failure)
    return False


def _void() -> dict[str, str]:
    return note("RUN013", "complete.blocked_by_constraint", "COMPLETE is void while a rule fails")


def _finish(engine: Engine, thread: Thread, plan: CompletionPlan, record: dict[str, Any]) -> Signal:
    """SET, RESPOND, STORE, end (09 §7)."""
    data: dict[str, Any] = {"index": plan.index, "condition": record, "terminal": plan.terminal}
    looped = f"_completed:{plan.index}"
    terminal = plan.terminal
    if not terminal and thread.system.get(looped) == engine.state.turn - 1 and engine.state.turn > 1:
        data["notes"] = [
            note("RUN013", "complete.loop", "COMPLETE matched again on the next message; the session ends")
        ]
        terminal = True
    thread.system[looped] = engine.state.turn
    event = engine.recorder.emit("complete", data, span=plan.span)
    engine.recorder.open(event)
    engine.turn.outside, said = engine.turn.outside + 1, len(engine.turn.outbox)
    lifecycle.run_actions(engine, thread, plan.node.actions, origin="complete")
    text = wording(engine, thread, plan.node.respond.value, plan.span) if plan.node.respond is not None else None
    if text is not None:
        found = present(engine, thread, [(prop.key, prop.block) for prop in plan.node.props])
        seen = model_context(engine, thread, plan.node.prop("MODEL_CONTEXT"))
        text = spoken(engine, found) or text
        engine.say_template(thread, text, kind="reply", span=plan.span, data=found, for_model=seen)
        for message in engine.turn.outbox[said:]:
            message.result = True
    _store(engine, thread, plan)
    engine.turn.outside -= 1
    engine.recorder.close()
    if not terminal:
        return Signal.NEXT
    engine.move(thread, Complete(recorded=True))
    return Signal.ENDED


def _store(engine: Engine, thread: Thread, plan: CompletionPlan) -> None:
    """STORE of an entry: ``value -> path`` of a declared path; a collection is the platform's."""
    given = plan.node.prop("STORE")
    if given is None or given.value is None:
        return
    program, span = engine.program(thread), engine.program(thread).span(given.block)
    written, _, target = program.written(given.value).rpartition("->")
    if target.strip() not in program.persistent:
        why = "a collection is kept by the platform; a declared path is written here"
        engine.recorder.not_executed("STORE.collection", why, span)
        return
    formula = value_formula(written.strip())
    outcome = engine.evaluate(thread, formula)
    if outcome.value is None:
        return
    sensitive = engine.derives(thread, formula.names)
    assign(engine, thread, target.strip(), outcome.value, span=span, expression=formula.text, sensitive=sensitive)


# ESCALATE --------------------------------------------------------------------------------------------------------


def check_escalation(engine: Engine, thread: Thread) -> bool:
    """Fire the first trigger that holds; a trigger fires again only after it was false (T6, T12)."""
    for plan in engine.program(thread).escalations:
        fired = f"_escalated:{plan.index}"
        unresolved.look(engine, thread, f"ESCALATE {plan.index + 1}", plan.when)
        if not engine.holds(thread, plan.when):
            thread.system.pop(fired, None)
            continue
        if thread.system.get(fired):
            continue
        thread.system[fired] = True
        for target, text, entry in assignments_of(plan.sets):
            where = plan.span if plan.sets is None else engine.program(thread).span(line_of(entry, plan.sets))
            assign_written(engine, thread, target, text, span=where)
        engine.move(thread, Escalate(plan.reason, plan.span, plan.priority, plan.tags))
        return True
    return False
