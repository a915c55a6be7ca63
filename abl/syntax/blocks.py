"""Lines -> the tree of blocks by indentation (docs/spec 01 §2, §10): lossless, never fails, linear.

The builder keeps a stack of open blocks. A line closes every block that does not stand left of it; what is then on top
is its parent. If the line does not share the column of its siblings it is still their sibling, and reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from abl.diagnostics import Edit, Finding
from abl.limits import MAX_BLOCK_DEPTH
from abl.source import Span
from abl.syntax import findings, vocabulary
from abl.syntax.context import Context
from abl.syntax.moving import moved_block
from abl.syntax.nodes import Block, Comment, Text
from abl.syntax.scanner import COMMENT, CONTENT, SLASHES, Line, scan_line
from abl.syntax.stray import LookAhead, is_no_text, may_be_stray
from abl.syntax.texts import bare_text, new_span, pipe_header
from abl.syntax.values import ValueReader, blanked

_NO_COMMENTS: Final[tuple[Comment, ...]] = ()
_SECTION_NAMES: Final = tuple(sorted(vocabulary.SECTIONS))


class _Open:
    """A block whose children are still coming. ``base`` is the offset of its line."""

    children: list[Block] | None = None
    expected = 0  # column of its children, 0 while unknown
    nested = 0  # of an item: column of what belongs to the key on its line
    flat = False  # its list items stand in its own column

    def __init__(self, line: Line, base: int, end: int, value: Text | None, comments: tuple[Comment, ...]) -> None:
        self.line = line
        self.base = base
        self.end = end
        self.value = value
        self.comments = comments
        self.column = line.column
        self.hang = line.key_column if line.item and line.colon else 0

    def close(self) -> Block:
        """The finished block."""
        line, base = self.line, self.base
        start = base + line.indent
        key_span = new_span(Span, (base + line.content, base + line.key_end) if line.colon else (start, start))
        return Block(
            line.key, key_span, self.value, tuple(self.children) if self.children else (),
            new_span(Span, (start, self.end)), new_span(Span, (start, base + line.end)), line.column, line.item,
            line.colon, self.comments,
        )  # fmt: skip

    def holds_texts(self) -> bool:
        """True for a block whose entries are free text."""
        return self.value is None and self.line.key.upper() in vocabulary.TEXT_CONTAINERS

    def takes_flat_items(self) -> bool:
        """True for a key whose list may stand in its own column."""
        line = self.line
        return line.colon and not line.item and self.value is None and (self.flat or not self.children)


_ROOT_LINE: Final = Line(CONTENT)


@dataclass(frozen=True, slots=True)
class Tree:
    """Result: the blocks of column 0 and all comment lines."""

    blocks: tuple[Block, ...]
    comments: tuple[Comment, ...]
    too_deep: bool
    unsure: tuple[int, ...]  # offsets in lines whose structure was reported, or depends on lines further below
    blanked: tuple[Span, ...]


class Known(NamedTuple):
    """Blocks in a row of an earlier tree that stand in this text too, with what their lines added to that tree.

    ``shift`` is how far they have moved; ``end``, ``lines`` and what follows are those of this text. ``depth`` counts
    the blocks around them; ``in_texts`` tells that the nearest of these holds texts.
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


def build(ctx: Context, text: str, known: Mapping[int, Known] = MappingProxyType({})) -> Tree:
    """Blocks of ``text``; findings go to ``ctx``. ``known`` are blocks by the 0-based line where they begin.

    Comment lines within a list or object of several lines are blanks in ``ctx.text`` from then on, so that those who
    read the value need not know about them; offsets stay.
    """
    builder = _Builder(ctx, text, known)
    tree = builder.run()
    ctx.text = blanked(text, tree.blanked, 0)
    return tree


class _Builder(ValueReader):
    """One pass over the lines of a text."""

    def __init__(self, ctx: Context, text: str, known: Mapping[int, Known]) -> None:
        super().__init__(ctx, text)
        self.known = known
        self.stack = [_Open(_ROOT_LINE, 0, 0, None, _NO_COMMENTS)]
        self.above: list[Comment] = []
        self.tabs = 0
        self.too_deep = False
        self.ahead = LookAhead(self.lines)
        self.last = 0  # offset of the last line that was taken into a block
        self.first_finding = len(ctx.findings)

    def run(self) -> Tree:
        """Read every line."""
        lines, starts, count = self.lines, self.starts, len(self.lines)
        at = 0
        if lines[0].startswith("\ufeff"):
            at = self._first_line_with_bom()
        while at < count:
            raw = lines[at]
            line = scan_line(raw)
            base = starts[at]
            at += 1
            if line.kind == CONTENT:
                if not line.item and may_be_stray(line, raw) and self._is_left_over(line, base, at):
                    continue
                self.last = base
                self._make_room(line, base)
                known = self.known.get(at - 1) if self.known else None
                at = (
                    self._content(line, base, at)
                    if known is None or not self._fits(known, line)
                    else self._keep(known, at)
                )
            elif line.kind == COMMENT:
                self._comment(line, base)
            elif line.kind == SLASHES:
                self.ctx.report(findings.slash_line(base + line.indent, base + line.end))
        while len(self.stack) > 1:
            self._close()
        self.unsure += (finding.span.start for finding in self.ctx.findings[self.first_finding :])
        return Tree(
            tuple(self.stack[0].children or ()), tuple(self.comments), self.too_deep, tuple(sorted(self.unsure)),
            tuple(self.inner_comments),
        )  # fmt: skip

    def _fits(self, known: Known, line: Line) -> bool:
        """True when the line and those below it would give the known blocks here too."""
        parent = self.stack[-1]
        if len(self.stack) != known.depth or tuple(self.above) != known.above:
            return False
        if len(known.blocks) == 1 and line.trailer < 0 and not line.opens:
            return True
        is_in_line = all(block.item for block in known.blocks) if parent.flat else parent.expected == line.column
        return parent.holds_texts() == known.in_texts and (len(known.blocks) == 1 or is_in_line)

    def _keep(self, known: Known, following: int) -> int:
        """Take over known blocks; returns the index of the next line to read."""
        self.above.clear()
        self.last = known.end
        self.comments += known.comments
        self.inner_comments += known.blanked
        shift, parent = known.shift, self.stack[-1]
        blocks = [moved_block(block, shift) for block in known.blocks] if shift else known.blocks
        parent.children = [*parent.children, *blocks] if parent.children else list(blocks)
        parent.end = max(parent.end, known.end)
        return following + known.lines - 1

    def _is_left_over(self, line: Line, base: int, following: int) -> bool:
        """True for a line that would end blocks which go on below it; it is reported and taken into none.

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

    def _skip(self, line: Line, span: Span, finding: Finding | None) -> None:
        """Report a line that is taken into no block."""
        text = bare_text(self.text, *span)
        block = Block("", Span(span.start, span.start), text, (), span, span, line.column, colon=False)
        self.ctx.skip(block, "This line belongs to no block", "", finding)

    def _is_in_list(self, line: Line, below: Line) -> bool:
        """True in the column of list items, one of which stands above or below the line."""
        if below.item and below.column == line.column:
            return True
        return any(open_.line.item and open_.column == line.column for open_ in self.stack)

    def _first_line_with_bom(self) -> int:
        line = scan_line(self.lines[0][1:])
        if line.kind == CONTENT:
            self._make_room(line, 1)
            return self._content(line, 1, 1)
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

    def _content(self, line: Line, base: int, following: int) -> int:
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
                value, following = self.pipe(line, start, header, following)
                last = value.span.end
            else:
                value, following = self.value(line, start, end, free=free, following=following)
                if value is not None and value.span.end > last:
                    last = value.span.end
        above = _NO_COMMENTS
        if self.above:
            above = tuple(self.above)
            self.above.clear()
        self.stack.append(_Open(line, base, last, value, above))
        return following

    def _is_free_text(self, line: Line) -> bool:
        """True where the value is text for people, in which ``#`` and brackets mean nothing."""
        if self.stack[-1].holds_texts():
            return True
        return line.colon and vocabulary.canonical_key(line.key) in vocabulary.TEXT_KEYS

    # Placement --------------------------------------------------------------------------------------------------

    def _make_room(self, line: Line, base: int) -> None:
        """Close blocks until the parent of the line is on top, and check the line's column."""
        column, stack = line.column, self.stack
        while stack[-1].column >= column:
            top = stack[-1]
            if line.item and top.column == column and top.takes_flat_items():
                if not top.flat and not self.ctx.yaml:
                    self._misplaced(line, base, column + 2)
                top.flat = True
                return
            self._close()
        if line.column == 1:
            self.tabs = 0
        elif line.tabs:
            self._check_tabs(line, base)
        parent = stack[-1]
        if parent.hang and column > parent.hang:
            if not parent.nested:
                parent.nested = column
            elif parent.nested != column:
                self._misplaced(line, base, parent.nested)
            return
        expected = parent.expected or parent.hang
        if expected and column != expected:
            self._misplaced(line, base, expected)
        elif not expected:
            parent.expected = column
        if len(stack) > MAX_BLOCK_DEPTH:
            self._limit_depth(line, base)

    def _misplaced(self, line: Line, base: int, expected: int) -> None:
        span = Span(base + line.indent, base + line.end)
        self.ctx.report(findings.bad_indent(self.ctx.source, span, line.column, expected))

    def _limit_depth(self, line: Line, base: int) -> None:
        if not self.too_deep:
            self.too_deep = True
            span = Span(base + line.indent, base + line.end)
            self.ctx.report(findings.unreadable(span, f"Blocks are nested deeper than {MAX_BLOCK_DEPTH}"))
        while len(self.stack) > MAX_BLOCK_DEPTH:
            self._close()

    def _close(self) -> None:
        block = self.stack.pop()
        self._adopt(block.close(), block.end)

    def _adopt(self, block: Block, end: int) -> None:
        parent = self.stack[-1]
        if parent.children is None:
            parent.children = [block]
        else:
            parent.children.append(block)
        if end > parent.end:  # noqa: PLR1730  a call to max() costs as much as the rest of this
            parent.end = end

    def _check_tabs(self, line: Line, base: int) -> None:
        """Report the first line of a top-level block that mixes tabs and spaces with those above it."""
        if self.tabs == 3:
            return
        self.tabs |= line.tabs
        if self.tabs == 3:
            edits = self._tabs_to_spaces(self.ctx.line_of(base) - 1)
            self.ctx.report(findings.mixed_tabs(Span(base, base + line.indent), edits))

    def _begins(self, at: int) -> bool:
        """True for a line that begins a top-level block; comments stand in any column."""
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
