"""Entries and their properties: the shapes shared by every section (docs/spec 01 §3 and §5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from abl.language.types import FLAG
from abl.source import Span, new_span
from abl.syntax import vocabulary
from abl.syntax.incremental.relocation import origin_of
from abl.syntax.lines.pieces import inside_brackets, split_commas
from abl.syntax.lines.texts import first_word, scalar_text, slice_of
from abl.syntax.nodes import Block, Literal_, Name, Property, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.literals import block_literal, object_blocks
from abl.syntax.recovery import findings
from abl.syntax.recovery.colons import value_without_colon, with_key
from abl.syntax.recovery.suggest import closest
from abl.syntax.recovery.under_indented import with_under_indented

NAME: Final = re.compile(vocabulary.NAME_PATTERN)
AGENT_NAME: Final = re.compile(vocabulary.AGENT_NAME_PATTERN)
PATH: Final = re.compile(vocabulary.PATH_PATTERN)
_MAY_REPEAT: Final = frozenset({"SET", "CLEAR", "CALL", "LOG", "TRANSFORM", "RESPOND"})


def key_column(item: Block) -> int:
    """Column of what follows the dash of an item."""
    return item.column + item.key_span.start - item.line_span.start


def item_properties(item: Block) -> tuple[Block, ...]:
    """The properties of ``- KEY: value``: the one on its first line, then those below.

    What is deeper than the key belongs to the key when it has no value of its own.
    """
    head, rest = item_head(item)
    return (head, *rest)


def item_head(item: Block, keep_nested: bool = False) -> tuple[Block, tuple[Block, ...]]:
    """First property of an item and the others; ``keep_nested`` leaves deeper lines with a key that has a value."""
    column = key_column(item)
    nested: tuple[Block, ...] = ()
    rest = item.children
    if rest and (item.value is None or keep_nested):
        nested = tuple(child for child in rest if child.column > column)
        if nested:
            rest = tuple(child for child in rest if child.column <= column)
    end = nested[-1].span.end if nested else item.value.span.end if item.value else item.line_span.end
    start, key_end = item.key_span
    span = new_span(Span, (start, end if end > key_end else key_end))
    line = new_span(Span, (start, item.line_span.end))
    return Block(item.key, item.key_span, item.value, nested, span, line, column, comments=item.comments), rest


def entries_of(
    ctx: Context, block: Block, starts: vocabulary.Words = frozenset(), keys: vocabulary.Words = frozenset()
) -> Iterator[Block]:
    """The list items of a block. Lines without a dash are put together to entries and reported (ABL115).

    A new entry begins with a bare name, a key in lower case, a key of ``starts``, or a key the entry already has.
    One of ``keys`` in the column of a dash belongs to the entry above, which is reported, too (ABL108).
    """
    group: list[Block] = []
    bare: list[Block] = []  # entries in a row without a dash, which are reported as one
    for child in with_under_indented(ctx, block.children, keys, starts) if keys else block.children:
        first, _ = origin_of(child)  # of which an unchanged block need not be a copy to be asked what it is
        if first.item:
            if group:
                bare.append(_as_item(group))
                yield from _without_dash(ctx, block, bare)
                group, bare = [], []
            if not first.colon and any(below.item for below in first.children):
                yield from _with_unattached(ctx, child)
            elif first.colon or first.value is not None or first.children:
                yield child
            else:
                ctx.report(findings.empty_block(ctx.source, child.span, "-"))
            continue
        starts_entry = not child.colon or not child.key.isupper() or child.key in starts
        repeats = any(child.key.upper() == other.key.upper() for other in group if child.colon)
        if group and (starts_entry or repeats):
            bare.append(_as_item(group))
            group = []
        group.append(child)
    if group:
        bare.append(_as_item(group))
        yield from _without_dash(ctx, block, bare)


def _without_dash(ctx: Context, block: Block, entries: list[Block]) -> list[Block]:
    spans = [entry.span for entry in entries]
    ctx.report(findings.item_expected(ctx.source, entries[0].line_span, block.key, spans))
    return entries


def _with_unattached(ctx: Context, item: Block) -> Iterator[Block]:
    """A list item and the items below it that were only indented too far (ABL108)."""
    misplaced_items = [child for child in item.children if child.item]
    rest = tuple(child for child in item.children if not child.item)
    yield Block(
        item.key, item.key_span, item.value, rest, item.span, item.line_span, item.column, True, False, item.comments
    )
    for misplaced in misplaced_items:
        ctx.report(findings.bad_indent(ctx.source, misplaced.line_span, misplaced.column, item.column))
        if misplaced.colon or misplaced.value is not None:
            yield misplaced


def _as_item(group: list[Block]) -> Block:
    first = group[0]
    span = Span(first.span.start, group[-1].span.end)
    return Block(
        first.key,
        first.key_span,
        first.value,
        (*first.children, *group[1:]),
        span,
        first.line_span,
        first.column,
        True,
        first.colon,
        first.comments,
    )


def children_of(ctx: Context, block: Block) -> tuple[Block, ...]:
    """Nested lines, or the members of an inline object that is in their place."""
    if block.children or block.value is None:
        return block.children
    return object_blocks(ctx, block.value)


@lru_cache(maxsize=256)
def _shown(place: str, yaml: bool) -> tuple[str, ...]:
    """Legal keys of a place as an author would write them."""
    keys = sorted(vocabulary.KEYS_BY_PLACE[place])
    lower = yaml or place in vocabulary.LOWERCASE_PLACES
    return tuple(vocabulary.as_written(key, lower) for key in keys)


def with_colon(ctx: Context, block: Block, legal: vocabulary.Words) -> Block:
    """The block of ``KEY value`` read as ``KEY: value`` (ABL110) when its first word is a legal key."""
    if block.colon or block.value is None or block.value.style != "bare":
        return block
    word = first_word(block.value)
    if word.value.upper() not in legal or (word.value != word.value.upper() and "=" in block.value.raw):
        return block
    return with_key(block, block.value, value_without_colon(ctx, block.value))


def legal_key(written: str, legal: vocabulary.Words) -> str:
    """Canonical key of what was written at a place where ``legal`` keys may stand."""
    upper = written.upper()
    return upper if upper in legal else vocabulary.ALIASES.get(upper, upper)


def read_properties(
    ctx: Context,
    blocks: Iterable[Block],
    place: str,
    entry: str,
    *,
    also: vocabulary.Words = frozenset(),
    nesting: vocabulary.Words = frozenset(),
) -> tuple[Property, ...]:
    """Properties of one entry: unknown, repeated, empty and lower-case keys are reported (ABL106, 107, 116, 123).

    ``entry`` names the entry in messages; ``also`` are keys that are legal words but judged elsewhere; ``nesting``
    are keys that may have both a value and nested lines.
    """
    legal = vocabulary.KEYS_BY_PLACE[place]
    upper_case = not ctx.yaml and place not in vocabulary.LOWERCASE_PLACES
    found: list[Property] = []
    seen: dict[str, Property] = {}
    unknown: list[Block] = []
    queue = list(blocks)
    queue.reverse()
    while queue:
        block = queue.pop()
        if not block.colon:
            block = with_colon(ctx, block, legal | also)
            if not block.colon:
                ctx.skip(block, f"This is no property of {entry}", "")
                continue
        key = legal_key(block.key, legal)
        if key not in legal and key not in also:
            unknown.append(block)
            continue
        prop = Property(key, block.key, block.key_span, block.value, block)
        first = seen.setdefault(block.key.upper(), prop)
        if first is not prop and key not in _MAY_REPEAT:
            line = ctx.line_of(first.key_span.start)
            ctx.report(findings.duplicate_key(ctx.source, block, entry, first.block, line))
        if block.value is None:
            if not block.children and key not in vocabulary.ALONE and key != "ON_FAIL":
                ctx.report(findings.empty_block(ctx.source, block.span, block.key))
        elif block.children and key not in nesting:
            queue.extend(reversed(_pushed_in(ctx, block)))
        if upper_case and not block.key.isupper() and _should_be_upper(ctx, block):
            ctx.report(findings.lower_key(block.key_span, block.key))
        found.append(prop)
    if unknown:
        _report_unknown(ctx, unknown, place, entry, {prop.key for prop in found})
    return tuple(found)


_INTENDED: Final = {"MESSAGE": "RESPOND", "SAY": "RESPOND", "ASK": "COLLECT"}
"""Keys of other notations in ON_FAIL with what they are called here (docs/spec 04 §5)."""
_VALIDATIONS: Final = ("validate", "validation")
"""Two words for one key, at top level and in steps (docs/spec 07 §1)."""


def _report_unknown(ctx: Context, blocks: Iterable[Block], place: str, entry: str, given: set[str]) -> None:
    candidates = _shown(place, ctx.yaml)
    for block in blocks:
        if place == "field":
            by_step = closest(block.key, _VALIDATIONS)[:1] == _VALIDATIONS[1:]
            known = [_VALIDATIONS[1] if by_step and key == _VALIDATIONS[0] else key for key in candidates]
            ctx.report(findings.unknown_field_key(ctx.source, block, known, given))
        elif place == "on_fail" and (key := _INTENDED.get(block.key.upper())) is not None and key not in given:
            ctx.report(findings.intended_key(block.key_span, block.key, entry, key, colon=True))
        else:
            ctx.report(findings.unknown_key(ctx.source, block, entry, candidates, given))


def _should_be_upper(ctx: Context, block: Block) -> bool:
    """False for words that are documented in lower case, and for members of an inline object."""
    if block.key == "severity" or block.key.upper() in vocabulary.ALIASES:
        return False
    start = ctx.source.line_starts[ctx.line_of(block.span.start) - 1]
    return not ctx.text[start : block.span.start].strip(" \t-")


def _pushed_in(ctx: Context, block: Block) -> tuple[Block, ...]:
    """Lines nested below a one-line value: siblings that were indented too far (ABL108)."""
    first = block.children[0]
    ctx.report(findings.bad_indent(ctx.source, first.line_span, first.column, block.column))
    return block.children


def text_of(props: tuple[Property, ...], key: str) -> Text | None:
    """Value of the last property of that key."""
    for prop in reversed(props):
        if prop.key == key:
            return prop.value
    return None


def condition_of(ctx: Context, props: tuple[Property, ...], key: str) -> Text | None:
    """Condition of the last property of that key."""
    return condition_text(ctx, text_of(props, key))


def condition_text(ctx: Context, text: Text | None) -> Text | None:
    """A condition as written. The quotes of YAML are not those of ABL (01 §9): there they are left out."""
    if text is None or not ctx.yaml or text.style not in ("double", "single"):
        return text
    return Text(text.value, text.raw, text.inner, text.inner, "bare", text.map)


def literal_of(ctx: Context, props: tuple[Property, ...], key: str) -> Literal_ | None:
    """Literal of the last property of that key."""
    for prop in reversed(props):
        if prop.key == key:
            return block_literal(ctx, prop.block)
    return None


def names_of(ctx: Context, block: Block) -> tuple[Name, ...]:
    """Names of a list in any form: ``[a, b]``, ``a, b``, ``a`` or block items."""
    if block.value is not None:
        return inline_names(ctx, block.value)
    names: list[Name] = []
    for child in block.children:
        if child.value is not None and not child.colon:
            quoted = child.value.style in ("double", "single")  # what an item quotes is one name
            names.extend([Name(child.value.value, child.value.inner)] if quoted else inline_names(ctx, child.value))
        elif child.colon:
            names.append(Name(child.key, child.key_span))
    return tuple(names)


def inline_names(ctx: Context, value: Text) -> tuple[Name, ...]:
    """Names of a one-line list. The quotes of YAML may hold several."""
    if ctx.yaml and value.style in ("double", "single") and "," in value.value:
        parts = [slice_of(value, *part) for part in split_commas(value.value, 0, len(value.value))]
        return tuple(Name(part.value, part.span) for part in parts if part.value)
    if value.style != "bare":
        return (Name(value.value, value.inner),)
    start, end = value.span
    if value.raw.startswith(("[", "{")):
        start, end = inside_brackets(ctx.text, start, end)
    names: list[Name] = []
    for part in split_commas(ctx.text, start, end):
        text = scalar_text(ctx.text, *part)
        if text is not None:
            names.append(Name(text.value, text.inner))
    return tuple(names)


def texts_of(ctx: Context, block: Block) -> tuple[Text, ...]:
    """Texts of a list: block items as they stand (colons included), an inline list, or one text."""
    if block.value is not None:
        if block.value.style == "bare" and block.value.raw[:1] == "[":
            parts = split_commas(ctx.text, *inside_brackets(ctx.text, *block.value.span))
            return tuple(text for part in parts if (text := scalar_text(ctx.text, *part)) is not None)
        return (block.value,)
    return tuple(text for child in block.children if (text := line_text(ctx, child)) is not None)


def line_text(ctx: Context, block: Block) -> Text | None:
    """The whole content of a line behind its dash as one scalar."""
    if not block.colon:
        return block.value
    end = block.value.span.end if block.value is not None else block.line_span.end
    return scalar_text(ctx.text, block.key_span.start, end)


def check_name(ctx: Context, name: Name, kind: str, pattern: re.Pattern[str] = NAME) -> Name:
    """The name itself; an illegal one is reported (ABL117)."""
    if pattern.fullmatch(name.value) is None:
        ctx.report(findings.bad_name(name.span, name.value, kind))
    return name


def name_from(text: Text | None) -> Name | None:
    """A whole scalar as a name."""
    return Name(text.value, text.inner) if text is not None else None


def flag(text: Text | None) -> bool | None:
    """Value of a boolean property in any case, ``yes`` and ``no`` included; None when it is neither."""
    return FLAG.read_word(text.value.strip()) if text is not None else None
