"""One root cause, one diagnostic: findings that follow from the wrong form of a block (docs/spec 05 §1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from abl.diagnostics import Finding
from abl.source import Span
from abl.syntax.nodes import Block, Document

MARK: Final = "form"
"""Data of a finding that a whole block is a list and should be none, or the other way round."""
_MISSED: Final = frozenset(
    f"ABL{number}"
    for number in (
        *(106, 107, 116, 125, 304, 321, 325, 328, 346, 352, 355, 366, 369, 408, 414, 421, 443, 451, 508, 516, 606),
        *(612, 613, 614, 620, 621, 640, 647, 649, 701, 702, 704, 718, 721, 729, 810, 811, 838, 905, 907, 921, 928),
        *(945, 948, 949, 962, 971, 1001, 1002, 1004, 1022, 1024, 1041, 1061, 1064, 1065, 1067),
    )
)
"""Codes of what is not there, or is no name, and would be with the right form."""
_START: Final = attrgetter("span.start")


def caused_by_form(document: Document, findings: Sequence[Finding]) -> Iterator[tuple[str, Span]]:
    """Codes and places of what is missed in such blocks."""
    root_causes = [finding for finding in findings if MARK in finding.data]
    spans = [_reported_block(document.blocks, finding) for finding in root_causes]
    own = {(finding.code, finding.span) for finding in root_causes}
    for finding in findings if root_causes else ():
        missed = finding.code in _MISSED and (finding.code, finding.span) not in own and not finding.data.get("y")
        if missed and any(span.start <= finding.span.start < span.end for span in spans):
            yield finding.code, finding.span


def _reported_block(blocks: tuple[Block, ...], finding: Finding) -> Span:
    """The block whose first line, or whose value, a finding is about."""
    start, row, around = finding.span.start, blocks, []
    while row:
        at = bisect_right(row, start, key=_START) - 1
        if at < 0 or row[at].span.end < start:
            break
        around.append(row[at].span)
        row = row[at].children
    above = [span for span in around if span.start < start]
    return above[-1] if above else finding.span
