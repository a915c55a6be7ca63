"""Corrections of earlier answers in a message: "sorry, Friday", "not 3 but 4", "change the day to Friday" (07 §9).

Each cue is searched once in a line, and its value after the place of the cue. One pattern for cue and value together
would backtrack: 20,000 blanks once blocked a process until it was killed.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

CUES_IN_A_ROW: Final = 20
"""How often a correction may hold another ("sorry, actually, change the day to Friday"); what is left is the value."""

_INSTEAD = re.compile(r"\b(?:actually|i meant|sorry|instead)\b[,:]? ?(?=.)", re.IGNORECASE)
_PAIRS = (
    (re.compile(r"\bnot (?=.)", re.IGNORECASE), re.compile(r" but (?=.)", re.IGNORECASE)),
    (re.compile(r"\b(?:change|make|set) (?=.)", re.IGNORECASE), re.compile(r" to (?=.)", re.IGNORECASE)),
)
_SHOULD_BE = re.compile(r" should be (?=.)", re.IGNORECASE)


class _Cue(NamedTuple):
    """Where a cue begins in its line and where what is said instead begins. ``goes_on``: which may be a cue again."""

    start: int
    value: int
    goes_on: bool = False


def said_instead(message: str) -> str | None:
    """The words that stand for the corrected value; None where the message corrects nothing."""
    for line in message.split("\n"):
        found = _in_line(" ".join(line.split()))
        if found is not None:
            return found
    return None


def _in_line(line: str) -> str | None:
    cue = _first(line)
    for _ in range(CUES_IN_A_ROW):
        if cue is None or not cue.goes_on:
            break
        inner = _first(line[cue.value :])
        if inner is None:
            break
        line, cue = line[cue.value :], inner
    return None if cue is None else line[cue.value :]


def _first(line: str) -> _Cue | None:
    """The cue that begins first; of two that begin together the one that is named first above."""
    cues = []
    instead = _INSTEAD.search(line)
    if instead is not None:
        cues.append(_Cue(instead.start(), instead.end(), goes_on=True))
    for first, second in _PAIRS:
        # Without the second word behind the first place of the first one, it is behind no later place either.
        opening = first.search(line)
        closed = second.search(line, opening.end() + 1) if opening is not None else None
        if opening is not None and closed is not None:
            cues.append(_Cue(opening.start(), closed.end()))
    should = _SHOULD_BE.search(line, 1)
    if should is not None:
        cues.append(_Cue(0, should.end()))
    return min(cues, key=lambda cue: cue.start, default=None)
