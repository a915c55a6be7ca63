"""One root cause, one diagnostic: lines that are misplaced only because a line above them is (docs/spec 05 §1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from abl.diagnostics import Finding
from abl.source import Source, Span

_MISPLACED: Final = "ABL108"
_TABS: Final = "ABL109"
_REACH: Final = 100
"""Lines below a misplaced one that are looked at."""


def caused_by_indent(source: Source, findings: Sequence[Finding]) -> Iterator[tuple[str, Span]]:
    """ABL108 of lines below one that is reported, where each is in the column that the other should be in.

    A line that is reported as misplaced needs no ABL109: its fix indents it with spaces. Of lines that all miss the
    column of one above them, the first is reported.
    """
    by_line = {
        source.position(one.span.start).line: one
        for one in findings
        if one.code == _MISPLACED and "a" in one.data and "b" in one.data
    }
    followers: set[int] = set()
    for line in sorted(by_line):
        if line not in followers:
            followers.update(_followers(source, by_line, line))
    yield from ((_MISPLACED, by_line[line].span) for line in followers)
    for one in findings if by_line else ():
        if one.code == _TABS and _is_misplaced_tab(source, by_line, source.position(one.span.start).line):
            yield _TABS, one.span


def _is_misplaced_tab(source: Source, by_line: Mapping[int, Finding], line: int) -> bool:
    """True where tabs and spaces mix in a line that is reported, or because of a tab in one above it."""
    if line in by_line:
        return True
    for above in range(line, max(line - _REACH, 0), -1):
        text = source.line_text(above)
        indent = text[: len(text) - len(text.lstrip())]
        if above in by_line and "\t" in indent:
            return True
        if text.strip() and not indent:
            return False
    return False


def _followers(source: Source, by_line: Mapping[int, Finding], line: int) -> Iterator[int]:
    """Lines below, up to the first that belongs to none of them, that are misplaced because of ``line``."""
    stands, expected = (int(str(by_line[line].data[key])) for key in ("a", "b"))
    last = min(max(by_line), line + _REACH)
    for below in range(line + 1, last + 1):
        text = source.line_text(below)
        column = len(text) - len(text.lstrip(" ")) + 1
        if text.strip() and column < min(stands, expected):
            return
        found = by_line.get(below)
        if found is not None and (found.data["a"] == expected or found.data == by_line[line].data):
            yield below
