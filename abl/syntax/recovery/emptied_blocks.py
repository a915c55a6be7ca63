"""Removing an entry together with the keys above it that would be left empty (docs/spec 05 ABL116)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from abl.diagnostics import Edit, Fix
from abl.source import Source, Span

_KEY_ONLY: Final = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:")
_MOST_LEVELS: Final = 16


class Removal(NamedTuple):
    """Edits in document order; the keys that go as well, from the inside to the outside; whether nothing is left."""

    edits: tuple[Edit, ...]
    keys: tuple[str, ...]
    is_all: bool

    def fixes(self, title: str, *, preferred: bool = False) -> tuple[Fix, ...]:
        """The fix, whose title names the outermost key; none that leaves an empty document, which is an error."""
        title = f"{title} and the empty `{self.keys[-1]}`" if self.keys else title
        return () if self.is_all else (Fix(title, self.edits, preferred),)


def removal(source: Source, span: Span) -> Removal:
    """Delete the whole lines of ``span`` and the keys that have nothing below them then; comments between them stay."""
    first, last = source.position(span.start).line, source.position(max(span.start, span.end - 1)).line
    edits, keys = [_lines(source, first, last)], []
    width, item = _shape(source.line_text(first))
    following = _neighbour(source, last, 1)
    above = _neighbour(source, first, -1)
    for _ in range(_MOST_LEVELS):
        key = _KEY_ONLY.fullmatch(source.line_text(above).strip()) if above else None
        if key is None:
            break
        own, _item = _shape(source.line_text(above))
        if own > width or (own == width and not item) or _is_below(source, following, own):
            break
        edits.append(_lines(source, above, above))
        keys.append(key[1])
        above, width, item = _neighbour(source, above, -1), own, False
    return Removal(tuple(_merged(reversed(edits))), tuple(keys), not above and not following)


def _lines(source: Source, first: int, last: int) -> Edit:
    end = source.line_starts[last] if last < source.line_count else len(source.text)
    return Edit(Span(source.line_starts[first - 1], end), "")


def _shape(line: str) -> tuple[int, bool]:
    """Width of the indentation, and whether an item of a list begins."""
    text = line.lstrip(" \t")
    return len(line) - len(text), text.startswith("-")


def _neighbour(source: Source, line: int, step: int) -> int:
    """The next line before or behind that is neither blank nor a comment; 0 without one."""
    line += step
    while 1 <= line <= source.line_count:
        text = source.line_text(line).strip()
        if text and not text.startswith("#"):
            return line
        line += step
    return 0


def _is_below(source: Source, line: int, width: int) -> bool:
    """True for a line that belongs to a key of that indentation."""
    if not line:
        return False
    own, item = _shape(source.line_text(line))
    return own > width or (own == width and item)


def _merged(edits: Iterable[Edit]) -> list[Edit]:
    """Deletions that touch each other as one."""
    merged: list[Edit] = []
    for edit in edits:
        if merged and merged[-1].span.end == edit.span.start:
            merged[-1] = Edit(Span(merged[-1].span.start, edit.span.end), "")
        else:
            merged.append(edit)
    return merged
