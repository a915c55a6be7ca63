"""``code_actions``: the fixes of the diagnostics at a cursor (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from abl.analysis import check
from abl.analysis.project_file.reading import is_project_file
from abl.analysis.reporting.render import fix_dict
from abl.diagnostics import Diagnostic
from abl.source import Source
from abl.syntax.nodes import Block, Document

_SUPPRESS = "Ignore {code} on this line"
_SUPPRESS_ALL = "Ignore {code} in this file"


def code_actions(files: Mapping[str, str], path: str, line: int, column: int) -> list[dict[str, Any]]:
    """Fixes as ``{title, preferred, edits, code}`` for the diagnostics on a 1-based line; those under the cursor first.

    The last ones switch a diagnostic off by a comment. An unknown path gives an empty list. What changes more than that
    is in ``abl.editing.bulk``.
    """
    return [action for action, _ in actions_between(files, path, line, column, line)]


def actions_between(
    files: Mapping[str, str], path: str, line: int, column: int, last: int
) -> list[tuple[dict[str, Any], Diagnostic]]:
    """Those for the diagnostics on the lines ``line`` to ``last``, both included, each with what it is about."""
    if path not in files:
        return []
    report = check(files, only=(path,))
    if is_project_file(path):
        source = report.index.source(path)
        here = [d for d in report.diagnostics if _touches(d, source, line, last)]
        return [(action, d) for d in here for action in _fixes(d, source)]
    document = report.index.documents[path].document
    source = document.source
    offset = source.offset(line, column)
    here = [d for d in report.diagnostics if _touches(d, source, line, last)]
    here.sort(key=lambda d: not d.span.start <= offset <= d.span.end)
    return [(action, d) for d in here for action in _fixes(d, source)] + [
        (_suppression(d, document), d) for d in _each_code(here)
    ]


def _touches(diagnostic: Diagnostic, source: Source, line: int, last: int) -> bool:
    start, end = source.range(diagnostic.span)
    return start.line <= last and line <= end.line


def _fixes(diagnostic: Diagnostic, source: Source) -> Iterator[dict[str, Any]]:
    for fix in diagnostic.fixes:
        yield {**fix_dict(fix, source), "code": diagnostic.code}


def _each_code(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return list({d.code: d for d in diagnostics}.values())


def _suppression(diagnostic: Diagnostic, document: Document) -> dict[str, Any]:
    """A comment above the diagnostic's first line; above all of them where a comment would be read as text (01 §2)."""
    source = document.source
    first = source.position(diagnostic.span.start).line
    if _within_value(document.blocks, diagnostic.span.start, source.line_starts[first - 1]):
        place, comment, title = {"line": 1, "column": 1}, f"# abl-ignore-file {diagnostic.code}\n", _SUPPRESS_ALL
    else:
        text = source.line_text(first)
        indent = text[: len(text) - len(text.lstrip())]
        place, comment, title = {"line": first, "column": 1}, f"{indent}# abl-ignore {diagnostic.code}\n", _SUPPRESS
    return {
        "title": title.format(code=diagnostic.code),
        "preferred": False,
        "edits": [{"range": {"start": place, "end": place}, "text": comment}],
        "code": diagnostic.code,
    }


def _within_value(blocks: tuple[Block, ...], offset: int, line: int) -> bool:
    """True where a line is one of several of a text or bracket that began on an earlier one."""
    for block in blocks:
        if block.span.start <= offset <= block.span.end:
            value = block.value
            if value is not None and block.line_span.start < line and value.span.start <= offset <= value.span.end:
                return True
            return _within_value(block.children, offset, line)
    return False
