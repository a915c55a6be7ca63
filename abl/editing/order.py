"""Properties of memory entries in their order and in the case that their form asks for (docs/spec 05 §9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.project import Index
from abl.diagnostics import Diagnostic, Edit
from abl.editing.edits import together
from abl.source import Source, Span
from abl.syntax import nodes

_LOWER_CASE: Final = "ABL123"
_SESSION: Final = ("NAME", "TYPE", "DESCRIPTION", "FORMAT", "INITIAL", "DERIVED", "RESET")
_PERSISTENT: Final = ("PATH", "SCOPE", "TYPE", "ACCESS", "UNIT", "DEFAULT", "DESCRIPTION")


def ordered_properties(document: DocumentIndex, index: Index, problems: Sequence[Diagnostic]) -> list[Edit]:
    """Edits that sort the properties of session variables and persistent paths, and write them in upper case.

    Comments go with the property below them. Properties outside of the order follow it as they are; entries in braces,
    and those with a property twice, stay.
    """
    cased = together(fix for problem in problems if problem.code == _LOWER_CASE for fix in problem.fixes)
    edits: list[Edit] = []
    for agent in document.agents:
        for variable in agent.all(nodes.SessionVariable):
            edits += _sorted(document.source, variable, _SESSION, cased)
        for path in agent.all(nodes.PersistentPath):
            edits += _sorted(document.source, path, _PERSISTENT, cased)
    spans = [edit.span for edit in edits]
    rest = [edit for edit in cased if not any(s.start <= edit.span.start < s.end for s in spans)]
    return sorted([*edits, *rest], key=lambda edit: edit.span)


def _sorted(source: Source, entry: nodes.Node, order: Sequence[str], cased: Sequence[Edit]) -> Iterator[Edit]:
    """One edit over the lines of the properties, if they are not in order."""
    props = [prop for prop in entry.props if not _follows_dash(source, prop.block.span)]
    keys = [prop.key for prop in props]
    if len(props) < 2 or len(set(keys)) < len(keys) or not _on_own_lines(source, props):
        return
    rank = {key: number for number, key in enumerate(order)}
    wanted = sorted(range(len(props)), key=lambda at: rank.get(keys[at], len(order)))
    if wanted == list(range(len(props))):
        return
    first = props[0].block.comments[0].span.start if props[0].block.comments else props[0].block.span.start
    starts = [source.line_starts[source.position(first).line - 1]]
    starts += [source.line_starts[source.position(prop.block.span.end).line] for prop in props[:-1]]
    end = source.line_span(source.position(props[-1].block.span.end).line).end
    ends = [start - 1 for start in starts[1:]] + [end]
    pieces = [_cased(source.text, Span(*span), cased) for span in zip(starts, ends, strict=True)]
    yield Edit(Span(starts[0], end), "\n".join(pieces[at].rstrip("\r") for at in wanted))


def _follows_dash(source: Source, span: Span) -> bool:
    """True for the property on the first line of its entry."""
    return source.text[source.line_starts[source.position(span.start).line - 1] : span.start].strip() == "-"


def _on_own_lines(source: Source, props: Sequence[nodes.Property]) -> bool:
    """True when each property begins and ends its lines, in the order of the text."""
    at = 0
    for prop in props:
        start, end = prop.block.span
        line = source.line_starts[source.position(start).line - 1]
        behind = source.text[end : source.line_span(source.position(end).line).end]
        if start < at or source.text[line:start].strip() or (behind.strip() and not behind.strip().startswith("#")):
            return False
        at = end
    return True


def _cased(text: str, span: Span, cased: Sequence[Edit]) -> str:
    pieces: list[str] = []
    at = span.start
    for edit in cased:
        if span.start <= edit.span.start and edit.span.end <= span.end:
            pieces += [text[at : edit.span.start], edit.text]
            at = edit.span.end
    return "".join([*pieces, text[at : span.end]])
