"""One root cause, one diagnostic: what is misread because of YAML that has no meaning (docs/spec 01 §1, 05 §1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from abl.diagnostics import Finding
from abl.source import Source, Span

_EMPTY: Final = frozenset({"ABL116", "ABL402", "ABL405"})
"""Codes that tell of a key without a value."""


def told_by_yaml(source: Source, findings: Sequence[Finding]) -> Iterator[tuple[str, Span]]:
    """Codes and places of what begins within a tag, anchor, alias or merge key of YAML, or misses what stands there."""
    spans = sorted({finding.span for finding in findings if "yaml" in finding.data})
    if not spans:
        return
    lines = {source.position(span.start).line for span in spans}
    for finding in findings:
        start = finding.span.start
        at = bisect_right(spans, (start, len(source.text))) - 1
        within = at >= 0 and start < spans[at].end
        misread = within and not (finding.code == "ABL125" and finding.span == spans[at])  # they say it themselves
        if misread or (finding.code in _EMPTY and source.position(start).line in lines):
            yield finding.code, finding.span
