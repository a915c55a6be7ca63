"""Who has control: HANDOFF and return, ESCALATE, COMPLETE (docs/spec 09 §3 T12, §5, §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.language import key_at, told_keys
from abl.language.entry import Entry, members
from abl.language.written import word as read_word
from abl.runtime.agents import delegating, routing
from abl.runtime.agents.handoff_context import Given, given_with
from abl.runtime.constraints.failures import NO_ACTION
from abl.runtime.constraints.on_fail import act
from abl.runtime.constraints.passes import run_pass
from abl.runtime.constraints.points import Point
from abl.runtime.constraints.records import condition_record, judged
from abl.runtime.constraints.results import work_ended
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.evaluation import value as value_formula
from abl.runtime.events.recorder import note
from abl.runtime.flow.actions import wording
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import assign, start_afresh
from abl.runtime.guardrails.judging import Ruling, judge, stop
from abl.runtime.plan.parts import CompletionPlan, HandoffPlan
from abl.runtime.plan.program import DEFAULT_MESSAGES, ESCALATING
from abl.runtime.plan.refusing import refused, why_refused
from abl.runtime.state import Thread
from abl.runtime.tools.binding import assignments_of, line_of
from abl.runtime.turn import lifecycle
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine

MAX_DEPTH = 10
_NOT_CARRIED_OUT = told_keys("complete")


# The phase -------------------------------------------------------------------------------------------------------


def coordinate(engine: Engine, thread: Thread, *, complete: bool = True, handoffs: bool = True) -> Signal:
    """ESCALATE, HANDOFF by priority, COMPLETE; MOVED when control left, ENDED when the agent completed."""
    if engine.state.turn == 0 and thread.flow.status != "ended":
        return Signal.NEXT  # a greeting decides nothing, unless its work ended the flow (09 §3)
    if check_escalation(engine, thread):
        return Signal.MOVED
    if _hand_off(engine, thread, allowed=handoffs):
        return Signal.MOVED
    if handoffs and (signal := routing.route(engine, thread)) is not Signal.NEXT:
        return signal
    delegating.consult(engine, thread)
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
            engine.recorder.not_executed("handoff.when", "a sentence needs a model", plan.span, text=plan.when.text)
            continue
        outcome = judged(engine, thread, plan.when)
        if not outcome.holds:
            continue
        record = condition_record(engine, thread, plan.when, outcome, source="gate")
        if not allowed:
            notes = [note("RUN014", "handoff_condition_suppressed", f"HANDOFF to {plan.to} waits for the flow", "info")]
            data = {"to": plan.to, "suppressed": True, "condition": record, "notes": notes}
            engine.recorder.emit("handoff", data, status="skipped", span=plan.span)
            continue
        return hand_over(engine, thread, plan.to, plan=plan, span=plan.span, condition=record)
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
        complete_agent(engine, thread, None, {})
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
        engine.say_template(thread, text, kind="reply", span=plan.span)
        for message in engine.turn.outbox[said:]:
            message.result = True
    engine.turn.outside -= 1
    for prop in plan.node.props:
        if prop.key in _NOT_CARRIED_OUT:
            engine.recorder.not_executed(
                f"complete.{prop.key}", "it is not carried out here", engine.program(thread).span(prop.key_span)
            )
    engine.recorder.close()
    if not terminal:
        return Signal.NEXT
    complete_agent(engine, thread, plan, record, recorded=True)
    return Signal.ENDED


def complete_agent(
    engine: Engine, thread: Thread, plan: CompletionPlan | None, record: dict[str, Any], *, recorded: bool = False
) -> None:
    """The agent is done: hook, recall, then back to the parent that wants control, else the session is over."""
    if not recorded:
        engine.recorder.emit("complete", {"index": None, "reason": "flow"})
    work_ended(engine, thread)
    lifecycle.deactivate(engine, thread)
    thread.flow.status, thread.flow.reason, thread.flow.frames = "ended", None, []
    engine.state.stack.pop()
    thread.done = True
    if thread.delegated:
        engine.state.stack.append(thread.agent)  # who asked takes it away
    elif engine.state.stack:
        return_to_parent(engine, thread)
    else:
        engine.state.stack.append(thread.agent)  # the last agent stays visible
        engine.state.ended = True


# HANDOFF ---------------------------------------------------------------------------------------------------------


def hand_over(
    engine: Engine,
    thread: Thread,
    to: str,
    *,
    plan: HandoffPlan | None = None,
    span: Any = None,
    condition: dict[str, Any] | None = None,
) -> bool:
    """Give control to another agent; False when that did not work, which the user is told."""
    recorder = engine.recorder
    plan = plan or next((p for p in engine.program(thread).handoffs if p.to == to), None)
    if plan is not None and (why := refused(engine, thread, plan.node)) is not None:
        return _refused(engine, thread, None, "invalid_handoff", why, span=span)
    if to == thread.agent:
        return _refused(engine, thread, plan, "self_handoff", f"{to} hands over to itself", span=span)
    if (why := why_refused(engine, to)) is not None:
        return _refused(engine, thread, plan, "invalid_handoff", why, span=span)
    if to not in engine.programs:
        return _refused(engine, thread, plan, "invalid_handoff", f"no agent {to!r}", span=span)
    engine.turn.handoffs += 1
    if engine.turn.handoffs > MAX_DEPTH or len(engine.state.stack) > MAX_DEPTH:
        engine.turn.refused = True
        engine.fail(thread, "RUN002", "handoff_depth", f"more than {MAX_DEPTH} nested handoffs", span)
        return False
    returns = plan.returns if plan is not None else False
    given = given_with(engine, thread, to, plan)
    ruling = judge(engine, thread, "handoff", {"pass": given.values, "summary": given.summary})
    if ruling.by is not None:
        return _held_back(engine, thread, plan, ruling, span=span)
    given.values, given.summary = ruling.value["pass"], ruling.value["summary"]
    data = {"from": thread.agent, "to": to, "returns": returns, "condition": condition,
            "handoff_context_pass_resolved": {"passed": sorted(given.values), "unset": given.unset},
            "summary": recorder.text(given.summary) if given.summary is not None else None}  # fmt: skip
    recorder.open(recorder.emit("handoff", data, span=span))
    engine.count("handoff_count")
    lifecycle.deactivate(engine, thread)
    _receive(engine, thread, to, plan, given, returns=returns)
    recorder.close()
    return True


def _held_back(engine: Engine, thread: Thread, plan: HandoffPlan | None, ruling: Ruling, *, span: Any) -> bool:
    """A guardrail stopped the handoff: ON_FAILURE, or what the guardrail says; True when a human took over."""
    by = ruling.by
    if by is None or ruling.action == "escalate" or plan is None or not plan.on_failure[0]:
        engine.turn.refused = True
        stop(engine, thread, ruling)
        return engine.state.escalated
    return _refused(engine, thread, plan, "invalid_handoff", f"guardrail {by.name} stopped it", span=span)


def _refused(engine: Engine, thread: Thread, plan: HandoffPlan | None, key: str, why: str, *, span: Any) -> bool:
    """The target did not accept: ON_FAILURE of the entry, else the message, and the agent keeps control.

    True when a human took over instead.
    """
    engine.turn.refused = True
    engine.recorder.error("RUN003", key, why, span)
    action, text = plan.on_failure if plan is not None else ("", "")
    if action == "ESCALATE":
        escalate(engine, thread, text or None, span)
        return True
    if action != "CONTINUE":
        said = text if action == "RESPOND" else engine.program(thread).messages[key]
        engine.say_template(thread, said, kind="reply" if action == "RESPOND" else "notice", span=span)
    return False


def _receive(engine: Engine, thread: Thread, to: str, plan: HandoffPlan | None, given: Given, *, returns: bool) -> None:
    state = engine.state
    resumed = to in state.stack
    if resumed:
        del state.stack[state.stack.index(to) + 1 :]
    else:
        if not returns:
            state.stack.pop()
        state.stack.append(to)
    child = state.threads.get(to)
    if child is None:
        child = state.threads[to] = Thread(to)
    elif not resumed:
        if child.done:
            start_afresh(engine, child)
        child.flow = type(child.flow)()
        child.gather = type(child.gather)()
        child.collect = None
        for key in [key for key in engine.turn.entered if key.startswith(f"{to}.")]:
            del engine.turn.entered[key]  # a new activation may enter its steps again
    engine.enter(child)
    child.expects_return, child.handoff = returns, plan.index if plan is not None else None
    child.passed_in = list(given.values)
    for name, value in given.values.items():
        if name not in engine.program(child).persistent:
            assign(
                engine,
                child,
                name,
                value,
                cause="handoff",
                sensitive=name in given.sensitive,
                from_tool=name in given.derived,
            )
    child.forwarded = engine.turn.message
    engine.turn.arrival = "handoff"
    lifecycle.activate(engine, child)


def return_to_parent(engine: Engine, child: Thread) -> None:
    """ON_RETURN: map, set, then the action (09 §5)."""
    parent = engine.active
    engine.enter(parent)
    program = engine.program(parent)
    plan = next((p for p in program.handoffs if p.index == child.handoff), None)
    event = engine.recorder.emit(
        "return",
        {"from": child.agent, "to": parent.agent, "state": {"active": parent.agent}},
        span=plan.span if plan else None,
    )
    engine.recorder.open(event)
    parent.system["handoff"] = {"completed": True}
    parent.system["_resume_intent"] = False
    engine.turn.arrival = "return"
    if plan is not None:
        engine.turn.returned.add((parent.agent, plan.index))
    if plan is not None and plan.node.on_return is not None:
        _on_return(engine, parent, child, plan, plan.node.on_return)
    lifecycle.activate(engine, parent)
    engine.recorder.close()


def _on_return(engine: Engine, parent: Thread, child: Thread, plan: HandoffPlan, block: nodes.Block) -> None:
    """``map`` from the child, ``set``, then the action; a named handler is not run here."""
    program = engine.program(parent)
    given = Entry.at("on_return", block)
    word = read_word(block.value)
    for entry in members(given.lines("map")):
        if entry.value is not None:
            value = engine.context(child).value(entry.key)
            where = program.span(line_of(entry, block))
            assign(
                engine,
                parent,
                entry.value.value.strip(),
                value,
                span=where,
                cause="return",
                sensitive=engine.derives(child, [entry.key]),
                from_tool=from_tool(child, [entry.key]),
            )
    for target, text, entry in assignments_of(given.lines("set")):
        formula = value_formula(text)
        outcome = engine.evaluate(parent, formula)
        where = program.span(line_of(entry, block))
        assign(
            engine,
            parent,
            target,
            outcome.value,
            span=where,
            expression=text,
            cause="return",
            sensitive=engine.derives(parent, formula.names),
        )
    word = given.given("action") or word
    known = key_at("on_return", "action")
    word = (known.type.read_word(word) if known is not None else None) or word
    parent.system["_resume_intent"] = word == "resume_intent"
    if "handler" in given or word not in {"", "continue", "resume_intent"}:
        engine.recorder.not_executed("RETURN_HANDLERS", "the parent goes on as with continue", plan.span)


# ESCALATE --------------------------------------------------------------------------------------------------------


def check_escalation(engine: Engine, thread: Thread) -> bool:
    """Fire the first trigger that holds; one that fired is quiet until it was false (T6, T12)."""
    for plan in engine.program(thread).escalations:
        fired = f"_escalated:{plan.index}"
        if not engine.holds(thread, plan.when):
            thread.system.pop(fired, None)
            continue
        if thread.system.get(fired):
            continue
        thread.system[fired] = True
        for target, text, entry in assignments_of(plan.sets):
            formula = value_formula(text)
            outcome = engine.evaluate(thread, formula)
            where = plan.span if plan.sets is None else engine.program(thread).span(line_of(entry, plan.sets))
            assign(
                engine,
                thread,
                target,
                outcome.value,
                span=where,
                expression=text,
                sensitive=engine.derives(thread, formula.names),
            )
        escalate(engine, thread, plan.reason, plan.span)
        return True
    return False


def escalate(engine: Engine, thread: Thread, reason: str | None, span: Any) -> None:
    """A human takes over: the message, then the session pauses until it is over there (09 §7, §16).

    ``reason`` is what the author wrote; the text of a rule or trigger is never said (04 §5).
    """
    text = engine.render(thread, reason or "").text
    engine.recorder.emit("escalate", {"reason": engine.recorder.text(text)}, span=span)
    form = engine.program(thread).messages["escalation_format"]
    if not text and form == DEFAULT_MESSAGES["escalation_format"]:
        form = ESCALATING
    engine.say_template(thread, form, kind="notice", span=span, local={"reason": text})
    engine.recorder.not_executed("human", "no person is connected; the session pauses", span)
    lifecycle.deactivate(engine, thread)
    thread.system["escalate"] = {"completed": False}
    engine.state.escalated = True
