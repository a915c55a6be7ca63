"""POLICIES of a supervisor: conditions that are checked and reported but block nothing (docs/spec 09 §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.constraints.records import condition_record, judged

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def watch(engine: Engine, thread: Thread) -> None:
    """T10: a `policy.violation` event for each condition that is not as it should be."""
    for plan in engine.program(thread).policies:
        outcome = judged(engine, thread, plan.when)
        if outcome.holds is plan.allowed:
            continue
        data: dict[str, Any] = {
            "name": plan.name,
            "rule": "allowedWhen" if plan.allowed else "forbiddenWhen",
            "condition": condition_record(engine, thread, plan.when, outcome, source="gate"),
        }
        if plan.signal is not None:
            data["signal"] = plan.signal
        if plan.behavior is not None:
            data["behavior"] = plan.behavior
        engine.recorder.emit("policy.violation", data, status="warned", span=plan.span)
