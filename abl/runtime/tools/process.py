"""``process``: transforms around a call (docs/spec 08 §5, steps 5 and 12 of §8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.events.recorder import Event, note
from abl.runtime.plan.tools import ProcessPlan
from abl.runtime.ports import ToolError
from abl.runtime.tools.arguments import Arguments, coerced
from abl.runtime.tools.invocation import Called, Invocation

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

FAILED = "process_failed"


def before(engine: Engine, thread: Thread, call: Invocation, arguments: Arguments) -> Called | None:
    """``params`` and ``require`` over the arguments, changed in place; what the call came to when it is not made."""
    plan = engine.program(thread).tool_process(call.tool, "before") if call.tool is not None else None
    if plan is None:
        return None
    event = _begin(engine, thread, call, plan)
    given = dict(arguments.values)
    problem = _params(engine, thread, call, plan, arguments) or _requirement(engine, thread, plan, arguments.values)
    shown = {name: value for name, value in arguments.values.items() if given.get(name) is not value}
    masker = engine.masker(thread)
    event["data"]["changed"] = {
        name: "[REDACTED]" if name in arguments.sensitive else masker.shown(name, value)
        for name, value in shown.items()
    }
    if problem is None:
        return None
    if plan.on_fail.kind == "use_original":
        arguments.values.clear()
        arguments.values.update(given)
    return _failed(engine, thread, plan, event, f"{call.name}: {problem}")


def after(engine: Engine, thread: Thread, call: Invocation, called: Called) -> Called:
    """``result`` computed from the result of a call that went well: an object of these fields."""
    plan = engine.program(thread).tool_process(call.tool, "after") if call.tool is not None else None
    if plan is None or called.error is not None:
        return called
    event = _begin(engine, thread, call, plan)
    if not plan.computed:
        return called
    built: dict[str, Any] = {}
    for name, formula in plan.computed:
        outcome = engine.evaluate(thread, formula, {"result": called.result})
        if outcome.error:
            return _failed(engine, thread, plan, event, f"{call.name}: {name}: {outcome.error}") or called
        built[name] = outcome.value
    event["data"]["changed"] = engine.masker(thread).shown("call_result", built)
    return Called(built)


def _begin(engine: Engine, thread: Thread, call: Invocation, plan: ProcessPlan) -> Event:
    span = engine.program(thread).span(plan.block)
    return engine.recorder.emit("tool.process", {"tool": call.name, "stage": plan.stage, "changed": {}}, span=span)


def _params(engine: Engine, thread: Thread, call: Invocation, plan: ProcessPlan, arguments: Arguments) -> str | None:
    """Compute each parameter from those before; the problem when one fails or does not fit its type."""
    types = {p.name.value: p.type for p in call.tool.parameters} if call.tool is not None else {}
    values = dict(arguments.values)
    for name, formula in plan.computed:
        outcome = engine.evaluate(thread, formula, values)
        if outcome.error:
            return f"{name}: {outcome.error}"
        if outcome.value is None:
            values.pop(name, None)
            continue
        fits, value = coerced(outcome.value, types.get(name))
        if not fits:
            kind = types.get(name)
            return f"{name} does not fit {kind.text if kind is not None else 'any'}"
        values[name] = value
        if engine.masker(thread).reads_sensitive(formula.names) or arguments.sensitive.intersection(formula.names):
            arguments.sensitive.add(name)
    arguments.values.clear()
    arguments.values.update(values)
    return None


def _requirement(engine: Engine, thread: Thread, plan: ProcessPlan, values: dict[str, Any]) -> str | None:
    for formula in plan.required:
        outcome = engine.evaluate(thread, formula, values)
        if outcome.error or not outcome.holds:
            return outcome.error or f"{formula.text} does not hold"
    return None


def _failed(engine: Engine, thread: Thread, plan: ProcessPlan, event: Event, problem: str) -> Called | None:
    """What on_fail makes of it; None = the call continues."""
    on_fail = plan.on_fail
    event["status"] = "failed"
    engine.recorder.complete(event, failed=problem, on_fail=on_fail.kind)
    text = engine.render(thread, on_fail.text).text
    match on_fail.kind:
        case "fallback":
            return Called({"message": text})
        case "warn" | "use_original":
            finding = note("RUN009", FAILED, text or f"process.{plan.stage} of {problem}")
            event["data"]["notes"] = [finding]
            return None
        case _:
            error = ToolError(subtype=FAILED, code=FAILED, message=text or problem)
            return Called(error=error.envelope())
