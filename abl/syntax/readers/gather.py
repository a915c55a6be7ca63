"""GATHER in its six forms (docs/spec 07 §1-§2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from abl.syntax import vocabulary
from abl.syntax.lines.pieces import inside_brackets, split_commas
from abl.syntax.lines.texts import first_word, rest_behind, scalar_text
from abl.syntax.nodes import Block, Gather, GatherField, Literal_, Name, Property, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import (
    NAME,
    check_name,
    children_of,
    flag,
    inline_names,
    item_head,
    literal_of,
    read_properties,
    text_of,
    with_colon,
)
from abl.syntax.readers.flow_style import expanded, expanded_item
from abl.syntax.readers.literals import plain_value, read_literal
from abl.syntax.recovery import findings
from abl.syntax.recovery.colons import mended, value_without_colon, with_intended_key, with_key
from abl.syntax.recovery.suggest import closest
from abl.syntax.recovery.under_indented import with_under_indented

_NESTING: Final = vocabulary.FIELD_KEYS
_BLOCK_OPTIONS: Final = vocabulary.words("FIELDS STRATEGY")
_PROPERTIES: Final = vocabulary.FIELD_KEYS - vocabulary.GATHER_OPTIONS
_FIELD_WORDS: Final = frozenset((*vocabulary.REQUIRED_WORDS, *vocabulary.GATHER_TYPES))
"""What may follow the name of a field."""


def read_gather(
    ctx: Context, block: Block, keyword: str, path: str, *, parts: Sequence[Block] = (), top_level: bool = False
) -> Gather:
    """Fields and block options. ``parts`` are options that stand beside the block (legacy ``COLLECT``)."""
    block = expanded(ctx, block)
    options: dict[str, Text | None] = {part.key.upper(): part.value for part in parts}
    fields: list[GatherField] = []
    if block.value is not None:
        fields.extend(_bare_field(ctx, n, f"{path}.{n.value}") for n in inline_names(ctx, block.value))
    children = [child if child.item else with_colon(ctx, child, _BLOCK_OPTIONS) for child in _readable(ctx, block)]
    children = [_as_fields(ctx, child) if _is_misspelt_fields(child) else child for child in children]
    given = {child.key.upper() for child in (*children, *parts) if not child.item}
    with_options = "FIELDS" in given or any(child.item for child in children)
    for child in children:
        key = child.key.upper()
        if with_options and _is_misspelt_option(child):
            names = [name if child.key.isupper() else name.lower() for name in sorted(vocabulary.GATHER_OPTIONS)]
            ctx.report(findings.unknown_key(ctx.source, child, "GATHER", names, given))
        elif not child.item and _is_option(child, key, top_level):
            if key == "FIELDS":
                fields.extend(_read_field(ctx, entry, path) for entry in _readable(ctx, child))
                fields.extend(_bare_field(ctx, n, f"{path}.{n.value}") for n in _inline(ctx, child))
            else:
                options[key] = child.value
        else:
            fields.append(_read_field(ctx, child, path))
    props = tuple(
        Property(child.key.upper(), child.key, child.key_span, child.value, child)
        for child in (*children, *parts)
        if not child.item and _is_option(child, child.key.upper(), top_level)
    )
    return Gather(
        span=block.span,
        path=path,
        block=block,
        props=props,
        keyword=keyword,
        key_span=block.key_span,
        fields=tuple(fields),
        prompt=options.get("PROMPT"),
        strategy=options.get("STRATEGY"),
    )


def _readable(ctx: Context, block: Block) -> Iterator[Block]:
    """The lines of a block that may be fields or options; others are reported."""
    for child in (expanded_item(ctx, below) for below in with_under_indented(ctx, block.children, _PROPERTIES)):
        if child.item or child.colon or child.value is None or NAME.match(child.value.raw) is not None:
            yield child
        else:
            ctx.skip(child, "This is no field", "")


def _inline(ctx: Context, block: Block) -> tuple[Name, ...]:
    return inline_names(ctx, block.value) if block.value is not None else ()


def _is_option(block: Block, key: str, top_level: bool) -> bool:
    """True for a key of the block itself. At top level a lower-case ``prompt:`` block may be a field of that name."""
    if key not in vocabulary.GATHER_OPTIONS or not block.colon:
        return False
    if key == "FIELDS":
        return block.value is not None or bool(block.children)
    return block.value is not None and (not top_level or key == "STRATEGY" or block.key.isupper())


def _is_misspelt_fields(block: Block) -> bool:
    """True for ``FIELSD:`` with fields below it, none of which is a property: no field itself (07 §1)."""
    below = block.children
    if block.item or not block.colon or block.value is not None or block.key.upper() in vocabulary.GATHER_OPTIONS:
        return False
    if not below or not all(one.item or one.children for one in below) or not closest(block.key, ("FIELDS",)):
        return False
    return not any(vocabulary.canonical_key(one.key) in vocabulary.FIELD_KEYS for one in below)


def _as_fields(ctx: Context, block: Block) -> Block:
    intended = "FIELDS" if block.key.isupper() else "fields"
    ctx.report(findings.unknown_key(ctx.source, block, "GATHER", [intended]))
    return with_intended_key(block, intended)


def _is_misspelt_option(block: Block) -> bool:
    """True for ``STRATEYG: hybrid`` where options stand, which is no field; ``prompts: required`` is one (07 §1)."""
    if block.item or not block.colon or block.value is None or block.key.upper() in vocabulary.GATHER_OPTIONS:
        return False
    is_field = block.value.value.strip().lower() in vocabulary.REQUIRED_WORDS or block.value.raw[:1] == "{"
    return not is_field and bool(closest(block.key, vocabulary.GATHER_OPTIONS))


def _bare_field(ctx: Context, name: Name, path: str) -> GatherField:
    check_name(ctx, name, "field", NAME)
    return GatherField(span=name.span, path=path, name=name)


def _read_field(ctx: Context, block: Block, path: str) -> GatherField:
    """``- name``, ``- name: required``, ``name:`` with a block, or ``- name: x`` in long form."""
    word: Text | None = None
    block = _field_with_colon(ctx, block)
    if not block.colon:
        name = Name(block.value.value, block.value.inner) if block.value else Name("", block.line_span)
        blocks: tuple[Block, ...] = block.children
    elif block.value is not None and _is_long_form(block, block.value):
        name, blocks = Name(block.value.value, block.value.inner), block.children
    else:
        name = Name(block.key, block.key_span)
        head, rest = item_head(block) if block.item else (block, ())
        blocks = (*children_of(ctx, head), *rest)
        word = block.value if block.value is None or block.value.raw[:1] != "{" else None
    check_name(ctx, name, "field", NAME)
    blocks = tuple(mended(ctx, _as_flag(ctx, below)) for below in blocks)
    place = f"field `{name.value}`"
    props = read_properties(ctx, blocks, "field", place, nesting=_NESTING)
    return _field(ctx, block, f"{path}.{name.value}", name=name, word=word, props=props)


def _as_flag(ctx: Context, block: Block) -> Block:
    """``required`` alone below a field, as ``required: true`` (ABL110)."""
    value = block.value
    if block.colon or block.children or value is None or value.raw.lower() not in vocabulary.REQUIRED_WORDS:
        return block
    is_required = value.raw.lower() == "required"
    intended = f"{value.raw if is_required else 'required'}: {str(is_required).lower()}"
    ctx.report(findings.missing_colon(value.span, value.raw, intended))
    return Block(
        "required",
        value.span,
        value._replace(value=str(is_required).lower()),
        (),
        block.span,
        block.line_span,
        block.column,
        block.item,
        True,
        block.comments,
    )


def _field_with_colon(ctx: Context, block: Block) -> Block:
    """``- name required``, or ``name`` with properties below it, with its missing colon (ABL110)."""
    value = block.value
    if block.colon or value is None or value.style != "bare" or value.raw[:1] in ("{", "["):
        return block
    word = first_word(value)
    rest = rest_behind(ctx.text, value, word)
    if rest is None:
        if block.item:
            return block
        if not block.children:
            ctx.report(findings.item_expected(ctx.source, block.line_span, "GATHER", (block.span,)))
            return block
    elif rest.value.lower() not in _FIELD_WORDS and word.value.upper() != "NAME":
        return block
    return with_key(block, value, value_without_colon(ctx, value))


def _is_long_form(block: Block, value: Text) -> bool:
    """``- NAME: x`` names the field x; ``- name: required`` is a field called name, as people often ask for one."""
    if not block.item or block.key.upper() != "NAME":
        return False
    word = value.value.strip().lower()
    return word not in vocabulary.REQUIRED_WORDS and word not in vocabulary.GATHER_TYPES


def _field(
    ctx: Context, block: Block, path: str, *, name: Name, word: Text | None, props: tuple[Property, ...]
) -> GatherField:
    required, type_ = _required(ctx, word, props)
    return GatherField(
        span=block.span,
        path=path,
        block=block,
        props=props,
        name=name,
        required=required,
        prompt=text_of(props, "PROMPT"),
        type=text_of(props, "TYPE") or type_,
        default=literal_of(ctx, props, "DEFAULT"),
        options=_options(ctx, props),
        validate=text_of(props, "VALIDATE"),
        retry_prompt=text_of(props, "RETRY_PROMPT"),
        max_retries=text_of(props, "MAX_RETRIES"),
        description=text_of(props, "DESCRIPTION"),
        extraction_pattern=text_of(props, "EXTRACTION_PATTERN"),
    )


def _required(ctx: Context, word: Text | None, props: tuple[Property, ...]) -> tuple[bool, Text | None]:
    """Whether the field is required; a type name behind the field's name is taken as its type."""
    given = text_of(props, "REQUIRED")
    if given is not None:
        return flag(given) is not False, None
    if word is None:
        return True, None
    plain = word.value.strip().lower()
    if plain in vocabulary.REQUIRED_WORDS:
        return plain == "required", None
    if plain in vocabulary.GATHER_TYPES:
        return True, word
    ctx.report(findings.unknown_word(word.inner, word.value, "a field", vocabulary.REQUIRED_WORDS))
    return True, None


def _options(ctx: Context, props: tuple[Property, ...]) -> tuple[Literal_, ...] | None:
    prop = next((p for p in reversed(props) if p.key == "OPTIONS"), None)
    if prop is None:
        return None
    if prop.value is None:
        return tuple(read_literal(ctx, child.value) for child in prop.block.children if child.value is not None)
    start, end = prop.value.span
    if prop.value.style == "bare" and prop.value.raw[:1] == "[":
        start, end = inside_brackets(ctx.text, start, end)
    texts = (scalar_text(ctx.text, *part) for part in split_commas(ctx.text, start, end))
    return tuple(Literal_(plain_value(text), text.span) for text in texts if text is not None)
