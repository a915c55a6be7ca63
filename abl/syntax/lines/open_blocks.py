"""A block whose children are still coming, while lines are put into the tree (docs/spec 01 §2)."""

from __future__ import annotations

from typing import Final

from abl.source import Span, new_span
from abl.syntax import vocabulary
from abl.syntax.lines.nesting import holds
from abl.syntax.lines.scanner import Line
from abl.syntax.nodes import Block, Comment, Text

NO_COMMENTS: Final[tuple[Comment, ...]] = ()


class Open:
    """A block whose children are still coming. ``base`` is the offset of its line."""

    children: list[Block] | None = None
    expected = 0  # column of its children, 0 while unknown
    nested = 0  # of an item: column of what belongs to the key on its line
    flat = False  # its list items are in its own column
    first: tuple[Line, int] | None = None  # the line that gave the column of its children, and its offset

    def __init__(
        self, line: Line, base: int, end: int, value: Text | None, comments: tuple[Comment, ...], *, column: int
    ) -> None:
        self.line = line
        self.base = base
        self.end = end
        self.value = value
        self.comments = comments
        self.column = column  # that it counts as, which is not its line's where that is misplaced
        self.hang = line.key_column - line.column + column if line.item and line.colon else 0

    def close(self) -> Block:
        """The finished block."""
        line, base = self.line, self.base
        start, line_end = base + line.indent, base + line.end
        span = new_span(Span, (start, self.end))
        key_span = new_span(Span, (base + line.content, base + line.key_end) if line.colon else (start, start))
        return Block(
            line.key,
            key_span,
            self.value,
            tuple(self.children) if self.children else (),
            span,
            span if self.end == line_end else new_span(Span, (start, line_end)),
            self.column,
            line.item,
            line.colon,
            self.comments,
        )

    def holds_texts(self) -> bool:
        """True for a block whose entries are free text."""
        return self.value is None and self.line.key.upper() in vocabulary.TEXT_CONTAINERS

    def takes_flat_items(self) -> bool:
        """True for a key whose list may be in its own column."""
        line = self.line
        if not line.colon or line.item or self.value is not None:
            return False
        return self.flat or not self.children or self.children[-1].item

    def has_room_at_head(self, line: Line) -> bool:
        """True for an item whose first key holds such a line below it."""
        return self.value is None or holds(self.line, line)

    def holds_items(self) -> bool:
        """True for a list that has entries."""
        return self.children is not None and self.children[-1].item
