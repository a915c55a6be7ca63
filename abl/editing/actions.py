"""``code_actions``: the fixes of the diagnostics at a cursor (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from abl.analysis import check
from abl.analysis.render import fix_dict
from abl.diagnostics import Diagnostic
from abl.source import Source

_SUPPRESS = "Ignore {code} on this line"


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
    source = report.index.documents[path].source
    offset = source.offset(line, column)
    here = [d for d in report.diagnostics if _touches(d, source, line, last)]
    here.sort(key=lambda d: not d.span.start <= offset <= d.span.end)
    return [(action, d) for d in here for action in _fixes(d, source)] + [
        (_suppression(d, source), d) for d in _each_code(here)
    ]


def _touches(diagnostic: Diagnostic, source: Source, line: int, last: int) -> bool:
    start, end = source.range(diagnostic.span)
    return start.line <= last and line <= end.line


def _fixes(diagnostic: Diagnostic, source: Source) -> Iterator[dict[str, Any]]:
    for fix in diagnostic.fixes:
        yield {**fix_dict(fix, source), "code": diagnostic.code}


def _each_code(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return list({d.code: d for d in diagnostics}.values())


def _suppression(diagnostic: Diagnostic, source: Source) -> dict[str, Any]:
    """A comment above the diagnostic's first line."""
    first = source.position(diagnostic.span.start).line
    text = source.line_text(first)
    indent = text[: len(text) - len(text.lstrip())]
    place = {"line": first, "column": 1}
    edit = {"range": {"start": place, "end": place}, "text": f"{indent}# abl-ignore {diagnostic.code}\n"}
    return {
        "title": _SUPPRESS.format(code=diagnostic.code),
        "preferred": False,
        "edits": [edit],
        "code": diagnostic.code,
    }
