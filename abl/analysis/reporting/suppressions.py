"""What one diagnostic suppresses beside it, where no other reading of the text does (docs/spec 05 §1).

A misspelt word of the language is read as what it means (``abl.analysis.conformance.misspelt``), so nothing follows
from it. Two things are left. Names are chosen by the author: where one is reported as misspelt, the suggested name is
not also reported as unused. And what an entry lacks is not reported beside a key without a meaning: one
that is empty, or that may mean several. Besides, what is misread because of YAML that has no meaning (docs/spec 01 §1)
is reported once, as that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

from abl.analysis.registry import RULES, severity_of
from abl.diagnostics import Finding
from abl.source import Source, Span
from abl.syntax.nodes import Block, Document
from abl.syntax.recovery.suggest import nearest

_UNUSED: Final = frozenset(
    f"ABL{number}" for number in (310, 335, 410, 432, 504, 505, 515, 629, 633, 645, 725, 824, 942, 1062)
)
"""Codes about what nothing uses."""
_EMPTY: Final = "ABL116"
_WITHOUT_VALUE: Final = frozenset({_EMPTY, "ABL402", "ABL405"})
_LONG_ENOUGH: Final = 3
"""Letters of a name: one or two are near to anything."""
_QUOTED: Final = re.compile(r"`([^`]+)`")
_WORD: Final = re.compile(r"\w+")
_START: Final = attrgetter("span.start")


def suppressed(document: Document, findings: Sequence[Finding], shown: Iterable[Finding]) -> set[int]:
    """The places in ``findings`` of those that one of those ``shown`` suppresses. A warning suppresses no error."""
    root_causes = [one for one in shown if one.data.get("y") or one.code == _EMPTY]
    if not root_causes:
        return set()
    of_errors = _RootCauses(document, [one for one in root_causes if severity_of(one) == "error"])
    of_all = _RootCauses(document, root_causes)
    return {
        at
        for at, finding in enumerate(findings)
        if (of_errors if severity_of(finding) == "error" else of_all).suppresses(finding)
    }


def caused_by_yaml(source: Source, findings: Sequence[Finding]) -> Iterator[tuple[str, Span]]:
    """Codes and places of what begins within a tag, anchor, alias or merge key of YAML, or misses what is there."""
    spans = sorted({finding.span for finding in findings if "yaml" in finding.data})
    if not spans:
        return
    lines = {source.position(span.start).line for span in spans}
    for finding in findings:
        start = finding.span.start
        at = bisect_right(spans, (start, len(source.text))) - 1
        within = at >= 0 and start < spans[at].end
        misread = within and not (finding.code == "ABL125" and finding.span == spans[at])  # about it themselves
        if misread or (finding.code in _WITHOUT_VALUE and source.position(start).line in lines):
            yield finding.code, finding.span


class _RootCauses:
    """The names that findings suggest, and by entry the keys that they are about."""

    def __init__(self, document: Document, root_causes: Iterable[Finding]) -> None:
        self.blocks = document.blocks
        self.names: dict[str, set[Span]] = {}
        self.keys: dict[Span, set[str]] = {}
        for one in root_causes:
            for word in _suggested(one.data):
                self.names.setdefault(word, set()).add(one.span)
            written = document.source.text[slice(*one.span)]
            is_read = one.code != _EMPTY and nearest(written, _suggested(one.data))  # as what it means
            entry = None if is_read else self._entry_of_key(one)
            if entry is not None:
                words = [str(one.data.get("x", ""))] if one.code == _EMPTY else _suggested(one.data)
                self.keys.setdefault(entry.span, set()).update(word.casefold() for word in words)

    def _entry_of_key(self, finding: Finding) -> Block | None:
        """The block around a reported key; None for a finding about anything else."""
        around = self._around(finding.span.start)
        if around and around[-1].key_span.start == finding.span.start:
            return around[-1] if around[-1].item else around[-2] if len(around) > 1 else None
        return None

    def suppresses(self, finding: Finding) -> bool:
        """True for a finding that only follows from one of these root_causes."""
        if finding.data.get("y"):
            return False
        if finding.code in _UNUSED and any(self.names.get(name, set()) - {finding.span} for name in _about(finding)):
            return True
        if not self.keys or finding.code == _EMPTY:
            return False
        keys = [self.keys[block.span] for block in self._around(finding.span.start)[-2:] if block.span in self.keys]
        return bool(keys) and not set().union(*keys).isdisjoint(map(str.casefold, _WORD.findall(_message(finding))))

    def _around(self, offset: int) -> list[Block]:
        """The blocks that hold an offset, outermost first."""
        found: list[Block] = []
        row = self.blocks
        while row:
            at = bisect_right(row, offset, key=_START) - 1
            if at < 0 or row[at].span.end < offset:
                break
            found.append(row[at])
            row = row[at].children
        return found


def _suggested(data: Any) -> list[str]:
    """The words that a finding suggests."""
    words = [*data.get("suggestions", ()), data.get("y") or ""]
    return [word for word in map(str, words) if len(word) >= _LONG_ENOUGH]


def _about(finding: Finding) -> Iterator[str]:
    """The names that a finding is about, with what precedes their first dot."""
    for name in _QUOTED.findall(_message(finding)):
        yield name
        yield name.partition(".")[0]


def _message(finding: Finding) -> str:
    return RULES[finding.code].words({**finding.data, "y": ""})
