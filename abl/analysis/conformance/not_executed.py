"""What the platform does and nothing here does, as the declaration marks it (docs/spec 09 §16, 12 §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from abl.analysis.conformance.closed_places import Whole, walked
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.language import SECTIONS, key_at
from abl.source import Source, Span
from abl.syntax import nodes


class NotExecuted(NamedTuple):
    """A section or property that runs here leave out: its file, where its key stands, the key as written."""

    path: str
    span: Span
    key: str


def not_executed(index: Index) -> Iterator[NotExecuted]:
    """All of them, the outermost ones, file by file. A profile is listed where an agent attaches it."""
    for path, document in index.documents.items():
        for agent in document.agents:
            if not (isinstance(agent.agent, nodes.Fragment) and agent.agent.profile is not None):
                yield from (NotExecuted(path, span, key) for span, key in _of_agent(agent))


def _of_agent(agent: AgentIndex) -> Iterator[tuple[Span, str]]:
    source = agent.own_source
    for section in agent.agent.sections:
        yield from of_section(source, section)
    for step in agent.all(nodes.Step):
        yield from of_whole(source, step)
    for tool in agent.all(nodes.Tool):
        yield from of_whole(source, tool)


def of_section(source: Source, section: nodes.Section) -> Iterator[tuple[Span, str]]:
    """A section that is left out, or what is left out in it; steps and tools are asked by themselves."""
    declared = SECTIONS.get(section.keyword)
    if declared is not None and declared.runs == "platform" and declared.offered:
        yield section.key_span, section.written
    else:
        yield from of_whole(source, section)


def of_whole(source: Source, whole: Whole) -> Iterator[tuple[Span, str]]:
    """What is left out in a section, step, tool or profile, the outermost properties."""
    outer: list[Span] = []
    for stood in walked(source, whole).properties:
        start = stood.block.span.start
        within = any(span.start <= start < span.end for span in outer)
        if not within and _is_left_to_platform(stood.place, stood.block.key):
            outer.append(stood.block.span)
            yield stood.block.key_span, stood.block.key


@lru_cache(maxsize=4_096)
def _is_left_to_platform(place: str, written: str) -> bool:
    """True for a key that nothing here executes; one that is not offered has a code of its own."""
    key = key_at(place, written)
    return key is not None and key.runs == "platform" and key.offered


def in_words(left: Iterable[NotExecuted]) -> str:
    """The keys with how often each occurs, in one line; empty where everything runs."""
    counted = Counter(each.key for each in left)
    listed = ", ".join(f"{key} ({count})" if count > 1 else key for key, count in sorted(counted.items()))
    return f"Not executed here: {listed}" if listed else ""
