"""Where the agents of a project read a fact: expressions, templates, recall instructions (docs/spec 03 §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from abl.analysis.index.documents import document_index
from abl.analysis.index.model import AgentIndex
from abl.runtime.memory.facts import type_fits
from abl.source import Span
from abl.syntax import nodes
from editor.models import Project
from editor.selectors import project_files
from memory.models import Fact

MOST_PLACES = 100


@dataclass(frozen=True, slots=True)
class Place:
    """One place in a saved document, lines and columns counted from 1; ``how`` is the property that reads.

    ``wanted`` is the TYPE of a declaration that the value does not fit, else empty.
    """

    agent: str
    document: str
    line: int
    column: int
    end_line: int
    end_column: int
    how: str
    wanted: str = ""


def places_reading(*, project: Project, fact: Fact, now: datetime) -> tuple[list[Place], bool]:
    """Places in the saved documents that read a fact, a part of it or an object above it; and whether there are more.

    A declaration counts too: it is what makes the fact known to an agent. Whether the value fits its TYPE is judged
    while the fact is readable.
    """
    readable = fact.state(now) != "expired"
    found: list[Place] = []
    for path, text in project_files(project=project).items():
        for agent in document_index(path, text).agents:
            found += sorted(set(_places(agent, path, fact, readable)), key=lambda place: (place.line, place.column))
            if len(found) > MOST_PLACES:
                return found[:MOST_PLACES], True
    return found, False


def _places(agent: AgentIndex, path: str, fact: Fact, readable: bool) -> Iterator[Place]:
    declared = agent.persistent.get(fact.path) if readable else None
    type_ = declared.type.value if declared is not None and declared.type is not None else None
    wanted = "" if type_ is None or type_fits(type_, fact.value) else type_
    for span, how in _spans(agent, fact):
        at = wanted if declared is not None and span == declared.name.span else ""
        yield _place(agent, path, span, how, at)


def _spans(agent: AgentIndex, fact: Fact) -> Iterator[tuple[Span, str]]:
    for read in agent.reads:
        if _related(read.path, fact.path):
            yield read.span, _how(read.use.place) if read.use is not None else "a list of names"
    for write in agent.writes:
        if write.kind in ("recall", "persistent") and _related(write.path, fact.path):
            yield write.span, "recall" if write.kind == "recall" else "declaration"
    for recall in agent.all(nodes.RecallInstruction):
        if recall.domain is not None and recall.domain.value in {fact.domain, fact.tag} - {""}:
            yield recall.domain.span, "recall of the domain"


def _how(place: str) -> str:
    return "placeholder" if place == "TAG" else place


def _related(name: str, path: str) -> bool:
    """Whether reading a name reads something of a fact: it is the same, a part of it, or above it with a dot."""
    return name == path or name.startswith(f"{path}.") or ("." in name and path.startswith(f"{name}."))


def _place(agent: AgentIndex, path: str, span: Span, how: str, wanted: str) -> Place:
    start, end = agent.source.position(span.start), agent.source.position(span.end)
    return Place(agent.name or path, path, start.line, start.column, end.line, end.column, how, wanted)
