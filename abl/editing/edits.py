"""Edits of texts: put together, carried out, found by comparing two texts."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import accumulate, takewhile
from typing import Final

from abl.diagnostics import Edit, Fix
from abl.source import Span

_MOST_COMPARED: Final = 20_000


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits, which must not overlap; of two at one place the first stands first."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*pieces, text[at:]])


def together(fixes: Iterable[Fix]) -> list[Edit]:
    """The edits of as many fixes, in this order, as do not get in each other's way; the same edit counts once."""
    taken: list[Edit] = []  # in order of their spans, which do not meet
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

    In a long text lines that occur again and again count as different, so that finding what is the same takes no
    longer than formatting; beyond ``_MOST_COMPARED`` lines everything behind the common start does.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = list(accumulate(map(len, old), initial=0))
    if len(old) + len(new) > _MOST_COMPARED:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
        return [Edit(Span(starts[same], len(before)), "".join(new[same:]))] if old != new else []
    return [
        Edit(Span(starts[first], starts[last]), "".join(new[begin:end]))
        for kind, first, last, begin, end in SequenceMatcher(None, old, new).get_opcodes()
        if kind != "equal"
    ]
