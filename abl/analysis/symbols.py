"""Symbols at a place and everywhere: what hover, definition, references and rename are made of (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from abl.analysis.mentions import mentioned_words
from abl.analysis.model import AgentIndex
from abl.analysis.project import Index
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes

SymbolKind = Literal["variable", "path", "step", "tool", "agent", "template", "phase", "profile", "function"]
Role = Literal["declaration", "write", "read"]
Place = tuple[SymbolKind, str, Span, Role]

_EVENT: Final = re.compile(
    r"tool:(?P<tool>\w+):after|agent:(?P<agent>\w+):(?:before|after)|step:(?:enter|exit):(?P<step>\w+)"
    r"|entity:(?P<variable>\w+):extracted"
)
_TEMPLATE: Final = re.compile(r"TEMPLATE\(\s*(\w+)\s*\)")
_EVENT_KINDS: Final[tuple[SymbolKind, ...]] = ("tool", "agent", "step", "variable")
_EVERYWHERE: Final = frozenset({"agent", "path", "profile"})


class Symbol(NamedTuple):
    """A name at a place. Paths, agents, profiles and functions belong to everyone, the others to an agent."""

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
        for symbol in symbols_of(agent, index):
            if symbol.span.start <= offset <= symbol.span.end:
                return symbol
    return None


def symbols_of(agent: AgentIndex, index: Index) -> Iterator[Symbol]:
    """Every symbol that stands in an agent, references and declarations."""
    yield from (Symbol(kind, name, span, agent) for kind, name, span, _ in places_of(agent, index))
    for use in agent.expressions:
        for node in use.reading.nodes:
            if isinstance(node, en.Call):
                yield Symbol("function", node.name, use.span(node.name_start, node.name_end), agent)


def occurrences(index: Index, symbol: Symbol) -> list[Occurrence]:
    """Every place of a symbol, in order of path and position.

    A path is shared by all agents. A variable goes with PASS and SET of a handoff to another agent, and with USE of a
    profile; a tool that an agent does not declare is one of the project.
    """
    if symbol.kind == "function":
        return []
    homes = homes_of(index, symbol)
    found = {
        Occurrence(agent.source.path, span, role)
        for agent in index.each()
        for kind, name, span, role in places_of(agent, index)
        if kind == symbol.kind and name == symbol.name and agent in homes
    }
    if symbol.kind == "variable":
        found |= set(_handed(index, symbol.name, homes))
    return sorted(found)


# Which agents share a name --------------------------------------------------------------------------------------


def homes_of(index: Index, symbol: Symbol) -> list[AgentIndex]:
    """The agents in which a symbol's name means this symbol."""
    every = list(index.each())
    if symbol.kind in _EVERYWHERE:
        return every
    if symbol.kind == "tool" and symbol.name not in symbol.agent.tools:
        return [agent for agent in every if symbol.name not in agent.tools or _is_library(agent)]
    if symbol.kind == "tool" and _is_library(symbol.agent):
        return [agent for agent in every if symbol.name not in agent.tools or agent is symbol.agent]
    if symbol.kind != "variable":
        return [symbol.agent]
    homes = [symbol.agent]
    for home in homes:  # grows while it is read
        homes += [other for other in every if other not in homes and _share(index, home, other, symbol.name)]
    return homes


def _is_library(agent: AgentIndex) -> bool:
    return agent.fragment and agent.agent.section("TOOLS") is not None


def _share(index: Index, one: AgentIndex, two: AgentIndex, name: str) -> bool:
    """True when a variable of that name is handed from one to the other, or one is a profile that the other uses."""
    for giver, taker in ((one, two), (two, one)):
        handed = {n.value for h in giver.first(nodes.Handoff) if h.to and h.to.value == taker.name for n in h.passes}
        if taker.name and name in handed:
            return True
        profile = _profile_name(taker, index)
        if profile and profile.value in {used.value for used in _used_profiles(giver)}:
            return True
    return False


def _handed(index: Index, name: str, homes: list[AgentIndex]) -> Iterator[Occurrence]:
    """Targets of ``SET`` in the context of handoffs to one of the agents: they are variables of that agent."""
    names = {agent.name for agent in homes if agent.name}
    for agent in index.each():
        for handoff in agent.all(nodes.Handoff):
            for assignment in handoff.sets if handoff.to is not None and handoff.to.value in names else ():
                if assignment.target is not None and assignment.target.value.partition(".")[0] == name:
                    start = assignment.target.span.start
                    yield Occurrence(agent.source.path, Span(start, start + len(name)), "write")


def _used_profiles(agent: AgentIndex) -> Iterator[nodes.Name]:
    for section in agent.agent.sections:
        if section.keyword == "USE_BEHAVIOR_PROFILE" and section.value is not None:
            yield nodes.Name(section.value.value, section.value.inner)


def _profile_name(agent: AgentIndex, index: Index) -> nodes.Name | None:
    """The name of the profile document whose content this is."""
    for section in index.documents[agent.source.path].document.profiles:
        if section.content is agent.agent and section.value is not None:
            return nodes.Name(section.value.value, section.value.inner)
    return None


# Where names stand ----------------------------------------------------------------------------------------------


def places_of(agent: AgentIndex, index: Index) -> list[Place]:
    """Every name of an agent: first those that the tree names, then those in places that it keeps as they are."""
    typed = list(_typed(agent, index))
    return [*typed, *_mentioned(agent, index, typed)]


def _typed(agent: AgentIndex, index: Index) -> Iterator[Place]:
    yield from _names(agent, index)
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
    yield from _texts(agent)
    constraints = agent.agent.constraints
    for phase in constraints.phases if constraints is not None else ():
        yield "phase", phase.name.value, phase.name.span, "declaration"
    profile = _profile_name(agent, index)
    if profile is not None:
        yield "profile", profile.value, profile.span, "declaration"
    for used in _used_profiles(agent):
        yield "profile", used.value, used.span, "read"


def _texts(agent: AgentIndex) -> Iterator[Place]:
    """Templates, and names within the events of recall."""
    for name, _ in agent.agent.templates:
        yield "template", name.value, name.span, "declaration"
    for use in [template for placed in agent.parts for template in map(placed.template, placed.part.templates)]:
        for match in _TEMPLATE.finditer(use.value):
            yield "template", match[1], use.span(*match.span(1)), "read"
    for respond in agent.all(nodes.Respond):
        if respond.template is not None and respond.text is None:
            yield "template", respond.template.value, respond.template.span, "read"
    for on in [recall.on for recall in agent.all(nodes.RecallInstruction) if recall.on is not None]:
        event = _EVENT.fullmatch(on.value)
        for kind in _EVENT_KINDS if event is not None else ():
            if event is not None and event[kind] is not None:
                yield kind, event[kind], on.span_of(*event.span(kind)), "read"


def _names(agent: AgentIndex, index: Index) -> Iterator[Place]:
    for write in agent.writes:
        role: Role = "declaration" if write.kind in ("session", "persistent", "gather") else "write"
        yield _name(agent, index, write.path, write.span, role)
    for read in agent.reads:
        yield _name(agent, index, read.path, read.span, "read")
    for name, _ in agent.cleared:
        yield _name(agent, index, name.value, name.span, "write")
    for on_fail in agent.all(nodes.OnFail):
        for name in on_fail.collect or ():
            yield _name(agent, index, name.value, name.span, "read")


def _name(agent: AgentIndex, index: Index, path: str, span: Span, role: Role) -> Place:
    """A dotted name is the persistent path that it names or lies below, else the variable of its first segment.

    The name of a tool that is no variable is its last result (docs/spec 08 §8).
    """
    root = path.partition(".")[0]
    declared = agent.path_of(path)
    name = declared.name.value if declared is not None else "" if root in agent.session else _shared_path(path, index)
    if "." in name:
        return "path", name, Span(span.start, min(span.start + len(name), span.end)), role
    if role == "read" and root not in agent.written_roots:
        tool = root.removeprefix("last_").removesuffix("_result") if root.startswith("last_") else root
        if tool in agent.tools or tool in index.called_tools:
            start = span.start + root.find(tool)
            return "tool", tool, Span(start, start + len(tool)), role
    return "variable", root, Span(span.start, min(span.start + len(root), span.end)), role


def _shared_path(dotted: str, index: Index) -> str:
    """The path of the project that a dotted name is or lies below; empty without one."""
    known = _paths(index)
    while "." in dotted and dotted not in known:
        dotted = dotted.rpartition(".")[0]
    return dotted if "." in dotted else ""


@lru_cache(maxsize=8)
def _paths(index: Index) -> frozenset[str]:
    """Paths that some agent declares, remembers or recalls."""
    kinds = ("remember", "recall")
    stored = {w.path for agent in index.each() for w in agent.writes if w.kind in kinds and "." in w.path}
    return frozenset({*index.declared_paths, *stored})


def _mentioned(agent: AgentIndex, index: Index, typed: list[Place]) -> Iterator[Place]:
    """Names of this agent that stand in sections and properties of which the tree keeps the lines only."""
    taken = {span.start for _, _, span, _ in typed}
    kinds = _kinds(index, typed)
    for word, span in mentioned_words(agent):
        if span.start in taken:
            continue
        kind, name, place, role = _name(agent, index, word, span, "read")
        bare = kinds.get(name)
        if kind == "path" or bare == "variable":
            yield kind, name, place, role
        elif bare is not None and "." not in word:
            yield bare, word, span, role


def _kinds(index: Index, typed: list[Place]) -> dict[str, SymbolKind]:
    """What a bare word names: a variable that the agent sets, else one of its steps or tools, else an agent."""
    known: dict[str, SymbolKind] = dict.fromkeys(index.agents, "agent")
    known |= {name: kind for kind, name, _, _ in typed if kind in ("step", "tool")}
    return known | {name: kind for kind, name, _, role in typed if kind == "variable" and role != "read"}
