"""Tokens for the page: after an edit, only of the lines that differ (docs/architecture.md §2, "Typing").

The browser counts UTF-16 code units; the language counts code points. Offsets are converted here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abl.editing.tokens import KINDS, Piece, State, line_tokens
from abl.source import Source
from abl.syntax.incremental.reparse import common_ends

KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS) if kind != "text"}


class Units:
    """Code-point offsets of a text to UTF-16 offsets and back; costs nothing where no character needs two units."""

    def __init__(self, text: str) -> None:
        plain = text.isascii() or len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)
        self.wide = [] if plain else [at for at, character in enumerate(text) if character > "\uffff"]
        self.wide_units = [at + n for n, at in enumerate(self.wide)]

    def units(self, offset: int) -> int:
        """UTF-16 offset of a code-point offset."""
        return offset + bisect_left(self.wide, offset) if self.wide else offset

    def points(self, units: int) -> int:
        """Code-point offset of a UTF-16 offset; the middle of a pair counts as behind it."""
        return units - bisect_left(self.wide_units, units) if self.wide else units


@dataclass(frozen=True, slots=True)
class Lines:
    """A text, where its lines begin, and with what: ``states[n]`` is the scanner's state before line ``n``."""

    text: str
    starts: Sequence[int]
    states: Sequence[State]


@dataclass(frozen=True, slots=True)
class Patch:
    """The tokens of some whole lines, which begin at the code-point offset ``start`` and end at ``end``."""

    start: int
    end: int
    lines: Sequence[tuple[int, tuple[Piece, ...]]]

    def as_dict(self, units: Units) -> dict[str, Any]:
        """UTF-16: ``from``, ``to`` and a flat list of (gap since the last end, length, number of the kind)."""
        flat: list[int] = []
        convert = units.units if units.wide else None
        last = begin = units.units(self.start)
        for offset, pieces in self.lines:
            for start, end, kind in pieces:
                number = KIND_NUMBER.get(kind)
                if number is None:
                    continue
                at, stop = offset + start, offset + end
                if convert is not None:
                    at, stop = convert(at), convert(stop)
                flat += (at - last, stop - at, number)
                last = stop
        return {"from": begin, "to": units.units(self.end), "tokens": flat}


def patch(source: Source, seen: Lines | None = None, touched: tuple[int, int] | None = None) -> tuple[Patch, Lines]:
    """Tokens of a text: all, or those of the lines that differ from ``seen`` and of the lines around ``touched``.

    Lines above an edit keep their tokens; below it, reading stops where the state is again what it was. ``touched`` are
    code-point offsets between which the page has changed something, even if it is the same text again.
    """
    text, starts = source.text, source.line_starts
    count = len(starts)
    if seen is None:
        first, stop, states = 0, count, [State()]
        for line in text.split("\n"):
            states.append(line_tokens(line, states[-1])[1])
    else:
        first, stop, states = _differing(text, starts, seen)
    if touched is not None:
        first = min(first, max(bisect_right(starts, touched[0]) - 1, 0))
        stop = max(stop, min(bisect_right(starts, touched[1]), count))
    pieces = [(starts[n], line_tokens(_line(text, starts, n), states[n])[0]) for n in range(first, stop)]
    start = starts[first] if first < count else len(text)
    end = starts[stop - 1] + len(_line(text, starts, stop - 1)) if stop > first else start
    return Patch(start, end, pieces), Lines(text, starts, states)


def _differing(text: str, starts: Sequence[int], seen: Lines) -> tuple[int, int, list[State]]:
    """First line that differs, the line behind the last one that does, and the states of all lines."""
    count = len(starts)
    if text == seen.text:
        return count, count, list(seen.states)
    same_above, same_below = common_ends(seen.text, text)
    first = bisect_right(starts, same_above) - 1
    below, shift = bisect_right(starts, len(text) - same_below), count - len(seen.starts)
    states = list(seen.states[: first + 1])
    at = first
    while at < count and not (at >= below and states[at] == seen.states[at - shift]):
        states.append(line_tokens(_line(text, starts, at), states[at])[1])
        at += 1
    states.extend(seen.states[at - shift + 1 :])
    return first, at, states


def _line(text: str, starts: Sequence[int], number: int) -> str:
    """A line by its number from 0."""
    return text[starts[number] : starts[number + 1] - 1 if number + 1 < len(starts) else len(text)]
