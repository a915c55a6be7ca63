"""Calling a tool (docs/spec 08 §8): arguments, the constraint pass, consent, execution with retries, binding."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abl.language import words_at
from abl.runtime.agents import profiles
from abl.runtime.constraints.failures import Failure
from abl.runtime.constraints.on_fail import Verdict, act
from abl.runtime.constraints.passes import run_pass
from abl.runtime.constraints.points import Point
from abl.runtime.events.recorder import note
from abl.runtime.flow import errors
from abl.runtime.guardrails import judging as guardrails
from abl.runtime.memory import tools as memory_tools
from abl.runtime.memory.triggers import recall
from abl.runtime.plan.refusing import refused
from abl.runtime.ports import ToolError, ToolResult
from abl.runtime.tools import confirm, process, result_shape
from abl.runtime.tools.arguments import Arguments, arguments_of, resolve
from abl.runtime.tools.attempts import attempts
from abl.runtime.tools.binding import bind, bind_blocked
from abl.runtime.tools.invocation import Called, Invocation, entry_of
from abl.runtime.tools.request import request_of
from abl.runtime.turn import left_out
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

BUILT_IN = frozenset({"call_transfer", "transfer_to_agent", "ivr_digit_input", "get_attachment", "list_attachments"})
NEVER_EXECUTED = frozenset(words_at("tool", "TYPE")) - {"http"}
MAX_NESTED_CALLS = 10
"""Calls inside of each other's ``do`` lists."""


def call_tool(
    engine: Engine,
    thread: Thread,
    name: str,
    explicit: dict[str, Any],
    *,
    origin: str,
    span: Any,
    as_name: str | None = None,
    may_ask: bool = False,
    sensitive: frozenset[str] = frozenset(),
) -> Called:
    """Run the call sequence; a blocked call binds nothing, the caller lets the rule's ON_FAIL act.

    ``may_ask``: the caller can wait while the user is asked for consent; without it such a call fails as declined.
    """
    tool = engine.program(thread).tools.get(name)
    memory = memory_tools.available(engine, thread).get(name) if tool is None else None
    call = Invocation(name, tool, origin, span, as_name, memory, may_ask, sensitive)
    if name in profiles.hidden_tools(engine, thread):
        return _failed(engine, thread, call, ToolError(subtype="unknown_tool", message=f"a profile hides {name!r}"))
    if tool is None and memory is None and engine.program(thread).tools and name not in BUILT_IN:
        return _failed(engine, thread, call, ToolError(subtype="unknown_tool", message=f"no tool {name!r}"))
    why = refused(engine, thread, tool) if tool is not None else None
    if why is not None:
        return _failed(engine, thread, call, ToolError(subtype="refused", message=why))
    left_out.tell_tool(engine, thread, name)
    if origin == "model":
        recall_before(engine, thread, name)  # the other callers do it before they evaluate their arguments
    arguments = _arguments(engine, thread, call, explicit)
    failure = run_pass(engine, thread, Point("tool_call", name, origin))
    if failure is not None:
        return Called(blocked=failure)
    stopped = _stopped(engine, thread, call, arguments)
    if stopped is not None:
        return stopped if stopped.asked else replace(stopped, exit=bind(engine, thread, call, stopped, _nested))
    _note_not_executed(engine, engine.program(thread), call)
    called = _guarded_output(engine, thread, call, _execute(engine, thread, call, arguments))
    called = process.after(engine, thread, call, called)
    leads_to = bind(engine, thread, call, called, _nested)
    recall(engine, thread, f"tool:{name}:after", "tool:*:after")
    return replace(called, exit=leads_to)


def _arguments(engine: Engine, thread: Thread, call: Invocation, explicit: dict[str, Any]) -> Arguments:
    if call.memory is not None:
        problem = call.memory.problem(explicit) or memory_tools.secret_problem(
            engine, call.memory, explicit, call.sensitive
        )
        return Arguments(
            explicit, dict.fromkeys(explicit, "explicit"), [], problem, sensitive=set(call.sensitive & explicit.keys())
        )
    return resolve(engine, thread, call.tool, explicit, call.sensitive)


def _stopped(engine: Engine, thread: Thread, call: Invocation, arguments: Arguments) -> Called | None:
    """What the call came to before it was made: wrong arguments, ``process.before``, consent; None = continue."""
    if arguments.problem is None and arguments.missing:
        missing = ", ".join(arguments.missing)
        arguments.problem = ToolError(subtype="missing_argument", message=f"{call.name} needs {missing}")
    if arguments.problem is not None:
        return _ended(engine, call, arguments.problem)
    processed = process.before(engine, thread, call, arguments)
    if processed is not None:
        if processed.error is not None:
            return _ended(engine, call, ToolError(**processed.error["error"]))
        return processed
    if (guarded := _guarded_input(engine, thread, call, arguments)) is not None:
        return guarded
    if call.tool is None or not confirm.required(call.tool):
        return None
    if not call.may_ask:
        return _ended(engine, call, confirm.refused(call.name, call.origin))
    match confirm.verdict(engine, thread, call, arguments):
        case "ask":
            return Called(asked=True)
        case "no":
            return _ended(engine, call, ToolError(subtype="declined", message=f"{call.name} was declined"))
        case _:
            return None


def _guarded_input(engine: Engine, thread: Thread, call: Invocation, arguments: Arguments) -> Called | None:
    """Guardrails `tool_input`: what they change is what is sent; a call that they stop fails as blocked."""
    ruling = guardrails.judge(engine, thread, "tool_input", arguments.values)
    if ruling.by is not None:
        return _ended(engine, call, guardrails.stopped_call(engine, thread, ruling, call.name))
    if ruling.value is not arguments.values:
        arguments.values.clear()
        arguments.values.update(ruling.value)
    return None


def _guarded_output(engine: Engine, thread: Thread, call: Invocation, called: Called) -> Called:
    """Guardrails `tool_output`, over a result."""
    if called.error is not None or called.result is None:
        return called
    ruling = guardrails.judge(engine, thread, "tool_output", called.result)
    if ruling.by is None:
        return replace(called, result=ruling.value)
    return Called(error=guardrails.stopped_call(engine, thread, ruling, call.name).envelope())


def _nested(engine: Engine, thread: Thread, action: nodes.Call, local: dict[str, Any]) -> nodes.Transition | None:
    """CALL inside a ``do`` list; it cannot wait for consent. Its own exit is the list's."""
    span = engine.program(thread).span(action)
    if action.tool is None:
        return None
    if engine.turn.nested_calls >= MAX_NESTED_CALLS:
        engine.recorder.error("RUN002", "nested_calls", f"more than {MAX_NESTED_CALLS} nested calls", span)
        return None
    engine.turn.nested_calls += 1
    recall_before(engine, thread, action.tool.value)
    given, sensitive = arguments_of(engine, thread, action, local)
    as_name = action.as_.value if action.as_ is not None else None
    called = call_tool(
        engine, thread, action.tool.value, given, origin="do", span=span, as_name=as_name, sensitive=sensitive
    )
    engine.turn.nested_calls -= 1
    if called.blocked is not None:
        act_at_once(engine, thread, called.blocked, action, span)
    elif called.error is not None:
        handler = errors.find(engine, thread, {"type": "tool_error", **called.error.get("error", called.error)})
        if handler is not None:
            errors.say(engine, thread, handler)
    return called.exit


def act_at_once(engine: Engine, thread: Thread, failure: Failure, action: nodes.Call, span: Any) -> None:
    """A rule stopped a call where nothing can wait or jump: its words are said, the call counts as failed."""
    if failure.action["type"] in {"collect", "goto", "retry", "continue"}:
        failure.action = {**failure.action, "type": "respond"}
    if act(engine, thread, failure) is Verdict.BLOCKED and action.tool is not None:
        bind_blocked(engine, thread, action.tool.value, action.as_.value if action.as_ is not None else None, span)


def recall_before(engine: Engine, thread: Thread, name: str) -> None:
    """Recall `search:before` where the tool searches, before the arguments of its call are evaluated (03 §5)."""
    if _is_search(engine.program(thread).tools.get(name), name):
        recall(engine, thread, "search:before")


def _is_search(tool: nodes.Tool | None, name: str) -> bool:
    return entry_of(tool).value("TYPE") == "searchai" or name.startswith("search") or name.endswith("_search")


def _note_not_executed(engine: Engine, program: Program, call: Invocation) -> None:
    tool = call.tool
    if tool is None:
        return
    kind = entry_of(tool).value("TYPE")
    if kind in NEVER_EXECUTED:
        engine.recorder.not_executed("binding", f"{kind} tools are mocked", program.span(tool))


def _execute(engine: Engine, thread: Thread, call: Invocation, arguments: Arguments) -> Called:
    """Cache, then the port with its retries; the start and the end are events."""
    recorder, masker = engine.recorder, engine.masker(thread)
    shown_args = arguments.shown(masker)
    key = call.name + json.dumps(arguments.values, sort_keys=True, default=str) if _cacheable(call.tool) else None
    if key is not None and key in engine.state.call_cache:
        recorder.emit("call.cache_hit", {"tool": call.name, "args": shown_args}, span=call.span)
        return Called(engine.state.call_cache[key])
    data = {"tool": call.name, "args": shown_args, "sources": arguments.sources, "origin": call.origin}
    if request := request_of(engine, thread, call.tool, shown_args):
        data["request"] = request
    start = recorder.emit("call.start", data, span=call.span)
    with recorder.inside(start):
        result = attempts(engine, thread, call, arguments.values)
    called = _judge(result)
    if key is not None and called.error is None:
        engine.state.call_cache[key] = called.result
    failed = called.error is not None
    end: dict[str, Any] = {
        "tool": call.name,
        "status": "failed" if failed else "ok",
        "ms": result.delay_ms,
        "mode": result.mode,
        "generated": result.generated,
        "error" if failed else "result": masker.shown("call_result", called.error if failed else called.result),
    }
    if result.generated:
        end["notes"] = [note("RUN010", "mock.generated", f"no mock case for {call.name}; a sample was made", "info")]
    recorder.emit("call.end", end, status=end["status"], span=call.span, parent=start["seq"])
    if not failed and not result.generated:
        result_shape.tell(engine, call, called.result)
    return called


def _judge(result: ToolResult) -> Called:
    if result.error is not None:
        return Called(error=result.error.envelope())
    if isinstance(result.value, dict) and result.value.get("success") is False:
        return Called(error=result.value)
    return Called(result.value)


def _cacheable(tool: nodes.Tool | None) -> bool:
    return bool(entry_of(tool).below("HINTS").value("cacheable"))


def _ended(engine: Engine, call: Invocation, error: ToolError) -> Called:
    """A call that is never executed: recorded as ended without a start."""
    called = Called(error=error.envelope())
    data = {"tool": call.name, "status": "failed", "error": called.error, "ms": 0, "mode": "none", "generated": False}
    engine.recorder.emit("call.end", data, status="failed", span=call.span)
    return called


def _failed(engine: Engine, thread: Thread, call: Invocation, error: ToolError) -> Called:
    """A call that ends before its sequence began, bound like any failure."""
    called = _ended(engine, call, error)
    return replace(called, exit=bind(engine, thread, call, called, _nested))
