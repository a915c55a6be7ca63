"""What rules ask about all agents of a project, collected in one pass over each (docs/spec 05 §8)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from abl.analysis.flow.cycles import strongly_connected_components
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex
from abl.syntax import nodes

_WORD: Final = re.compile(r"\w+")
_KEPT_TEXTS: Final = 256


def mentioned(agents: Iterable[AgentIndex]) -> Counter[str]:
    """In how many agents each word stands that may read or set anything."""
    counts: Counter[str] = Counter()
    for agent in agents:
        counts.update(agent.mentions)
    return counts


@lru_cache(maxsize=_KEPT_TEXTS)
def words_in(text: str) -> Counter[str]:
    """How often each word is in a text."""
    return Counter(_WORD.findall(text))


def result_fields(agents: Iterable[AgentIndex]) -> frozenset[str]:
    """The declared fields of the results of all tools."""
    return frozenset().union(*[agent.union(_result_fields) for agent in agents])


def _result_fields(part: Part) -> frozenset[str]:
    tools = [tool for tool in part.all(nodes.Tool) if tool.returns is not None]
    return frozenset([name for tool in tools if tool.returns is not None for name, _, _ in tool.returns.fields])


def starts(agents: Iterable[AgentIndex]) -> dict[str, int]:
    """For each agent by name those that lead to it, itself included, as bits: two are in one tree if they share one."""
    leads: dict[str, set[str]] = {}
    for agent in agents:
        leads.setdefault(agent.name, set()).update(agent.union(_targets), agent.mentions)
    to = {name: [other for other in others if other in leads] for name, others in leads.items()}
    groups = list(strongly_connected_components(to, to.__getitem__))
    reached = dict.fromkeys(to, 0)
    bits = {name: 1 << number for number, name in enumerate(to)}
    for group in reversed(groups):  # those that lead to others come first
        whole = 0
        for name in group:
            whole |= bits[name] | reached[name]
        for name in group:
            reached[name] = whole
            for other in to[name]:
                reached[other] |= whole
    return reached


def _targets(part: Part) -> frozenset[str]:
    """Agents that are named as such."""
    return frozenset([ref.name.value for ref in part.agent_refs])
