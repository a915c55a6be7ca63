"""Completion within the signature of a tool, and of its parameters in an endpoint (docs/spec 08 §1, §3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from abl.editing.completion import names as offer
from abl.editing.completion.cursor import Cursor, Item
from abl.editing.completion.names import quote_open
from abl.syntax.vocabulary import TOOL_TYPES

_BEGUN: Final = re.compile(r"^\s*[A-Za-z_]\w*\s*\(")
_ARROW: Final = re.compile(r"^\s*(?:->|→)")
_TYPE_DUE: Final = re.compile(r"(?::|->|→|<|<\[|union<\[[^\]]*,)\s*[A-Za-z_]?\w*$")
_GENERIC: Final = ("array<", "object<", "enum<", "union<", "nullable<")
_PART: Final = re.compile(r"\{(?!\{)[^{}]*$")


def signature(cursor: Cursor) -> list[Item] | None:
    """What continues with the signature that the cursor is in; None outside of one."""
    text = _signature_before(cursor)
    if text is None:
        return None
    if quote_open(text) is not None or re.search(r"enum<\[[^\]]*$", text):
        return []
    if _TYPE_DUE.search(text):
        known = [Item(word, "value", "type", word) for word in TOOL_TYPES]
        return known + [Item(f"{word}…>", "value", "type", word) for word in _GENERIC]
    if text.rstrip().endswith(")") and text.count("(") == text.count(")"):
        return [Item("->", "word", "what the tool gives back", "-> ")]
    return []


def _signature_before(cursor: Cursor) -> str | None:
    """A signature up to the cursor, from the line where it begins; None where none is open."""
    place = cursor.place
    if place.root != "TOOLS" or cursor.yaml:
        return None
    begins = place.parents[1].number if len(place.parents) > 1 else 0
    begins = begins or cursor.line
    above = [cursor.source.line_text(number) for number in range(begins, cursor.line)]
    done = "\n".join(above)
    text = f"{done}\n{cursor.before}" if above else cursor.before
    if not _BEGUN.match(text):
        return None
    is_open = done.count("(") > done.count(")") or done.count("{") > done.count("}")
    return text if is_open or not above or _ARROW.match(cursor.before) else None


def in_endpoint(cursor: Cursor, written: str) -> Iterator[Item]:
    """The parameters of the tool, within ``{`` of its endpoint."""
    if _PART.search(written):
        line = cursor.place.parents[1] if len(cursor.place.parents) > 1 else None
        name = line.text.partition("(")[0].strip() if line is not None else ""
        yield from (replace(item, insert=item.label) for item in offer.parameters(cursor, name))
