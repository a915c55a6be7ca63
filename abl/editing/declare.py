"""Entries of MEMORY for what a document uses and does not declare (docs/spec 05 §9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from abl.analysis.conditions.literal_words import intended_literal
from abl.analysis.fixes.memory_entries import added
from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import first_below
from abl.analysis.index.project import Index
from abl.diagnostics import Diagnostic, Edit
from abl.language import value_of_text
from abl.language.memory import scope_by_segment
from abl.syntax import nodes

_UNDECLARED_NAME: Final = "ABL214"
_UNDECLARED_PATHS: Final = frozenset({"ABL344", "ABL372"})


def declared_names(document: DocumentIndex, index: Index, problems: Sequence[Diagnostic]) -> list[Edit]:
    """Every name of ABL214 as a session variable of its agent."""
    edits: list[Edit] = []
    for agent in document.agents:
        if isinstance(agent.agent, nodes.Fragment) and agent.agent.profile is not None:
            continue  # which has no MEMORY: the agents that use it have
        paths = _named(document, agent, problems, {_UNDECLARED_NAME})
        names = dict.fromkeys(path for path in paths if "." not in path and not intended_literal(path))
        edits += _added(document, agent, "session", [f"- {name}" for name in names])
    return edits


def declared_paths(document: DocumentIndex, index: Index, problems: Sequence[Diagnostic]) -> list[Edit]:
    """Every path of ABL344 and ABL372 in ``persistent`` of its agent, with the scope that it begins with."""
    edits: list[Edit] = []
    for agent in document.agents:
        paths = dict.fromkeys(p for p in _named(document, agent, problems, _UNDECLARED_PATHS) if "." in p)
        edits += _added(document, agent, "persistent", [line for path in paths for line in _path(document, path)])
    return edits


def recalled_paths(document: DocumentIndex, index: Index, problems: Sequence[Diagnostic]) -> list[Edit]:
    """One recall at the start of a session for the paths that an agent declares and reads but never recalls."""
    edits: list[Edit] = []
    for agent in document.agents:
        paths = list(_not_recalled(agent))
        if paths and document.document.yaml:
            lines = [f'- {{on: "session:start", action: inject_context, paths: [{", ".join(paths)}]}}']
        else:
            lines = ["- ON: session:start", "  ACTION: inject_context", f"  PATHS: [{', '.join(paths)}]"]
        edits += _added(document, agent, "recall", lines if paths else [])
    return edits


def session_variables(document: DocumentIndex, agent: AgentIndex, lines: Sequence[str]) -> list[Edit]:
    """Entries of ``session`` for an agent, given as lines without their indentation."""
    return _added(document, agent, "session", lines)


def _not_recalled(agent: AgentIndex) -> Iterator[str]:
    recalled = {name.value for recall in agent.all(nodes.RecallInstruction) for name in recall.paths or ()}
    domains = {r.domain.value for r in agent.all(nodes.RecallInstruction) if r.domain is not None}
    above = first_below(agent.read_paths)
    for path, declared in agent.persistent.items():
        writable_only = value_of_text("persistent", "ACCESS", declared.access) == "write"
        is_read = path in agent.read_paths or path in above
        in_domain = declared.domain is not None and declared.domain.value in domains
        if is_read and "." in path and path not in recalled and not writable_only and not in_domain:
            yield path


def _named(
    document: DocumentIndex, agent: AgentIndex, problems: Sequence[Diagnostic], codes: set[str] | frozenset[str]
) -> Iterator[str]:
    """What the problems of these codes in an agent point at, as written."""
    start, end = agent.agent.span
    for problem in problems:
        if problem.code in codes and problem.path == document.path and start <= problem.span.start < max(end, 1):
            yield document.source.text[problem.span.start : problem.span.end].strip("\"' ")


def _path(document: DocumentIndex, path: str) -> list[str]:
    scope = scope_by_segment(path)
    return [f"- {{path: {path}, scope: {scope}}}"] if document.document.yaml else [f"- {path}", f"  SCOPE: {scope}"]


def _added(document: DocumentIndex, agent: AgentIndex, group: str, lines: Sequence[str]) -> list[Edit]:
    return added(agent, group, lines, yaml=document.document.yaml)
