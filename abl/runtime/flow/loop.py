"""Running a flow (docs/spec 06 §8, §9): entering and leaving steps, and the loop over actions.

The position is a stack of frames in the thread's state, so a flow can stop between any two actions and go on later, in
another process as well. ``perform`` runs one action; its signal says what the loop does next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abl.runtime.agents import profiles
from abl.runtime.constraints import checks
from abl.runtime.flow import actions, calls, detours, errors, gathering, returning
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import reset
from abl.runtime.gather.collecting import drop_transient
from abl.runtime.memory.triggers import recall
from abl.runtime.plan.action_lists import CallFailed, GatherFailed, Input, Leave, Resume, Select, Zone
from abl.runtime.plan.flow import FlowPlan, StepPlan
from abl.runtime.plan.refusing import refused
from abl.runtime.state import GatherState
from abl.runtime.turn import handlers, reasoning
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

HALT = "check_halt"
"""Waiting reason after which a message runs the step from its top."""


def plan_of(engine: Engine, thread: Thread) -> FlowPlan:
    """The flow of a thread that has one."""
    flow = engine.program(thread).flow
    if flow is None:
        raise LookupError(f"{thread.agent} has no flow")
    return flow


def step_of(engine: Engine, thread: Thread) -> StepPlan:
    """The step a flow stands in."""
    return plan_of(engine, thread).steps[thread.flow.step or ""]


# Running ---------------------------------------------------------------------------------------------------------


def run(engine: Engine, thread: Thread) -> Signal:
    """RUN_FLOW: from the entry, or from where the flow waits, until it waits, ends or loses control."""
    flow = thread.flow
    plan = plan_of(engine, thread)
    if flow.status in {"idle", "ended"} or (flow.step is not None and flow.step not in plan.steps):
        flow.status = "running"
        engine.recorder.emit("flow.start", {"entry": plan.entry}, span=engine.program(thread).span(plan.flow))
        signal = enter(engine, thread, plan.entry or "")
    elif flow.reason == HALT:
        flow.status = "running"
        signal = enter(engine, thread, flow.step or "")
    else:
        flow.status = "running"
        signal = _count_iteration(engine, thread)
    return proceed(engine, thread) if signal is Signal.NEXT else signal


def proceed(engine: Engine, thread: Thread, stop: Callable[[Any], bool] | None = None) -> Signal:
    """Perform actions until one stops the run; ``stop`` ends it before an action that must wait for T11."""
    flow = thread.flow
    lists = plan_of(engine, thread).lists
    while flow.frames:
        frame = flow.frames[-1]
        listed = lists[frame[0]]
        if frame[1] >= len(listed):
            flow.frames.pop()
            continue
        action = listed[frame[1]]
        if stop is not None and stop(action):
            return Signal.NEXT
        frame[1] += 1
        signal = perform(engine, thread, action)
        if signal is not Signal.NEXT:
            return signal
    return Signal.NEXT


def wait(engine: Engine, thread: Thread, reason: str, *, again: bool = True) -> Signal:
    """Stop here until the next message; with ``again`` the action that waits runs again then."""
    flow = thread.flow
    if again and flow.frames:
        flow.frames[-1][1] -= 1
    flow.status = "waiting"
    flow.reason = reason
    state = {"flow": {"step": flow.step, "waiting": reason}}
    engine.recorder.emit("flow.wait", {"reason": reason, "state": state})
    return Signal.WAIT


def _count_iteration(engine: Engine, thread: Thread) -> Signal:
    engine.turn.iterations += 1
    limit = engine.program(thread).max_flow_iterations
    if engine.turn.iterations <= limit:
        return Signal.NEXT
    errors.report(engine, thread, "RUN002", "flow_iteration_limit", f"more than {limit} steps in one turn")
    return wait(engine, thread, HALT, again=False)


# Entering and leaving --------------------------------------------------------------------------------------------


def enter(engine: Engine, thread: Thread, name: str) -> Signal:
    """RUN_STEP with how = enter: guard, attempts, resets, recalls, then its list is on the stack (06 §9)."""
    flow = thread.flow
    program = engine.program(thread)
    while True:
        step = plan_of(engine, thread).steps.get(name)
        if step is None:
            return _unknown_target(engine, thread, name, None)
        if refused(engine, thread, step.step):
            engine.say_template(thread, program.messages["error_default"], kind="notice")
            return wait(engine, thread, HALT, again=False)
        if (signal := _count_iteration(engine, thread)) is not Signal.NEXT:
            return signal
        guard = step.setting("WHEN")
        skipped = profiles.skips(engine, thread, name)
        if skipped or (guard is not None and not engine.holds(thread, program.condition(guard))):
            why = {"by": "profile"} if skipped or guard is None else {"when": guard.value}
            engine.recorder.emit("step.skipped", {"step": name, **why}, status="skipped", span=program.span(step.step))
            after = plan_of(engine, thread).after(name)
            if step.then is not None:
                return follow(engine, thread, step.then, leaving=False)
            if after is None:
                return end(engine, thread, "complete", "no_transition")
            name = after
            continue
        exhausted = _exhausted(engine, thread, step)
        if exhausted is None:
            break
        if step.on_exhausted is not None:
            return follow(engine, thread, step.on_exhausted, leaving=False)
        flow.step, flow.frames = name, []
        message = f"{name}: more than {exhausted} attempts"
        signal = errors.handle(engine, thread, "RUN009", "attempts_exhausted", message, kind="unknown_error")
        return wait(engine, thread, HALT, again=False) if signal is Signal.NEXT and not flow.frames else signal
    return _start_step(engine, thread, step)


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
    thread.gather = GatherState(reask=_ask_again(thread, engine, step))
    thread.system.pop("_validation_retries", None)
    flow.collect_only, thread.confirm = None, None
    engine.recorder.step = name
    reset(engine, thread, "per_step")
    data = {"step": name, "attempt": flow.attempts.get(name, 1), "state": {"flow": {"step": name, "waiting": None}}}
    engine.recorder.emit("step.enter", data, span=engine.program(thread).span(step.step))
    recall(engine, thread, f"step:enter:{name}")
    seen = {"variables": dict(thread.variables), "writes": len(engine.facts.writes)}
    key = f"{thread.agent}.{name}"
    if seen in engine.turn.entered.get(key, ()):
        message = f"step {name} was entered twice in this turn with nothing changed in between"
        engine.recorder.emit("flow.loop", {"step": name}, status="error")
        errors.report(engine, thread, "RUN001", "flow_loop", message)
        return wait(engine, thread, HALT, again=False)
    engine.turn.entered.setdefault(key, []).append(seen)
    return Signal.NEXT


def _ask_again(thread: Thread, engine: Engine, step: StepPlan) -> list[str]:
    """Fields that a completed GATHER asks again when its step is entered again (06 §5.7), or a detour (04 §5)."""
    if step.gather is None:
        return []
    names = [f.name for f in engine.program(thread).gather_fields(step.gather)]
    if step.name not in thread.flow.gathered or thread.flow.collect_only is not None:
        return detours.asked_again(thread, step.name, names)
    return [name for name in names if thread.variables.get(name) is not None]


def leave(engine: Engine, thread: Thread, edge: str, to: str | None) -> None:
    """Event and recall of leaving a step."""
    flow = thread.flow
    if flow.step is None:
        return
    drop_transient(engine, thread)
    engine.recorder.emit("step.exit", {"step": flow.step, "edge": edge, "to": to})
    recall(engine, thread, f"step:exit:{flow.step}")


def go(engine: Engine, thread: Thread, name: str, edge: str) -> Signal:
    """Leave the step and enter another, or the same one again."""
    leave(engine, thread, edge, name)
    return enter(engine, thread, name)


def end(engine: Engine, thread: Thread, outcome: str, reason: str) -> Signal:
    """The flow is over; coordination follows (09 §3)."""
    flow = thread.flow
    flow.status, flow.outcome, flow.reason, flow.frames = "ended", outcome, None, []
    state = {"flow": {"step": flow.step, "waiting": None}}
    engine.recorder.emit("flow.end", {"outcome": outcome, "reason": reason, "state": state})
    return Signal.ENDED


def follow(engine: Engine, thread: Thread, transition: nodes.Transition, *, leaving: bool = True) -> Signal:
    """Take a THEN, GOTO or the like: exact step name, then terminal, else an error (06 §8)."""
    target = transition.target.value if transition.target is not None else ""
    edge = transition.keyword.lower()
    return take(
        engine,
        thread,
        target,
        edge,
        leaving=leaving,
        span=engine.program(thread).span(transition),
        agent=transition.agent.value if transition.agent else None,
        reason=transition.reason.value if transition.reason else None,
    )


def take(
    engine: Engine,
    thread: Thread,
    target: str,
    edge: str,
    *,
    leaving: bool = True,
    span: Any = None,
    agent: str | None = None,
    reason: str | None = None,
) -> Signal:
    """Resolve a target and go there."""
    from abl.runtime.agents.coordination import escalate, hand_over

    if target in plan_of(engine, thread).steps:
        if leaving:
            leave(engine, thread, edge, target)
        return enter(engine, thread, target)
    match target.upper():
        case "COMPLETE":
            if leaving:
                leave(engine, thread, edge, target)
            return end(engine, thread, "complete", "complete")
        case "ESCALATE":
            if leaving:
                leave(engine, thread, edge, target)
            end(engine, thread, "escalate", "escalate")
            escalate(engine, thread, reason, span)
            return Signal.MOVED
        case "HANDOFF" if agent and returning.keep_place(engine, thread, agent):
            if hand_over(engine, thread, agent, span=span):
                return Signal.MOVED
            thread.system.pop(returning.AWAY, None)
            end(engine, thread, "handoff", "handoff")
            return Signal.ENDED
        case "HANDOFF" if agent:
            if leaving:
                leave(engine, thread, edge, f"HANDOFF {agent}")
            end(engine, thread, "handoff", "handoff")
            return Signal.MOVED if hand_over(engine, thread, agent, span=span) else Signal.ENDED
        case _:
            return _unknown_target(engine, thread, target, span)


def _unknown_target(engine: Engine, thread: Thread, name: str, span: Any) -> Signal:
    engine.fail(thread, "RUN003", "unknown_target", f"no step {name!r}", span)
    return wait(engine, thread, HALT, again=False)


# Actions ---------------------------------------------------------------------------------------------------------


def perform(engine: Engine, thread: Thread, action: Any) -> Signal:
    """Run one action of a list."""
    match action:
        case nodes.Respond():
            if calls.silenced(thread):
                return Signal.NEXT
            said = actions.respond(engine, thread, action)
            if len(thread.flow.frames) == 1:  # the step's own words, not those of a branch or handler
                thread.flow.responded, thread.flow.responded_turn = said or thread.flow.responded, engine.state.turn
                thread.flow.responded_result = bool(engine.turn.outbox) and engine.turn.outbox[-1].result
        case nodes.SetVariables():
            actions.set_variables(engine, thread, action.assignments)
        case nodes.Clear():
            actions.clear_names(engine, thread, action)
        case nodes.Transform():
            problem = actions.transform(engine, thread, action)
            if problem is not None:
                span = engine.program(thread).span(action)
                return errors.handle(
                    engine, thread, "RUN007", "transform.no_array", problem, kind="validation_error", span=span
                )
        case nodes.Log():
            actions.log(engine, thread, action)
        case nodes.Setting() if action.keyword in actions.LANGUAGE_ACTIONS:
            actions.interaction_language(engine, thread, action)
        case nodes.Gather():
            return gathering.gather(engine, thread, action)
        case nodes.Call():
            return calls.call(engine, thread, action)
        case nodes.Check():
            return checks.check(engine, thread, action)
        case nodes.Transition():
            return follow(engine, thread, action)
        case Select():
            return choose(engine, thread, action)
        case CallFailed():
            return calls.unhandled(engine, thread, action)
        case GatherFailed():
            gathering.go_on_asking(thread, action)
        case Input():
            return handlers.on_input(engine, thread, step_of(engine, thread))
        case Leave():
            return _finish(engine, thread)
        case Resume():
            return handlers.resume(engine, thread, action)
        case Zone():
            return reasoning.zone(engine, thread, step_of(engine, thread))
        case _:
            _not_executed(engine, thread, action)
    return Signal.NEXT


def _not_executed(engine: Engine, thread: Thread, action: nodes.Directive) -> None:
    keyword = action.keyword
    if keyword == "RESUME":
        return
    span = engine.program(thread).span(action)
    engine.recorder.not_executed(keyword, "this runner does not carry it out", span)


def _finish(engine: Engine, thread: Thread) -> Signal:
    """The end of a step: THEN, the chain's next step, or the implicit end."""
    signal = follow_then(engine, thread, step_of(engine, thread))
    if signal is not None:
        return signal
    leave(engine, thread, "implicit_end", None)
    return end(engine, thread, "complete", "no_transition")


def follow_then(engine: Engine, thread: Thread, step: StepPlan) -> Signal | None:
    """Take a step's THEN, its own or that of a chain (06 §2 D); None when it has neither."""
    if step.then is not None:
        return follow(engine, thread, step.then)
    plan = plan_of(engine, thread)
    following = plan.after(step.name) if plan.flow.shape == "D" else None
    if following is None or step.name not in {name.value for name in plan.flow.listed}:
        return None
    return go(engine, thread, following, "then")


def choose(engine: Engine, thread: Thread, select: Select, *, keep_place: bool = False) -> Signal:
    """Run the first branch whose condition holds; all are judged on the state before the list (06 §6.1)."""
    program = engine.program(thread)
    for index, (branch, key) in enumerate(zip(select.branches, select.keys, strict=True)):
        if select.lenient and branch.condition is None:
            continue
        formula = program.condition(branch.condition) if branch.condition is not None else None
        before = thread.variables.get("match")
        outcome = engine.evaluate(thread, formula) if formula is not None else None
        held = outcome is None or outcome.holds
        names = formula.names if formula is not None else ()
        data = {"list": select.kind, "index": index, "condition": formula.text if formula else None, "held": held,
                "values": engine.refs(thread, names)}  # fmt: skip
        if outcome is not None and outcome.error:
            data["error"] = outcome.error
        engine.recorder.emit("branch", data, status="ok" if held else "skipped", span=program.span(branch))
        if held:
            if keep_place:
                thread.flow.frames[-1][1] -= 1
            thread.flow.frames.append([key, 0])
            thread.flow.taken.append(key)
            return Signal.NEXT
        if outcome is not None and outcome.match is not None:
            _put_match_back(thread, before)
    return Signal.NEXT


def _put_match_back(thread: Thread, before: Any) -> None:
    """A branch that is not taken cannot influence the conditions of its siblings."""
    if before is None:
        thread.variables.pop("match", None)
    else:
        thread.variables["match"] = before
