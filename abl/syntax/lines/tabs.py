"""Tabs and spaces that mix in one block (docs/spec 01 §2, 05 §2, ABL109)."""

from __future__ import annotations

from abl.diagnostics import Edit
from abl.source import Span
from abl.syntax.lines.scanner import CONTENT, Line, scan_line
from abl.syntax.lines.values import ValueReader
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings


class TabReader(ValueReader):
    """Goes through the lines of a text and notes what each top-level block is indented with."""

    def __init__(self, ctx: Context, text: str) -> None:
        super().__init__(ctx, text)
        self.tabs = 0  # what the lines of a top-level block are indented with, as ``Line.tabs``

    def check_tabs(self, line: Line, base: int) -> None:
        """Report the first line of a top-level block that mixes tabs and spaces with those above it."""
        if self.tabs == 3:
            return
        self.tabs |= line.tabs & 3
        if self.tabs == 3:
            edits = self._tabs_to_spaces(self.ctx.line_of(base) - 1)
            self.ctx.report(findings.mixed_tabs(Span(base, base + line.indent), edits))

    def _begins(self, at: int) -> bool:
        """True for a line that begins a top-level block; comments are in any column."""
        line = scan_line(self.lines[at])
        return line.kind == CONTENT and line.column == 1

    def _tabs_to_spaces(self, at: int) -> tuple[Edit, ...]:
        """Edits that indent the whole top-level block around a line with spaces."""
        first = last = at
        while first > 0 and not self._begins(first):
            first -= 1
        while last < len(self.lines) and (last == first or not self._begins(last)):
            last += 1
        edits: list[Edit] = []
        for number in range(first, last):
            line, start = scan_line(self.lines[number]), self.starts[number]
            if line.tabs & 1:
                edits.append(Edit(Span(start, start + line.indent), " " * (line.column - 1)))
        return tuple(edits)
