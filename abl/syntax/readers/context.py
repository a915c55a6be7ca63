"""What the readers of one document share: the source, the findings so far and the unreadable lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from abl.diagnostics import Finding
from abl.limits import MAX_PARSER_FINDINGS
from abl.source import Source, Span
from abl.syntax.nodes import Block, Unit, Unknown
from abl.syntax.recovery import findings

Corrections = Mapping[Span, str]
"""Words of the language that are read in place of misspelt ones, by the place of these (docs/spec 05 §1)."""
NO_CORRECTIONS: Final[Corrections] = MappingProxyType({})


@dataclass(slots=True)
class Context:
    """State of one parse.

    ``yaml``: the document is in YAML form, where keys are lower case; ``mixed``: both forms are mixed,
    which is one finding, so that no section is reported for its case. ``corrections``
    are read in place of what is written.
    """

    source: Source
    text: str
    findings: list[Finding] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    yaml: bool = False
    mixed: bool = False
    silenced: list[Span] = field(default_factory=list)  # content of unknown sections, in order
    units: dict[int, Unit] = field(default_factory=dict)  # by id of the node: ``reader_cache``
    corrections: Corrections = field(default_factory=lambda: NO_CORRECTIONS)  # read instead

    @property
    def noticed(self) -> int:
        """How much was reported so far, for readers that ask whether others reported something."""
        return len(self.findings) + len(self.unknown) + len(self.silenced)

    @property
    def full(self) -> bool:
        """True when no more findings are kept, so that costly ones need not be made."""
        return len(self.findings) >= MAX_PARSER_FINDINGS

    def report(self, finding: Finding) -> None:
        """Keep a finding, up to the limit."""
        if not self.full:
            self.findings.append(finding)

    def heard(self) -> tuple[Finding, ...]:
        """The findings in order, without those inside of what is unknown as a whole (docs/spec 05 §1)."""
        starts = [span.start for span in self.silenced]

        def is_heard(finding: Finding) -> bool:
            at = bisect_right(starts, finding.span.start) - 1
            return at < 0 or finding.span.start >= self.silenced[at].end

        return tuple(sorted(filter(is_heard, self.findings), key=lambda finding: finding.span))

    def skip(self, block: Block, reason: str, path: str, finding: Finding | None = None) -> None:
        """Report a line that cannot be read here, by a ``finding`` if there is a special one, and keep its text."""
        start, end = block.line_span
        text = self.text[start:end]
        self.report(finding or findings.unreadable(Span(start, end), reason, text))
        self.leave(block, path)

    def leave(self, block: Block, path: str) -> None:
        """Keep the text of a line that is read no further and has been reported already."""
        self.unknown.append(Unknown(span=block.span, path=path, block=block, text=self.text[slice(*block.span)]))

    def line_of(self, offset: int) -> int:
        """1-based line of an offset."""
        return self.source.position(offset).line
