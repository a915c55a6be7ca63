"""Symbols at a place and everywhere: what hover, definition, references and rename are made of (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from abl.analysis.model import AgentIndex
from abl.analysis.project import Index
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes

SymbolKind = Literal["variable", "path", "step", "tool", "agent", "function"]
Role = Literal["declaration", "write", "read"]


class Symbol(NamedTuple):
    """A name at a place. Variables, paths, steps and tools belong to an agent; agents and functions to everyone."""

    kind: SymbolKind
    name: str
    span: Span
    agent: AgentIndex


class Occurrence(NamedTuple):
    """One place where a symbol stands."""

    path: str
    span: Span
    role: Role


def symbol_at(index: Index, path: str, offset: int) -> Symbol | None:
    """The symbol that a document holds at an offset, the end of the name included."""
    document = index.documents.get(path)
    for agent in document.agents if document is not None else ():
        for symbol in symbols_of(agent):
            if symbol.span.start <= offset <= symbol.span.end:
                return symbol
    return None


def symbols_of(agent: AgentIndex) -> Iterator[Symbol]:
    """Every symbol that stands in an agent, references and declarations."""
    yield from (Symbol(kind, name, span, agent) for kind, name, span, _ in _places(agent))
    for use in agent.expressions:
        for node in use.reading.nodes:
            if isinstance(node, en.Call):
                yield Symbol("function", node.name, use.span(node.name_start, node.name_end), agent)


def occurrences(index: Index, symbol: Symbol) -> list[Occurrence]:
    """Every place of a symbol, in order of path and position. A path is shared by all agents that declare it."""
    if symbol.kind == "function":
        return []
    everywhere = symbol.kind in ("agent", "path")
    agents = list(index.each()) if everywhere else [symbol.agent]
    found = {
        Occurrence(agent.source.path, span, role)
        for agent in agents
        for kind, name, span, role in _places(agent)
        if kind == symbol.kind and name == symbol.name
    }
    return sorted(found)


def _places(agent: AgentIndex) -> Iterator[tuple[SymbolKind, str, Span, Role]]:
    yield from _names(agent)
    for step in agent.all(nodes.Step):
        yield "step", step.name.value, step.name.span, "declaration"
    flow = agent.agent.flow
    if flow is not None:
        for name in (*flow.listed, *((flow.entry_point,) if flow.entry_point else ())):
            yield "step", name.value, name.span, "read"
    for step_ref in agent.step_refs:
        if step_ref.name.value in agent.steps:
            yield "step", step_ref.name.value, step_ref.name.span, "read"
    for tool in agent.all(nodes.Tool):
        yield "tool", tool.name.value, tool.name.span, "declaration"
    for tool_ref in agent.tool_refs:
        yield "tool", tool_ref.name.value, tool_ref.name.span, "read"
    if agent.agent.name is not None:
        yield "agent", agent.agent.name.value, agent.agent.name.span, "declaration"
    for agent_ref in agent.agent_refs:
        yield "agent", agent_ref.name.value, agent_ref.name.span, "read"


def _names(agent: AgentIndex) -> Iterator[tuple[SymbolKind, str, Span, Role]]:
    for write in agent.writes:
        role: Role = "declaration" if write.kind in ("session", "persistent", "gather") else "write"
        yield from _name(agent, write.path, write.span, role)
    for read in agent.reads:
        yield from _name(agent, read.path, read.span, "read")
    for name, _ in agent.cleared:
        yield from _name(agent, name.value, name.span, "write")
    for on_fail in agent.all(nodes.OnFail):
        for name in on_fail.collect or ():
            yield from _name(agent, name.value, name.span, "read")


def _name(agent: AgentIndex, path: str, span: Span, role: Role) -> Iterator[tuple[SymbolKind, str, Span, Role]]:
    """A dotted name is the persistent path that it names or lies below, else the variable of its first segment."""
    declared = agent.path_of(path)
    name = declared.name.value if declared is not None else ""
    if name and "." in name:
        yield "path", name, Span(span.start, min(span.start + len(name), span.end)), role
    else:
        root = path.partition(".")[0]
        yield "variable", root, Span(span.start, min(span.start + len(root), span.end)), role
