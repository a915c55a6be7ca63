"""One line of text -> its structure (docs/spec 01 §2 and §5), without knowing what is around it.

Offsets are relative to the line, so that the structure of an unchanged line is found again after an edit elsewhere;
``scan_line`` remembers it. What depends on the lines around (blocks, pipe text, open brackets) is in ``blocks``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from abl.limits import LINE_CACHE

BLANK: Final = 0
COMMENT: Final = 1
SLASHES: Final = 2
CONTENT: Final = 3

TAB_WIDTH: Final = 4
_MARKERS: Final = frozenset({"---", "..."})
"""Lines that begin or end a document of YAML, where they say nothing more than a comment."""
OTHER_BLANKS: Final = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""Blanks of Unicode that look like spaces; what is copied from a page may be indented with them."""
_MAX_CACHED_LINE: Final = 2_000

_KEY = re.compile(
    r"""((?i:USE[ ]BEHAVIOR_PROFILE|VOICE[ ]INSTRUCTIONS)|[^\s:"'\[\]{}(),=|<>!?`]+)[ \t]*:(?=[ \t]|$)""",
)
_TIGHT_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):(?![:/\s])")
_QUOTED_KEY = re.compile(r"""("[^"\\]*"|'[^'\\]*')[ \t]*:(?=[ \t]|$)""")
_QUOTED = r"""(?:"(?:[^"\\]|\\.)*+(?:"|\\?$)|'(?:[^'\\]|\\.)*+(?:'|\\?$))"""
_BRACKET = re.compile(_QUOTED + r"|([()\[\]{}])")
_TRAILER = re.compile(_QUOTED + r"|(?<=\s)(\#|//)")
_CLOSES: Final = {")": "(", "]": "[", "}": "{"}


class Line(NamedTuple):
    """Structure of one line; offsets are relative to its first character.

    ``column`` is the 1-based column of the first character with tabs counted (01 §2); ``key_column`` the one of what
    follows a dash. ``value`` is where the value starts, ``end`` where it ends. ``opens`` are the brackets left open
    and ``trailer`` is the offset of a `` #`` or `` //`` outside quotes, or -1.
    """

    kind: int
    indent: int = 0
    column: int = 0
    item: bool = False
    content: int = 0
    key_column: int = 0
    key: str = ""
    key_end: int = 0
    colon: bool = False
    value: int = 0
    end: int = 0
    opens: str = ""
    trailer: int = -1
    tabs: int = 0  # bit 1: a tab in the indentation, bit 2: a space, bit 3: a blank that is neither


_new_line: Final = cast(Callable[[type[Line], tuple[Any, ...]], Line], tuple.__new__)


class CorrectedLine(str):
    """A line as it is written, whose structure has another key than the one that is there."""

    __slots__ = ("structure",)
    structure: Line

    def __new__(cls, text: str, structure: Line) -> CorrectedLine:
        line = super().__new__(cls, text)
        line.structure = structure
        return line


def scan_line(text: str) -> Line:
    """Structure of a line given without its line break (a ``\\r`` at its end is blank space)."""
    if type(text) is CorrectedLine:
        return text.structure
    return _cached(text) if len(text) <= _MAX_CACHED_LINE else _scan(text)


def follow_brackets(text: str, opens: list[str]) -> None:
    """Take the brackets of ``text`` into the list of those that are open; quotes are skipped."""
    for match in _BRACKET.finditer(text):
        bracket = match[1]
        if bracket is None:
            continue
        opener = _CLOSES.get(bracket)
        if opener is None:
            opens.append(bracket)
        elif opens and opens[-1] == opener:
            opens.pop()


def open_brackets(text: str, already: str = "") -> str:
    """Brackets still open behind ``text`` when those of ``already`` were open before it."""
    opens = list(already)
    follow_brackets(text, opens)
    return "".join(opens)


def _width(indentation: str) -> int:
    width = 0
    for character in indentation:
        width = (width // TAB_WIDTH + 1) * TAB_WIDTH if character == "\t" else width + 1
    return width


def _scan(text: str) -> Line:
    body = text.rstrip()
    end = len(body)
    if not end:
        return Line(BLANK)
    if end == 3 and body in _MARKERS:
        return Line(COMMENT, 0, 1, end=end)
    body = body.lstrip(" \t")
    tabs = 0
    if body[0] in OTHER_BLANKS:  # each of them counts as one space
        body, tabs = body.lstrip(f" \t{OTHER_BLANKS}"), 4
    indent = end - len(body)
    column = indent + 1
    if indent and "\t" in text[:indent]:
        column = _width(text[:indent]) + 1
        tabs |= 3 if " " in text[:indent] else 1
    elif indent:
        tabs |= 2
    if body[0] == "#":
        return Line(COMMENT, indent, column, end=end, tabs=tabs)
    if body.startswith("//"):
        return Line(SLASHES, indent, column, end=end, tabs=tabs)
    return _content(text, indent, column, end, tabs)


def _content(text: str, indent: int, column: int, end: int, tabs: int) -> Line:
    content, item = _after_dash(text, indent, end)
    key_column = column + content - indent
    key, key_end, value = _key(text, content, end, item)
    colon = bool(key_end)
    trailer = -1
    if ("#" in text and " #" in text) or ("//" in text and " //" in text):
        trailer = next((m.start(1) for m in _TRAILER.finditer(text, value, end) if m[1]), -1)
    opens = ""
    if "(" in text or "[" in text or "{" in text:
        opens = open_brackets(text[value : trailer if trailer >= 0 else end])
    fields = (CONTENT, indent, column, item, content, key_column, key, key_end, colon, value, end, opens, trailer, tabs)
    return _new_line(Line, fields)


def _after_dash(text: str, at: int, end: int) -> tuple[int, bool]:
    """Offset of what follows the dash of a list item, and whether there is one."""
    if text[at] != "-":
        return at, False
    if at + 1 == end:
        return end, True
    following = text[at + 1]
    if following in " \t":
        at += 2
        while at < end and text[at] in " \t":
            at += 1
        return at, True
    if following.isalpha() or following in "\"'_[{":
        return at + 1, True
    return at, False


def _key(text: str, at: int, end: int, item: bool) -> tuple[str, int, int]:
    """Key, end of the key and start of the value; the key is empty and its end 0 for a bare line."""
    if at >= end:
        return "", 0, end
    if text[at] in "\"'":
        match = _QUOTED_KEY.match(text, at, end)
        if match is None:
            return "", 0, at
        key = match[1][1:-1]
    else:
        match = _KEY.match(text, at, end)
        if match is None:
            match = _TIGHT_KEY.match(text, at, end)
            if match is None or (item and not match[1].isupper()):
                return "", 0, at
        key = match[1]
    value = match.end()
    while value < end and text[value] in " \t":
        value += 1
    return key, match.end(1), value


_cached = lru_cache(maxsize=LINE_CACHE)(_scan)
