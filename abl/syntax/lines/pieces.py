"""Splitting text at signs outside of quotes and brackets: commas, arrows, ``=``, clause words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SKIP: Final = r"""(?:"(?:[^"\\]|\\.)*+(?:"|\\?$)|'(?:[^'\\]|\\.)*+(?:'|\\?$))|([(\[{])|([)\]}])|"""


def outside(wanted: str) -> re.Pattern[str]:
    """Pattern for ``cuts``: finds ``wanted`` (a regular expression without groups) and what may hide it."""
    return re.compile(f"{_SKIP}({wanted})", re.DOTALL)


COMMA: Final = outside(",")
COLON: Final = outside(":")
ARROW: Final = outside("->|→")
EQUALS: Final = outside("=+|[!<>]=+")


def cuts(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Matches of the wanted part at bracket depth 0, in order; their group 3 is the part."""
    depth = 0
    for match in pattern.finditer(text, start, end):
        which = match.lastindex
        if which == 1:
            depth += 1
        elif which == 2:
            depth = max(0, depth - 1)
        elif which == 3 and not depth:
            yield match


def closing_bracket(text: str, start: int, end: int) -> int:
    """Offset of the bracket that closes the one at ``start``, or -1."""
    depth = 0
    for match in COMMA.finditer(text, start, end):
        if match.lastindex == 1:
            depth += 1
        elif match.lastindex == 2:
            depth -= 1
            if not depth:
                return match.start()
    return -1


def split_commas(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Ranges between top-level commas; the range behind a trailing comma is left out."""
    if "," not in text[start:end]:
        return [_trim(text, start, end)] if text[start:end].strip() else []
    ranges: list[tuple[int, int]] = []
    at = start
    for match in cuts(COMMA, text, start, end):
        ranges.append(_trim(text, at, match.start()))
        at = match.end()
    if text[at:end].strip():
        ranges.append(_trim(text, at, end))
    return ranges


def bracket_depth(text: str) -> int:
    """Greatest number of brackets open at once, quotes left aside."""
    depth = deepest = 0
    for match in COMMA.finditer(text):
        if match.lastindex == 1:
            depth += 1
            deepest = max(deepest, depth)
        elif match.lastindex == 2:
            depth = max(0, depth - 1)
    return deepest


def nests(text: str) -> bool:
    """True when every bracket is closed by its own kind, quotes left aside."""
    open_: list[str] = []
    for match in COMMA.finditer(text):
        if match.lastindex == 1:
            open_.append(match[0])
        elif match.lastindex == 2 and (not open_ or f"{open_.pop()}{match[0]}" not in ("()", "[]", "{}")):
            return False
    return not open_


def inside_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without its outer pair of brackets; a missing closing bracket is forgiven."""
    closed = end - 1 > start and text[end - 1] in ")]}"
    return start + 1, end - 1 if closed else end


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without blanks around it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


_MAPPING: Final = re.compile(r"\[?\s*\{\s*[\"']?[A-Za-z_][\w-]*[\"']?\s*:")
_GOES_ON: Final = re.compile(r"\s*(?:->|\.\w|[=!<>+]|(?:AND|OR|IN|IS|contains)\b)")


def behind_mapping(text: str, start: int, end: int) -> int:
    """Where something follows the mapping, or the list of mappings, that a value is; -1 when nothing does.

    A value that an expression continues with is none.
    """
    if _MAPPING.match(text, start, end) is None:
        return -1
    close = closing_bracket(text, start, end)
    if close in (-1, end - 1) or _GOES_ON.match(text, close + 1, end) is not None:
        return -1
    return close + 1
