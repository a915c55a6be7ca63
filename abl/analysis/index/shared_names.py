"""Names that several agents share: by handoffs and delegations, and by profiles (docs/spec 09 §5, §6, §12)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache, partial
from posixpath import basename
from typing import Final, Literal, NamedTuple, TypeAlias

from abl.analysis.index.imports import imported_files
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import paths_above
from abl.analysis.index.project import Index
from abl.analysis.symbols.agent_links import Theirs, links_of, theirs_of
from abl.analysis.symbols.local_names import LabelKind, has_label
from abl.source import Span
from abl.syntax import nodes

_OwnKind = Literal[
    "variable",
    "item",
    "path",
    "step",
    "tool",
    "parameter",
    "result",
    "agent",
    "alias",
    "template",
    "phase",
    "profile",
    "text",
    "function",
]
SymbolKind: TypeAlias = _OwnKind | LabelKind

_LISTED: Final = re.compile(r"[^\[\],\s][^\[\],]*?(?=\s*(?:[\[\],]|$))")
EVERYWHERE: Final = frozenset({"agent", "path", "profile", "result", "text"})
"""Kinds whose names belong to everyone."""
WORDS: Final[Mapping[SymbolKind, str]] = {
    "table": "lookup table",
    "handler": "return handler",
    "text": "text key",
    "policy": "flow policy",
    "result": "result field",
    "alias": "agent alias",
}
"""What people call a kind of name, where that is not its own word."""

_LABELS: Final[tuple[LabelKind, ...]] = ("table", "secret", "action")
_OF_TOOLS: Final = frozenset({"table", "secret"})
_WITHIN: Final = frozenset({"parameter", "item", "result"})
"""Kinds whose names begin with that of what they belong to."""


def word_of_name(kind: SymbolKind, name: str) -> str:
    """What stands where a name is."""
    return name.rpartition(".")[2] if kind in _WITHIN else name


class Symbol(NamedTuple):
    """A name at a place. Paths, agents, profiles and functions belong to everyone, the others to an agent.

    The name of a parameter begins with that of its tool, that of a field of a result with the place of its tool, that
    of an item with its pipeline; ``word`` is what stands at the place.
    """

    kind: SymbolKind
    name: str
    span: Span
    agent: AgentIndex

    @property
    def word(self) -> str:
        return word_of_name(self.kind, self.name)

    def renamed(self, word: str) -> str:
        """Its name with another word."""
        return f"{self.name.rpartition('.')[0]}.{word}" if self.kind in _WITHIN else word


def homes_of(index: Index, symbol: Symbol) -> list[AgentIndex]:
    """The agents in which a symbol's name means this symbol."""
    every = list(index.each())
    if symbol.kind in EVERYWHERE:
        return every
    homes = [symbol.agent]
    related = _RELATED.get(symbol.kind)
    if related is None:
        return homes
    others = [other for other in every if other != symbol.agent]
    for home in homes:  # grows while it is read
        rest: list[AgentIndex] = []
        for other in others:  # each is looked at until it is one of them
            (homes if related(index, home, other, symbol.name) else rest).append(other)
        others = rest
    return homes


def _share_variable(index: Index, one: AgentIndex, two: AgentIndex, name: str) -> bool:
    """True when a variable of that name is the same word for both: one hands it to the other, or edits the other."""
    for giver, taker in ((one, two), (two, one)):
        if taker.name and any(
            theirs.agent == taker.name and theirs.shared and not theirs.split and theirs.name.value == name
            for theirs in giver.derive(theirs_of)
        ):
            return True
    return _edits(index, one, two) or _sets_by_import(one, two, name)


def _sets_by_import(one: AgentIndex, two: AgentIndex, name: str) -> bool:
    """True when one of them is a tool file whose tools set or read the name, and the other imports it (08 §9)."""
    return any(name in tools.written_roots or name in tools.read_roots for tools, _ in _imports(one, two))


def _imports(one: AgentIndex, two: AgentIndex) -> Iterator[tuple[AgentIndex, AgentIndex]]:
    """A tool file and the agent that imports it, when the two are that."""
    for tools, user in ((one, two), (two, one)):
        if tools.fragment and basename(tools.source.path) in user.derive(imported_files):
            yield tools, user


def _share_step(index: Index, one: AgentIndex, two: AgentIndex, name: str) -> bool:
    return _edits(index, one, two) and _links(two, "step", name)


def _share_tool(index: Index, one: AgentIndex, two: AgentIndex, name: str) -> bool:
    """A tool is an agent's own, with the profiles that edit it, or one of the project."""
    if _is_global(index, one, name) and _is_global(index, two, name):
        return True
    return _edits(index, one, two) and _links(two, "tool", name)


def _share_label(kind: LabelKind, index: Index, one: AgentIndex, two: AgentIndex, name: str) -> bool:
    """What tools name is that of the agents that import their file; what a profile names is that of its users."""
    return (_edits(index, one, two) or (kind in _OF_TOOLS and any(_imports(one, two)))) and has_label(two, kind, name)


def _share_intent(index: Index, one: AgentIndex, two: AgentIndex, name: str) -> bool:
    """An agent that compares with an intent that it does not declare means that of another, or of a profile's user."""
    if _edits(index, one, two):
        return has_label(two, "intent", name)
    for declares, compares in ((one, two), (two, one)):
        if has_label(declares, "intent", name, "declaration") and has_label(compares, "intent", name, "read"):
            return not has_label(compares, "intent", name, "declaration")
    return False


def _share_parameter(index: Index, one: AgentIndex, two: AgentIndex, name: str) -> bool:
    return _share_tool(index, one, two, name.partition(".")[0])


_RELATED: Final[Mapping[SymbolKind, Callable[[Index, AgentIndex, AgentIndex, str], bool]]] = {
    "variable": _share_variable,
    "step": _share_step,
    "tool": _share_tool,
    "parameter": _share_parameter,
    "intent": _share_intent,
    **{kind: partial(_share_label, kind) for kind in _LABELS},
}


def _is_global(index: Index, agent: AgentIndex, tool: str) -> bool:
    """True where the name of a tool means one that several agents may use."""
    profile = profile_name(agent, index)
    if profile is not None and any(tool in user.tools for user in index.profile_users.get(profile.value, ())):
        return False
    return tool not in agent.tools or (agent.fragment and agent.agent.section("TOOLS") is not None)


def _edits(index: Index, one: AgentIndex, two: AgentIndex) -> bool:
    """True when one of them is a profile that the other uses."""
    for user, edits in ((one, two), (two, one)):
        profile = profile_name(edits, index) if edits.fragment else None
        if profile is not None and any(used.value == profile.value for used in used_profiles(user)):
            return True
    return False


def _links(agent: AgentIndex, kind: str, name: str) -> bool:
    """True when an agent declares a step or tool of that name or refers to it, or a profile edits it."""
    declared, refs = (agent.steps, agent.step_refs) if kind == "step" else (agent.tools, agent.tool_refs)
    links = (link.name.value for link in agent.derive(links_of) if link.kind == kind)
    return name in declared or name in links or any(ref.name.value == name for ref in refs)


def exchanged(index: Index, name: str, homes: Collection[AgentIndex]) -> Iterator[tuple[AgentIndex, Theirs]]:
    """Where other agents name a variable of one of these, with who does so."""
    names = {agent.name for agent in homes if agent.name}
    for agent in index.each():
        for theirs in agent.derive(theirs_of):
            path = theirs.name.value
            if theirs.agent in names and path.partition(".")[0] == name and not shared_path(path, index):
                yield agent, theirs


def first_segment(name: nodes.Name) -> Span:
    """Where the first segment of a dotted name stands."""
    return Span(name.span.start, name.span.start + len(name.value.partition(".")[0]))


def used_profiles(agent: AgentIndex) -> Iterator[nodes.Name]:
    """The profiles that USE_BEHAVIOR_PROFILE of an agent names."""
    for section in agent.agent.sections:
        text = section.value
        if section.keyword != "USE_BEHAVIOR_PROFILE" or text is None:
            continue
        for word in _LISTED.finditer(text.value):
            yield nodes.Name(word[0], text.span_of(*word.span()))


def profile_name(agent: AgentIndex, index: Index) -> nodes.Name | None:
    """The name of the profile document whose content this is."""
    for section in index.documents[agent.source.path].document.profiles:
        if section.content is agent.agent and section.value is not None:
            return nodes.Name(section.value.value, section.value.inner)
    return None


def shared_path(dotted: str, index: Index) -> str:
    """The path of the project that a dotted name is or lies below; empty without one."""
    known = _paths(index)
    return next((path for path in (dotted, *paths_above(dotted)) if "." in path and path in known), "")


@lru_cache(maxsize=8)
def _paths(index: Index) -> frozenset[str]:
    """Paths that some agent declares, remembers or recalls."""
    kinds = ("remember", "recall")
    stored = {w.path for agent in index.each() for w in agent.writes if w.kind in kinds and "." in w.path}
    return frozenset({*index.declared_paths, *stored})
