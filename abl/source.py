"""Text with lines: the only place that converts between offsets, lines and columns (docs/spec 01 §2, §10).

Offsets count code points from 0. Positions shown to people are 1-based line and column in code points; editors that
speak UTF-16 convert here and nowhere else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple, cast


class Span(NamedTuple):
    """Half-open range of code-point offsets into one source text."""

    start: int
    end: int


new_span: Final = cast(Callable[[type[Span], tuple[int, int]], Span], tuple.__new__)
"""``new_span(Span, (a, b))`` is ``Span(a, b)`` without the call in between, for what runs once a line."""


class Position(NamedTuple):
    """1-based line and column, in code points."""

    line: int
    column: int


class Range(NamedTuple):
    """Start and exclusive end of a piece of text as positions."""

    start: Position
    end: Position

    def as_dict(self) -> dict[str, dict[str, int]]:
        """The JSON shape of docs/spec 12 §2."""
        (line, column), (end_line, end_column) = self
        return {"start": {"line": line, "column": column}, "end": {"line": end_line, "column": end_column}}


@dataclass(frozen=True, slots=True)
class Source:
    """One text and where its lines begin. The text is kept as given; a leading BOM and ``\\r`` stay in it."""

    text: str
    path: str = "agent.abl"
    line_starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        lengths.pop()
        object.__setattr__(self, "line_starts", tuple(accumulate(lengths, initial=0)))

    @property
    def line_count(self) -> int:
        """Number of lines; a text that ends with a line break has an empty last line."""
        return len(self.line_starts)

    def line_span(self, line: int) -> Span:
        """The 1-based line without its line break (neither ``\\n`` nor ``\\r\\n``)."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] - 1 if line < len(self.line_starts) else len(self.text)
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return Span(start, end)

    def line_text(self, line: int) -> str:
        """Text of the 1-based line without its line break."""
        start, end = self.line_span(line)
        return self.text[start:end]

    def position(self, offset: int) -> Position:
        """Line and column of an offset; offsets outside the text are clamped."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def range(self, span: Span) -> Range:
        """Positions of a span."""
        return Range(self.position(span.start), self.position(span.end))

    def offset(self, line: int, column: int) -> int:
        """Offset of a 1-based position, clamped to the line and to the text."""
        if line < 1:
            return 0
        if line > len(self.line_starts):
            return len(self.text)
        start, end = self.line_span(line)
        return min(start + max(column - 1, 0), end)

    def utf16_column(self, offset: int) -> int:
        """0-based UTF-16 column of an offset within its line."""
        line, column = self.position(offset)
        start = self.line_starts[line - 1]
        return len(self.text[start : start + column - 1].encode("utf-16-le", "surrogatepass")) // 2

    def offset_of_utf16(self, line: int, character: int) -> int:
        """Offset of a 1-based line and a 0-based UTF-16 column, clamped to the line."""
        if line < 1 or line > len(self.line_starts):
            return 0 if line < 1 else len(self.text)
        start, end = self.line_span(line)
        units = 0
        for at in range(start, end):
            if units >= character:
                return at
            units += 2 if ord(self.text[at]) > 0xFFFF else 1
        return end
