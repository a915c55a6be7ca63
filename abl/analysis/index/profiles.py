"""Which agents attach which behaviour profiles, and what a profile changes (docs/spec 09 §12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis.conditions.implication import reverses_order
from abl.analysis.conditions.intervals import limits_of
from abl.analysis.conditions.judgement import conjuncts, steady_shape
from abl.analysis.conditions.reading import Reading, read_condition_text
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.expressions import nodes as en
from abl.language.written import listed
from abl.syntax import nodes
from abl.syntax.nodes import Content, Text, same_key

_GATHERED: Final = frozenset({"priority", "when", "instructions", "constraints", "tools"})


def _profiles(part: Part) -> tuple[nodes.Profile, ...]:
    return tuple(part.all(nodes.Profile))


def own_profiles(agent: AgentIndex) -> Iterator[nodes.Profile]:
    """The profiles that are in a document part: inline ones of an agent, or that of a profile document."""
    for placed, profiles in agent.each(_profiles):
        yield from (placed.at(profile) for profile in profiles)


def attached(agent: AgentIndex, project: Index) -> list[tuple[AgentIndex, nodes.Profile]]:
    """The profiles of an agent with where they stand: those it uses, then its own."""
    sections = (section for section in agent.agent.sections if section.keyword == "USE_BEHAVIOR_PROFILE")
    names = dict.fromkeys(name for section in sections if section.value is not None for name in listed(section.value))
    known = (project.profiles.get(name) for name in names)
    return [*(found for found in known if found is not None), *((agent, own) for own in own_profiles(agent))]


def attaching(profile: nodes.Profile, home: AgentIndex, project: Index) -> tuple[AgentIndex, ...]:
    """The agents that a profile may change."""
    if profile.inline:
        return () if home.fragment else (home,)
    return project.profile_users.get(profile.name.value, ()) if profile.name is not None else ()


def leaves(profile: nodes.Profile) -> dict[tuple[str, ...], Content]:
    """The single settings that a profile overwrites; what adds up (instructions, constraints, tools) is left out."""
    found: dict[tuple[str, ...], Content] = {}
    for member in profile.content.members:
        if same_key(member.key) not in _GATHERED:
            _leaves(member, (), found)
    return found


def _leaves(content: Content, above: tuple[str, ...], found: dict[tuple[str, ...], Content]) -> None:
    path = (*above, same_key(content.key))
    for member in content.members:
        _leaves(member, path, found)
    if not content.members:
        found[path] = content


def condition(when: Text | None) -> Reading | None:
    """The WHEN of a profile as an expression."""
    return read_condition_text(when.value, when.style) if when is not None and when.value.strip() else None


def exclude_each_other(one: Reading | None, other: Reading | None) -> bool:
    """True when two conditions cannot both hold, as far as that shows."""
    first, second = (reading.node if reading is not None else None for reading in (one, other))
    if first is None or second is None:
        return True  # what cannot be read has a problem of its own
    parts, others = conjuncts(first), conjuncts(second)
    return any(_contradict(part, opposite) for part in parts for opposite in others)


def _contradict(one: en.Node, other: en.Node) -> bool:
    first, second = steady_shape(one), steady_shape(other)
    if ("NOT", first) == second or ("NOT", second) == first:
        return True
    if reverses_order(one) or reverses_order(other):
        return False
    limits, others = limits_of(one), limits_of(other)
    return limits is not None and others is not None and bool(limits.contradicts(others))
