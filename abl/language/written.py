"""Values as authors write them, as plain words and texts: quoted or not, lists in brackets or with dashes.

What a value looks like in a file is a ``Block`` of ``abl.syntax``; this layer only needs the part of it named here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

_PAIRS = {"(": ")", "[": "]", "{": "}"}


class Scalar(Protocol):
    """One text as it is in the file: ``value`` without its quotes, ``style`` says which those were."""

    @property
    def value(self) -> str: ...
    @property
    def style(self) -> str: ...


class Lines(Protocol):
    """A key or a list item with what stands behind it and below it."""

    @property
    def key(self) -> str: ...
    @property
    def value(self) -> Scalar | None: ...
    @property
    def children(self) -> Sequence[Lines]: ...
    @property
    def item(self) -> bool: ...
    @property
    def colon(self) -> bool: ...


def unquoted(text: str) -> str:
    """Without blanks around it, and without one pair of quotes around the whole."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def split_outside(text: str, separator: str = ",") -> list[str]:
    """Cut at a character outside quotes and brackets."""
    parts, depth, quote, start, escaped = [], 0, "", 0, False
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and not escaped
        elif char in "\"'" and (text[start:at].rstrip()[-1:] or ":") in ":=([{":  # an apostrophe within a word is none
            quote, escaped = char, False
        elif char in _PAIRS:
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == separator and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def word(text: Scalar | str | None) -> str:
    """A scalar without quotes and blanks; empty where nothing is written."""
    if text is None:
        return ""
    return unquoted(text if isinstance(text, str) else text.value)


def members_of(text: Scalar | str) -> dict[str, str]:
    """``{a: x, "b": "y"}`` as texts by key; empty for anything else."""
    whole = (text if isinstance(text, str) else text.value).strip()
    if not (whole.startswith("{") and whole.endswith("}")):
        return {}
    pairs = (part.partition(":") for part in split_outside(whole[1:-1]))
    return {unquoted(key): unquoted(value) for key, colon, value in pairs if colon}


def listed(text: Scalar | str) -> list[str]:
    """``[a, "b, c"]``, ``a, b`` or one text as the texts of a list. What is in quotes as a whole is one of them."""
    return [found for _, found in placed(text)]


def placed(text: Scalar | str) -> Iterator[tuple[int, str]]:
    """The same texts, each with where it begins in the value."""
    whole = text if isinstance(text, str) else text.value
    if not isinstance(text, str) and text.style in ("double", "single"):
        yield 0, whole
        return
    at, inner = len(whole) - len(whole.lstrip()), whole.strip()
    if inner[:1] == "[" and inner[-1:] == "]":
        at, inner = at + 1, inner[1:-1]
    elif len(inner) > 1 and inner[0] in "\"'" and len(split_outside(inner)) == 1:
        yield at + 1, unquoted(inner)
        return
    for part in split_outside(inner):
        found = unquoted(part)
        if found:
            yield at + part.index(found), found
        at += len(part) + 1


def items_of(block: Lines) -> Iterator[str]:
    """The texts of a list in any form: behind its key, or below it with a dash or a key of its own for each."""
    if block.value is not None:
        yield from listed(block.value)
        return
    for child in block.children:
        if child.colon and child.key:
            yield child.key
        elif child.value is not None:
            yield from listed(child.value) if child.value.style == "bare" else [child.value.value]


def sentences_of(block: Lines) -> Iterator[str]:
    """The texts of a list in brackets or with dashes; what stands in a line without brackets is one text."""
    if block.value is not None:
        yield from listed(block.value) if block.value.value.lstrip()[:1] == "[" else [word(block.value)]
        return
    yield from (word(child.value) for child in block.children if child.value is not None)


def names_and_texts(block: Lines) -> dict[str, str]:
    """A mapping in any form as texts by key, as written: lines below the key, or braces behind it."""
    if block.children:
        return {c.key: word(c.value) for c in block.children if c.key and c.value is not None}
    return members_of(block.value) if block.value is not None else {}
