"""The YAML form brought to the shape of the keyword form, so that one set of readers reads both (docs/spec 01 §9).

Two things differ. Maps and lists may be in brackets (flow style), and quotes are those of YAML: a scalar is the text
of its property, so that conditions, targets and assignments are read without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from abl.limits import MAX_VALUE_DEPTH
from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.lines.pieces import bracket_depth, closing_bracket, inside_brackets, split_commas
from abl.syntax.lines.texts import bare_text, scalar_text
from abl.syntax.nodes import Block, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import key_column
from abl.syntax.readers.literals import object_blocks

_UNQUOTED: Final = vocabulary.words(
    """IF CONDITION WHEN CHECK EXIT_WHEN COMPLETE_WHEN FILTER SORT_BY LIMIT THEN GOTO TRANSITION ON_EXHAUSTED ON_TIMEOUT
    ON_SUCCESS ON_FAILURE ON_RESULT HANDOFF CLEAR STEPS SOURCE ON BEFORE"""
)
"""Properties whose text is an expression or names something, whatever quotes are around it."""
_EXPRESSIONS_BELOW: Final = vocabulary.words("WITH MAP ARGUMENTS")
_ITEMS_UNQUOTED: Final = vocabulary.words("SET CLEAR")
_VALUES: Final = vocabulary.words(
    "RETURNS TYPE DEFAULT INITIAL OPTIONS ENUM_VALUES VALUES VALUE VALIDATE HISTORY MASK_CONFIG LOG ON_FAIL"
)
"""Properties whose brackets are read as a value, or by a reader that knows them."""
_LISTS_OF_MAPS: Final = vocabulary.words("DELEGATE ESCALATE ON_ERROR")
"""Sections without a reader of their own whose list items are maps; in others an item may be a text."""
_QUOTED: Final = ("double", "single")
_TEMPLATE: Final = re.compile(r"TEMPLATE\(\s*+[^()\s]*+\s*+\)")


def in_lines(ctx: Context, block: Block) -> Block:
    """A block of a document in YAML form as if it stood in lines; of another document the block itself."""
    return _in_lines(ctx, block, False) if ctx.yaml else block


def section_in_lines(ctx: Context, block: Block) -> Block:
    """The same for a section, which in keyword form is opened itself and nothing below it."""
    return _in_lines(ctx, block, False) if ctx.yaml else expanded(ctx, block)


def in_rows(ctx: Context, block: Block) -> Block:
    """The same with its quotes, for sections without a reader of their own."""
    if ctx.yaml:
        return _in_lines(ctx, block, False, quotes=True)
    return _items_expanded(ctx, block) if block.key.upper() in _LISTS_OF_MAPS else block


def _items_expanded(ctx: Context, block: Block) -> Block:
    """The block with every list item in braces as the lines of that item."""
    inner = tuple([_items_expanded(ctx, expanded_item(ctx, child)) for child in block.children])
    changed = any(one is not other for one, other in zip(inner, block.children, strict=True))
    return _with(block, block.value, inner) if changed else block


def expanded(ctx: Context, block: Block, *, names: bool = False) -> Block:
    """The same for the block alone, in any form: what is below it stays as it is.

    ``names`` opens lists of names, too.
    """
    if block.value is None:
        return block
    below = _flow_children(ctx, block.value, _column_below(block), names=names)
    return block if below is None else _with(block, None, (*below, *block.children))


def expanded_item(ctx: Context, block: Block) -> Block:
    """``- {a: x, b: y}`` as ``- a: x`` with ``b: y`` below it; an item with another value as it is."""
    if not block.item or block.colon or block.value is None or block.value.raw[:1] != "{":
        return block
    below = _flow_children(ctx, block.value, _column_below(block))
    return _item(block, (*below, *block.children)) if below else block


def _in_lines(ctx: Context, block: Block, plain: bool, quotes: bool = False) -> Block:
    key = vocabulary.canonical_key(block.key) if block.colon else ""
    value, children = block.value, block.children
    below = None
    if value is not None and key not in _VALUES:
        below = _flow_children(ctx, value, _column_below(block), names=key == "SET")
    if below is not None:
        if block.item and not block.colon and value is not None and value.raw[:1] == "{":
            return _in_lines(ctx, _item(block, below), plain, quotes)
        value, children = None, (*below, *children)
    elif not quotes and value is not None and value.style in _QUOTED and (plain or _is_unquoted(key, value)):
        value = Text(value.value, value.raw, value.inner, value.inner, "bare", value.map)
    deeper = plain or key in _EXPRESSIONS_BELOW
    inner = tuple(_in_lines(ctx, c, deeper or (key in _ITEMS_UNQUOTED and not c.colon), quotes) for c in children)
    if value is block.value and all(one is other for one, other in zip(inner, block.children, strict=False)):
        return block
    return _with(block, value, inner)


def _column_below(block: Block) -> int:
    """Column of what is in the value of a block: behind a dash it is deeper than the key, not than the dash."""
    return (key_column(block) if block.item and block.colon else block.column) + 2


def _is_unquoted(key: str, value: Text) -> bool:
    return key in _UNQUOTED or (key in ("RESPOND", "SAY") and _TEMPLATE.fullmatch(value.value.strip()) is not None)


def _with(block: Block, value: Text | None, children: tuple[Block, ...], column: int = 0) -> Block:
    return Block(
        block.key,
        block.key_span,
        value,
        children,
        block.span,
        block.line_span,
        column or block.column,
        block.item,
        block.colon,
        block.comments,
    )


def _item(block: Block, members: tuple[Block, ...]) -> Block:
    """``- {a: x, b: y}`` as ``- a: x`` with ``b: y`` below it."""
    first, *rest = members
    column = block.column + 2
    start = first.key_span.start
    span = Span(min(block.span.start, start), block.span.end)
    line = Span(start - 2, first.span.end)  # as far from its dash as in lines
    return Block(
        first.key,
        first.key_span,
        first.value,
        tuple(_with(b, b.value, b.children, column) for b in rest),
        span,
        line,
        block.column,
        True,
        True,
        block.comments,
    )


def _flow_children(ctx: Context, value: Text, column: int, *, names: bool = False) -> tuple[Block, ...] | None:
    """The members of an object, or the entries of a list that holds objects; None for every other value.

    So is one without members, or deeper than the limit.
    """
    start, end = value.span
    if value.style != "bare" or value.raw[:1] not in ("{", "["):
        return None
    if closing_bracket(ctx.text, start, end) not in (end - 1, -1):  # one that is not closed is reported already
        return None
    if bracket_depth(value.raw) > MAX_VALUE_DEPTH:
        return None
    if value.raw[0] == "{":
        return tuple(_with(member, member.value, (), column) for member in object_blocks(ctx, value)) or None
    parts = split_commas(ctx.text, *inside_brackets(ctx.text, *value.span))
    if not names and not any(ctx.text[start] == "{" for start, _ in parts):
        return None
    return tuple(_element(ctx, parts, column)) or None


def _element(ctx: Context, parts: Iterable[tuple[int, int]], column: int) -> Iterable[Block]:
    for start, end in parts:
        span = Span(start, end)
        text = bare_text(ctx.text, start, end) if ctx.text[start] == "{" else scalar_text(ctx.text, start, end)
        yield Block("", Span(start, start), text, (), span, span, column, True, False)
