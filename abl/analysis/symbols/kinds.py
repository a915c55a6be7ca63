"""Symbols at a place and in a project, for hover, definition, references and rename (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import EVERYWHERE, Symbol, exchanged, first_segment, homes_of, shared_path
from abl.analysis.results.fields import tool_and_fields
from abl.analysis.results.returned import declared_tool
from abl.analysis.symbols.case_names import CaseName, agents_of_case, names_in_case
from abl.analysis.symbols.catalogue_keys import CatalogueKey, keys_in
from abl.analysis.symbols.places import Role, places_of
from abl.expressions import nodes as en
from abl.source import Span


class Occurrence(NamedTuple):
    """One place where a symbol stands."""

    path: str
    span: Span
    role: Role


def symbol_at(index: Index, path: str, offset: int) -> Symbol | None:
    """The symbol that a document holds at an offset, the end of the name included."""
    document = index.documents.get(path)
    for agent in document.agents if document is not None else ():
        for symbol in symbols_of(agent, index):
            if symbol.span.start <= offset <= symbol.span.end:
                return symbol
    return None


def symbols_of(agent: AgentIndex, index: Index) -> Iterator[Symbol]:
    """Every symbol that is in an agent, references and declarations."""
    yield from (Symbol(kind, name, span, agent) for kind, name, span, _ in places_of(agent, index))
    for use in agent.expressions:
        for node in use.reading.nodes:
            if isinstance(node, en.Call):
                yield Symbol("function", node.name, use.span(node.name_start, node.name_end), agent)


def occurrences(index: Index, symbol: Symbol) -> list[Occurrence]:
    """Every place of a symbol, in order of path and position.

    A path is shared by all agents. A variable goes with what handoffs and delegations exchange, and, as a step or tool
    does, with the profiles of its agent; a tool that an agent does not declare is one of the project.
    """
    if symbol.kind == "function":
        return []
    homes = homes_of(index, symbol)
    found = [
        Occurrence(agent.source.path, span, role)
        for agent in homes
        for kind, name, span, role in places_of(agent, index)
        if kind == symbol.kind and name == symbol.name
    ]
    theirs = list(exchanged(index, symbol.name, homes)) if symbol.kind == "variable" else []
    taken = {(occurrence.path, occurrence.span) for occurrence in found} if theirs else set()
    for agent, other in theirs:
        path, span = agent.source.path, first_segment(other.name)
        if (path, span) not in taken:  # a word for both sides counts as this agent's
            found.append(Occurrence(path, span, "write" if other.given else "read"))
    found += [use.occurrence for use in case_uses(index, symbol, homes)]
    if symbol.kind == "text":
        found += [Occurrence(path, key.span, "declaration") for path, key in catalogue_keys(index, symbol.name)]
    return sorted(dict.fromkeys(found))  # nearly in order by now, which a set is not


def catalogue_keys(index: Index, name: str) -> Iterator[tuple[str, CatalogueKey]]:
    """Where catalogues say the text of a key, with their paths."""
    for path, text in index.locales.items():
        yield from ((path, key) for key in keys_in(text) or () if key.name == name)


class CaseUse(NamedTuple):
    """A symbol in a test case. ``others``: names of agents for which the word stands as well, as another symbol."""

    occurrence: Occurrence
    plain: bool
    others: tuple[str, ...]


def case_uses(index: Index, symbol: Symbol, homes: Collection[AgentIndex]) -> Iterator[CaseUse]:
    """Where test cases name a symbol of one of these agents."""
    for path, text in index.naming_files.items():
        names = [name for name in names_in_case(text) or () if _is_named(name, symbol, index)]
        agents = agents_of_case(index, path) if names else []
        intended = [agent for agent in agents if symbol.kind in EVERYWHERE or _knows(agent, symbol, index)]
        if symbol.kind == "result":
            intended, homes = _with_tool(agents, symbol, index)
        if any(agent in homes for agent in intended) or (symbol.kind == "agent" and names):
            others = tuple([agent.name or agent.source.path for agent in intended if agent not in homes])
            for name in names:
                end = min(name.span.end, name.span.start + len(symbol.word)) if name.plain else name.span.end
                role: Role = "write" if name.writes else "read"
                yield CaseUse(Occurrence(path, Span(name.span.start, end), role), name.plain, others)


def _is_named(name: CaseName, symbol: Symbol, index: Index) -> bool:
    """True for a name of a test case that can mean the symbol."""
    if name.kind == "result":
        return symbol.kind == "result" and name.name == tool_and_fields(symbol.name)
    if name.kind != "name":
        return name.kind == symbol.kind and name.name == symbol.name
    path = shared_path(name.name, index)
    return symbol.name == (path or name.name.partition(".")[0]) and symbol.kind == ("path" if path else "variable")


def _with_tool(agents: list[AgentIndex], symbol: Symbol, index: Index) -> tuple[list[AgentIndex], list[AgentIndex]]:
    """The agents that know a tool of the name that a result's field belongs to, and those for which it is that tool."""
    tool = tool_and_fields(symbol.name).partition(".")[0]
    found = [(agent, declared) for agent in agents if (declared := declared_tool(tool, agent, index)) is not None]
    same = [agent for agent, declared in found if symbol.name.startswith(f"{declared.name_of(())}.")]
    return [agent for agent, _ in found], same


def _knows(agent: AgentIndex, symbol: Symbol, index: Index) -> bool:
    """True when the word means something of the symbol's kind in an agent."""
    return any(kind == symbol.kind and name == symbol.name for kind, name, _, _ in places_of(agent, index))
