"""Running a flow: the loop over actions (docs/spec 06 §8, §9).

The position is a stack of frames in the thread's state, so a flow can stop between any two actions and continue later,
even in another process. ``PERFORM`` maps kinds of actions to the functions that perform them; the signal that a
function returns says what the loop does next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from abl.language.written import Lines
from abl.runtime.agents import profiles
from abl.runtime.constraints.checks import check
from abl.runtime.flow import actions, calls, gathering, languages, steps
from abl.runtime.flow.branches import choose
from abl.runtime.flow.signals import Signal
from abl.runtime.plan.action_lists import CallFailed, GatherFailed, Input, Leave, Resume, Select, Zone
from abl.runtime.turn import handlers, left_out, reasoning
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def run(engine: Engine, thread: Thread) -> Signal:
    """RUN_FLOW: from the entry, or from where the flow waits, until it waits, ends or loses control."""
    flow = thread.flow
    plan = steps.plan_of(engine, thread)
    if flow.status in {"idle", "ended"} or (flow.step is not None and flow.step not in plan.steps):
        flow.status = "running"
        engine.recorder.emit("flow.start", {"entry": plan.entry}, span=engine.program(thread).span(plan.flow))
        signal = steps.enter(engine, thread, plan.entry or "")
    elif flow.reason == steps.HALT:
        flow.status = "running"
        signal = steps.enter(engine, thread, flow.step or plan.entry or "", through=False)
    else:
        flow.status = "running"
        signal = steps.count_iteration(engine, thread)
    return proceed(engine, thread) if signal is Signal.NEXT else signal


def proceed(engine: Engine, thread: Thread, stop: Callable[[Any], bool] | None = None) -> Signal:
    """Perform actions until one stops the run; ``stop`` ends it before an action that must wait for T11."""
    flow = thread.flow
    lists = steps.plan_of(engine, thread).lists
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


# Actions ---------------------------------------------------------------------------------------------------------


def perform(engine: Engine, thread: Thread, action: Any) -> Signal:
    """Run one action of a list."""
    return PERFORM.get(type(action), _not_executed)(engine, thread, action)


def _respond(engine: Engine, thread: Thread, action: nodes.Respond) -> Signal:
    if calls.silenced(thread):
        return Signal.NEXT
    beside, text = _elements(engine, thread), None
    if len(thread.flow.frames) == 1 and (override := profiles.step(engine, thread, thread.flow.step)) is not None:
        text = override.text("respond")
        parts = [(key, override.lines(key)) for key in ("RICH_CONTENT", "VOICE")]
        beside += [(key, found) for key, found in parts if isinstance(found, nodes.Block)]
    said = actions.respond(engine, thread, action, beside=beside, instead=text)
    if len(thread.flow.frames) == 1:  # the step's own words, not those of a branch or handler
        thread.flow.responded, thread.flow.responded_turn = said or thread.flow.responded, engine.state.turn
        thread.flow.responded_result = bool(engine.turn.outbox) and engine.turn.outbox[-1].result
    return Signal.NEXT


def _elements(engine: Engine, thread: Thread) -> list[tuple[str, Lines]]:
    """ACTIONS that stand behind the message in its list: they are shown below it."""
    frames = thread.flow.frames
    if not frames:
        return []
    listed, at = steps.plan_of(engine, thread).lists[frames[-1][0]], frames[-1][1]
    following = listed[at] if at < len(listed) else None
    is_actions = isinstance(following, nodes.Setting) and following.keyword == "ACTIONS"
    return [("ACTIONS", following.block)] if is_actions and following.block is not None else []  # type: ignore[union-attr]


def _set(engine: Engine, thread: Thread, action: nodes.SetVariables) -> Signal:
    actions.set_variables(engine, thread, action.assignments)
    return Signal.NEXT


def _clear(engine: Engine, thread: Thread, action: nodes.Clear) -> Signal:
    actions.clear_names(engine, thread, action)
    return Signal.NEXT


def _transform(engine: Engine, thread: Thread, action: nodes.Transform) -> Signal:
    problem = actions.transform(engine, thread, action)
    if problem is None:
        return Signal.NEXT
    span = engine.program(thread).span(action)
    return steps.handle(engine, thread, "RUN007", "transform.no_array", problem, kind="validation_error", span=span)


def _log(engine: Engine, thread: Thread, action: nodes.Log) -> Signal:
    actions.log(engine, thread, action)
    return Signal.NEXT


def _setting(engine: Engine, thread: Thread, action: nodes.Setting) -> Signal:
    if action.keyword == "ACTIONS":
        return Signal.NEXT  # shown below the message before it
    if action.keyword == "ON_RETURN":
        return Signal.NEXT  # of the DELEGATE before it
    if action.keyword == "DELEGATE":
        actions.delegate(engine, thread, action, _back(engine, thread))
        return Signal.WAIT if engine.state.escalated else Signal.NEXT
    if action.keyword not in languages.LANGUAGE_ACTIONS:
        return _not_executed(engine, thread, action)
    languages.act(engine, thread, action)
    return Signal.NEXT


def _back(engine: Engine, thread: Thread) -> nodes.Block | None:
    """The ON_RETURN of the action that is performed."""
    if not thread.flow.frames:
        return None
    key, at = thread.flow.frames[-1]
    return actions.back_of(steps.plan_of(engine, thread).lists[str(key)][at:])


def _follow(engine: Engine, thread: Thread, action: nodes.Transition) -> Signal:
    if action.agent is not None and _back(engine, thread) is not None:
        why = "the ON_RETURN of the HANDOFF entry counts"
        engine.recorder.not_executed("handoff.on_return", why, engine.program(thread).span(action))
    return steps.follow(engine, thread, action)


def _go_on_asking(engine: Engine, thread: Thread, action: GatherFailed) -> Signal:
    gathering.go_on_asking(thread, action)
    return Signal.NEXT


def _input(engine: Engine, thread: Thread, _: Input) -> Signal:
    return handlers.on_input(engine, thread, steps.step_of(engine, thread))


def _zone(engine: Engine, thread: Thread, _: Zone) -> Signal:
    return reasoning.zone(engine, thread, steps.step_of(engine, thread))


def _finish(engine: Engine, thread: Thread, _: Leave) -> Signal:
    """The end of a step: THEN, the chain's next step, or the implicit end."""
    signal = steps.follow_then(engine, thread, steps.step_of(engine, thread))
    return signal if signal is not None else steps.finish(engine, thread)


def _not_executed(engine: Engine, thread: Thread, action: nodes.Directive) -> Signal:
    keyword = action.keyword
    if keyword in ("RESUME", "RETURN") or left_out.is_told(engine, thread, action):
        return Signal.NEXT
    span = engine.program(thread).span(action)
    engine.recorder.not_executed(keyword, "this runner does not carry it out", span)
    return Signal.NEXT


PERFORM: Mapping[type, Callable[[Engine, Thread, Any], Signal]] = {
    nodes.Respond: _respond,
    nodes.SetVariables: _set,
    nodes.Clear: _clear,
    nodes.Transform: _transform,
    nodes.Log: _log,
    nodes.Setting: _setting,
    nodes.Gather: gathering.gather,
    nodes.Call: calls.call,
    nodes.Check: check,
    nodes.Transition: _follow,
    Select: choose,
    CallFailed: calls.unhandled,
    GatherFailed: _go_on_asking,
    Input: _input,
    Leave: _finish,
    Resume: handlers.resume,
    Zone: _zone,
}
"""Kind of action -> the function that performs it."""
