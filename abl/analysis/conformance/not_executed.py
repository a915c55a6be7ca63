"""What the platform does and nothing here does, as the declaration marks it (docs/spec 09 §16, 12 §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from abl.analysis.conformance.closed_places import Whole, looked_through
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.language import SECTIONS, key_at
from abl.source import Span
from abl.syntax import nodes


class NotExecuted(NamedTuple):
    """A section or property that runs here leave out: its file, where its key stands, the key as written."""

    path: str
    span: Span
    key: str


def not_executed(index: Index) -> Iterator[NotExecuted]:
    """All of them, the outermost ones, file by file. A profile is told where an agent attaches it."""
    for path, document in index.documents.items():
        for agent in document.agents:
            if not (isinstance(agent.agent, nodes.Fragment) and agent.agent.profile is not None):
                yield from (NotExecuted(path, span, key) for span, key in _of_agent(agent))


def _of_agent(agent: AgentIndex) -> Iterator[tuple[Span, str]]:
    for section in agent.agent.sections:
        declared = SECTIONS.get(section.keyword)
        if declared is not None and declared.runs == "told":
            yield section.key_span, section.written
        else:
            yield from _properties(section, agent)
    for step in agent.all(nodes.Step):
        yield from _properties(step, agent)
    for tool in agent.all(nodes.Tool):
        yield from _properties(tool, agent)


def _properties(whole: Whole, agent: AgentIndex) -> Iterator[tuple[Span, str]]:
    within = Span(0, 0)
    for stood in looked_through(whole, agent).properties:
        start = stood.block.span.start
        if _is_told(stood.place, stood.block.key) and not within.start <= start < within.end:
            within = stood.block.span
            yield stood.block.key_span, stood.block.key


@lru_cache(maxsize=4_096)
def _is_told(place: str, written: str) -> bool:
    """True for a key that nothing here executes; one that is not offered has a code of its own."""
    key = key_at(place, written)
    return key is not None and key.runs == "told" and key.offered


def in_words(left: Iterable[NotExecuted]) -> str:
    """The keys with how often each occurs, in one line; empty where everything runs."""
    counted = Counter(each.key for each in left)
    listed = ", ".join(f"{key} ({count})" if count > 1 else key for key, count in sorted(counted.items()))
    return f"Not executed here: {listed}" if listed else ""
