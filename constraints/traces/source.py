"""A piece of the pinned text around a step: highlighted, the step's span marked, outcomes in the gutter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from abl.editing.tokens import tokens
from abl.source import Source
from constraints.traces.ruler import TOKEN_CLASSES

BEFORE = 12
AFTER = 40

Token = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of source; ``outcome`` is what a rule on it came to in this turn."""

    number: int
    code: SafeString
    marked: bool
    first: bool
    outcome: str


@lru_cache(maxsize=64)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Tokens of a saved text; revisions never change."""
    return tuple(tokens(text))


def source_lines(
    text: str, span: Mapping[str, Any] | None, outcomes: Mapping[int, str], condition: str = ""
) -> list[Line]:
    """Lines around the span, or the first ones without a span. Of a rule only its ``condition`` is underlined."""
    source = Source(text)
    start, end = offsets(source, span)
    at = text.find(condition, start, end) if condition else -1
    mark = (at, at + len(condition)) if at >= 0 else (start, end)
    first, last = source.position(start).line, source.position(max(end - 1, start)).line
    shown = range(max(first - BEFORE, 1), min(last + AFTER, source.line_count) + 1)
    by_line = list(split(source, tokens_of(text), shown))
    return [
        Line(
            number=number,
            code=paint(source, pieces, mark),
            marked=span is not None and first <= number <= last,
            first=span is not None and number == first,
            outcome=outcomes.get(number, ""),
        )
        for number, pieces in zip(shown, by_line, strict=True)
    ]


def offsets(source: Source, span: Mapping[str, Any] | None) -> tuple[int, int]:
    """Code-point offsets of a span of a trace; (0, 0) without one."""
    if not span:
        return 0, 0
    start, end = span["start"], span["end"]
    return source.offset(start["line"], start["column"]), source.offset(end["line"], end["column"])


def split(source: Source, all_tokens: tuple[Token, ...], lines: range) -> Iterator[list[Token]]:
    """Tokens of each line, cut at line ends."""
    at = 0
    for number in lines:
        low, high = source.line_span(number)
        while at < len(all_tokens) and all_tokens[at][1] <= low:
            at += 1
        found, look = [], at
        while look < len(all_tokens) and all_tokens[look][0] < high:
            start, end, kind = all_tokens[look]
            found.append((max(start, low), min(end, high), kind))
            look += 1
        yield found


def paint(source: Source, pieces: list[Token], mark: tuple[int, int]) -> SafeString:
    """One line as HTML. The marked part is one element around whole or cut tokens, without blanks at its ends."""
    text, (low, high) = source.text, mark
    if pieces:
        line = text[max(low, pieces[0][0]) : max(min(high, pieces[-1][1]), 0)]
        low, high = max(low, pieces[0][0]) + len(line) - len(line.lstrip()), min(high, pieces[-1][1])
        high -= len(line) - len(line.rstrip())
    out: list[str] = []
    for start, end, kind in pieces:
        borders = sorted({start, end, *(b for b in (low, high) if start < b < end)})
        for a, b in pairwise(borders):
            opens, closes = ("<mark>" if a == low < high else ""), ("</mark>" if b == high > low else "")
            out.append(f"{opens}{piece(kind, text[a:b])}{closes}")
    return mark_safe("".join(out))  # noqa: S308 - every piece was escaped by format_html


def piece(kind: str, text: str) -> SafeString:
    """A token in its colour."""
    return format_html('<span class="t-{}">{}</span>', kind, text) if kind in TOKEN_CLASSES else format_html("{}", text)
