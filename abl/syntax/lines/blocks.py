"""Lines -> the tree of blocks by indentation (docs/spec 01 §2, §10): lossless, never fails, linear.

The builder keeps a stack of open blocks; ``placement`` says which of them a line is in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple

from abl.diagnostics import Finding
from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.incremental.relocation import moved_block
from abl.syntax.lines.open_blocks import NO_COMMENTS, Open
from abl.syntax.lines.placement import Placement
from abl.syntax.lines.scanner import COMMENT, CONTENT, SLASHES, Line, scan_line
from abl.syntax.lines.texts import bare_text, pipe_header
from abl.syntax.lines.values import blanked
from abl.syntax.nodes import Block, Comment, Text
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings
from abl.syntax.recovery.corrections import correct_lines, corrected
from abl.syntax.recovery.unattached_lines import is_no_text, may_be_unattached
from abl.syntax.recovery.yaml_only import YamlOnly, may_hold

_SECTION_NAMES: Final = tuple(sorted(vocabulary.SECTIONS))


@dataclass(frozen=True, slots=True)
class Tree:
    """Result: the blocks of column 0 and all comment lines."""

    blocks: tuple[Block, ...]
    comments: tuple[Comment, ...]
    too_deep: bool
    unsure: tuple[int, ...]  # offsets in lines whose structure was reported, or depends on lines further below
    blanked: tuple[Span, ...]


class UnchangedBlocks(NamedTuple):
    """Blocks in a row of an earlier tree that are in this text too, with what their lines added to that tree.

    ``shift`` is how far they have moved; ``end``, ``lines`` and what follows are those of this text. ``depth`` counts
    the blocks around them; ``in_texts``: the nearest of these holds texts.
    """

    blocks: tuple[Block, ...]
    shift: int
    end: int
    lines: int
    depth: int
    in_texts: bool
    above: tuple[Comment, ...]
    comments: tuple[Comment, ...]
    blanked: tuple[Span, ...]


def build(ctx: Context, text: str, unchanged: Mapping[int, UnchangedBlocks] = MappingProxyType({})) -> Tree:
    """Blocks of ``text``; findings go to ``ctx``. ``unchanged`` are blocks by the 0-based line where they begin.

    Comment lines within a list or object of several lines are blanks in ``ctx.text`` from then on, so that those who
    read the value need not know about them; offsets stay.
    """
    builder = _Builder(ctx, text, unchanged)
    tree = builder.run()
    ctx.text = blanked(text, tree.blanked, 0)
    return replace(tree, blocks=corrected(ctx, tree.blocks)) if ctx.corrections else tree


class _Builder(Placement):
    """One pass over the lines of a text."""

    def __init__(self, ctx: Context, text: str, unchanged: Mapping[int, UnchangedBlocks]) -> None:
        super().__init__(ctx, text)
        correct_lines(ctx, self.lines)
        self.unchanged = unchanged
        self.above: list[Comment] = []
        self.odd = False  # a blank that is neither space nor tab was met in an indentation
        self.first_finding = len(ctx.findings)
        self.only = YamlOnly(ctx)

    def run(self) -> Tree:
        """Read every line."""
        lines, starts, count = self.lines, self.starts, len(self.lines)
        at = 0
        self.outermost()
        if lines[0].startswith("\ufeff"):
            at = self._first_line_with_bom()
        while at < count:
            raw = lines[at]
            line = scan_line(raw)
            base = starts[at]
            at += 1
            if line.tabs & 4 and not self.odd:
                self.odd = True
                self.ctx.report(findings.other_blanks(self.ctx.source, Span(base, base + line.indent)))
            if line.kind == CONTENT:
                if self.ctx.yaml:
                    clear = self.only.line(line, raw, base)
                    if clear is None:
                        self._leave(line, base)
                        continue
                    line = clear
                if not line.item and may_be_unattached(line, raw) and self._is_left_over(line, base, at):
                    continue
                column = self.make_room(line, base, at)
                self.last = base
                unchanged = self.unchanged.get(at - 1) if self.unchanged else None
                at = (
                    self._content(line, base, at, column)
                    if unchanged is None or column != line.column or not self._fits(unchanged, line)
                    else self._keep(unchanged, at)
                )
            elif line.kind == COMMENT:
                self._comment(line, base)
            elif line.kind == SLASHES:
                self.ctx.report(findings.slash_line(base + line.indent, base + line.end))
        while len(self.stack) > 1:
            self.close()
        self.unsure += (finding.span.start for finding in self.ctx.findings[self.first_finding :])
        return Tree(
            tuple(self.stack[0].children or ()),
            tuple(self.comments),
            self.too_deep,
            tuple(sorted(self.unsure)),
            tuple(sorted([*self.inner_comments, *self.only.blanked])),
        )

    def _fits(self, unchanged: UnchangedBlocks, line: Line) -> bool:
        """True when the line and those below it would give the unchanged blocks here too."""
        parent = self.stack[-1]
        if len(self.stack) != unchanged.depth or tuple(self.above) != unchanged.above:
            return False
        if len(unchanged.blocks) == 1 and line.trailer < 0 and not line.opens:
            return True
        is_in_line = all(block.item for block in unchanged.blocks) if parent.flat else parent.expected == line.column
        return parent.holds_texts() == unchanged.in_texts and (len(unchanged.blocks) == 1 or is_in_line)

    def _keep(self, unchanged: UnchangedBlocks, following: int) -> int:
        """Take over unchanged blocks; returns the index of the next line to read."""
        self.above.clear()
        self.last = unchanged.end
        self.comments += unchanged.comments
        self.inner_comments += unchanged.blanked
        shift, parent = unchanged.shift, self.stack[-1]
        blocks = [moved_block(block, shift) for block in unchanged.blocks] if shift else unchanged.blocks
        parent.children = [*parent.children, *blocks] if parent.children else list(blocks)
        parent.end = max(parent.end, unchanged.end)
        return following + unchanged.lines - 1

    def _is_left_over(self, line: Line, base: int, following: int) -> bool:
        """True for a line that would end blocks which continue below it; it is reported and taken into none.

        Whether it is depends on lines further below, and so does where the blocks above it end.
        """
        self.unsure.append(self.last)
        below = self.ahead.behind(following)
        ends_more = self.stack[-1].column >= line.column and below.column > line.column
        if not ends_more and not (is_no_text(line, self.lines[following - 1]) and self._is_in_list(line, below)):
            return False
        span = Span(base + line.content, base + line.end)
        finding = None
        if line.colon:
            key = Span(span.start, base + line.key_end)
            finding = findings.unknown_section(key, line.key, _SECTION_NAMES)
        self._skip(line, span, finding)
        return True

    def _leave(self, line: Line, base: int) -> None:
        """Leave out a line that was reported in words of its own."""
        self.unsure.append(self.last)
        self.ctx.leave(self._alone(line, Span(base + line.content, base + line.end)), "")

    def _skip(self, line: Line, span: Span, finding: Finding | None) -> None:
        """Report a line that is taken into no block."""
        self.ctx.skip(self._alone(line, span), "This line belongs to no block", "", finding)

    def _alone(self, line: Line, span: Span) -> Block:
        text = bare_text(self.text, *span)
        return Block("", Span(span.start, span.start), text, (), span, span, line.column, colon=False)

    def _is_in_list(self, line: Line, below: Line) -> bool:
        """True in the column of list items, one of which is above or below the line."""
        if below.item and below.column == line.column:
            return True
        return any(open_.line.item and open_.column == line.column for open_ in self.stack)

    def _first_line_with_bom(self) -> int:
        line = scan_line(self.lines[0][1:])
        if line.kind == CONTENT:
            column = self.make_room(line, 1, 1)
            return self._content(line, 1, 1, column)
        if line.kind == COMMENT:
            self._comment(line, 1)
        return 1

    def _comment(self, line: Line, base: int) -> None:
        """A comment; in YAML form also a line ``---`` or ``...``."""
        span = Span(base + line.indent, base + line.end)
        if self.ctx.yaml or self.text[span.start] == "#":
            self.above.append(self.comment(span))
        else:
            self._skip(line, span, None)

    def _content(self, line: Line, base: int, following: int, column: int) -> int:
        """Add the block of a line; returns the index of the next line to read."""
        start, end = base + line.value, base + line.end
        free = (line.trailer >= 0 or line.opens != "") and self._is_free_text(line)
        if line.trailer >= 0:
            end = self.without_trailer(line, base, free)
        value: Text | None = None
        last = end
        if start < end:
            header = pipe_header(self.text, start, end) if line.colon else None
            if header is not None:
                value, following = self.pipe(line._replace(column=column), start, header, following)
                last = value.span.end
            else:
                value, following = self.value(line, start, end, free=free, following=following)
                if self.ctx.yaml and value is not None and value.style == "bare" and may_hold(value.raw):
                    self.only.flow(value.value, value.span.start)
                if value is not None and value.span.end > last:
                    last = value.span.end
                if value is not None and value.raw[:1] in findings.CURLY_OPENING and self._is_free_text(line):
                    self.ctx.report(findings.curly_quotes(value.span, value.raw))
        above = NO_COMMENTS
        if self.above:
            above = tuple(self.above)
            self.above.clear()
        self.stack.append(Open(line, base, last, value, above, column=column))
        return following

    def _is_free_text(self, line: Line) -> bool:
        """True where the value is text for people, in which ``#`` and brackets mean nothing."""
        if self.stack[-1].holds_texts():
            return True
        return line.colon and vocabulary.canonical_key(line.key) in vocabulary.TEXT_KEYS
