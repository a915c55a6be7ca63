"""Properties in the column of the dash of their entry, the most usual slip of indentation (docs/spec 05 §2, ABL108)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.incremental.relocation import origin_of
from abl.syntax.nodes import Block
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings

_NONE: vocabulary.Words = frozenset()


def with_under_indented(
    ctx: Context, children: Sequence[Block], keys: vocabulary.Words, starts: vocabulary.Words = _NONE
) -> Sequence[Block]:
    """The lines of a list, in which entries hold the properties that are beside their dash.

    A line belongs to the entry above when its key is one of ``keys`` that this entry does not have yet. One of
    ``starts`` begins an entry. The lines of one entry are reported together.
    """
    if all(origin_of(child)[0].item for child in children):
        return children
    return tuple(_joined(ctx, children, keys - starts))


def _joined(ctx: Context, children: Sequence[Block], keys: vocabulary.Words) -> Iterator[Block]:
    above: Block | None = None
    below: list[Block] = []
    for child in children:
        beside = above is not None and above.item and _is_beside(child, above, below)
        if above is not None and beside and _is_missed(child, above, below, keys):
            below.append(child)
            continue
        if above is not None:
            yield _with(ctx, above, below)
        above, below = child, []
    if above is not None:
        yield _with(ctx, above, below)


def _is_beside(child: Block, above: Block, below: Sequence[Block]) -> bool:
    """In the column of the dash; behind such a line also where the properties of the entry stand."""
    return child.column == above.column or (bool(below) and child.column == _column(above))


def _column(entry: Block) -> int:
    return next((child.column for child in entry.children if not child.item), entry.column + 2)


def _is_missed(child: Block, above: Block, below: Sequence[Block], keys: vocabulary.Words) -> bool:
    """True for a property of the entry above that it does not have."""
    if child.item or not child.colon or (key := child.key.upper()) not in keys:
        return False
    given = (above, *above.children, *below)
    return not any(one.colon and one.key.upper() == key for one in given)


def _with(ctx: Context, entry: Block, below: Sequence[Block]) -> Block:
    if not below:
        return entry
    slipped = [block.line_span for block in below if block.column == entry.column]
    ctx.report(findings.under_indented(ctx.source, slipped, entry.column, _column(entry)))
    span = Span(entry.span.start, below[-1].span.end)
    return Block(
        entry.key,
        entry.key_span,
        entry.value,
        (*entry.children, *below),
        span,
        entry.line_span,
        entry.column,
        True,
        entry.colon,
        entry.comments,
    )
