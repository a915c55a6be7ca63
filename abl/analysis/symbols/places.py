"""Where names are in an agent: every name with its kind and what it does there (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Final, NamedTuple, TypeAlias

from abl.analysis.index.aliases import aliases_of
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import SymbolKind, profile_name, shared_path, used_profiles
from abl.analysis.results.fields import results_of
from abl.analysis.results.items import items_of
from abl.analysis.symbols.agent_links import links_of, theirs_of
from abl.analysis.symbols.catalogue_keys import taken_keys
from abl.analysis.symbols.local_names import LabelRole, labels_of
from abl.analysis.symbols.mentions import mentioned_words
from abl.analysis.symbols.parameters import parameters_of
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import same_key
from abl.syntax.readers.content import content_of
from abl.syntax.vocabulary import TERMINALS

Role: TypeAlias = LabelRole
Place = tuple[SymbolKind, str, Span, Role]

_EVENT: Final = re.compile(
    r"tool:(?P<tool>\w+):after|agent:(?P<agent>\w+):(?:before|after)|step:(?:enter|exit):(?P<step>\w+)"
    r"|entity:(?P<variable>\w+):extracted"
)
_TEMPLATE: Final = re.compile(r"TEMPLATE\(\s*(\w+)\s*\)")
_EVENT_KINDS: Final[tuple[SymbolKind, ...]] = ("tool", "agent", "step", "variable")


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
    results = results_of(agent, index)
    yield from (("result", place.name, place.span, place.role) for place in results)
    taken = {place.span.start for place in results}
    yield from (place for place in _names(agent, index) if place[2].start not in taken)  # a field of an item is no name
    yield from _agents(agent, index)
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
    for kind, name, declares in agent.derive(links_of):
        if kind in ("tool", "step"):
            yield kind, name.value, name.span, "read"
        elif kind != "agent":
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


def _agents(agent: AgentIndex, index: Index) -> Iterator[Place]:
    """Agents, and the names that a supervisor has for them; what is an agent's name means that agent."""
    if agent.agent.name is not None:
        yield "agent", agent.agent.name.value, agent.agent.name.span, "declaration"
    aliases = {name: alias for name, alias in agent.derive(aliases_of).items() if name not in index.agents}
    for alias in aliases.values():
        yield "alias", alias.name.value, alias.name.span, "declaration"
    linked = [link.name for link in agent.derive(links_of) if link.kind == "agent"]
    for name in (*(ref.name for ref in agent.agent_refs), *linked):
        yield "alias" if name.value in aliases else "agent", name.value, name.span, "read"


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
    """Names of this agent that are in sections and properties of which the tree keeps the lines only."""
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
