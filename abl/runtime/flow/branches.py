"""Choosing a branch of a list (docs/spec 06 §6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.flow.signals import Signal
from abl.runtime.plan.action_lists import Select

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def choose(engine: Engine, thread: Thread, select: Select, *, keep_place: bool = False) -> Signal:
    """Run the first branch whose condition holds; all are judged on the state before the list (06 §6.1)."""
    program = engine.program(thread)
    for index, (branch, key) in enumerate(zip(select.branches, select.keys, strict=True)):
        if select.lenient and branch.condition is None:
            continue
        formula = program.condition(branch.condition) if branch.condition is not None else None
        before = thread.variables.get("match")
        outcome = engine.evaluate(thread, formula) if formula is not None else None
        held = outcome is None or outcome.holds
        names = formula.names if formula is not None else ()
        data = {"list": select.kind, "index": index, "condition": formula.text if formula else None, "held": held,
                "values": engine.refs(thread, names)}  # fmt: skip
        if outcome is not None and outcome.error:
            data["error"] = outcome.error
        engine.recorder.emit("branch", data, status="ok" if held else "skipped", span=program.span(branch))
        if held:
            if keep_place:
                thread.flow.frames[-1][1] -= 1
            thread.flow.frames.append([key, 0])
            thread.flow.taken.append(key)
            return Signal.NEXT
        if outcome is not None and outcome.match is not None:
            _put_match_back(thread, before)
    return Signal.NEXT


def _put_match_back(thread: Thread, before: Any) -> None:
    """A branch that is not taken cannot influence the conditions of its siblings."""
    if before is None:
        thread.variables.pop("match", None)
    else:
        thread.variables["match"] = before
