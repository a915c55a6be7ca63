"""What DELEGATE gives another agent and takes from it (docs/spec 09 §6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from abl.analysis.conformance import generic
from abl.analysis.index.model import AgentIndex
from abl.syntax import nodes
from abl.syntax.nodes import Block, Name


def delegations(section: nodes.Section, agent: AgentIndex) -> Iterator[dict[str, Block]]:
    """The properties of each entry of DELEGATE; none for another section."""
    if section.keyword == "DELEGATE":
        for entry in generic.entries(agent.source, section.block):
            yield generic.by_key(agent.source, entry)


def target(keys: dict[str, Block]) -> Block | None:
    """The agent that is asked."""
    return generic.first_of(keys, ("agent", "to"))


def given(keys: dict[str, Block]) -> Block | None:
    """What it gets: INPUT, or PASS."""
    return generic.first_of(keys, ("input", "pass"))


def keys_in(block: Block | None, agent: AgentIndex) -> Iterator[Name]:
    """The other agent's names in INPUT or RETURNS, the keys; or those of a list."""
    members = generic.members(agent.source, block)
    if members:
        yield from (Name(member.key, member.key_span) for member in members)
    else:
        yield from generic.names(agent.source, block)


def given_by(agent: AgentIndex) -> list[tuple[str, frozenset[str]]]:
    """Names that each delegation gives, by the agent that gets them."""
    return _named(agent, given)


def taken_by(agent: AgentIndex) -> list[tuple[str, frozenset[str]]]:
    """Names that each delegation takes back, and ``map`` of a handoff, by the agent that is to have them."""
    returns = _named(agent, lambda keys: keys.get("returns"))
    for handoff in agent.all(nodes.Handoff):
        if handoff.to is not None and handoff.on_return is not None:
            mapped = generic.by_key(agent.source, handoff.on_return).get("map")
            returns.append((handoff.to.value, frozenset([name.value for name in keys_in(mapped, agent)])))
    return returns


def _named(agent: AgentIndex, chosen: Callable[[dict[str, Block]], Block | None]) -> list[tuple[str, frozenset[str]]]:
    return [
        (generic.word(target(keys)), frozenset([name.value for name in keys_in(chosen(keys), agent)]))
        for section in generic.sections(agent, "DELEGATE")
        for keys in delegations(section, agent)
    ]
