"""``returns`` of a tool that is described by properties: ``{type, fields}`` (docs/spec 08 §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from abl.limits import MAX_BLOCK_DEPTH
from abl.source import Span
from abl.syntax.nodes import Block, Name, Text, TypeRef
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import children_of, flag, item_properties

TypeReader = Callable[[Context, Text], TypeRef]
Field = tuple[Name, bool, TypeRef]

_WORDS: Final = frozenset({"type", "fields", "items", "description"})


def described_type(ctx: Context, block: Block, read_type: TypeReader, depth: int = 0) -> TypeRef | None:
    """The type that a property such as ``returns`` names or describes; None for an empty one.

    A type that is described has the place of the whole property, so that what it is made of lies within.
    """
    parts = _parts(ctx, block)
    if parts is None or depth > MAX_BLOCK_DEPTH:
        return read_type(ctx, block.value) if block.value is not None else None
    named, fields, items = (parts.get(key) for key in ("type", "fields", "items"))
    if parts and named is None and fields is None:
        fields = block  # the fields themselves
    given = read_type(ctx, named.value) if named is not None and named.value is not None else None
    if fields is not None:
        inner = tuple(_fields(ctx, fields, read_type, depth + 1))
        text = given.text if given is not None else "object"
        typed = tuple([(name.value, required, type_) for name, required, type_ in inner])
        typed_object = TypeRef(text, block.span, "object", fields=typed, names=tuple([name for name, _, _ in inner]))
        is_array = given is not None and given.name == "array"
        return TypeRef(typed_object.text, typed_object.span, "array", item=typed_object) if is_array else typed_object
    if items is not None and given is not None and given.name == "array":
        return TypeRef(given.text, block.span, "array", item=described_type(ctx, items, read_type, depth + 1))
    return given


def _parts(ctx: Context, block: Block) -> dict[str, Block] | None:
    """The properties of a description by lower-case key; None for a type that is written as one."""
    parts = {part.key.lower(): part for part in children_of(ctx, block) if part.colon}
    if block.value is None:
        return parts
    if not ctx.yaml or "type" not in parts or not parts.keys() <= _WORDS:
        return None  # an object with a field of that name, maybe
    return parts


def _fields(ctx: Context, block: Block, read_type: TypeReader, depth: int) -> Iterator[Field]:
    """Fields of a map ``name: type``, or of a list of ``{name, type, required}``."""
    for child in children_of(ctx, block):
        if not child.item and child.colon:
            found = described_type(ctx, child, read_type, depth)
            if found is not None:
                key = child.key.rstrip("?")
                at = child.key_span.start
                yield Name(key, Span(at, at + len(key))), not child.key.endswith("?"), found
        elif child.item and child.colon:
            parts = {part.key.lower(): part for part in item_properties(child) if part.colon}
            name, type_, required = (parts.get(key) for key in ("name", "type", "required"))
            if name is not None and name.value is not None and type_ is not None and type_.value is not None:
                optional = required is not None and flag(required.value) is False
                yield Name(name.value.value, name.value.inner), not optional, read_type(ctx, type_.value)
