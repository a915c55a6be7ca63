"""What changed between two texts, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from abl.matching import Change, changes

CONTEXT = 3
MOST_SHOWN = 5_000
"""Lines of a difference between two revisions; it says how many more there are."""


@dataclass(frozen=True, slots=True)
class Line:
    """``sign`` is ``-``, ``+``, blank or ``…`` (a gap); ``number`` is 1-based, in the newer text where it is there."""

    sign: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Lines in order, and how many ``more`` were left out behind them.

    ``coarse``: the texts are too long, or repeat themselves too often, to compare every line, so that some that did
    not change may be among those that are removed and added.
    """

    lines: list[Line]
    more: int
    coarse: bool

    def __bool__(self) -> bool:
        return bool(self.lines)


def changed_lines(before: str, after: str, *, most: int = MOST_SHOWN) -> Difference:
    """Removed and added lines with three lines around them, found within the bound of ``abl.matching``."""
    old, new = before.splitlines(), after.splitlines()
    found, coarse = changes(old, new)
    lines = list(islice(shown(old, new, found), most))
    return Difference(lines, count(found, len(new)) - len(lines), coarse)


def shown(old: list[str], new: list[str], found: list[Change]) -> Iterator[Line]:
    """The lines of changes with what is around them, and a gap where lines between two are left out."""
    for n, (first, last, begin, end) in enumerate(found):
        if not n:
            yield from same(new, max(begin - CONTEXT, 0), begin)
        yield from (Line("-", at + 1, old[at]) for at in range(first, last))
        yield from (Line("+", at + 1, new[at]) for at in range(begin, end))
        if n + 1 == len(found):
            yield from same(new, end, min(end + CONTEXT, len(new)))
        elif (after := found[n + 1].begin) - end > 2 * CONTEXT:
            yield from same(new, end, end + CONTEXT)
            yield Line("…", 0, "")
            yield from same(new, after - CONTEXT, after)
        else:
            yield from same(new, end, after)


def same(new: list[str], begin: int, end: int) -> Iterator[Line]:
    """Lines that did not change."""
    return (Line(" ", at + 1, new[at]) for at in range(begin, end))


def count(found: list[Change], length: int) -> int:
    """How many lines ``shown`` gives, without making them."""
    if not found:
        return 0
    changed = sum(last - first + end - begin for first, last, begin, end in found)
    between = sum(min(after.begin - before.end, 2 * CONTEXT + 1) for before, after in pairwise(found))
    return changed + between + min(found[0].begin, CONTEXT) + min(length - found[-1].end, CONTEXT)
