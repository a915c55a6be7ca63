"""Where a new line would have to be in braces or brackets (docs/spec 01 §9): the one place that quick fixes ask.

An entry may be written in one piece, ``- {to: Desk, when: "a == 1"}``, over one line or several, in both forms. There a
property is added behind the last member, and an entry behind the last of its list.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from abl.diagnostics import Edit
from abl.source import Source, Span
from abl.syntax.lines.pieces import nests

NOWHERE: Final = Edit(Span(-1, -1), "")
"""What stands for an edit that cannot be made; a fix with it is not offered."""
_BRACKET: Final = re.compile(r"(?<![^ \t\n])[{\[]")
_OPENING: Final = re.compile(
    r"^[ \t]*(?:-[ \t]+)*(?:(?:\"[^\"\n]*\"|'[^'\n]*'|[\w.*-]+)[ \t]*:[ \t]+)?(?=[{\[])", re.MULTILINE
)
_TOKEN: Final = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|(?<=\s)#[^\n]*|[{\[(]|[)\]}]|[^\s{}\[\]()\"'#]+|.", re.DOTALL
)
_LINE_END: Final = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_VALUE: Final = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|\[[\w.…\"', -]*\]|[^\s\[\]{},#\"'][^\[\]{},#\n]*")
_PROPERTY: Final = re.compile(r"[\w.]+: (?P<value>\S.*)")
_KEY_ONLY: Final = re.compile(r"[\w.]+:")
_CHILD: Final = re.compile(r"[\"']?[ \t]*:[ \t]*")


_MOST_OPEN: Final = 8
"""Brackets that nothing closes, which are looked for to the end of the text each; behind them in their lines only."""


class Pair(NamedTuple):
    """Brackets that belong together: where they begin and end, and where the last thing within them ends."""

    start: int
    end: int
    last: int
    parent: int


class Pairs(NamedTuple):
    """The pairs of a text in order of their places."""

    starts: tuple[int, ...]
    pairs: tuple[Pair, ...]

    def around(self, span: Span) -> list[Pair]:
        """The pairs that a span is in or fills, the innermost first."""
        found, at = [], bisect_right(self.starts, span.start) - 1
        while at >= 0:
            pair = self.pairs[at]
            if pair.end >= span.end and pair.end > span.start:
                found.append(pair)
            at = pair.parent
        return found

    def inside(self, span: Span) -> Pair | None:
        """The nearest pair between whose brackets a span begins or ends."""
        near = (pair for at in span for pair in self.around(Span(at, at))[:1] if pair.start < at)
        return next(near, None)

    def at(self, offset: int) -> Pair | None:
        """The pair that begins at an offset."""
        at = bisect_right(self.starts, offset) - 1
        return self.pairs[at] if at >= 0 and self.starts[at] == offset else None


@lru_cache(maxsize=16)
def pairs_of(source: Source) -> Pairs:
    """The brackets of all values that are one pair of them from end to end, with those inside."""
    text = source.text
    found: list[Pair] = []
    end = failed = 0
    for bracket in _BRACKET.finditer(text):
        if bracket.start() < end:
            continue
        line = source.line_span(source.position(bracket.start()).line)
        opening = _OPENING.match(text, line.start)
        end = line.end  # of what follows the first bracket of a line nothing can be a whole value
        if opening is None or opening.end() != bracket.start():
            continue
        inner = _balanced(text, opening.end(), len(text) if failed < _MOST_OPEN else line.end, len(found))
        failed += not inner
        if inner and _LINE_END.match(text, inner[0].end):
            found += inner
            end = inner[0].end
    return Pairs(tuple(pair.start for pair in found), tuple(found))


def _balanced(text: str, start: int, limit: int, base: int) -> list[Pair]:
    """The pair that begins at an offset and those inside it; none if it is not closed before the limit."""
    found: list[Pair] = []
    open_brackets: list[int] = []
    last = start
    for token in _TOKEN.finditer(text, start, limit):
        first = token[0][0]
        if first in "{[(":
            parent = base + open_brackets[-1] if open_brackets else -1
            open_brackets.append(len(found))
            found.append(Pair(token.start(), -1, -1, parent))
        elif first in "}])":
            at = open_brackets.pop()
            found[at] = found[at]._replace(end=token.end(), last=last)
            if not open_brackets:
                return found
        elif first.isspace() or (first == "#" and len(token[0]) > 1):
            continue
        last = token.end()
    return []


def added(source: Source, span: Span, text: str, *, above: bool = False) -> Edit | None:
    """``text``, lines for below or ``above`` what stands at ``span``, as it goes into the braces there.

    None where nothing is in braces, so that lines can be written; ``NOWHERE`` if there is no room for it.
    """
    around = pairs_of(source).around(span)
    below = None if above else _held(source, span, text)
    if below is not None:
        around = [below]
    if not around:
        return NOWHERE if _is_open(source, span) else None
    lines = text.strip("\n").split("\n")
    item = lines[0].lstrip().startswith("- ")
    pair = next((each for each in around if source.text[each.start] == ("[" if item else "{")), None)
    if pair is None and item and _is_beside(source, around[-1], span, lines[0]):
        return None
    words = _entries(lines) if item else _members(lines)
    if pair is None or not words:
        return NOWHERE
    joint = " " if source.text[pair.last - 1] == "," else ", " if pair.last > pair.start + 1 else ""
    return Edit(Span(pair.last, pair.last), f"{joint}{words}")


def _is_open(source: Source, span: Span) -> bool:
    """True in a line whose brackets do not fit together: where they end is not known."""
    start, end = source.line_span(source.position(span.start).line)
    opening = _OPENING.match(source.text, start)
    return opening is not None and not nests(source.text[opening.end() : end])


def is_element(source: Source, span: Span) -> bool:
    """True in an entry of a list: behind a dash, or in an element of brackets."""
    around = pairs_of(source).around(span)
    if not around:
        line = source.line_starts[source.position(span.start).line - 1]
        return source.text[line : span.start].lstrip().startswith("-")
    pair = around[0]
    if source.text[pair.start] == "[" or source.text[max(pair.start - 2, 0) : pair.start] == "- ":
        return True
    return pair.parent >= 0 and source.text[pairs_of(source).starts[pair.parent]] == "["


def extent(source: Source, span: Span) -> Span | None:
    """What goes with a member or element at ``span``: its comma, too. None for what is in no braces.

    ``NOWHERE``'s span for one that would leave nothing, and for what is only a part of a member.
    """
    text = source.text
    pair = next((pair for pair in pairs_of(source).around(span) if pair.start < span.start), None)
    if pair is None or text[pair.start] == "(":
        return None if pair is None else NOWHERE.span
    start, end = span
    if text[start - 1] == text[end : end + 1] and text[start - 1] in "\"'":
        start, end = start - 1, end + 1
    before, behind = _skipped(text, start, -1), _skipped(text, end, 1)
    if behind == len(text):
        return NOWHERE.span
    if text[before - 1] == ",":
        return Span(before - 1, end) if text[behind] in ",}]" else NOWHERE.span
    if before - 1 != pair.start or text[behind] != ",":
        return NOWHERE.span
    return Span(start, _skipped(text, behind + 1, 1))


def listed_behind(source: Source, span: Span, name: str) -> tuple[Edit, ...]:
    """A name behind another in a list on one line; in braces a name that stands alone becomes a list."""
    around = pairs_of(source).around(span)
    at = span.end + (source.text[span.end : span.end + 1] in ('"', "'") and source.text[span.start - 1] in "\"'")
    if around and source.text[around[0].start] == "{":
        start = span.start - (at - span.end)
        return (Edit(Span(start, start), "["), Edit(Span(at, at), f", {name}]"))
    return (Edit(Span(at, at), f", {name}"),)


def _skipped(text: str, at: int, step: int) -> int:
    """The offset behind, or in front of, the blanks at an offset."""
    while (text[at : at + 1] if step > 0 else text[at - 1 : at]).isspace():
        at += step
    return at


def _held(source: Source, span: Span, text: str) -> Pair | None:
    """The braces that are the value of the key at a span; those of a whole entry if the text is to stand deeper."""
    pairs = pairs_of(source)
    if not pairs.starts:
        return None
    start = source.line_starts[source.position(span.start).line - 1]
    if source.text[start : span.start].strip(" \t-\"'"):  # within a line, where columns say nothing
        colon = _CHILD.match(source.text, span.end)
        return pairs.at(colon.end()) if colon is not None else None
    opening = _OPENING.match(source.text, start)
    pair = pairs.at(opening.end()) if opening is not None else None
    if pair is None or pair.end < span.end:
        return None
    deeper = span.end < pair.start or _column(text) > _column(source.text[start : span.start + 1])
    return pair if deeper else None


def _is_beside(source: Source, pair: Pair, span: Span, line: str) -> bool:
    """True where an entry on a line of its own can follow one in braces."""
    first, last = (source.position(at).line for at in (pair.start, pair.end - 1))
    before = source.line_text(first)
    same = before.lstrip().startswith("- ") and _column(before) == _column(line)
    return same and source.position(max(span.end - 1, span.start)).line == last


def _column(text: str) -> int:
    line = text.lstrip("\n")
    return len(line) - len(line.lstrip(" "))


def _members(lines: list[str]) -> str:
    """Lines of properties as members of an object, with what is below them; empty where that cannot be."""
    found = []
    for head, below in _grouped(lines):
        if not below:
            found.append(head if _is_member(head) else "")
            continue
        inner = _entries(below) if below[0].lstrip().startswith("- ") else _members(below)
        marks = "[]" if below[0].lstrip().startswith("- ") else "{}"
        found.append(f"{head} {marks[0]}{inner}{marks[1]}" if inner and _KEY_ONLY.fullmatch(head) else "")
    return ", ".join(found) if all(found) else ""


def _entries(lines: list[str]) -> str:
    """Lines of a list as its elements."""
    found = []
    for head, below in _grouped(lines):
        word = head.removeprefix("- ").strip()
        if not head.startswith("- "):
            return ""
        if not below and ": " not in word:
            found.append(word if _VALUE.fullmatch(word) else "")
            continue
        width = min((_column(line) for line in below), default=0)
        inner = _members([f"{' ' * width}{word}", *below])
        found.append(f"{{{inner}}}" if inner else "")
    return ", ".join(found) if all(found) else ""


def _grouped(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each line of the first column with the lines that stand deeper below it."""
    width = _column(lines[0])
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and _column(lines[end]) > width:
            end += 1
        yield lines[at].strip(), lines[at + 1 : end]
        at = end


def _is_member(word: str) -> bool:
    member = _PROPERTY.fullmatch(word)
    return member is not None and _VALUE.fullmatch(member["value"]) is not None
