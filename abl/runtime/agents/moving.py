"""Carrying out moves: HANDOFF and return, ESCALATE, the end of an agent (docs/spec 09 §5, §7).

The only place where control changes; all other code requests a move with ``Engine.move``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.language.entry import Entry, members
from abl.runtime.agents import on_return
from abl.runtime.agents.for_human import for_human
from abl.runtime.agents.handoff_context import Given, given_with, limit_history
from abl.runtime.constraints.results import work_ended
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.flow.variables import assign, start_afresh
from abl.runtime.guardrails.judging import Ruling, judge, stop
from abl.runtime.moves import Complete, Escalate, HandOver, Move
from abl.runtime.plan.assignments import line_of
from abl.runtime.plan.parts import HandoffPlan
from abl.runtime.plan.program import DEFAULT_MESSAGES, ESCALATING
from abl.runtime.plan.refusing import refused, why_refused
from abl.runtime.state import Thread
from abl.runtime.turn import lifecycle, understanding
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine

MAX_DEPTH = 10
HANDED = "_handed_over_with"
"""Where a thread keeps the message that led to it."""


def carry_out(engine: Engine, thread: Thread, move: Move) -> bool:
    """Do what a move says; False when a handoff did not work, after a message to the user."""
    match move:
        case HandOver():
            return _hand_over(engine, thread, move)
        case Escalate():
            _escalate(engine, thread, move)
        case Complete(recorded):
            _complete(engine, thread, recorded=recorded)
    return True


# COMPLETE --------------------------------------------------------------------------------------------------------


def _complete(engine: Engine, thread: Thread, *, recorded: bool) -> None:
    """The agent has completed: hook, recall, then control returns to the parent that wants it, else the session
    ends.
    """
    if not recorded:
        engine.recorder.emit("complete", {"index": None, "reason": "flow"})
    work_ended(engine, thread)
    lifecycle.deactivate(engine, thread)
    thread.flow.status, thread.flow.reason, thread.flow.frames = "ended", None, []
    engine.state.stack.pop()
    thread.done = True
    if thread.delegated:
        engine.state.stack.append(thread.agent)  # the agent that asked removes the thread
    elif engine.state.stack:
        _return_to_parent(engine, thread)
    else:
        engine.state.stack.append(thread.agent)  # the last agent stays visible
        engine.state.ended = True


# HANDOFF ---------------------------------------------------------------------------------------------------------


def _hand_over(engine: Engine, thread: Thread, move: HandOver) -> bool:
    """Give control to another agent; False when that did not work, after a message to the user."""
    recorder, to, span = engine.recorder, move.to, move.span
    plan = move.plan or next((p for p in engine.program(thread).handoffs if p.to == to), None)
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
    data = {"from": thread.agent, "to": to, "returns": returns, "condition": move.condition,
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
        _escalate(engine, thread, Escalate(text or None, span))
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
        child.detours.clear()
        child.called = False
        for key in [key for key in engine.turn.entered if key.startswith(f"{to}.")]:
            del engine.turn.entered[key]  # a new activation may enter its steps again
        # What the message has answered answers no question of the new activation.
        engine.turn.used = [("" if agent == to else agent, start, end) for agent, start, end in engine.turn.used]
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
    child.system[HANDED] = engine.turn.message
    limit_history(engine, child, plan, given.summary)
    engine.turn.arrival = "handoff"
    lifecycle.activate(engine, child)


def _return_to_parent(engine: Engine, child: Thread) -> None:
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
    """``map`` from the child, ``set``, the handler, then the action."""
    program = engine.program(parent)
    given = Entry.at("on_return", block)
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
    on_return.assign_set(engine, parent, block)
    word, name = on_return.words(block)
    parent.system["_resume_intent"] = word == "resume_intent"
    again = on_return.handle(engine, parent, name, plan.span) if name else None
    if again is not None:
        parent.system["_resume_intent"] = again
    if parent.system["_resume_intent"]:
        _resume_with(engine, parent, child, given)


def _resume_with(engine: Engine, parent: Thread, child: Thread, given: Entry) -> None:
    """The text that is routed again becomes the message; every other word than the default means the latest one."""
    original = child.system.get(HANDED)
    latest = engine.turn.message
    if given.value("resume_with") != "original_handoff_utterance" or not original or original == latest:
        return
    engine.turn.message = original
    engine.turn.entered.clear()  # with another message a step may be entered again
    understanding.understand(engine, parent)


# ESCALATE --------------------------------------------------------------------------------------------------------


def _escalate(engine: Engine, thread: Thread, move: Escalate) -> None:
    """A human takes over: the message, then the session pauses until it is over there (09 §7, §16).

    Its reason is what the author wrote; the text of a rule or trigger is never said (04 §5).
    """
    span = move.span
    text = engine.render(thread, move.reason or "").text
    more: dict[str, Any] = {"priority": move.priority} if move.priority is not None else {}
    if move.tags:
        more["tags"] = list(move.tags)
    if package := for_human(engine, thread):
        more["context"] = package
    engine.recorder.emit("escalate", {"reason": engine.recorder.text(text), **more}, span=span)
    form = engine.program(thread).messages["escalation_format"]
    if not text and form == DEFAULT_MESSAGES["escalation_format"]:
        form = ESCALATING
    engine.say_template(thread, form, kind="notice", span=span, local={"reason": text})
    engine.recorder.not_executed("human", "no person is connected; the session pauses", span)
    lifecycle.deactivate(engine, thread)
    thread.system["escalate"] = {"completed": False}
    engine.state.escalated = True
