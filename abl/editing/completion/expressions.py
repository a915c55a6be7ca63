"""Completion within an expression or the tag of a template (docs/spec 02)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from abl.editing.completion import names as offer
from abl.editing.completion.cursor import Cursor, Item
from abl.editing.completion.each import open_blocks
from abl.editing.completion.grammar import JOINS, TESTS, Reader, due, left_off

_LITERALS: Final = ("true", "false", "null")
_BEHIND_RULES: Final = ("WHEN", "BEFORE")
_CUT: Final = re.compile(r"\s(?:WHEN|BEFORE):?\s+")
_BLOCK: Final = re.compile(r"\s*#(?P<kind>if|each)\s+(?P<rest>.*)$", re.DOTALL)
_SIGNED: Final = re.compile(r"\s*(?P<sign>[#/])\w*$")
_EVERYTHING: Final = (*TESTS, *JOINS, "NOT")


def expression(cursor: Cursor, written: str) -> Iterator[Item]:
    """What the grammar lets follow: names, functions and literals, or operators; texts where one is open."""
    texts = offer.compared(cursor, written)
    found = texts if texts is not None else offer.behind_index(cursor)
    if found is not None:
        yield from found
        return
    reader = left_off(written[: len(written) - len(cursor.typed)])
    if reader is None or reader.operand:
        yield from operands(cursor)
    yield from _words(due(reader) if reader is not None else _EVERYTHING)
    if reader is None or reader.operand:
        yield from (Item(word, "word", "value", word) for word in _LITERALS)


def condition_of_rule(cursor: Cursor, written: str) -> Iterator[Item]:
    """The same in a rule: what joins conditions, and once, behind one, WHEN and BEFORE (docs/spec 04 §1)."""
    *done, last = _CUT.split(written)
    yield from expression(cursor, last)
    reader = left_off(last[: len(last) - len(cursor.typed)])
    if not done and reader is not None and _ended(reader):
        yield from _words(_BEHIND_RULES)


def _ended(reader: Reader) -> bool:
    return not reader.operand and not reader.only and not reader.around


def operands(cursor: Cursor) -> Iterator[Item]:
    """Everything that has a value."""
    yield from offer.names(cursor)
    yield from offer.functions()
    yield from offer.of_runtime()


def _words(words: Iterable[str]) -> Iterator[Item]:
    return (Item(word, "word", "operator", word) for word in words)


def in_tag(cursor: Cursor, written: str) -> Iterator[Item]:
    """What continues behind ``{{``: a value, or the words of blocks, those that end one only where it is open."""
    block, signed = _BLOCK.match(written), _SIGNED.match(written)
    blocks = open_blocks(cursor)
    closing = [f"/{blocks[-1]}"] if blocks else []
    if block is not None:
        yield from expression(cursor, block["rest"]) if block["kind"] == "if" else offer.names(cursor)
    elif signed is not None:
        words = ["if", "each"] if signed["sign"] == "#" else [word[1:] for word in closing]
        yield from (_of_block(signed["sign"] + word, word) for word in words)
    else:
        yield from _value_or_block(cursor, written, closing, blocks[-1:] == ["if"])


def _value_or_block(cursor: Cursor, written: str, closing: list[str], in_if: bool) -> Iterator[Item]:
    yield from expression(cursor, written)
    if not written.removesuffix(cursor.typed).strip():
        words = ("#if", "#each", *(["else"] if in_if else []), *closing)
        yield from (_of_block(word, word) for word in words)


def _of_block(word: str, insert: str) -> Item:
    return Item(word, "word", "block of a template", insert)


def unwrapped(value: str) -> str:
    """An expression without the quotes around all of it, which are those of the property."""
    quote = value[:1]
    if quote in ("'", '"') and offer.quote_open(value) == 0:
        return value[1:].replace(f"\\{quote}", quote)
    return value
