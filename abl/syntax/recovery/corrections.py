"""A document read again with words of the language in place of misspelt ones (docs/spec 01 §10, 05 §1).

Which words are misspelt, and what they mean, ``abl.analysis.conformance.misspelt`` decides; here is how they are read.
The text and the lossless tree stay as they are written, and so do all positions: only what readers see of a key, or of
a closed word behind one, is another word.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from abl.source import Span
from abl.syntax.lines.scanner import CorrectedLine, Line, scan_line
from abl.syntax.nodes import Block, Document, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.flow_style import expanded, expanded_item

_START: Final = attrgetter("span.start")


def correct_lines(ctx: Context, lines: list[str]) -> None:
    """Put other keys into the structure of the lines that begin with misspelt ones."""
    starts = ctx.source.line_starts
    for span, word in ctx.corrections.items():
        at = bisect_right(starts, span.start) - 1
        line = scan_line(lines[at])
        if _begins_line(line, starts[at], span):
            lines[at] = CorrectedLine(lines[at], line._replace(key=word))


def corrected(ctx: Context, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with other words behind keys, and other keys in braces; one without any is the same object."""
    return _Correcting(ctx).row(blocks) if ctx.corrections else tuple(blocks)


def is_key(document: Document, span: Span) -> bool:
    """True for the place of a key, at the start of a line or within braces, and for what an entry begins with."""
    source = document.source
    at = source.position(span.start).line
    line, start = scan_line(source.line_text(at)), source.line_starts[at - 1]
    if _begins_line(line, start, span) or (line.item and start + line.content == span.start):
        return True
    return any(block.colon and block.key_span == span for block in _around(document, span))


def _begins_line(line: Line, start: int, span: Span) -> bool:
    return line.colon and (start + line.content, start + line.key_end) == span


def misspelt_value(document: Document, span: Span) -> Block | None:
    """The block with a key behind which nothing else stands."""
    return next((block for block in _around(document, span) if _is_value(block, span)), None)


def _is_value(block: Block, span: Span) -> bool:
    value = block.value
    return block.colon and value is not None and value.style != "pipe" and span in (value.inner, value.span)


def _around(document: Document, span: Span) -> Iterator[Block]:
    """The blocks that hold a place, outermost first; what is in braces as if it stood in lines."""
    ctx = Context(document.source, document.source.text, yaml=document.yaml)
    row: Sequence[Block] = document.blocks
    while row:
        block = next(
            (each for each in row if each.span.start <= span.start < max(each.span.end, each.key_span.end)), None
        )
        if block is None:
            return
        yield block
        inside = _expanded(ctx, block, span.start)
        if inside.key_span != block.key_span:
            yield inside
        row = inside.children


def _expanded(ctx: Context, block: Block, offset: int) -> Block:
    """The block with its members in lines, where the place is within its braces or brackets."""
    value = block.value
    if value is None or not value.span.start < offset < value.span.end:
        return block
    return expanded_item(ctx, block) if block.item and not block.colon else expanded(ctx, block)


class _Correcting:
    """One walk down to the words that are corrected."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.words = ctx.corrections
        self.starts = sorted(span.start for span in ctx.corrections)

    def row(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple([self.block(each) if self._first_in(each.span) is not None else each for each in blocks])

    def _first_in(self, span: Span) -> int | None:
        at = bisect_left(self.starts, span.start)
        return self.starts[at] if at < len(self.starts) and self.starts[at] < span.end else None

    def block(self, block: Block) -> Block:
        key, value = self.words.get(block.key_span, block.key) if block.colon else block.key, block.value
        if value is not None:
            word = self.words.get(value.inner, self.words.get(value.span))
            if word is not None and block.colon:
                value = Text(word, word, value.span, value.inner, value.style)
            elif (inside := self._first_in(value.span)) is not None:
                lines = _expanded(self.ctx, block, inside)
                if lines is not block:
                    return self.block(lines)
        return Block(
            key,
            block.key_span,
            value,
            self.row(block.children),
            block.span,
            block.line_span,
            block.column,
            block.item,
            block.colon,
            block.comments,
        )
