"""The canonical layout of a document: where lines begin, what stands between parts (docs/reference/style.md).

The tree of blocks says how deep a line is; texts, expressions and comments are written as they stand. Lines that the
parser could not read keep their characters and move with what is around them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

from abl.syntax import nodes, vocabulary
from abl.syntax.lines.scanner import BLANK, CONTENT, Line, scan_line
from abl.syntax.lines.texts import closing_quote

STEP: Final = 2
"""Spaces per level."""


class LayoutLevel(IntEnum):
    """How much of a column-0 block is laid out: everything, its indentation, or the ends of its lines."""

    FULL = 0
    INDENTATION = 1
    ENDS = 2


class _Column(NamedTuple):
    """A column (0-based, tabs counted) of the old text and where it is in the new one."""

    old: int
    new: int


class _Placed(NamedTuple):
    """A line of the new text; ``follows`` says that it continues with a value and takes no blank line before it."""

    indent: int
    text: str
    content: bool = False
    follows: bool = False


def laid_out(document: nodes.Document, care: Sequence[LayoutLevel]) -> str:
    """The text of a document in canonical layout; ``care`` holds one entry per column-0 block."""
    return _Layout(document, care).text()


class _Layout:
    """One pass over the blocks of a document."""

    def __init__(self, document: nodes.Document, care: Sequence[LayoutLevel]) -> None:
        self.document = document
        self.source = document.source
        self.lines = document.source.text.split("\n")
        self.care = care
        self.now = LayoutLevel.FULL
        self.placed: dict[int, _Placed] = {}  # by the 0-based number of the line
        self.chain: list[_Column] = []  # columns of the blocks around the last line, outermost first
        self.unread = {self._line(unknown.span.start) for unknown in document.unknown}
        self.next_gap = 0

    def text(self) -> str:
        """The whole new text."""
        for block, care, indent in zip(self.document.blocks, self.care, self._roots(), strict=True):
            self.now = care
            self._block(block, indent, ())
        self._gap(len(self.lines), _Column(0, 0))
        lines = list(_joined(self.placed, len(self.lines), self._section_starts()))
        return "\n".join([*lines, ""]) if lines else ""

    def _line(self, offset: int) -> int:
        return self.source.position(offset).line - 1

    def _roots(self) -> list[int]:
        """New indentation of the column-0 blocks: none, unless they are in different columns."""
        columns = {block.column for block in self.document.blocks}
        if len(columns) > 1 or LayoutLevel.ENDS in self.care:
            return [block.column - 1 for block in self.document.blocks]
        return [0] * len(self.document.blocks)

    # Blocks -----------------------------------------------------------------------------------------------------

    def _block(self, block: nodes.Block, indent: int, around: tuple[_Column, ...]) -> None:
        """Place a block whose line begins at ``indent``; ``around`` are the columns of what it is in."""
        at = self._line(block.line_span.start)
        line = scan_line(self.lines[at])
        own = _Column(line.column - 1, indent)
        self._gap(at, own)
        unread = at in self.unread
        spaced = self.now is LayoutLevel.FULL and not unread
        key = _Column(line.key_column - 1, indent + _key_offset(line, spaced))
        self._content(at, line, indent, spaced)
        self.next_gap = at + 1
        self.chain = [*around, own, key] if line.item else [*around, own]
        if block.value is not None:
            self._value(block.value, at, line, own, key)
        chain = tuple(self.chain)
        for child, column in zip(block.children, self._columns(block, own, key, unread), strict=True):
            self._block(child, column, chain)

    def _content(self, at: int, line: Line, indent: int, spaced: bool) -> None:
        raw = self.lines[at]
        if self.now is LayoutLevel.ENDS:
            self.placed[at] = _Placed(indent, raw.rstrip().lstrip(" \t"), content=True)
        else:
            self.placed[at] = _Placed(indent, _spaced(raw, line) if spaced else raw[line.indent : line.end], True)

    def _columns(self, block: nodes.Block, own: _Column, key: _Column, unread: bool) -> list[int]:
        """New indentation of the children of a block."""
        item = block.item
        columns = [child.column - 1 for child in block.children]
        if self.now is LayoutLevel.ENDS:
            return columns
        if not item or not block.colon:
            if unread or len(set(columns)) > 1:
                return [own.new + column - own.old for column in columns]
            return [own.new + STEP] * len(columns)
        inner = [column for column in columns if column > key.old]
        outer = [column for column in columns if column <= key.old]
        if unread or len(set(inner)) > 1 or set(outer) - {key.old}:
            return [_beside(column, own, key) for column in columns]
        return [key.new + STEP if column > key.old else key.new for column in columns]

    # Values -----------------------------------------------------------------------------------------------------

    def _value(self, value: nodes.Text, at: int, line: Line, own: _Column, key: _Column) -> None:
        """Place the lines of a value behind the first."""
        last = self._line(value.span.end)
        if last == at:
            return
        limit = key if line.item and (line.colon or value.style == "pipe") else own
        if self.now is LayoutLevel.ENDS:
            self._as_they_are(at + 1, last)
        elif value.style == "pipe":
            self._pipe(at + 1, last, limit.new + STEP)
        else:
            self._brackets(at, last, limit)
        self.next_gap = last + 1

    def _as_they_are(self, first: int, last: int) -> None:
        for at in range(first, last + 1):
            self.placed[at] = _Placed(0, self.lines[at].rstrip(), follows=True)

    def _pipe(self, first: int, last: int, indent: int) -> None:
        """The first line of the text decides; the others keep what they have more than it."""
        lines = [line.rstrip() for line in self.lines[first : last + 1]]
        most = next((_blanks(line) for line in lines if line), 0)
        for at, line in enumerate(lines, first):
            self.placed[at] = _Placed(indent if line else 0, line[min(most, _blanks(line)) :], follows=True)

    def _brackets(self, head: int, last: int, limit: _Column) -> None:
        """The lines of a list or object move with their key; where a quote is open over lines, they stay."""
        if any(_leaves_quote_open(self.lines[at]) for at in range(head, last + 1)):
            for at in range(head + 1, last + 1):
                self.placed[at] = _Placed(0, self.lines[at], follows=True)
            return
        for at in range(head + 1, last + 1):
            line, raw = scan_line(self.lines[at]), self.lines[at]
            if line.kind == BLANK:
                self.placed[at] = _Placed(0, "", follows=True)
                continue
            least = limit.new if raw[line.indent] in ")]}" else limit.new + 1
            indent = max(line.column - 1 + limit.new - limit.old, least)
            self.placed[at] = _Placed(indent, raw[line.indent : line.end], follows=True)

    # Comments and blank lines -----------------------------------------------------------------------------------

    def _gap(self, end: int, following: _Column) -> None:
        """Place the comments between the last line and line ``end``, which begins at ``following``."""
        for at in range(self.next_gap, end):
            raw = self.lines[at]
            line = scan_line(raw)
            if line.kind == BLANK:
                continue
            indent = (
                line.column - 1 if self.now is LayoutLevel.ENDS else self._comment_column(line.column - 1, following)
            )
            self.placed[at] = _Placed(indent, raw[line.indent : line.end], content=line.kind == CONTENT)

    def _comment_column(self, column: int, following: _Column) -> int:
        """A comment belongs to the line below it, or to the block above when it stands deeper than that line."""
        if column <= following.old:
            return following.new
        if not self.chain:
            return 0
        return next((known.new for known in self.chain if known.old >= column), self.chain[-1].new + STEP)

    def _section_starts(self) -> set[int]:
        """Lines of sections that are set off from the block above by a blank line."""
        blocks = self.document.blocks
        if any(fragment.directives for fragment in self.document.fragments):
            return set()
        return {
            self._line(block.line_span.start)
            for above, block in pairwise(blocks)
            if _is_section(block) and (self._is_long(above) or self._is_long(block) or _is_header(block))
        }

    def _is_long(self, block: nodes.Block) -> bool:
        return "\n" in self.source.text[block.span.start : block.span.end]


def _joined(placed: dict[int, _Placed], count: int, sections: Collection[int]) -> Iterator[str]:
    """The lines in order, with one blank line where there were any, and one above each section and its comments."""
    above: _Placed | None = None
    blank = False
    set_off = _with_comments(placed, sections)
    for at in range(count):
        line = placed.get(at)
        if line is None:
            blank = above is not None
            continue
        if line.follows:
            blank = False
        opens = above is not None and above.content and line.indent > above.indent
        if (blank and not opens) or at in set_off:
            yield ""
        yield " " * line.indent + line.text if line.text else ""
        above, blank = line, False


def _with_comments(placed: dict[int, _Placed], sections: Collection[int]) -> set[int]:
    """For each section the line of the first comment at its column that is above it, or its own."""
    starts: set[int] = set()
    for start in sections:
        first = at = start
        while at > 0:
            at -= 1
            line = placed.get(at)
            if line is None:
                continue
            if line.content or line.follows:
                break
            if line.indent == placed[start].indent:
                first = at
        starts.add(first)
    return starts


def _is_section(block: nodes.Block) -> bool:
    return block.colon and not block.item and vocabulary.section_keyword(block.key) is not None


def _is_header(block: nodes.Block) -> bool:
    return block.key.upper() in vocabulary.HEADERS


def _key_offset(line: Line, spaced: bool) -> int:
    """How far behind the start of its line the key of an item stands, as it will be written."""
    return (STEP if spaced else line.key_column - line.column) if line.item else 0


def _beside(column: int, own: _Column, key: _Column) -> int:
    """New column of a property below ``- KEY``: on the same side of the key as it was."""
    if column > key.old:
        return key.new + column - key.old
    return key.new if column == key.old else min(max(own.new + column - own.old, own.new + 1), key.new)


def _spaced(raw: str, line: Line) -> str:
    """The content of a line: one space behind the dash and the colon, none before the colon."""
    dash = "- " if line.item else ""
    if not line.colon:
        return (dash + raw[line.content : line.end]).rstrip()
    key = f"{dash}{raw[line.content : line.key_end]}:"
    return f"{key} {raw[line.value : line.end]}" if line.value < line.end else key


def _blanks(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _leaves_quote_open(line: str) -> bool:
    at, end = 0, len(line)
    while at < end:
        if line[at] in "\"'":
            at = closing_quote(line, at, end)
            if at < 0:
                return True
        else:
            at += 1
    return False
