"""Edits of texts: combining them, applying them, and finding them by comparing two texts."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from itertools import accumulate

from abl.diagnostics import Edit, Fix
from abl.matching import changes
from abl.source import Span


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits, which must not overlap; of two at one place the first stands first."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*pieces, text[at:]])


def together(fixes: Iterable[Fix]) -> list[Edit]:
    """The edits of as many fixes, in this order, as do not overlap; equal edits count once."""
    taken: list[Edit] = []  # in order of their spans, which do not overlap
    known: set[Edit] = set()
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in known]
        if not any(_meets(edit, taken) for edit in new):
            known.update(new)
            for edit in new:
                insort(taken, edit, key=_span)
    return taken


def _meets(edit: Edit, taken: list[Edit]) -> bool:
    at = bisect_left(taken, edit.span, key=_span)
    return any(_meet(edit.span, other.span) for other in taken[max(at - 1, 0) : at + 1])


def _span(edit: Edit) -> Span:
    return edit.span


def _meet(one: Span, two: Span) -> bool:
    """True for spans that share a character, or where one inserts at the place or within the other."""
    if one.start == one.end or two.start == two.end:
        return one.start <= two.end and two.start <= one.end
    return one.start < two.end and two.start < one.end


def difference(before: str, after: str) -> list[Edit]:
    """Edits of whole lines that make one text of the other; what is the same stays untouched.

    In a long text lines that occur again and again count as different, and where the work exceeds its bound only
    beginnings and ends are held to be the same (``abl.matching``).
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = list(accumulate(map(len, old), initial=0))
    found, _ = changes(old, new)
    return [Edit(Span(starts[n.first], starts[n.last]), "".join(new[n.begin : n.end])) for n in found]
