"""Lines that lack their colon, in sections without a reader of their own (docs/spec 01 §10, 05 ABL110).

Such sections are read as maps and lists of anything. A line that is neither a key nor an entry would be lost there,
with all that is below it; so it is read as the key that it was meant to be, or else reported.
"""

from __future__ import annotations

import re
from typing import Final

from abl.syntax import vocabulary
from abl.syntax.incremental.relocation import origin_of
from abl.syntax.lines.texts import first_word, rest_behind, scalar_text
from abl.syntax.nodes import Block, Text, same_key
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings

_SIGN: Final = re.compile(r":|=(?!=)")
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NO_KEY: Final = re.compile(r"CALL\s|[A-Za-z_][\w.\[\]*-]*\s*(?:=|->|→|\()")
"""What a line begins with that is an assignment, an arrow line or a call, which 06 §5.11 writes without a colon."""
_OPAQUE: Final = vocabulary.words("SET TESTS LIMITATIONS RESULT_SECRETS STEP_CONSTRAINTS DO THEN CLEAR")
"""Blocks whose lines are no properties, or are read by those who know them."""
_BRANCH: Final = re.compile(r"IF\s", re.IGNORECASE)
_ACTION: Final = re.compile(r"(?:COMPLETE|HANDOFF|CONTINUE|RESPOND)\b")
"""What a human leaves to do is written ``- IF cond:`` and below it, or alone, an action without a colon (09 §7)."""
_LISTS: Final[dict[str, vocabulary.Words]] = {
    "DELEGATE": vocabulary.words("AGENT"),
    "AGENTS": vocabulary.words("REF ALIAS"),
    "ROUTING": vocabulary.words("NAME"),
    "POLICIES": vocabulary.words("NAME"),
    "TRIGGERS": vocabulary.words("WHEN"),
    "ON_ERROR": vocabulary.words("TYPE"),
    "ACTIONS": vocabulary.words("BUTTON SELECT INPUT"),
}
"""Lists whose entries begin with certain keys, also when nothing is below them."""


def with_key(block: Block, value: Text, rest: Text | None) -> Block:
    """The block of ``word rest`` as ``word: rest``; ``value`` begins with the word."""
    word = first_word(value)
    return Block(
        word.value,
        word.span,
        rest,
        block.children,
        block.span,
        block.line_span,
        block.column,
        block.item,
        True,
        block.comments,
    )


def value_without_colon(ctx: Context, value: Text) -> Text | None:
    """Report that the first word of ``value`` lacks its colon (ABL110), and give what follows the word.

    A colon with a blank in front of it only, or a ``=`` in its place, is no part of what follows the word.
    """
    word = first_word(value)
    rest = rest_behind(ctx.text, value, word)
    until = 0
    if rest is not None and rest.style == "bare" and _SIGN.match(rest.raw):
        rest = scalar_text(ctx.text, rest.span.start + 1, value.inner.end)
        until = rest.span.start if rest is not None else value.inner.end
    ctx.report(findings.missing_colon(word.span, word.value, until=until))
    return rest


def with_intended_key(block: Block, key: str) -> Block:
    """The block of a misspelt key with the intended one, for a reader that has reported it."""
    return Block(
        key,
        block.key_span,
        block.value,
        block.children,
        block.span,
        block.line_span,
        block.column,
        block.item,
        True,
        block.comments,
    )


def mended(ctx: Context, block: Block, after_human: bool = False) -> Block:
    """The block with the colons that lines below it lack (ABL110); one in which none is missing is the same object.

    Lines that can be neither properties nor entries are reported and left out (ABL125). ``after_human``: the block
    is in ``on_human_complete``.
    """
    first, _ = origin_of(block)  # of which an unchanged block need not be a copy to be asked what it holds
    if _is_sound(first, after_human):
        return block
    after_human = after_human or _is_after_human(block)
    below: list[Block] = []
    for child in block.children:
        one = child if after_human and _needs_no_colon(child) else _keyed(ctx, block, child)
        if one is not None:
            below.append(mended(ctx, one, after_human))
    return Block(
        block.key,
        block.key_span,
        block.value,
        tuple(below),
        block.span,
        block.line_span,
        block.column,
        block.item,
        block.colon,
        block.comments,
    )


def _is_after_human(block: Block) -> bool:
    return block.colon and same_key(block.key) == "onhumancomplete"


def _needs_no_colon(child: Block) -> bool:
    """True for a branch or an action of ``on_human_complete``."""
    text = child.value.raw if child.value is not None and not child.colon else ""
    return _ACTION.match(text) is not None or (child.item and _BRANCH.match(text) is not None)


def _is_sound(block: Block, after_human: bool) -> bool:
    """True when every line below the block is a property or an entry."""
    if not block.children or (block.value is not None and not block.item):
        return True
    if block.colon and vocabulary.canonical_key(block.key) in _OPAQUE:
        return True
    after_human = after_human or _is_after_human(block)
    for child in block.children:
        if not child.colon and is_odd(block, child) and not (after_human and _needs_no_colon(child)):
            return False
        if not _is_sound(child, after_human):
            return False
    return True


def is_odd(parent: Block, child: Block) -> bool:
    """True for a line without a colon that should have one, or that cannot be read at all."""
    value = child.value
    if value is None or value.style != "bare" or value.raw[:1] in ("{", "[") or _NO_KEY.match(value.raw):
        return False
    word = first_word(value).value
    rest = value.raw[len(word) :].lstrip()
    is_word = _KEY.fullmatch(word) is not None
    if child.item:
        starts = _LISTS.get(vocabulary.canonical_key(parent.key), frozenset())
        below = any(line.colon and not line.item for line in child.children)
        return rest != "" and is_word and (below or word in starts)
    among_keys = (parent.item and parent.colon) or any(line.colon for line in parent.children)
    if is_word and not rest:
        return bool(child.children)
    return among_keys or (is_word and (bool(child.children) or rest[0] in "\"'{[:"))


def _keyed(ctx: Context, parent: Block, child: Block) -> Block | None:
    value = child.value
    if child.colon or value is None or not is_odd(parent, child):
        return child
    word = first_word(value)
    if _KEY.fullmatch(word.value) is None:
        ctx.skip(child, f"This is no part of {parent.key}" if parent.key else "This line cannot be read", "")
        return None
    return with_key(child, value, value_without_colon(ctx, value))
