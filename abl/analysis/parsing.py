"""``abl.parse``: the tree of a file, with the findings of the parser as diagnostics (docs/spec 12 §1)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from abl import syntax
from abl.analysis.reporting.report import Selection, diagnostics_of
from abl.diagnostics import Diagnostic
from abl.syntax.nodes import Document


@dataclass(frozen=True, slots=True)
class ParsedDocument(Document):
    """A document whose findings have words. What only ``abl.check`` can see, across agents or files, is not there."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the parser noticed, in order of position; comments that switch a code off count."""
        return diagnostics_of(self, self.findings, Selection())


def parse(text: str, path: str = "agent.abl") -> ParsedDocument:
    """The tree of a file. Any text gives a document; what cannot be read is in ``unknown`` and has a diagnostic."""
    document = syntax.parse(text, path)
    return ParsedDocument(**{part.name: getattr(document, part.name) for part in fields(Document)})
