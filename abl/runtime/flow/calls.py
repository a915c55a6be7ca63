"""CALL in a flow and what follows it (docs/spec 06 §5.8, §6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.constraints import checks
from abl.runtime.constraints.on_fail import Verdict, act
from abl.runtime.flow import errors, steps
from abl.runtime.flow.signals import Signal
from abl.runtime.plan.action_lists import CallFailed
from abl.runtime.tools import confirm
from abl.runtime.tools.arguments import arguments_of
from abl.runtime.tools.binding import bind_blocked
from abl.runtime.tools.calling import call_tool, recall_before
from abl.runtime.tools.invocation import Called
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.constraints.failures import Failure
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def call(engine: Engine, thread: Thread, action: nodes.Call) -> Signal:
    """Run a tool; its branches are pushed on the stack."""
    signal = _call(engine, thread, action)
    if thread.flow.status != "waiting" or thread.flow.reason != confirm.WAITING:
        thread.confirm = None
    return signal


def _call(engine: Engine, thread: Thread, action: nodes.Call) -> Signal:
    program = engine.program(thread)
    span = program.span(action)
    if action.tool is None:
        return Signal.NEXT
    tool = action.tool.value
    position = thread.flow.frames[-1]
    key = f"{position[0]}/{position[1] - 1}"
    as_name = action.as_.value if action.as_ is not None else None
    thread.system.pop("_blocked", None)
    while True:
        recall_before(engine, thread, tool)
        arguments, sensitive = arguments_of(engine, thread, action, None)
        called = call_tool(
            engine,
            thread,
            tool,
            arguments,
            origin="flow",
            span=span,
            as_name=as_name,
            may_ask=True,
            sensitive=sensitive,
        )
        if called.asked:
            return steps.wait(engine, thread, confirm.WAITING)
        if engine.state.escalated:  # a guardrail of the call called a human
            steps.end(engine, thread, "escalate", "escalate")
            return Signal.MOVED
        if called.blocked is None and called.error is not None and _tries_again(engine, thread, called, key, tool):
            continue
        if called.exit is not None:
            return steps.follow(engine, thread, called.exit)
        if called.blocked is None:
            return _route(engine, thread, called, key)
        verdict = act(engine, thread, called.blocked)
        match verdict:
            case Verdict.AGAIN:
                continue
            case Verdict.COLLECTING:
                return steps.wait(engine, thread, "gather")
            case Verdict.STEP_AGAIN:
                return steps.take(engine, thread, thread.flow.step or "", "retry")
            case Verdict.JUMP:
                return steps.take(engine, thread, called.blocked.action["target"] or "", "goto", by_rule=True)
            case Verdict.MOVED:
                steps.wait(engine, thread, "handoff")  # when control returns, the call is made again
                return Signal.MOVED
            case _:
                bind_blocked(engine, thread, tool, as_name, span)
                return _blocked(engine, thread, called.blocked, key)


def _tries_again(engine: Engine, thread: Thread, called: Called, key: str, tool: str) -> bool:
    """RETRY of the matching ON_ERROR handler; its message is said once, before the first retry (09 §8)."""
    handler = errors.find(engine, thread, _details(called.error))
    limit = errors.retries(handler)
    spent = engine.turn.bounds.get(f"retry:{key}", 0)
    if handler is None or spent >= limit:
        return False
    if spent == 0:
        errors.say(engine, thread, handler)
    engine.turn.bounds[f"retry:{key}"] = spent + 1
    data = {"tool": tool, "n": spent + 1, "delay": errors.retry_delay(handler, spent + 1)}
    engine.recorder.emit("call.retry", data, span=engine.program(thread).span(handler.block))
    return True


def _details(envelope: dict[str, Any] | None) -> dict[str, Any]:
    found = (envelope or {}).get("error", envelope)
    return {"type": "tool_error", **found} if isinstance(found, dict) else {"type": "tool_error"}


def _route(engine: Engine, thread: Thread, called: Called, key: str) -> Signal:
    routes = f"{key}/+" if called.error is None else f"{key}/-"
    if routes in steps.plan_of(engine, thread).lists:
        thread.flow.frames.append([routes, 0])
    return Signal.NEXT


def _blocked(engine: Engine, thread: Thread, failure: Failure, key: str) -> Signal:
    """A blocked call counts as failed; the failure branch keeps silent where ON_FAIL has spoken (04 §5)."""
    thread.system["_blocked"] = {"spoke": failure.message is not None, "key": key}
    return _route(engine, thread, Called(error={}), key)


def silenced(thread: Thread) -> bool:
    """True inside the failure branches of a call that a rule blocked with words of its own."""
    blocked = thread.system.get("_blocked")
    if not blocked or not blocked["spoke"]:
        return False
    inside = (f"{blocked['key']}/on_failure/", f"{blocked['key']}/on_result/")
    return any(str(frame[0]).startswith(inside) for frame in thread.flow.frames)


def unhandled(engine: Engine, thread: Thread, action: CallFailed) -> Signal:
    """After the failure branches: go on when one ran, else ON_FAIL of the call, else the error message (06 §6.2)."""
    key = str(thread.flow.frames[-1][0])
    prefix = key[: -len("/-")]
    blocked = thread.system.pop("_blocked", None)
    branched = any(m.startswith((f"{prefix}/on_failure/", f"{prefix}/on_result/")) for m in thread.flow.taken)
    if branched:
        return Signal.NEXT
    on_fail = action.call.on_fail
    if on_fail is not None and on_fail.form != "branches" and not action.call.on_failure:
        return checks.fail(engine, thread, on_fail, rule=f"{key}#call", silent=bool(blocked and blocked["spoke"]))
    if blocked is not None:
        return steps.halt(engine, thread)
    error = _details(thread.variables.get("call_result"))
    handler = errors.find(engine, thread, error)
    if handler is not None:
        if not engine.turn.bounds.get(f"retry:{prefix}"):
            errors.say(engine, thread, handler)
        return steps.go_on(engine, thread, handler)
    span = engine.program(thread).span(action.call)
    engine.fail(thread, "RUN009", f"tool.{error.get('subtype', 'failed')}", str(error.get("message", "")), span)
    return steps.halt(engine, thread)
