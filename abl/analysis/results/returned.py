"""Tools whose return type is declared, and what is in their results (docs/spec 08 §1, §9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import basename
from typing import NamedTuple

from abl.analysis.conditions.chains import Chain, unwrapped
from abl.analysis.conditions.types import canonical_type
from abl.analysis.index.imported_tools import profiles_used
from abl.analysis.index.imports import imported_files
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import profile_name
from abl.syntax import nodes
from abl.syntax.nodes import TypeRef


class Returned(NamedTuple):
    """A tool whose return type is declared, and the document that declares it."""

    path: str
    tool: nodes.Tool

    def name_of(self, fields: Sequence[str]) -> str:
        """The full name of a field of the result."""
        return f"{self.path}@{self.tool.name.span.start}:{'.'.join((self.tool.name.value, *fields))}"


class Held(NamedTuple):
    """A value that is in a tool's result: the fields that lead to it, and its type."""

    returned: Returned
    fields: tuple[str, ...]
    type: TypeRef

    def below(self, step: str | None, *, arrays: bool = True) -> Held | None:
        """What a field or an index (None, or digits) leads to; with ``arrays=False`` fields of items need no index."""
        type_ = unwrapped(self.type)
        while type_ is not None and type_.item is not None and not arrays:
            type_ = unwrapped(type_.item)
        if type_ is None:
            return None
        if type_.item is not None:
            return self._replace(type=type_.item) if step is None or step.isdigit() else None
        kind = next((kind for name, _, kind in type_.fields if name == step), None)
        return Held(self.returned, (*self.fields, step), kind) if step is not None and kind is not None else None

    def along(self, chain: Chain) -> Held | None:
        """What the steps of a path lead to."""
        held: Held | None = self
        for step in chain.steps:
            held = held.below(step.name) if held is not None else None
        return held

    @property
    def plain(self) -> bool:
        """True for a text, number, date or the like, which has no fields."""
        type_ = unwrapped(self.type)
        return type_ is not None and canonical_type(type_.name) not in (None, "object", "array")

    @property
    def item(self) -> Held | None:
        """The item of a list whose fields are declared."""
        type_ = unwrapped(self.type)
        inner = unwrapped(type_.item) if type_ is not None else None
        return self._replace(type=inner) if inner is not None and inner.fields else None


def declared_tool(name: str, agent: AgentIndex, index: Index) -> Returned | None:
    """Where a tool is declared whose result an agent may hold: there, in what it imports or uses, by who uses it."""
    own, taken = agent.tools.get(name), agent.imported_tools.get(name)
    if own is not None:
        return Returned(agent.source.path, own)
    if taken is not None:
        return next((each for each in _lent(agent, index) if _is_same(each.tool, taken)), None)
    profile = profile_name(agent, index) if agent.fragment else None
    users = index.profile_users.get(profile.value, ()) if profile is not None else ()
    return only([declared_tool(name, user, index) for user in users])


def only(found: Sequence[Returned | None]) -> Returned | None:
    """The one tool that is meant; None when there is none, or several."""
    names = {each.name_of(()) if each is not None else "" for each in found}
    return found[0] if len(names) == 1 else None


def _lent(agent: AgentIndex, index: Index) -> Iterator[Returned]:
    """The tools of the tool files that an agent imports and of the profiles that it uses."""
    files, profiles = agent.derive(imported_files), agent.derive(profiles_used)
    for other in index.each():
        if not other.fragment or not other.tools:
            continue
        profile = profile_name(other, index)
        if basename(other.source.path) in files or (profile is not None and profile.value in profiles):
            yield from (Returned(other.source.path, tool) for tool in other.tools.values())


def _is_same(one: nodes.Tool, two: nodes.Tool) -> bool:
    return one is two or (one.name == two.name and one.returns == two.returns)
