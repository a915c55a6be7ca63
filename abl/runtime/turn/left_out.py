"""Reports constructs that the runtime does not execute, in the trace where a run reaches them (docs/spec 09 §16)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from abl.runtime.plan.left_out import WHY, LeftOut
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def tell_agent(engine: Engine, thread: Thread) -> None:
    """When an agent is first activated: what stands outside of its steps and tools."""
    _tell(engine, engine.program(thread).left_outs.sections)


def tell_step(engine: Engine, thread: Thread, step: str) -> None:
    """When a step is entered."""
    _tell(engine, engine.program(thread).left_outs.steps.get(step, ()))


def tell_tool(engine: Engine, thread: Thread, tool: str) -> None:
    """When a tool is called."""
    _tell(engine, engine.program(thread).left_outs.tools.get(tool, ()))


def is_told(engine: Engine, thread: Thread, action: nodes.Directive, tool: str = "") -> bool:
    """True for a directive that was reported when its step was entered, its tool called or its agent activated."""
    outs = engine.program(thread).left_outs
    told = (*outs.sections, *outs.steps.get(thread.flow.step or "", ()), *outs.tools.get(tool, ()))
    span = engine.program(thread).span(action) if told else None
    return span is not None and any(each.span["start"] == span["start"] for each in told)


def _tell(engine: Engine, found: Iterable[LeftOut]) -> None:
    for each in found:
        engine.recorder.not_executed(each.construct, WHY, each.span)
