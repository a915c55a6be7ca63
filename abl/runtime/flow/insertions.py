"""The way through steps that behaviour profiles put before and after others (docs/spec 06 §11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.agents import profiles
from abl.runtime.state import GatherState

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.insertions import Inserted
    from abl.runtime.state import Thread

END = {"target": None, "edge": "implicit_end"}
"""The edge out of a step from which nothing leads on."""


def beside(engine: Engine, thread: Thread, step: str, side: str) -> list[str]:
    """The steps that active profiles put before or after a step, in the order in which they run."""
    inserted = engine.program(thread).inserted
    if not inserted:
        return []
    at = {plan.name: rank for rank, plan in enumerate(profiles.active(engine, thread))}
    found = [each for each in inserted if each.profile in at and each.beside == step and each.side == side]
    return [each.step.name.value for each in sorted(found, key=lambda each: at[each.profile])]


def entered_by(engine: Engine, thread: Thread, step: str) -> str:
    """Where an edge into a step leads: the first step before it, else the step itself."""
    return next(iter(beside(engine, thread, step, "before")), step)


def left_by(engine: Engine, thread: Thread, step: str | None, edge: dict[str, Any]) -> str | None:
    """The first step after one that is left, behind which the edge is taken; None where there is none."""
    after = beside(engine, thread, step, "after") if step is not None else []
    if not after:
        return None
    thread.flow.onward = edge
    return after[0]


def of(engine: Engine, thread: Thread, step: str) -> Inserted | None:
    """What a step is that a profile inserts; None for a step of the flow."""
    return next((each for each in engine.program(thread).inserted if each.step.name.value == step), None)


def onward(engine: Engine, thread: Thread, inserted: Inserted) -> str | dict[str, Any]:
    """What follows an inserted step without an exit of its own: a step, or the edge that led to it."""
    row = beside(engine, thread, inserted.beside, inserted.side)
    name = inserted.step.name.value
    if name in row and row.index(name) + 1 < len(row):
        return row[row.index(name) + 1]
    if inserted.side == "before":
        return inserted.beside
    edge, thread.flow.onward = thread.flow.onward, None
    return edge or dict(END)


def restart(engine: Engine, thread: Thread) -> None:
    """A flow that waits in a step that is there no more begins again at its entry."""
    flow = thread.flow
    inserted = of(engine, thread, flow.step) if flow.step is not None else None
    if inserted is None or flow.step in beside(engine, thread, inserted.beside, inserted.side):
        return
    flow.status, flow.step, flow.frames, flow.reason, flow.onward = "idle", None, [], None, None
    thread.gather, thread.confirm, thread.collect = GatherState(), None, None
