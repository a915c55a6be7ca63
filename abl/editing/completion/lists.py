"""The entries that a list or map around the cursor has already; they are not offered again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from abl.editing.completion.cursor import Cursor, Item
from abl.editing.place import lines_below, read_line
from abl.language import Value
from abl.source import Source
from abl.syntax.lines.pieces import closing_bracket, split_commas

_LINES: Final = 40
"""Lines above the cursor that are searched for the start of a list in brackets."""
_KEY: Final = re.compile(r"[\"']?(?P<key>[A-Za-z_][\w.]*)[\"']?\s*[:=](?!=)")
_EVALUATED: Final = frozenset({"assignment", "check", "condition", "expression", "literal", "store", "template"})
"""Kinds of values of which a list is one of values, which may come again."""
_BEGUN: Final = re.compile(r"(?<![\w.])[\w.]*$")


class OpenBracket(NamedTuple):
    """A bracket that is open at a cursor, where it stands, and the 1-based line in which the entry begins."""

    bracket: str
    at: int
    line: int


def open_bracket(source: Source, line: int, before: str) -> OpenBracket | None:
    """The innermost bracket that is open before a cursor; lines before end with ``,`` or the bracket itself."""
    first = line
    while first > max(line - _LINES, 1):
        above = source.line_text(first - 1).rstrip()
        if not above.endswith((",", "{", "[", "(")) or above.lstrip().startswith("#"):
            break
        first -= 1
    start, end = source.line_starts[first - 1], source.line_starts[line - 1] + len(before)
    stack: list[tuple[str, int]] = []
    quote = ""
    for at, char in enumerate(source.text[start:end], start):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and not source.text[at - 1 : at].isalnum():
            quote = char
        elif char in "[{(":
            stack.append((char, at))
        elif char in "]})" and stack:
            stack.pop()
    return OpenBracket(*stack[-1], first) if stack else None


def in_list(source: Source, line: int, before: str) -> tuple[int, str] | None:
    """The line in which a list in brackets begins and the text from there on; None for one of this line, or none."""
    found = open_bracket(source, line, before)
    if found is None or found.bracket != "[" or found.at >= source.line_starts[line - 1]:
        return None
    number = source.position(found.at).line
    return number, source.text[source.line_starts[number - 1] : source.line_starts[line - 1] + len(before)]


def unlisted(cursor: Cursor, value: Value, offers: Iterable[Item]) -> Iterator[Item]:
    """The offers for a value of a key without the names that its list has already."""
    taken = frozenset() if _EVALUATED & frozenset(value.kinds) else _listed(cursor)
    return (item for item in offers if item.label not in taken and item.insert.rstrip(": ") not in taken)


def without_keys(cursor: Cursor, offers: Iterable[Item]) -> Iterator[Item]:
    """The offers for a key, or for an argument, without those that the map around the cursor has already."""
    taken = keys_there(cursor)
    return (item for item in offers if item.kind != "key" or item.label not in taken)


def keys_there(cursor: Cursor) -> frozenset[str]:
    """The keys of the map, or the names of the arguments, around a cursor."""
    found = open_bracket(cursor.source, cursor.line, cursor.before)
    if found is not None:
        keys = (_KEY.match(part) for part in _parts(cursor, found))
        return frozenset([key["key"] for key in keys if key is not None])
    parent = cursor.place.parents[-1] if cursor.place.parents else None
    if parent is None or cursor.place.item or not parent.number:
        return frozenset()
    column = len(cursor.before) - len(cursor.before.lstrip(" "))
    lines = [line for line in lines_below(cursor.source, parent) if line.number != cursor.line and not line.item]
    return frozenset([line.key for line in lines if line.key and line.indent == column])


def _listed(cursor: Cursor) -> frozenset[str]:
    found = open_bracket(cursor.source, cursor.line, cursor.before)
    if found is not None:
        return _names(_parts(cursor, found)) if found.bracket == "[" else frozenset()
    here = read_line(cursor.before)
    if here.item and not here.key:
        return _names(_items(cursor))
    text = cursor.source.line_text(cursor.line)
    colon = cursor.before.find(":")
    start = cursor.source.line_starts[cursor.line - 1]
    return _names(_others(cursor, start + colon + 1, start + len(text))) if colon >= 0 else frozenset()


def _parts(cursor: Cursor, found: OpenBracket) -> Iterator[str]:
    """The other entries within a bracket; one that nothing closes ends with its line."""
    text, lines = cursor.source.text, cursor.source
    end = closing_bracket(text, found.at, len(text))
    if end < 0 or lines.position(end).line > cursor.line + _LINES:
        end = lines.line_starts[cursor.line - 1] + len(lines.line_text(cursor.line))
    return _others(cursor, found.at + 1, end)


def _others(cursor: Cursor, start: int, end: int) -> Iterator[str]:
    """The entries between commas but for the one at the cursor."""
    text = cursor.source.text
    at = cursor.source.line_starts[cursor.line - 1] + len(cursor.before)
    for begin, stop in split_commas(text, start, end):
        if not (begin <= at <= stop and begin < stop):
            yield text[begin:stop]


def _items(cursor: Cursor) -> Iterator[str]:
    """The items of the list that the cursor's item belongs to."""
    parent = cursor.place.parents[-1] if cursor.place.parents else None
    column = len(cursor.before) - len(cursor.before.lstrip(" "))
    for line in lines_below(cursor.source, parent) if parent is not None and parent.number else ():
        if line.number not in (cursor.line, parent.number if parent is not None else 0) and line.indent == column:
            yield line.text.removeprefix("-")


def _names(parts: Iterable[str]) -> frozenset[str]:
    return frozenset([part.partition("#")[0].strip().strip("\"'") for part in parts])
