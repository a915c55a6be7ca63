"""Entries of MEMORY for what a document uses and does not declare (docs/spec 05 §9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from abl.analysis.documents import DocumentIndex
from abl.analysis.entry_fixes import SCOPE_OF_SEGMENT
from abl.analysis.model import AgentIndex
from abl.analysis.names import first_below
from abl.analysis.project import Index
from abl.diagnostics import Diagnostic, Edit
from abl.source import Span
from abl.syntax import nodes

_UNDECLARED_NAME: Final = "ABL214"
_UNDECLARED_PATHS: Final = frozenset({"ABL344", "ABL372"})
_FIRST_SECTIONS: Final = ("AGENT", "SUPERVISOR", "VERSION", "DESCRIPTION", "LANGUAGE", "GOAL", "PERSONA")


def declared_names(document: DocumentIndex, index: Index, problems: Sequence[Diagnostic]) -> list[Edit]:
    """Every name of ABL214 as a session variable of its agent."""
    edits: list[Edit] = []
    for agent in document.agents:
        if isinstance(agent.agent, nodes.Fragment) and agent.agent.profile is not None:
            continue  # which has no MEMORY: the agents that use it have
        paths = _named(document, agent, problems, {_UNDECLARED_NAME})
        names = dict.fromkeys(path for path in paths if "." not in path)
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
    """One recall at the start of a session for the paths that an agent declares and reads, and recalls nowhere."""
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
        writable_only = declared.access is not None and declared.access.value.strip().lower() == "write"
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
    scope = SCOPE_OF_SEGMENT.get(path.partition(".")[0], "user")
    return [f"- {{path: {path}, scope: {scope}}}"] if document.document.yaml else [f"- {path}", f"  SCOPE: {scope}"]


# Where entries go -----------------------------------------------------------------------------------------------


def _added(document: DocumentIndex, agent: AgentIndex, group: str, lines: Sequence[str]) -> list[Edit]:
    """Lines put behind the last entry of a group of MEMORY; the group and MEMORY are made where they are missing."""
    if not lines:
        return []
    memory = agent.agent.memory
    block = memory.block if memory is not None else None
    if block is None:
        keyword = "memory" if document.document.yaml else "MEMORY"
        return [_below(document, _head(agent), ["", f"{keyword}:", f"  {group}:", *_indented(lines, 4)])]
    known = next((child for child in block.children if child.key.lower() == group and child.colon), None)
    if known is None:
        column = block.children[0].column - 1 if block.children else block.column + 1
        return [_below(document, block.span, [" " * column + f"{group}:", *_indented(lines, column + 2)])]
    if known.value is not None:
        return []  # written in brackets
    column = known.children[-1].column - 1 if known.children else known.column + 1
    return [_below(document, known.span, _indented(lines, column))]


def _head(agent: AgentIndex) -> Span:
    """The sections that introduce an agent; MEMORY goes below the last of them in a row."""
    sections = agent.agent.sections
    span = sections[0].span if sections else Span(agent.agent.span.start, agent.agent.span.start)
    for section in sections:
        if section.keyword not in _FIRST_SECTIONS:
            break
        span = section.span
    return span


def _indented(lines: Sequence[str], column: int) -> list[str]:
    return [" " * column + line for line in lines]


def _below(document: DocumentIndex, span: Span, lines: Sequence[str]) -> Edit:
    """The lines below the last line of a span."""
    source = document.source
    end = source.line_span(source.position(max(span.end - 1, span.start)).line).end
    return Edit(Span(end, end), "".join(f"\n{line}" for line in lines))
