"""Exits in the ``do`` lists of tools: a step that calls the tool is left by them (docs/spec 08 §7, 10 §1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from abl.analysis.incremental.parts import Part
from abl.syntax import nodes
from abl.syntax.vocabulary import STEP_EXITS

_OUTCOMES: Final = frozenset({"ON_RESULT", "ON_ERROR"})


class ToolExit(NamedTuple):
    """An exit of a tool to a step or a terminal; ``target`` is None for one to another agent."""

    tool: str
    target: str | None


class ToolUse(NamedTuple):
    """A tool that a step calls, or lets its model call; ``step`` is None for a call outside of the steps."""

    tool: str
    step: str | None
    by_model: bool


class Taken(NamedTuple):
    """An exit where it is taken; ``step`` is None where that may be any."""

    step: str | None
    target: str | None
    by_model: bool


def exits_of(part: Part) -> tuple[ToolExit, ...]:
    """The exits of the tools of a part."""
    steps = [ToolExit(ref.tool, ref.name.value) for ref in part.step_refs if ref.tool]
    return (*steps, *(ToolExit(ref.tool, None) for ref in part.agent_refs if ref.tool))


def imported_exits(tools: Mapping[str, nodes.Tool]) -> tuple[ToolExit, ...]:
    """The exits to steps of tools that are in other documents, by their lines."""
    lines = (
        (name, line)
        for name, tool in tools.items()
        for prop in tool.props
        for line in (prop.block.walk() if prop.key in _OUTCOMES else ())
    )
    return tuple(
        [
            ToolExit(name, line.value.value.strip())
            for name, line in lines
            if line.key.upper() in STEP_EXITS and line.value is not None
        ]
    )


def uses_of(part: Part) -> tuple[ToolUse, ...]:
    """The tools that a part calls, or lists for a model."""
    refs = (ref for ref in part.tool_refs if ref.key != "BEFORE")
    return tuple([ToolUse(ref.name.value, ref.step, ref.key == "AVAILABLE_TOOLS") for ref in refs])


def taken(exits: Iterable[ToolExit], uses: Iterable[ToolUse], free: Iterable[str]) -> Iterator[Taken]:
    """Where exits are taken. ``free`` are steps whose model may call any tool.

    One of a tool that is called outside of the steps, or nowhere to be seen, may be taken anywhere.
    """
    by_tool: dict[str, dict[tuple[str | None, bool], None]] = {}
    for use in uses:
        by_tool.setdefault(use.tool, {})[use.step, use.by_model] = None
    models = [(step, True) for step in free]
    anywhere: list[tuple[str | None, bool]] = [(None, False)]
    for one in dict.fromkeys(exits):
        places = dict.fromkeys([*by_tool.get(one.tool, ()), *models]) or anywhere
        for step, by_model in places:
            yield Taken(step, one.target, by_model)
