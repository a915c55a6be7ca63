"""The cursor of a completion, and the items that are offered there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.editing.place import Line, Place, lines_below
from abl.language import knows
from abl.source import Source
from abl.syntax import vocabulary

_REPEATED: Final = vocabulary.STEP_DIRECTIVES - vocabulary.ONCE_DIRECTIVES
_LONG_PLACES: Final = frozenset({"flow", "tools", "gather"})
"""Places of which every line of a section would be read."""


@dataclass(frozen=True, slots=True)
class Item:
    """One offer. ``insert`` replaces the word before the cursor."""

    label: str
    kind: str
    detail: str
    insert: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where something is asked for: the agent there, the 1-based line, the text of it before the cursor, the place,
    and the word that is being typed, with its dots."""

    index: Index
    source: Source
    agent: AgentIndex | None
    line: int
    before: str
    place: Place
    typed: str
    yaml: bool = False


def line_with_key(cursor: Cursor, key: str) -> Line | None:
    """The nearest line that the cursor is nested in and that has a key; ``-`` is the nearest item."""
    for line in reversed(cursor.place.parents):
        if (line.item if key == "-" else line.key.upper() == key) and line.number:
            return line
    return None


def sibling(cursor: Cursor, above: str, key: str) -> str:
    """The value of a key below a line that the cursor is nested in; empty when there is none."""
    return value_below(cursor, line_with_key(cursor, above), key)


def value_below(cursor: Cursor, parent: Line | None, key: str) -> str:
    """The same below a given line."""
    depth = None
    for line in lines_below(cursor.source, parent) if parent is not None else ():
        first = parent is not None and line.number == parent.number
        depth = line.indent if depth is None and not first else depth
        if line.key.upper() == key and (first or line.indent == depth):
            return line.text.removeprefix("-").partition(":")[2].strip().strip("\"'")
    return ""


def keys_beside(cursor: Cursor) -> frozenset[str]:
    """The keys, in upper case, that the map around the cursor has on other lines and that may be there only once."""
    place = cursor.place
    if not place.parents or place.item or place.listed or not place.parents[-1].number or place.block in _LONG_PLACES:
        return frozenset()
    parent, column = place.parents[-1], len(cursor.before) - len(cursor.before.lstrip(" "))
    found: set[str] = set()
    for line in lines_below(cursor.source, parent):
        inside = line.indent == column and not line.item if line.number != parent.number else column <= parent.column
        if inside and line.number != cursor.line:
            found.add(line.key.upper())
    return frozenset(found) - (_REPEATED if knows(place.block, "SET") and knows(place.block, "CALL") else frozenset())
