"""What an expression or the tag of a template goes on with (docs/spec 02)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from abl.editing import complete_names as offer
from abl.editing.complete_cursor import Cursor, Item

_OPERATORS: Final = ("AND", "OR", "NOT", "IN", "IS SET", "IS NOT SET", "contains", "matches", "startsWith", "endsWith")
_LITERALS: Final = ("true", "false", "null")
_IS: Final = re.compile(r"\bIS\s+(?P<no>NOT\s+)?\w*$")
_STATES: Final = ("SET", "NOT SET", "EMPTY", "NOT EMPTY")
_TAG_WORDS: Final = ("#if", "#each", "else", "/if", "/each")


def expression(cursor: Cursor, written: str) -> Iterator[Item]:
    """Names, functions and operators; the texts to compare with where one is open."""
    words = [Item(word, "word", "operator", word) for word in _OPERATORS]
    return _operands(cursor, written, words + [Item(word, "word", "value", word) for word in _LITERALS])


def in_tag(cursor: Cursor, written: str) -> Iterator[Item]:
    """The same within ``{{``, with the words of blocks."""
    return _operands(cursor, written, (Item(word, "word", "block of a template", word) for word in _TAG_WORDS))


def _operands(cursor: Cursor, written: str, words: Iterable[Item]) -> Iterator[Item]:
    texts = offer.compared(cursor, written)
    fields = offer.behind_index(cursor) if texts is None else None
    found = texts if texts is not None else fields
    asked = _IS.search(written)
    if found is None and asked is not None:
        found = [Item(word, "word", "operator", word) for word in _STATES if not asked["no"] or "NOT" not in word]
    if found is not None:
        yield from found
        return
    yield from offer.names(cursor)
    yield from offer.functions()
    yield from offer.of_runtime()
    yield from words


def unwrapped(value: str) -> str:
    """An expression without the quotes around all of it, which are those of the property."""
    quote = value[:1]
    if quote in ("'", '"') and offer.quote_open(value) == 0:
        return value[1:].replace(f"\\{quote}", quote)
    return value
