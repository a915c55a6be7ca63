"""Where the ``do`` list of a tool leads outside of a flow (docs/spec 08 §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.runtime.events.recorder import note
from abl.runtime.moves import Complete, Escalate, HandOver, Move
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def move_of(engine: Engine, thread: Thread, transition: nodes.Transition, origin: str) -> Move | None:
    """The move of an exit where no flow runs: HANDOFF, ESCALATE, COMPLETE; a step is ignored, which is recorded."""
    span = engine.program(thread).span(transition)
    written = transition.target.value if transition.target is not None else "this exit"
    target = written.upper()
    if target == "HANDOFF" and transition.agent is not None:
        return HandOver(transition.agent.value, span)
    if target == "ESCALATE":
        return Escalate(transition.reason.value if transition.reason is not None else None, span)
    if target == "COMPLETE" and origin == "model":
        return Complete()
    why = note("RUN003", "exit_ignored", f"there is no flow in which {written} could be taken", "warn")
    engine.recorder.emit("log", {"text": why["message"], "level": "warn", "notes": [why]}, span=span)
    return None
