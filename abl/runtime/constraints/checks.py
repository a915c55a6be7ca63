"""CHECK and the forms of its ON_FAIL (docs/spec 06 §5.9, 04 §9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.runtime.constraints.collecting import start_collecting, to_empty
from abl.runtime.constraints.failures import BOUND
from abl.runtime.constraints.records import condition_record, judged
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.constraints.unasked import demand_of
from abl.runtime.evaluation import Formula, template
from abl.runtime.evaluation import condition as read_condition
from abl.runtime.flow import steps
from abl.runtime.flow.actions import set_variables
from abl.runtime.flow.branches import choose
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import clear
from abl.syntax import nodes
from abl.syntax.readers.entries import flag

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


ALWAYS = read_condition("")


def check(engine: Engine, thread: Thread, action: nodes.Check) -> Signal:
    """Judge; true continues, false runs ON_FAIL, without one the step halts."""
    program = engine.program(thread)
    position = thread.flow.frames[-1]
    key = f"{position[0]}/{position[1] - 1}"
    formula = program.condition(action.condition)
    started = engine.recorder.timer()
    outcome = judged(engine, thread, formula, recorded=True)
    record = condition_record(engine, thread, formula, outcome, source="check")
    record |= {"point": "check", "path": action.path}
    status = "error" if outcome.error else "ok" if outcome.holds else "failed"
    event = engine.recorder.emit("check", record, status=status, span=program.span(action))
    event["duration_us"] = engine.recorder.since(started)
    engine.budget.require()
    if outcome.holds:
        return Signal.NEXT
    if action.on_fail is None:
        return steps.halt(engine, thread)
    if action.on_fail.form == "branches":
        lists = steps.plan_of(engine, thread).lists
        return choose(engine, thread, lists.select(f"{key}/on_fail", "on_fail", action.on_fail.branches))
    return fail(engine, thread, action.on_fail, rule=key, condition=formula)


def fail(
    engine: Engine,
    thread: Thread,
    on_fail: nodes.OnFail,
    *,
    rule: str,
    silent: bool = False,
    condition: Formula = ALWAYS,
) -> Signal:
    """Run an ON_FAIL of a CHECK or CALL. ``rule`` identifies it for the bound on retries."""
    program = engine.program(thread)
    span = program.span(on_fail)
    target = on_fail.target.value if on_fail.target is not None else ""
    match on_fail.form:
        case "step" | "then":
            return steps.take(engine, thread, target, "on_fail", span=span)
        case "handoff":
            return steps.take(engine, thread, "HANDOFF", "on_fail", span=span, agent=target)
        case "escalate":
            reason = on_fail.reason.value if on_fail.reason is not None else None
            return steps.take(engine, thread, "ESCALATE", "on_fail", span=span, reason=reason)
        case "structured":
            return _structured(engine, thread, on_fail, rule=rule, silent=silent, condition=condition)
        case _:
            if not silent:
                _say(engine, thread, on_fail)
            return steps.halt(engine, thread)


def _say(engine: Engine, thread: Thread, on_fail: nodes.OnFail) -> str:
    if on_fail.message is None:
        return ""
    span = engine.program(thread).span(on_fail)
    return engine.say_template(thread, on_fail.message.value, kind="notice", span=span, data={"by": "on_fail"})


def _structured(
    engine: Engine, thread: Thread, on_fail: nodes.OnFail, *, rule: str, silent: bool, condition: Formula
) -> Signal:
    """RESPOND, SET and CLEAR as written, COLLECT, then the first of GOTO, THEN, RETRY."""
    collect = [name.value for name in on_fail.collect or ()]
    retry = flag(on_fail.retry) is True
    then = on_fail.then.value.strip() if on_fail.then is not None else None
    here = collect and on_fail.goto is None and (then is None or on_fail.then_word == "retry" or retry)
    said = _say(engine, thread, on_fail) if not silent and not here else ""
    rendered, result = "", False
    if here and on_fail.message is not None:
        rendered = engine.render(thread, on_fail.message.value).text
        result = from_tool(thread, template(on_fail.message.value).names)
    for key in dict.fromkeys(on_fail.order):
        if key == "SET":
            set_variables(engine, thread, on_fail.sets)
        elif key == "CLEAR":
            clear(engine, thread, [n.value for n in on_fail.clear], span=engine.program(thread).span(on_fail))
    if here or (collect and on_fail.then_word == "continue"):
        asked = start_collecting(
            engine,
            thread,
            collect,
            source="check",
            point="check",
            target=None,
            rule="",
            then=then.lower() if then else None,
            retry=retry,
            message=rendered or said,
            span=engine.program(thread).span(on_fail),
            say=not said,
            demand=demand_of(condition),
            result=result,
        )
        return steps.wait(engine, thread, "gather") if asked else Signal.NEXT
    if collect:
        to_clear = to_empty(thread, collect, demand_of(condition), then)
        clear(engine, thread, to_clear, span=engine.program(thread).span(on_fail), cause="collect")
        thread.flow.collect_only = collect
    return _exit(engine, thread, on_fail, rule)


def _exit(engine: Engine, thread: Thread, on_fail: nodes.OnFail, rule: str) -> Signal:
    """The first present of GOTO, THEN, RETRY; none of them halts."""
    known = steps.plan_of(engine, thread).steps
    span = engine.program(thread).span(on_fail)
    then = on_fail.then.value.strip() if on_fail.then is not None else None
    word = then.lower() if then is not None and then not in known else None
    if on_fail.goto is not None:
        return steps.take(engine, thread, on_fail.goto.value, "goto", span=span)
    if word == "continue":
        return Signal.NEXT
    if word == "retry":
        spent = engine.turn.bounds.get(rule, 0)
        if spent >= BOUND:
            return steps.halt(engine, thread)
        engine.turn.bounds[rule] = spent + 1
        thread.flow.frames[-1][1] -= 1
        return Signal.NEXT
    if then is not None:
        return steps.take(engine, thread, then, "then", span=span)
    if flag(on_fail.retry) is True:
        return steps.take(engine, thread, thread.flow.step or "", "retry")
    return steps.halt(engine, thread)
