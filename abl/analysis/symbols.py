"""Symbols at a place and everywhere: what hover, definition, references and rename are made of (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, partial
from typing import Final, NamedTuple, TypeAlias

from abl.analysis.casenames import CaseName, agents_of_case, names_in_case
from abl.analysis.catalogue_keys import CatalogueKey, keys_in, taken_keys
from abl.analysis.items import items_of
from abl.analysis.labels import LabelRole, labels_of
from abl.analysis.links import links_of, theirs_of
from abl.analysis.mentions import mentioned_words
from abl.analysis.model import AgentIndex
from abl.analysis.parameters import parameters_of
from abl.analysis.project import Index
from abl.analysis.records import TERMINALS
from abl.analysis.sharing import (
    EVERYWHERE,
    Symbol,
    SymbolKind,
    exchanged,
    first_segment,
    homes_of,
    profile_name,
    shared_path,
    used_profiles,
)
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.content import content_of
from abl.syntax.nodes import same_key

Role: TypeAlias = LabelRole
Place = tuple[SymbolKind, str, Span, Role]

_EVENT: Final = re.compile(
    r"tool:(?P<tool>\w+):after|agent:(?P<agent>\w+):(?:before|after)|step:(?:enter|exit):(?P<step>\w+)"
    r"|entity:(?P<variable>\w+):extracted"
)
_TEMPLATE: Final = re.compile(r"TEMPLATE\(\s*(\w+)\s*\)")
_EVENT_KINDS: Final[tuple[SymbolKind, ...]] = ("tool", "agent", "step", "variable")


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
    for path, text in index.cases.items():
        names = [name for name in names_in_case(text) or () if _is_named(name, symbol, index)]
        agents = agents_of_case(index, path) if names else []
        meant = [agent for agent in agents if symbol.kind in EVERYWHERE or _knows(agent, symbol, index)]
        if any(agent in homes for agent in meant) or (symbol.kind == "agent" and names):
            others = tuple([agent.name or agent.source.path for agent in meant if agent not in homes])
            for name in names:
                end = min(name.span.end, name.span.start + len(symbol.word)) if name.plain else name.span.end
                role: Role = "write" if name.writes else "read"
                yield CaseUse(Occurrence(path, Span(name.span.start, end), role), name.plain, others)


def _is_named(name: CaseName, symbol: Symbol, index: Index) -> bool:
    """True for a name of a test case that can mean the symbol."""
    if name.kind != "name":
        return name.kind == symbol.kind and name.name == symbol.name
    path = shared_path(name.name, index)
    return symbol.name == (path or name.name.partition(".")[0]) and symbol.kind == ("path" if path else "variable")


def _knows(agent: AgentIndex, symbol: Symbol, index: Index) -> bool:
    """True when the word means something of the symbol's kind in an agent."""
    return any(kind == symbol.kind and name == symbol.name for kind, name, _, _ in places_of(agent, index))


# Where names stand ----------------------------------------------------------------------------------------------


def places_of(agent: AgentIndex, index: Index) -> list[Place]:
    """Every name of an agent: first those that the tree names, then those in places that it keeps as they are.

    Remembered with the index; nobody may change the list.
    """
    found: list[Place] | None = index.kept.get(("places", id(agent)))
    if found is None:
        typed = list(_typed(agent, index))
        found = index.kept["places", id(agent)] = [*typed, *_mentioned(agent, index, typed)]
    return found


def _typed(agent: AgentIndex, index: Index) -> Iterator[Place]:
    yield from _names(agent, index)
    for step in agent.all(nodes.Step):
        yield "step", step.name.value, step.name.span, "declaration"
    flow = agent.agent.flow
    if flow is not None:
        for name in (*flow.listed, *((flow.entry_point,) if flow.entry_point else ())):
            yield "step", name.value, name.span, "read"
    for step_ref in agent.step_refs:
        if _is_step(step_ref.name.value, agent):
            yield "step", step_ref.name.value, step_ref.name.span, "read"
    for tool in agent.all(nodes.Tool):
        yield "tool", tool.name.value, tool.name.span, "declaration"
    for tool_ref in agent.tool_refs:
        yield "tool", tool_ref.name.value, tool_ref.name.span, "read"
    if agent.agent.name is not None:
        yield "agent", agent.agent.name.value, agent.agent.name.span, "declaration"
    for agent_ref in agent.agent_refs:
        yield "agent", agent_ref.name.value, agent_ref.name.span, "read"
    for kind, name, declares in agent.derive(links_of):
        if kind in ("tool", "step", "agent"):
            yield kind, name.value, name.span, "read"
        else:
            yield _name(agent, index, name.value, name.span, "declaration" if declares else "read")
    yield from _texts(agent)
    constraints = agent.agent.constraints
    for phase in constraints.phases if constraints is not None else ():
        yield "phase", phase.name.value, phase.name.span, "declaration"
    profile = profile_name(agent, index)
    if profile is not None:
        yield "profile", profile.value, profile.span, "declaration"
    for used in used_profiles(agent):
        yield "profile", used.value, used.span, "read"
    for name, declares in agent.derive(parameters_of):
        yield "parameter", name.value, name.span, "declaration" if declares else "read"
    for name, declares in agent.derive(items_of):
        yield "item", name.value, name.span, "declaration" if declares else "read"
    yield from (("text", key.value, key.span, "read") for key in agent.derive(taken_keys))
    yield from ((label.kind, label.name, label.span, label.role) for label in agent.derive(labels_of))


def _is_step(name: str, agent: AgentIndex) -> bool:
    """False for words such as COMPLETE; what a profile inserts leads to steps of its agents."""
    return name in agent.steps or name in agent.listed or (agent.fragment and name.upper() not in TERMINALS)


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
    for setting in agent.all(nodes.Setting):  # a secure question may be a template (docs/spec 06 §5.11)
        content = content_of(setting.block) if setting.keyword == "SECURE_INPUT" and setting.block is not None else None
        for prompt in (below for below in content.walk() if same_key(below.key) == "prompt") if content else ():
            text = prompt.text_of("template")
            if text is not None:
                yield "template", text.value.strip(), text.inner, "read"
    for on in [recall.on for recall in agent.all(nodes.RecallInstruction) if recall.on is not None]:
        event = _EVENT.fullmatch(on.value)
        for kind in _EVENT_KINDS if event is not None else ():
            if event is not None and event[kind] is not None:
                yield kind, event[kind], on.span_of(*event.span(kind)), "read"


def _names(agent: AgentIndex, index: Index) -> Iterator[Place]:
    named = cache(partial(_named, agent, index))  # a name that stands a thousand times is looked up once
    for write in agent.writes:
        role: Role = "declaration" if write.kind in ("session", "persistent", "gather") else "write"
        yield named(write.path, is_read=False).place(write.span, role)
    for read in agent.reads:
        yield named(read.path, is_read=True).place(read.span, "read")
    for name, _ in agent.cleared:
        yield _name(agent, index, name.value, name.span, "write")
    for on_fail in agent.all(nodes.OnFail):
        for name in on_fail.collect or ():
            yield _name(agent, index, name.value, name.span, "read")
    for theirs in agent.derive(theirs_of):  # a fact is everybody's
        if shared_path(theirs.name.value, index):
            yield _name(agent, index, theirs.name.value, theirs.name.span, "write" if theirs.given else "read")


class _Named(NamedTuple):
    """What a dotted name means, and where within it that name begins."""

    kind: SymbolKind
    name: str
    begins: int = 0

    def place(self, span: Span, role: Role) -> Place:
        """The place of the name where the dotted one stands at a span."""
        start = min(span.start + self.begins, span.end)
        return self.kind, self.name, Span(start, min(start + len(self.name), span.end)), role


def _name(agent: AgentIndex, index: Index, path: str, span: Span, role: Role) -> Place:
    return _named(agent, index, path, is_read=role == "read").place(span, role)


def _named(agent: AgentIndex, index: Index, path: str, *, is_read: bool) -> _Named:
    """A dotted name is the persistent path that it names or lies below, else the variable of its first segment.

    The name of a tool that is no variable is its last result (docs/spec 08 §8).
    """
    root, _, below = path.partition(".")
    if root == "session" and below.partition(".")[0] in agent.written_roots:  # ``session.a`` is ``a`` (02 §7)
        inner = _named(agent, index, below, is_read=is_read)
        return inner._replace(begins=inner.begins + len("session."))
    declared = agent.path_of(path)
    name = declared.name.value if declared is not None else "" if root in agent.session else shared_path(path, index)
    if "." in name:
        return _Named("path", name)
    if is_read and root not in agent.written_roots:
        tool = root.removeprefix("last_").removesuffix("_result") if root.startswith("last_") else root
        if tool in agent.tools or tool in index.called_tools:
            return _Named("tool", tool, root.find(tool))
    return _Named("variable", root)


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
