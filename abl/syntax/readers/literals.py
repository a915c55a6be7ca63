"""Literal values of properties: INITIAL, DEFAULT, tool defaults, options (docs/spec 01 §5)."""

from __future__ import annotations

import re
from typing import Any, Final

from abl.limits import MAX_VALUE_DEPTH
from abl.source import Source, Span
from abl.syntax.incremental.relocation import moved
from abl.syntax.lines.pieces import COLON, bracket_depth, cuts, inside_brackets, split_commas
from abl.syntax.lines.texts import bare_text, scalar_text
from abl.syntax.nodes import Block, Literal_, Text
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings, section_findings
from abl.syntax.vocabulary import ALONE, TEXT_KEYS, canonical_key

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_CALL = re.compile(r"[A-Za-z_.][A-Za-z0-9_.]*\(.*\)", re.DOTALL)
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_MAX_DIGITS: Final = 400


def plain_value(text: Text) -> Any:
    """Value of a scalar: quoted text is a string; bare text a number, boolean, null or else a string."""
    if text.style != "bare":
        return text.value
    raw = text.raw
    if raw in _WORDS:
        return _WORDS[raw]
    match = _NUMBER.fullmatch(raw)
    if match is None or len(raw) > _MAX_DIGITS:
        return raw
    return float(raw) if match[1] or match[2] else int(raw)


def read_literal(ctx: Context, text: Text) -> Literal_:
    """The literal that a one-line value holds; a call such as ``NOW()`` stays text in ``dynamic``."""
    if text.style == "bare":
        if text.raw[:1] in ("[", "{"):
            return Literal_(_read_collection(ctx, text), text.span)
        if _CALL.fullmatch(text.raw):
            return Literal_(None, text.span, dynamic=text)
    return Literal_(plain_value(text), text.span)


def block_literal(ctx: Context, block: Block) -> Literal_ | None:
    """The literal of a property: its value, or the list or object that its nested lines form."""
    if block.value is not None:
        return read_literal(ctx, block.value)
    if not block.children:
        return None
    return Literal_(_from_children(ctx, block.children), block.span)


def _from_children(ctx: Context, children: tuple[Block, ...]) -> Any:
    if children[0].item:
        return [_from_item(ctx, child) for child in children]
    return {child.key: _from_block(ctx, child) for child in children if child.colon}


def _from_item(ctx: Context, item: Block) -> Any:
    if not item.colon:
        return read_literal(ctx, item.value).value if item.value is not None else None
    column = item.column + item.key_span.start - item.line_span.start
    nested = tuple(child for child in item.children if child.column > column)
    first = read_literal(ctx, item.value).value if item.value else _from_children(ctx, nested) if nested else None
    others = {child.key: _from_block(ctx, child) for child in item.children if child.column <= column and child.colon}
    return {item.key: first, **others}


def _from_block(ctx: Context, block: Block) -> Any:
    literal = block_literal(ctx, block)
    return literal.value if literal is not None else None


def _read_collection(ctx: Context, text: Text) -> Any:
    if bracket_depth(text.raw) > MAX_VALUE_DEPTH:
        ctx.report(findings.unreadable(text.span, f"Values are nested deeper than {MAX_VALUE_DEPTH}"))
        return None
    return _collection(ctx, text.span.start, text.span.end)


def _collection(ctx: Context, start: int, end: int) -> Any:
    parts = split_commas(ctx.text, *inside_brackets(ctx.text, start, end))
    if ctx.text[start] == "[":
        return [_element(ctx, *part) for part in parts]
    members: dict[str, Any] = {}
    for part in parts:
        key, value = split_member(ctx, *part)
        if key:
            members[key] = _element(ctx, *value)
    return members


def _element(ctx: Context, start: int, end: int) -> Any:
    if start >= end:
        return None
    if ctx.text[start] in "[{":
        return _collection(ctx, start, end)
    text = scalar_text(ctx.text, start, end)
    return plain_value(text) if text is not None else None


def split_member(
    ctx: Context, start: int, end: int, may_be_empty: frozenset[str] | None = frozenset()
) -> tuple[str, tuple[int, int]]:
    """Key and value range of an object member; ``{a}`` is ``{a: a}``. A malformed one is reported (ABL358).

    ``may_be_empty``: the keys that may be without a value; None for any.
    """
    text = ctx.text
    colon = next(cuts(COLON, text, start, end), None)
    if colon is None:
        name = text[start:end]
        if name.replace(".", "_").isidentifier():
            return name, (start, end)
        ctx.report(section_findings.bad_object(Span(start, max(end, start + 1)), "`:` is missing"))
        return "", (end, end)
    key = scalar_text(text, start, colon.start())
    value = bare_text(text, colon.end(), end)
    if key is not None and value is None and (may_be_empty is None or key.value.upper() in may_be_empty):
        return key.value, (end, end)
    if key is None or value is None:
        reason = "A key is missing" if key is None else "A value is missing"
        ctx.report(section_findings.bad_object(Span(start, end), reason))
        return "", (end, end)
    return key.value, (value.span.start, value.span.end)


def object_blocks(ctx: Context, text: Text, *, with_empty: bool = False) -> tuple[Block, ...]:
    """The members of an inline object as if they stood on lines of their own; ``with_empty`` those without a value."""
    if text.style != "bare" or text.raw[:1] != "{" or bracket_depth(text.raw) > MAX_VALUE_DEPTH:
        return ()
    blocks: list[Block] = []
    for start, end in split_commas(ctx.text, *inside_brackets(ctx.text, *text.span)):
        key, (value_start, value_end) = split_member(ctx, start, end, None if with_empty else ALONE)
        if not key:
            continue
        value = scalar_text(ctx.text, value_start, value_end)
        if value is not None and value.raw[:1] in findings.CURLY_OPENING and canonical_key(key) in TEXT_KEYS:
            ctx.report(findings.curly_quotes(value.span, value.raw))
        shift = 1 if ctx.text[start] in "\"'" else 0
        key_span = Span(start + shift, min(start + shift + len(key), end))
        span = Span(start, end)
        blocks.append(Block(key, key_span, value, (), span, span, ctx.source.position(start).column))
    return tuple(blocks)


def members_in_braces(source: Source, text: Text) -> tuple[Block, ...]:
    """The members of an inline object for those who only have the source; also those without a value."""
    its, alone, shift = readable(source, text)
    return moved(object_blocks(Context(its, its.text), alone, with_empty=True), shift)


def readable(source: Source, value: Text) -> tuple[Source, Text, int]:
    """Where the parts of a bare value can be read, and how far away: if it holds comment lines, in a copy without."""
    if value.style != "bare" or source.text[slice(*value.span)] == value.value:
        return source, value, 0
    whole = Span(0, len(value.value))
    return Source(value.value), Text(value.value, value.value, whole, whole), value.span.start
