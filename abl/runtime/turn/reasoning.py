"""The reasoning zone of a step and the turn of an agent without a flow (docs/spec 06 §4.1, 09 §3).

With a model the zone runs. Without one the assembled prompt is in the trace and the session waits: a tester gives the
agent's reply with ``act("reasoning.reply", text)`` or leaves the step with ``act("reasoning.leave", None)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.constraints.on_fail import Verdict, act
from abl.runtime.evaluation import Formula
from abl.runtime.events.recorder import shortened
from abl.runtime.flow import steps
from abl.runtime.flow.signals import Signal
from abl.runtime.plan.flow import StepPlan
from abl.runtime.ports import ModelReply, ToolError
from abl.runtime.tools import confirm
from abl.runtime.tools.exits import move_of
from abl.runtime.tools.invocation import Called
from abl.runtime.turn import model_calls
from abl.runtime.turn.presenting import presented, shows_result
from abl.runtime.turn.prompt import CALLS, Prompt, allowed_tools, prompt_of

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

MAX_TOOL_LOOPS = 10
MAX_TURNS = 10
REPLY, LEAVE = "reasoning.reply", "reasoning.leave"


def zone(engine: Engine, thread: Thread, step: StepPlan) -> Signal:
    """The reasoning zone (06 §4.1, rules 1–5)."""
    program = engine.program(thread)
    limit = step.step.value("MAX_TURNS") or MAX_TURNS
    turns_key = f"zone:{step.name}"
    exit_when = step.setting("EXIT_WHEN")
    formula = program.condition(exit_when) if exit_when is not None else None
    if confirm.agreed(thread, "model") is None:
        if _satisfied(engine, thread, formula, step) or thread.system.pop("_leave_zone", False):
            return _done(thread, turns_key)
        if thread.system.get(turns_key, 0) >= limit:
            engine.recorder.emit("log", {"text": f"left after {limit} turns", "level": "info", "reason": "max_turns"})
            return _done(thread, turns_key)
    replied = _one_turn(engine, thread, step, formula)
    if replied is None:
        return steps.wait(engine, thread, "reasoning")
    if replied is Signal.NEXT:
        return _done(thread, turns_key)
    if isinstance(replied, Signal):
        return replied
    thread.system[turns_key] = thread.system.get(turns_key, 0) + 1
    if formula is None or _satisfied(engine, thread, formula, step):
        return _done(thread, turns_key)
    return steps.wait(engine, thread, "reasoning")


def _done(thread: Thread, turns_key: str) -> Signal:
    thread.system.pop(turns_key, None)
    return Signal.NEXT


def _satisfied(engine: Engine, thread: Thread, formula: Formula | None, step: StepPlan) -> bool:
    if formula is None:
        return False
    if formula.node is None:
        span = engine.program(thread).span(step.step)
        engine.recorder.not_executed("exit_when", "a sentence needs a model; it stays false", span, text=formula.text)
        return False
    return engine.holds(thread, formula)


def _one_turn(engine: Engine, thread: Thread, step: StepPlan | None, formula: Formula | None) -> str | Signal | None:
    """One reply of the model or tester; None when there is nobody to give it, a signal when it ended otherwise."""
    given = engine.turn.typed_reply
    if given is not None:
        engine.turn.typed_reply = None
        thread.system.pop(CALLS, None)
        _reply(engine, thread, given, "tester")
        return given
    ended = _loop(engine, thread, step, formula)
    if not confirm.pending(thread):
        thread.system.pop(CALLS, None)
    return ended


def _reply(engine: Engine, thread: Thread, text: str, by: str) -> None:
    """Say a model's words; RICH_CONTENT and ACTIONS of an agent without FLOW go with them (09 §14)."""
    program = engine.program(thread)
    written = program.shown_parts if program.flow is None else ()
    result = thread.called or shows_result(thread, written)
    shown = presented(engine, thread, written)
    engine.say(thread, text, kind="reply", event="respond", data={"by": by, **shown}, result=result)


def _loop(engine: Engine, thread: Thread, step: StepPlan | None, formula: Formula | None) -> str | Signal | None:
    """Ask the model and run its calls until it replies; first the call that the user has just been asked about."""
    program = engine.program(thread)
    limit = (
        program.execution.given("max_reasoning_iterations")
        or program.execution.given("max_iterations")
        or MAX_TOOL_LOOPS
    )
    span = _span(engine, thread, step)
    answered = confirm.agreed(thread, "model")
    waiting = ModelReply(call=answered["tool"], args=answered["values"]) if answered is not None else None
    for _ in range(limit):
        answer = waiting or _ask(engine, thread, step, span)
        waiting = None
        if answer is None:
            return None
        if answer.call is None:
            _reply(engine, thread, answer.reply or "", "model")
            return answer.reply or ""
        signal = _tool(engine, thread, step, answer)
        if signal is not None:
            return signal
        if step is not None and _satisfied(engine, thread, formula, step):
            return Signal.NEXT
    engine.fail(thread, "RUN002", "reasoning_limit", f"more than {limit} tool calls in one turn", span)
    return None


def _span(engine: Engine, thread: Thread, step: StepPlan | None) -> Any:
    program = engine.program(thread)
    return program.span(step.step if step is not None else program.agent)


def _ask(engine: Engine, thread: Thread, step: StepPlan | None, span: Any) -> ModelReply | None:
    """One request to the model; None when nobody answers, which is recorded with the request."""
    prompt = prompt_of(engine, thread, step)
    _record_memory(engine, thread, prompt, span)
    shown = prompt.shown(engine.recorder)
    answer = engine.model.next(prompt.data, engine.state.model_memory) if engine.model is not None else None
    if answer is None:
        why = "no model is configured" if engine.model is None else "the scripted model has no more lines"
        engine.recorder.not_executed("reasoning", why, span, request=shown)
        return None
    engine.recorder.emit("model.request", shown, span=span)
    data = {"reply": answer.reply, "call": answer.call, "args": dict(answer.args)}
    engine.recorder.emit("model.response", shortened(engine.recorder.shown(data)), span=span)
    return answer


def ask_again(engine: Engine, thread: Thread, said: str, why: str | None) -> str | None:
    """Another reply of the model in place of one that a guardrail refused; None when it gives none (09 §11)."""
    flow_plan = engine.program(thread).flow
    step = flow_plan.steps.get(thread.flow.step or "") if flow_plan is not None else None
    prompt = prompt_of(engine, thread, step)
    reason = f" {why}" if why else ""
    prompt.data["system_reminders"] = [
        *(prompt.data["system_reminders"] or ()),
        {"content": f"Your reply was refused.{reason} Reply again. The refused reply: {said}"},
    ]
    answer = engine.model.next(prompt.data, engine.state.model_memory) if engine.model is not None else None
    if answer is None:
        return None
    span = _span(engine, thread, step)
    engine.recorder.emit("model.request", prompt.shown(engine.recorder), span=span)
    data = {"reply": answer.reply, "call": answer.call, "args": dict(answer.args)}
    engine.recorder.emit("model.response", shortened(engine.recorder.shown(data)), span=span)
    return answer.reply if answer.call is None else None


def _record_memory(engine: Engine, thread: Thread, prompt: Prompt, span: Any) -> None:
    """What memory put into the request and what was cut: once a turn, and again when it is no longer the same."""
    if prompt.memory is not None and engine.turn.memory_shown.get(thread.agent) != prompt.memory:
        engine.turn.memory_shown[thread.agent] = prompt.memory
        engine.recorder.emit("context", {"memory": shortened(engine.recorder.shown(prompt.memory))}, span=span)


def _tool(engine: Engine, thread: Thread, step: StepPlan | None, answer: ModelReply) -> Signal | None:
    """A call of the model; None when the model continues. A rule that blocks the call ends the model's turn (04 §5)."""
    name, args, span = answer.call or "", dict(answer.args), _span(engine, thread, step)
    allowed = allowed_tools(step)
    if allowed is not None and name not in allowed:
        error = ToolError(subtype="unknown_tool", message=f"{name} is none of the tools of this step")
        called = Called(error=error.envelope())
        data = {"tool": name, "status": "failed", "error": called.error, "ms": 0, "mode": "none", "generated": False}
        engine.recorder.emit("call.end", data, status="failed", span=span)
    else:
        called = model_calls.call_of_model(engine, thread, name, args, span)
    if called.asked:
        return _wait(engine, thread, confirm.WAITING)
    thread.confirm = None
    if engine.state.escalated:  # a guardrail of the call called a human
        return Signal.MOVED
    if called.blocked is None:
        outcome = {"result": called.result} if called.error is None else {"error": called.error}
        thread.system[CALLS] = [*thread.system.get(CALLS, ()), {"tool": name, "args": args, **outcome}]
        return _exit(engine, thread, called)
    match act(engine, thread, called.blocked):
        case Verdict.MOVED:
            return Signal.MOVED
        case Verdict.AGAIN:
            return _tool(engine, thread, step, answer)
        case Verdict.JUMP:
            return steps.take(engine, thread, called.blocked.action["target"] or "", "goto", by_rule=True)
        case _:
            return _wait(engine, thread, "reasoning")


def _wait(engine: Engine, thread: Thread, reason: str) -> Signal:
    if thread.flow.step:
        return steps.wait(engine, thread, reason)
    thread.system["_waiting"] = reason
    return Signal.WAIT


def _exit(engine: Engine, thread: Thread, called: Called) -> Signal | None:
    """Where the tool's own ``do`` list leads: a transition inside a flow, HANDOFF and the like outside."""
    if called.exit is None:
        return model_calls.leave(engine, thread, called)
    if thread.flow.step:
        return steps.follow(engine, thread, called.exit)
    move = move_of(engine, thread, called.exit, "model")
    return Signal.MOVED if move is not None and engine.move(thread, move) else None


def agent_turn(engine: Engine, thread: Thread) -> Signal:
    """The reasoning loop of an agent without a flow (T11)."""
    replied = _one_turn(engine, thread, None, None)
    if replied is Signal.MOVED:
        return Signal.MOVED
    return Signal.WAIT if replied is None or isinstance(replied, Signal) else Signal.NEXT
