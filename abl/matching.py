"""Which lines of two texts are the same, found within a bound of work.

``difflib`` compares each line with every equal one, and again for each match that it finds: for two long texts of lines
that repeat, the product of three numbers. Here it has a budget. A range that would exceed what is left of it is not
searched: only its common beginning and end count as the same. The answer is then coarse, but still correct.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

from abl.limits import MAX_COMPARED_LINES, MAX_LINE_COMPARISONS


class Change(NamedTuple):
    """Lines ``old[first:last]`` that become ``new[begin:end]``; one of the two may be empty."""

    first: int
    last: int
    begin: int
    end: int


class Bounded(SequenceMatcher[str]):
    """``difflib`` with a budget of compared pairs of lines. ``coarse``: the budget did not suffice."""

    def __init__(self, old: Sequence[str], new: Sequence[str], work: int = MAX_LINE_COMPARISONS) -> None:
        super().__init__(None, old, new)
        self.old, self.new = old, new
        self.work = work
        self.coarse = False
        lines: dict[str, list[int]] = self.b2j  # type: ignore[attr-defined]
        self._pairs = list(accumulate((len(lines.get(line, ())) + 1 for line in old), initial=0))

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """The longest run of equal lines in both ranges; with too little left of the budget one at their ends."""
        ahi = len(self.old) if ahi is None else ahi
        bhi = len(self.new) if bhi is None else bhi
        cost = self._pairs[ahi] - self._pairs[alo]
        if cost <= self.work:
            self.work -= cost
            return super().find_longest_match(alo, ahi, blo, bhi)
        self.coarse = True
        most = min(ahi - alo, bhi - blo)
        if same := alike((self.old, alo), (self.new, blo), most):
            return Match(alo, blo, same)
        same = alike((self.old, ahi - 1), (self.new, bhi - 1), most, step=-1)
        return Match(ahi - same, bhi - same, same)


def alike(one: tuple[Sequence[str], int], two: tuple[Sequence[str], int], most: int, step: int = 1) -> int:
    """How many lines, ``most`` of them, are equal from a place in each text on, forwards or (``step`` -1) backwards."""
    (old, at), (new, there) = one, two
    return next((n for n in range(most) if old[at + n * step] != new[there + n * step]), most)


def changes(old: Sequence[str], new: Sequence[str]) -> tuple[list[Change], bool]:
    """What differs, in order, and whether it is coarse: some lines that are the same may then count as different.

    Beyond ``MAX_COMPARED_LINES`` lines, without the common beginning and end, nothing between these is searched.
    """
    most = min(len(old), len(new))
    head = alike((old, 0), (new, 0), most)
    tail = alike((old, len(old) - 1), (new, len(new) - 1), most - head, step=-1)
    first, begin = old[head : len(old) - tail], new[head : len(new) - tail]
    if not first and not begin:
        return [], False
    if len(first) + len(begin) > MAX_COMPARED_LINES:
        return [Change(head, head + len(first), head, head + len(begin))], True
    matcher = Bounded(first, begin)
    return list(_changes(matcher, head)), matcher.coarse


def _changes(matcher: Bounded, shift: int) -> Iterator[Change]:
    for kind, *place in matcher.get_opcodes():
        if kind != "equal":
            yield Change(*(n + shift for n in place))
