"""Quick fixes that declare a missing name: a tool from its call, an agent (docs/spec 10 §1.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import has_own_lines, is_yaml
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Fix
from abl.syntax import nodes
from abl.syntax.readers.entries import AGENT_NAME, NAME

_PATH: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_LITERALS: Final = (
    (re.compile(r"-?\d+(?:\.\d+)?"), "number"),
    (re.compile(r"true|false"), "boolean"),
    (re.compile(r"\[.*\]", re.DOTALL), "array"),
    (re.compile(r"\{(?!\{).*\}", re.DOTALL), "object"),
)


def declare_tool(agent: AgentIndex, call: nodes.Call) -> tuple[Fix, ...]:
    """The tool of a call as the last one of TOOLS; its parameters are the arguments, its result is an object."""
    section = agent.agent.section("TOOLS")
    last = section.block.children[-1] if section is not None and section.block and section.block.children else None
    if last is None or last.item or call.tool is None or NAME.fullmatch(call.tool.value) is None or is_yaml(agent):
        return ()
    if not has_own_lines(agent.source, last.span) or braces.extent(agent.source, last.span) is not None:
        return ()
    name, pad = call.tool.value, " " * (last.column - 1)
    row = ", ".join(f"{parameter}: {kind}" for parameter, kind in dict(_parameters(agent, call)).items())
    lines = f'{pad}{name}({row}) -> object\n{pad}  description: "…"'
    title = f"Declare `{name}` in TOOLS"
    return (fixes.insert_line_below(agent.source, last.span, lines, title, preferred=False),)


def _parameters(agent: AgentIndex, call: nodes.Call) -> Iterator[tuple[str, str]]:
    for number, argument in enumerate((*call.arguments, *call.with_), 1):
        value = agent.source.text[slice(*argument.value.span)].strip() if argument.value is not None else ""
        path = _PATH.fullmatch(value) is not None and value not in ("true", "false", "null")
        if argument.name is not None:
            name = argument.name.value
        else:
            name = value.rpartition(".")[2] if path else f"value_{number}"
        if argument.children:
            kind: str | None = "object"
        elif path:
            kind = agent.types.of_path(value)
        else:
            kind = next((kind for pattern, kind in _LITERALS if pattern.fullmatch(value)), None)
        yield name, kind or "string"


def create_agent(agent: AgentIndex, name: str) -> tuple[Fix, ...]:
    """An agent of that name as the next document of the same text (docs/spec 01 §1)."""
    if AGENT_NAME.fullmatch(name) is None or is_yaml(agent):
        return ()
    text = f'\nAGENT: {name}\nGOAL: "…"'
    title = f"Create agent `{name}`"
    return (fixes.insert_line_below(agent.source, agent.agent.span, text, title, preferred=False),)
