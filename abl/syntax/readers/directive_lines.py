"""The lines of a list of directives before they are read: without dashes, each with its key (docs/spec 06 §3)."""

from __future__ import annotations

from collections.abc import Iterable

from abl.syntax import vocabulary
from abl.syntax.nodes import Block, Property
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import item_head, with_colon
from abl.syntax.recovery import findings
from abl.syntax.recovery.colons import with_key


def flat(blocks: Iterable[Block]) -> Iterable[Block]:
    """Action lists (``- SET: ...``) as if the directives stood without dashes."""
    for block in blocks:
        if block.item and block.colon:
            head, rest = item_head(block, keep_nested=True)
            yield head
            yield from rest
        else:
            yield block


def keyed(ctx: Context, block: Block, legal: vocabulary.Words) -> Block:
    """A bare word such as ``- RESUME`` (in YAML form ``- resume``) as a key; ``RESPOND "x"`` with its missing colon."""
    if block.colon or block.value is None:
        return block
    value = block.value
    if value.style == "bare" and (value.value.upper() if ctx.yaml else value.value) in legal:
        if block.children:
            ctx.report(findings.missing_colon(value.span, value.value))
        return with_key(block, value, None)
    return with_colon(ctx, block, legal)


def properties_of(blocks: Iterable[Block]) -> tuple[Property, ...]:
    """The lines with a key as properties."""
    return tuple(
        Property(vocabulary.canonical_key(block.key), block.key, block.key_span, block.value, block)
        for block in blocks
        if block.colon
    )
