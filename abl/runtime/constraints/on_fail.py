"""What a failed constraint does (docs/spec 04 §5)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from abl.runtime.constraints.collecting import start_collecting, to_empty
from abl.runtime.constraints.failures import Failure
from abl.runtime.constraints.unasked import Demand, demand_of
from abl.runtime.flow.detours import open_detour
from abl.runtime.flow.variables import clear
from abl.runtime.moves import Escalate, HandOver

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


class Verdict(Enum):
    """How the blocked operation continues."""

    BLOCKED = "blocked"  # it does not
    COLLECTING = "collecting"  # it waits for fields
    JUMP = "jump"  # the flow goes to ``action["target"]``
    STEP_AGAIN = "step_again"  # the current step runs from its top
    AGAIN = "again"  # the pass is repeated
    MOVED = "moved"  # another agent or a human has control


def act(engine: Engine, thread: Thread, failure: Failure) -> Verdict:
    """Run the planned action: message, CLEAR, COLLECT, then where it leads."""
    action = failure.action
    said = _has_said(engine, thread, failure)
    engine.turn.acted.add(failure.plan.id)
    span = engine.program(thread).span(failure.plan.rule.on_fail or failure.plan.rule)
    kind = action["type"]
    if failure.message and kind not in {"collect", "escalate"} and not said:
        engine.say(
            thread,
            failure.message,
            kind="notice",
            event="respond",
            span=span,
            data={"by": "constraint", "rule": failure.plan.id},
        )
    clear(engine, thread, action["clear"], span=span)
    match kind:
        case "handoff" | "escalate":
            return _move(engine, thread, failure)
        case "collect":
            asked = start_collecting(
                engine,
                thread,
                action["fields"],
                source="constraint",
                point=failure.point,
                target=failure.target,
                rule=failure.plan.id,
                then=action["then"],
                retry=bool(action.get("retry")),
                message=failure.message,
                span=span,
                demand=_demand(failure),
            )
            if not asked:
                engine.turn.continued.add(failure.plan.id)
            return Verdict.COLLECTING if asked else Verdict.AGAIN
        case "goto":
            return _jump(engine, thread, failure)
        case "retry":
            _count(engine, failure)
            whole_step = action.get("retry") and thread.flow.step is not None and thread.flow.status != "ended"
            return Verdict.STEP_AGAIN if whole_step else Verdict.AGAIN
        case "continue":
            engine.turn.continued.add(failure.plan.id)
            return Verdict.AGAIN
        case _:
            return Verdict.BLOCKED


def _demand(failure: Failure) -> Demand:
    return demand_of(failure.plan.condition, forbids=failure.plan.kind == "RESTRICT")


def _has_said(engine: Engine, thread: Thread, failure: Failure) -> bool:
    """True in the pass `response` where the rule has said the same in this turn, when it voided a COMPLETE."""
    if failure.point != "response" or failure.plan.id not in engine.turn.voided:
        return False
    return any(m.kind == "notice" and m.text == failure.message for m in engine.turn.outbox if m.agent == thread.agent)


def _count(engine: Engine, failure: Failure) -> None:
    bounds = engine.turn.bounds
    bounds[failure.plan.id] = bounds.get(failure.plan.id, 0) + 1


def _jump(engine: Engine, thread: Thread, failure: Failure) -> Verdict:
    action = failure.action
    _count(engine, failure)
    if action["fields"]:
        span = engine.program(thread).span(failure.plan.rule.on_fail)
        to_clear = to_empty(thread, action["fields"], _demand(failure), None)
        clear(engine, thread, to_clear, span=span, cause="collect")
        thread.flow.collect_only = action["fields"]
    if engine.program(thread).flow is not None:
        open_detour(engine, thread, failure)
    return Verdict.JUMP if engine.program(thread).flow is not None else Verdict.BLOCKED


def _move(engine: Engine, thread: Thread, failure: Failure) -> Verdict:
    span = engine.program(thread).span(failure.plan.rule.on_fail)
    if failure.action["type"] == "handoff":
        _count(engine, failure)
        moved = engine.move(thread, HandOver(failure.action["target"] or "", span))
        return Verdict.MOVED if moved else Verdict.BLOCKED
    engine.move(thread, Escalate(failure.message, span))
    return Verdict.MOVED
