"""What follows an index, and within ``{{#each}}``: fields of the items of lists (docs/spec 02 §7, §9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from abl.analysis.conditions.chains import type_at, unwrapped
from abl.syntax.nodes import TypeRef

if TYPE_CHECKING:
    from abl.editing.completion.cursor import Cursor

_TAG: Final = re.compile(r"\{\{\s*(?:#each\s+(?P<path>[A-Za-z_][^{}]*)|(?P<end>/each)\s*)\}\}")
_BLOCKS: Final = re.compile(r"\{\{\s*(?:#(?P<begin>if|each)\b|/(?P<end>if|each)\s*\}\})")
_STEP: Final = re.compile(r"\.?(?P<name>[A-Za-z_]\w*|\d+)|\[(?P<index>[^\[\]]*+)\]")
_INDEXED: Final = re.compile(r"(?P<path>[A-Za-z_]\w*(?:\.\w+|\[[^\[\]]*\])*\[[^\[\]]*\](?:\.\w+)*)\.\w*$")
_LOOKED_AT: Final = 1_000
"""Characters before the cursor that may be a path with indexes."""
LOOP_NAMES: Final = ("@index", "@first", "@last")

Steps = tuple[str | None, ...]


def steps_of(path: str) -> Steps:
    """A written path as its steps: names, and None for an index that is a number or is not known."""
    found: list[str | None] = []
    for match in _STEP.finditer(path):
        key = (match["index"] or "").strip()
        found.append(match["name"] or (key[1:-1] if key[:1] in ("'", '"') else None))
    return tuple(found)


def path_behind_index(before: str) -> str | None:
    """The path with an index that a dot follows at the end of a text, or None."""
    match = _INDEXED.search(before[-_LOOKED_AT:])
    return match["path"] if match is not None else None


def open_lists(cursor: Cursor) -> Iterator[str]:
    """The paths of the ``{{#each}}`` that are open at the cursor, outermost first."""
    stack: list[str] = []
    for match in _TAG.finditer(_text_before(cursor)):
        if match["end"] is None:
            stack.append(match["path"])
        elif stack:
            stack.pop()
    yield from stack


def open_blocks(cursor: Cursor) -> list[str]:
    """The kinds of the ``{{#if}}`` and ``{{#each}}`` that are open at the cursor, outermost first."""
    stack: list[str] = []
    for match in _BLOCKS.finditer(_text_before(cursor)):
        if match["begin"] is not None:
            stack.append(match["begin"])
        elif stack:
            stack.pop()
    return stack


def _text_before(cursor: Cursor) -> str:
    """The message up to the cursor: the block below a ``|``, or the line."""
    source = cursor.source
    at = source.line_starts[cursor.line - 1] + len(cursor.before)
    for parent in reversed(cursor.place.parents):
        if parent.number and parent.text.rstrip().endswith("|"):
            return source.text[source.line_starts[parent.number - 1] : at]
    return cursor.before


def type_within(items: Sequence[TypeRef | None], steps: Steps) -> TypeRef | None:
    """The type of a path that begins at an item of an open list: ``this.price``, ``price``; the innermost first."""
    for number, item in enumerate(reversed(items)):
        if item is None:
            continue
        if number == 0 and steps[0] == "this":
            return type_at(item, steps[1:])
        if any(name == steps[0] for name, _, _ in item.fields):
            return type_at(item, steps)
    return None


def item_type(type_: TypeRef | None) -> TypeRef | None:
    """The type of the items of an array."""
    array = unwrapped(type_)
    return unwrapped(array.item) if array is not None else None
