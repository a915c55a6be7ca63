"""What a finished call changes: variables, counters, ``on_result`` / ``on_error`` (docs/spec 06 §5.8, 08 §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.flow.detours import wrote_result
from abl.runtime.flow.variables import assign, misfit
from abl.runtime.ports import ToolError
from abl.runtime.tools.invocation import Called, Invocation
from abl.runtime.tools.outcomes import Nested, Outcome
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def bind_blocked(engine: Engine, thread: Thread, name: str, as_name: str | None, span: Any) -> None:
    """A call that a rule blocked counts as failed with ``tool_error/blocked`` (docs/spec 04 §5)."""
    error = ToolError(subtype="blocked", code="blocked", message=f"a rule blocked {name}")
    call = Invocation(name, engine.program(thread).tools.get(name), "blocked", span, as_name)
    bind(engine, thread, call, Called(error=error.envelope()), None)


def bind(
    engine: Engine, thread: Thread, call: Invocation, called: Called, nested: Nested | None
) -> nodes.Transition | None:
    """Bind a result or failure and run the tool's own block; its exit, if it has one.

    ``nested`` makes the calls in that block; a call that a rule blocked makes none.
    """
    value = called.result if called.error is None else called.error
    names = _names(thread, call)
    for target in names:
        if "." in target:
            assign(engine, thread, target, value, span=call.span, cause="tool_result", origin="tool_result")
        else:
            engine.put(thread, target, value, "tool_result")
    masker = engine.masker(thread)
    shown = {target: masker.shown(target, value) for target in names if "." not in target}
    if called.error is None:
        thread.system["tool_failures"] = 0
    else:
        thread.system["tool_failures"] = thread.system.get("tool_failures", 0) + 1
        details = called.error.get("error", called.error)
        for target in ("_error", "error"):
            engine.put(thread, target, details, "tool_result")
            shown[target] = masker.shown(target, details)
    if call.origin != "blocked":
        thread.called = True
        wrote_result(engine, thread, names, value)
    if shown:
        data: dict[str, Any] = {"tool": call.name, "names": names, "cause": "tool_result", "state": {"set": shown}}
        notes = [found for name in names if (found := misfit(engine, thread, name, value)) is not None]
        if notes:
            data["notes"] = notes
        engine.recorder.emit("tool.map", data, span=call.span)
    return Outcome(engine, thread, call, called, nested).run()


def _names(thread: Thread, call: Invocation) -> list[str]:
    names = [call.as_name] if call.as_name else []
    if call.tool is None or call.tool.typed.value("STORE_RESULT") is not False:
        names += ["call_result", "result", f"last_{call.name}_result"]
        if thread.variables.get(call.name) is None or thread.origins.get(call.name) == "tool_result":
            names.append(call.name)
    return list(dict.fromkeys(names))
