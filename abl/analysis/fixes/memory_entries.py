"""Where new entries of MEMORY go, which is made where an agent has none (docs/spec 05 §5, §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import is_yaml
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.source import Source, Span
from abl.syntax.readers.entries import NAME

_FIRST_SECTIONS: Final = ("AGENT", "SUPERVISOR", "VERSION", "DESCRIPTION", "LANGUAGE", "GOAL", "PERSONA")


def added(agent: AgentIndex, group: str, lines: Sequence[str], *, yaml: bool) -> list[Edit]:
    """Lines put behind the last entry of a group of MEMORY; the group and MEMORY are made where they are missing."""
    if not lines:
        return []
    memory = agent.agent.memory
    block = memory.block if memory is not None else None
    if block is None:
        head = ["", "memory:" if yaml else "MEMORY:", f"  {group}:"]
        return [_below(agent.source, _head(agent), [*head, *_indented(lines, 4)])]
    known = next((child for child in block.children if child.key.lower() == group and child.colon), None)
    if known is None:
        column = block.children[0].column - 1 if block.children else block.column + 1
        return [_below(agent.source, block.span, [" " * column + f"{group}:", *_indented(lines, column + 2)])]
    if known.value is not None:
        return []  # written in brackets
    column = known.children[-1].column - 1 if known.children else known.column + 1
    return [_below(agent.source, known.span, _indented(lines, column))]


def declare_variable(agent: AgentIndex, name: str, initial: str = "") -> tuple[Fix, ...]:
    """Declare a name below ``session:``, with an INITIAL if one is given; a dotted one is no variable."""
    memory = agent.agent.memory
    block = memory.block if memory is not None else None
    in_braces = block is not None and any(
        child.value is not None or braces.extent(agent.source, child.span) is not None
        for child in (block, *block.children)
    )
    if NAME.fullmatch(name) is None or agent.fragment or in_braces:
        return ()
    yaml, lines = is_yaml(agent), [f"- {name}"]
    if initial:
        lines = [f"- {{name: {name}, initial: {initial}}}"] if yaml else [*lines, f"  INITIAL: {initial}"]
    edits = added(agent, "session", lines, yaml=yaml)
    title = f"Declare `{name}` in session" + (f" with `INITIAL: {initial}`" if initial else "")
    return (Fix(title, tuple(edits)),) if edits else ()


def _head(agent: AgentIndex) -> Span:
    """The sections that introduce an agent; MEMORY goes below the last of them in a row."""
    sections = agent.agent.sections
    span = sections[0].span if sections else Span(agent.agent.span.start, agent.agent.span.start)
    for section in sections:
        if section.keyword not in _FIRST_SECTIONS:
            break
        span = section.span
    return span


def _indented(lines: Sequence[str], column: int) -> list[str]:
    return [" " * column + line for line in lines]


def _below(source: Source, span: Span, lines: Sequence[str]) -> Edit:
    """The lines below the last line of a span."""
    end = source.line_span(source.position(max(span.end - 1, span.start)).line).end
    return Edit(Span(end, end), "".join(f"\n{line}" for line in lines))
