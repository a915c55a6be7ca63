"""Scalars (docs/spec 01 §5): bare and quoted text with a map from value offsets to source offsets."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

from abl.source import Span, new_span
from abl.syntax.nodes import Name, Text, TextStyle

new_text: Final = cast(Callable[[type[Text], tuple[Any, ...]], Text], tuple.__new__)
"""A text, all of its fields given, without the call in between; see ``abl.source.new_span``."""

_CLOSED: Final = {
    '"': re.compile(r'"((?:[^"\\\n]|\\.)*+)"'),
    "'": re.compile(r"'((?:[^'\\\n]|\\.)*+)'"),
}
_STYLES: Final[dict[str, TextStyle]] = {'"': "double", "'": "single"}
_HEADER = re.compile(r"([|>])([1-9]?[+-]?|[+-][1-9])")
_LONGEST_HEADER: Final = 3
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED: Final = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_WORD = re.compile(r"\S+")


def closing_quote(text: str, at: int, end: int) -> int:
    """Offset behind the quoted string that starts at ``at``, or -1 when its line does not close it."""
    match = _CLOSED[text[at]].match(text, at, end)
    return match.end() if match else -1


def unescape(raw: str, start: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Value of quoted characters and its offset map; ``start`` is where ``raw`` is in the source."""
    pieces: list[str] = []
    runs: list[tuple[int, int]] = [(0, start)]
    at = length = 0
    for match in _ESCAPE.finditer(raw):
        code, letter = match.groups()
        character = chr(int(code, 16)) if code else _ESCAPED.get(letter)
        if character is None:
            continue
        pieces.append(raw[at : match.start()])
        length += match.start() - at
        runs.append((length, start + match.start()))
        pieces.append(character)
        length += 1
        at = match.end()
        runs.append((length, start + at))
    pieces.append(raw[at:])
    return "".join(pieces), tuple(runs)


def quoted_text(source: str, start: int, end: int, closed: bool = True) -> Text:
    """The quoted string between two offsets, quotes included; an unclosed one ends with the line."""
    quote = source[start]
    inner_end = end - 1 if closed else end
    raw = source[start + 1 : inner_end]
    value, runs = unescape(raw, start + 1) if "\\" in raw else (raw, ())
    inner = new_span(Span, (start + 1, inner_end))
    return new_text(Text, (value, raw, new_span(Span, (start, end)), inner, _STYLES[quote], runs))


def bare_text(source: str, start: int, end: int) -> Text | None:
    """The characters between two offsets without surrounding blanks, as they stand; None when there are none."""
    raw = source[start:end]
    stripped = raw.strip()
    if not stripped:
        return None
    if len(stripped) != len(raw):
        start += len(raw) - len(raw.lstrip())
        end = start + len(stripped)
    span = new_span(Span, (start, end))
    return new_text(Text, (stripped, stripped, span, span, "bare", ()))


def slice_of(text: Text, start: int, end: int) -> Text:
    """A range of a text, without the blanks around it, as a text of its own; without quotes."""
    value = text.value[start:end]
    start += len(value) - len(value.lstrip())
    value = value.strip()
    span = text.span_of(start, start + len(value))
    runs = tuple([(at - start, source) for at, source in text.map])
    return Text(value, value, span, span, "pipe" if text.style == "pipe" else "bare", runs)


def halves(text: Text, mark: tuple[int, int]) -> tuple[Text | None, Text | None]:
    """What stands before and behind a mark in the value of a text; None for what is empty."""
    parts = slice_of(text, 0, mark[0]), slice_of(text, mark[1], len(text.value))
    return (parts[0] if parts[0].value else None, parts[1] if parts[1].value else None)


def scalar_text(source: str, start: int, end: int) -> Text | None:
    """As ``bare_text``, but one quoted string over the whole range is read as such."""
    text = bare_text(source, start, end)
    if text is not None and text.raw[0] in _CLOSED:
        start, end = text.span
        if closing_quote(source, start, end) == end:
            return quoted_text(source, start, end)
    return text


def expression_text(source: str, text: Text) -> Text:
    """The same characters as expression text: quotes belong to it."""
    if text.style in ("double", "single"):
        raw = source[text.span.start : text.span.end]
        return Text(raw, raw, text.span, text.span)
    return text


class PipeHeader(NamedTuple):
    """What follows the key of a pipe block: ``>`` folds lines; ``+`` keeps the empty lines at the end, of which
    nothing is left else; a digit says how much deeper than its key the text stands (01 §5; YAML 1.2 §8.1)."""

    folded: bool
    keeps: bool
    deeper: int


def pipe_header(source: str, start: int, end: int) -> PipeHeader | None:
    """The header of a pipe block, if that is what stands between two offsets."""
    if source[start] not in "|>" or end - start > _LONGEST_HEADER:
        return None
    match = _HEADER.fullmatch(source, start, end)
    if match is None:
        return None
    marks = match[2]
    return PipeHeader(match[1] == ">", "+" in marks, int(marks.strip("+-") or 0))


def pipe_text(source: str, start: int, lines: list[tuple[int, int]], header: PipeHeader, margin: int) -> Text:
    """A pipe block; ``start`` is the ``|``, ``lines`` the spans of the lines below it, blank ones included.

    ``margin`` is the indentation of its key, from which a digit in the header counts.
    """
    empty_end = 0
    while lines and not source[lines[-1][0] : lines[-1][1]].strip():
        lines.pop()
        empty_end += 1
    if not lines:
        return Text("", "", Span(start, start + 1), Span(start + 1, start + 1), "pipe")
    indent = next(_indent(source, *line) for line in lines if source[line[0] : line[1]].strip())
    indent = margin + header.deeper if header.deeper else indent
    texts = [(begin + min(indent, _indent(source, begin, end)), end) for begin, end in lines]
    joints = _folds(source, texts) if header.folded else ["\n"] * (len(texts) - 1)
    pieces: list[str] = []
    runs: list[tuple[int, int]] = []
    length = 0
    for (begin, end), joint in zip(texts, [*joints, "\n" * (1 + empty_end) if header.keeps else ""], strict=True):
        if begin < end or joint != "":
            runs.append((length, begin))
        pieces += (source[begin:end], joint)
        length += end - begin + len(joint)
    inner = Span(texts[0][0], lines[-1][1])
    return Text("".join(pieces), source[inner.start : inner.end], Span(start, inner.end), inner, "pipe", tuple(runs))


def _folds(source: str, texts: list[tuple[int, int]]) -> list[str]:
    """What stands between each line and the next in folded text.

    A single line break becomes a space; where empty lines follow it is left out, so that each of these counts as one.
    Beside a line that stands deeper than the text it stays.
    """
    joints: list[str] = []
    deeper = False  # whether the next line with text stands deeper
    for (after, after_end), (begin, end) in pairwise(reversed(texts)):
        if after < after_end:
            deeper = source[after] in " \t"
        if begin == end or deeper or source[begin] in " \t":
            joints.append("\n")
        else:
            joints.append(" " if after < after_end else "")
    joints.reverse()
    return joints


def _indent(source: str, start: int, end: int) -> int:
    at = start
    while at < end and source[at] in " \t":
        at += 1
    return at - start


def first_word(text: Text) -> Name:
    """The first blank-separated word."""
    match = _WORD.search(text.raw)
    if match is None:
        return Name("", text.inner)
    return Name(match[0], Span(text.inner.start + match.start(), text.inner.start + match.end()))


def rest_behind(source: str, text: Text, name: Name) -> Text | None:
    """What follows ``name`` within ``text``, as a scalar."""
    return scalar_text(source, name.span.end, text.inner.end)


def name_of(text: Text) -> Name:
    """The whole text as a name."""
    return Name(text.value, text.inner)
