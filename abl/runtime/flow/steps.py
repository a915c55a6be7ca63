"""Entering and leaving steps, and taking the edges between them (docs/spec 06 §8, §9).

Nothing here performs actions: a step that is entered has its list on the stack of frames, and the loop continues there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.agents import profiles
from abl.runtime.flow import detours, errors, insertions, returning
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import reset
from abl.runtime.gather.collecting import drop_transient
from abl.runtime.memory.triggers import recall
from abl.runtime.moves import Escalate, HandOver
from abl.runtime.plan.flow import FlowPlan, StepPlan
from abl.runtime.plan.refusing import refused
from abl.runtime.state import GatherState
from abl.runtime.turn import left_out
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.insertions import Inserted
    from abl.runtime.state import Thread

HALT = "check_halt"
"""Waiting reason after which a message runs the step from its top."""
AGAIN = frozenset({"retry", "retry_step"})
"""Edges that lead to no other step: the step is run from its top."""


def plan_of(engine: Engine, thread: Thread) -> FlowPlan:
    """The flow of a thread that has one."""
    flow = engine.program(thread).flow
    if flow is None:
        raise LookupError(f"{thread.agent} has no flow")
    return flow


def step_of(engine: Engine, thread: Thread) -> StepPlan:
    """The step a flow is in."""
    return plan_of(engine, thread).steps[thread.flow.step or ""]


def wait(engine: Engine, thread: Thread, reason: str, *, again: bool = True) -> Signal:
    """Stop here until the next message; with ``again`` the action that waits runs again then."""
    flow = thread.flow
    if again and flow.frames:
        flow.frames[-1][1] -= 1
    return _wait(engine, thread, reason)


def halt(engine: Engine, thread: Thread) -> Signal:
    """Stop the step: the next message runs it from its top (docs/spec 06 §5.9)."""
    return _wait(engine, thread, HALT)


def _wait(engine: Engine, thread: Thread, reason: str) -> Signal:
    flow = thread.flow
    flow.status = "waiting"
    flow.reason = reason
    state = {"flow": {"step": flow.step, "waiting": reason}}
    engine.recorder.emit("flow.wait", {"reason": reason, "state": state})
    return Signal.WAIT


def count_iteration(engine: Engine, thread: Thread) -> Signal:
    """Count a step of this turn; WAIT when there were too many."""
    engine.turn.iterations += 1
    limit = engine.program(thread).max_flow_iterations
    if engine.turn.iterations <= limit:
        return Signal.NEXT
    errors.report(engine, thread, "RUN002", "flow_iteration_limit", f"more than {limit} steps in one turn")
    return halt(engine, thread)


# Entering and leaving --------------------------------------------------------------------------------------------


def enter(engine: Engine, thread: Thread, name: str, *, through: bool = True) -> Signal:
    """RUN_STEP with how = enter: guard, attempts, resets, recalls, then its list is on the stack (06 §9).

    ``through`` the steps that a profile puts before it (06 §11): not where these lead on, or the step begins again.
    """
    flow = thread.flow
    program = engine.program(thread)
    while True:
        if through:
            name = insertions.entered_by(engine, thread, name)
        step = plan_of(engine, thread).steps.get(name)
        if step is None:
            return _unknown_target(engine, thread, name, None)
        if refused(engine, thread, step.step):
            engine.say_template(thread, program.messages["error_default"], kind="notice")
            return halt(engine, thread)
        if (signal := count_iteration(engine, thread)) is not Signal.NEXT:
            return signal
        guard = step.setting("WHEN")
        skipped = profiles.skips(engine, thread, name)
        if skipped or (guard is not None and not engine.holds(thread, program.condition(guard))):
            why = {"by": "profile"} if skipped or guard is None else {"when": guard.value}
            engine.recorder.emit("step.skipped", {"step": name, **why}, status="skipped", span=program.span(step.step))
            passed = _pass(engine, thread, step)
            if isinstance(passed, Signal):
                return passed
            name, through = passed
            continue
        exhausted = _exhausted(engine, thread, step)
        if exhausted is None:
            break
        if step.on_exhausted is not None:
            return follow(engine, thread, step.on_exhausted, leaving=False, source=name)
        flow.step, flow.frames = name, []
        message = f"{name}: more than {exhausted} attempts"
        signal = handle(engine, thread, "RUN009", "attempts_exhausted", message, kind="unknown_error")
        return halt(engine, thread) if signal is Signal.NEXT and not flow.frames else signal
    return _start_step(engine, thread, step)


def _pass(engine: Engine, thread: Thread, step: StepPlan) -> tuple[str, bool] | Signal:
    """What follows a step that is skipped: a step, and whether an edge leads there, or the end that was reached."""
    plan = plan_of(engine, thread)
    inserted = insertions.of(engine, thread, step.name)
    to: str | dict[str, Any]
    if step.then is not None:
        to = _edge(engine, thread, step.then)
    elif inserted is not None:
        to = insertions.onward(engine, thread, inserted)
    else:
        to = {"target": plan.after(step.name), "edge": "skip"}
    if isinstance(to, str):
        return to, False
    if (first := insertions.left_by(engine, thread, step.name, to)) is not None:
        return first, False
    if to["target"] is None:
        return end(engine, thread, "complete", "no_transition")
    return (to["target"], True) if to["target"] in plan.steps else take(engine, thread, leaving=False, **to)


def _exhausted(engine: Engine, thread: Thread, step: StepPlan) -> int | None:
    """Count an attempt; the limit when it is exceeded, the counter then starts again."""
    limit: int | None = step.step.value("MAX_ATTEMPTS")
    attempts = thread.flow.attempts.get(step.name, 0) + 1
    if limit is None or attempts <= limit:
        thread.flow.attempts[step.name] = attempts
        return None
    thread.flow.attempts.pop(step.name, None)
    return limit


def _start_step(engine: Engine, thread: Thread, step: StepPlan) -> Signal:
    flow, name = thread.flow, step.name
    flow.step, flow.frames, flow.reason = name, [[step.key, 0]], None
    flow.status, flow.presented, flow.responded, flow.message_used = "running", False, None, False
    flow.taken = []
    engine.turn.input_missed = False
    detours.reopen(engine, thread, name)
    thread.gather = _fresh_gather(thread, engine, step)
    thread.system.pop("_validation_retries", None)
    thread.system.pop("_pending_inferences", None)
    flow.collect_only, thread.confirm = None, None
    engine.recorder.step = name
    reset(engine, thread, "per_step")
    data = {"step": name, "attempt": flow.attempts.get(name, 1), "state": {"flow": {"step": name, "waiting": None}}}
    engine.recorder.emit("step.enter", data, span=engine.program(thread).span(step.step))
    left_out.tell_step(engine, thread, name)
    recall(engine, thread, f"step:enter:{name}")
    seen = {"variables": dict(thread.variables), "writes": len(engine.facts.writes)}
    key = f"{thread.agent}.{name}"
    if seen in engine.turn.entered.get(key, ()):
        message = f"step {name} was entered twice in this turn with nothing changed in between"
        engine.recorder.emit("flow.loop", {"step": name}, status="error")
        errors.report(engine, thread, "RUN001", "flow_loop", message)
        return halt(engine, thread)
    engine.turn.entered.setdefault(key, []).append(seen)
    return Signal.NEXT


def _fresh_gather(thread: Thread, engine: Engine, step: StepPlan) -> GatherState:
    """The GATHER of a step on entry, with what it asks again: it was complete before (06 §5.7), or a detour (04 §5)."""
    if step.gather is None:
        return GatherState()
    names = [f.name for f in engine.program(thread).gather_fields(step.gather)]
    demanded = detours.asked_again(thread, step.name, names)
    if step.name not in thread.flow.gathered or thread.flow.collect_only is not None:
        return GatherState(reask=[*demanded], demanded=demanded)
    again = [name for name in names if thread.variables.get(name) is not None]
    return GatherState(reask=again, demanded=demanded)


def leave(engine: Engine, thread: Thread, edge: str, to: str | None) -> None:
    """Event and recall of leaving a step."""
    flow = thread.flow
    if flow.step is None:
        return
    drop_transient(engine, thread)
    engine.recorder.emit("step.exit", {"step": flow.step, "edge": edge, "to": to})
    recall(engine, thread, f"step:exit:{flow.step}")


def end(engine: Engine, thread: Thread, outcome: str, reason: str) -> Signal:
    """The flow is over; coordination follows (09 §3)."""
    flow = thread.flow
    flow.status, flow.outcome, flow.reason, flow.frames = "ended", outcome, None, []
    state = {"flow": {"step": flow.step, "waiting": None}}
    engine.recorder.emit("flow.end", {"outcome": outcome, "reason": reason, "state": state})
    return Signal.ENDED


def follow(
    engine: Engine, thread: Thread, transition: nodes.Transition, *, leaving: bool = True, source: str | None = None
) -> Signal:
    """Take a THEN, GOTO or the like: exact step name, then terminal, else an error (06 §8).

    ``source``: the step that the edge leaves, where it was not entered.
    """
    return take(engine, thread, leaving=leaving, source=source, **_edge(engine, thread, transition))


def _edge(engine: Engine, thread: Thread, transition: nodes.Transition) -> dict[str, Any]:
    """A transition as data, which outlives a turn."""
    return {
        "target": transition.target.value if transition.target is not None else "",
        "edge": transition.keyword.lower(),
        "span": engine.program(thread).span(transition),
        "agent": transition.agent.value if transition.agent else None,
        "reason": transition.reason.value if transition.reason else None,
    }


def take(
    engine: Engine,
    thread: Thread,
    target: str,
    edge: str,
    *,
    leaving: bool = True,
    source: str | None = None,
    by_rule: bool = False,
    span: Any = None,
    agent: str | None = None,
    reason: str | None = None,
) -> Signal:
    """Resolve a target and go there; first through the steps that a profile puts after the one that is left (06 §11).

    ``by_rule``: a constraint leads away, which is no edge of the step.
    """
    kept = {"target": target, "edge": edge, "span": span, "agent": agent, "reason": reason}
    left = source or (thread.flow.step if leaving and not by_rule and edge not in AGAIN else None)
    if (first := insertions.left_by(engine, thread, left, kept)) is not None:
        if leaving:
            leave(engine, thread, edge, first)
        return enter(engine, thread, first, through=False)
    if target in plan_of(engine, thread).steps:
        if leaving:
            leave(engine, thread, edge, target)
        return enter(engine, thread, target, through=edge not in AGAIN)
    match target.upper():
        case "COMPLETE":
            if leaving:
                leave(engine, thread, edge, target)
            return end(engine, thread, "complete", "complete")
        case "ESCALATE":
            if leaving:
                leave(engine, thread, edge, target)
            end(engine, thread, "escalate", "escalate")
            engine.move(thread, Escalate(reason, span))
            return Signal.MOVED
        case "HANDOFF" if agent:
            return _hand_over(engine, thread, agent, edge, leaving=leaving, span=span)
        case _:
            return _unknown_target(engine, thread, target, span)


def _hand_over(engine: Engine, thread: Thread, agent: str, edge: str, *, leaving: bool, span: Any) -> Signal:
    """Leave the step for good, or until control returns; a flow with nothing left to do is complete then (06 §8)."""
    then = returning.keep_place(engine, thread, agent)
    if then is returning.Then.HALT:
        return halt(engine, thread)
    if then is returning.Then.HERE:
        if engine.move(thread, HandOver(agent, span)):
            return Signal.MOVED
        thread.system.pop(returning.AWAY, None)
        return end(engine, thread, "handoff", "handoff")
    if leaving:
        leave(engine, thread, edge, f"HANDOFF {agent}")
    end(engine, thread, "complete" if then is returning.Then.OVER else "handoff", "handoff")
    return Signal.MOVED if engine.move(thread, HandOver(agent, span)) else Signal.ENDED


def _unknown_target(engine: Engine, thread: Thread, name: str, span: Any) -> Signal:
    engine.fail(thread, "RUN003", "unknown_target", f"no step {name!r}", span)
    return halt(engine, thread)


def follow_then(engine: Engine, thread: Thread, step: StepPlan) -> Signal | None:
    """Take a step's THEN, its own or that of a chain (06 §2 D); None when it has neither."""
    if step.then is None and (inserted := insertions.of(engine, thread, step.name)) is not None:
        return _onward(engine, thread, inserted)
    override = profiles.step(engine, thread, step.name)
    if override is not None and (target := override.text("transition")):
        return take(engine, thread, target, "then", span=engine.program(thread).span(step.step))
    if step.then is not None:
        return follow(engine, thread, step.then)
    plan = plan_of(engine, thread)
    following = plan.after(step.name) if plan.flow.shape == "D" else None
    if following is None or step.name not in {name.value for name in plan.flow.listed}:
        following = None
    if following is None and insertions.beside(engine, thread, step.name, "after"):
        return finish(engine, thread)
    return take(engine, thread, following, "then") if following is not None else None


def finish(engine: Engine, thread: Thread) -> Signal:
    """The implicit end of a step from which nothing leads on (06 §8)."""
    first = insertions.left_by(engine, thread, thread.flow.step, dict(insertions.END))
    leave(engine, thread, "implicit_end", first)
    if first is not None:
        return enter(engine, thread, first, through=False)
    return end(engine, thread, "complete", "no_transition")


def _onward(engine: Engine, thread: Thread, inserted: Inserted) -> Signal:
    """Out of a step that a profile inserted: to the next one, or along the edge that led to it."""
    to = insertions.onward(engine, thread, inserted)
    if isinstance(to, str):
        leave(engine, thread, "then", to)
        return enter(engine, thread, to, through=False)
    return finish(engine, thread) if to["target"] is None else take(engine, thread, **to)


# Errors ----------------------------------------------------------------------------------------------------------


def handle(
    engine: Engine,
    thread: Thread,
    code: str,
    name: str,
    message: str,
    *,
    kind: str,
    subtype: str = "",
    span: Any = None,
) -> Signal:
    """As :func:`errors.report`, then THEN of the handler; without one the step halts (09 §8)."""
    handler = errors.report(engine, thread, code, name, message, kind=kind, subtype=subtype, span=span)
    if handler is None:
        return halt(engine, thread)
    return go_on(engine, thread, handler)


def go_on(engine: Engine, thread: Thread, handler: errors.Handler) -> Signal:
    """THEN of a handler."""
    found = errors.exit_of(engine, thread, handler)
    if found is None:
        return Signal.NEXT
    if found.target is None:
        return halt(engine, thread)
    return take(engine, thread, found.target, found.edge, span=found.span, agent=found.agent, reason=found.reason)
