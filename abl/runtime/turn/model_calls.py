"""A call that the model makes, and ON_ERROR where it fails (docs/spec 08 §7, 09 §8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.flow import errors, steps
from abl.runtime.flow.signals import Exit, Signal
from abl.runtime.moves import Complete, Escalate, HandOver, Move
from abl.runtime.tools.calling import call_tool
from abl.runtime.tools.invocation import Called

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

MENDED_BY_MODEL = frozenset(
    {"missing_argument", "invalid_argument", "unknown_tool", "declined", "blocked", "process_failed", "refused"}
)
"""Failures of calls that were never made: the model is told of them and asks differently."""


def call_of_model(engine: Engine, thread: Thread, name: str, args: dict[str, Any], span: Any) -> Called:
    """The call, made again as often as RETRY of the handler says; its SET, LOG and RESPOND come once, before that."""
    spent = 0
    while True:
        called = call_tool(engine, thread, name, args, origin="model", span=span, may_ask=True)
        handler = handler_of(engine, thread, called)
        if handler is None:
            return called
        if spent == 0:
            errors.say(engine, thread, handler)
        if spent >= errors.retries(handler):
            return called
        spent += 1
        data = {"tool": name, "n": spent, "delay": errors.retry_delay(handler, spent)}
        engine.recorder.emit("call.retry", data, span=engine.program(thread).span(handler.block))


def handler_of(engine: Engine, thread: Thread, called: Called) -> errors.Handler | None:
    """The handler of a call that was made and failed; of one that was not made only a handler of its subtype."""
    if called.error is None or called.blocked is not None or called.asked or engine.state.escalated:
        return None
    found = called.error.get("error", called.error)
    details = {"type": "tool_error", **(found if isinstance(found, dict) else {})}
    handler = errors.find(engine, thread, details)
    subtype = str(details.get("subtype", ""))
    if handler is not None and subtype in MENDED_BY_MODEL and subtype not in handler.subtypes:
        return None
    return handler


def leave(engine: Engine, thread: Thread, called: Called) -> Signal | None:
    """THEN of the handler of a failed call; None when the model continues, which is told of the failure."""
    handler = handler_of(engine, thread, called)
    if handler is None:
        return None
    if thread.flow.step:
        signal = steps.go_on(engine, thread, handler)
        return None if signal is Signal.NEXT else signal
    found = errors.exit_of(engine, thread, handler)
    move = _move(found) if found is not None else None
    if move is None or not engine.move(thread, move):
        return None
    return Signal.MOVED


def _move(found: Exit) -> Move | None:
    """Outside of a flow there are no steps to go back to."""
    match found.target:
        case "ESCALATE":
            return Escalate(found.reason, found.span)
        case "HANDOFF":
            return HandOver(found.agent or "", found.span)
        case "COMPLETE":
            return Complete()
        case _:
            return None
