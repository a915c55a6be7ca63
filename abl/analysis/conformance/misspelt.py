"""Misspelt words of the language are read as the intended ones, so that they cause no further findings (docs/spec 05
§1).

A finding that suggests a word in place of a key, or of a closed word behind one, is about a misspelt word. It is read
as the suggestion where one is nearer than all others, and the document is judged as if that word stood there. The
finding stays, and with it what it refuses; what runs is read as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import severity_of
from abl.analysis.reporting.report import Selection, reported
from abl.diagnostics import Finding, LaterFixes, Severity
from abl.language import PLACES, PROFILE_SECTIONS, SECTIONS, closed_types, plain
from abl.limits import MAX_READINGS
from abl.source import Span
from abl.syntax.nodes import Document
from abl.syntax.readers.context import Corrections
from abl.syntax.recovery.corrections import is_key, misspelt_value
from abl.syntax.recovery.suggest import closest, nearest

Local = Callable[[DocumentIndex], Sequence[Finding]]
"""What the rules say that need one document only."""
Read = Callable[[Mapping[str, Corrections]], Index]
"""The index of a project in which these words are read in place of others, by path."""
_ERRORS: Final[frozenset[Severity]] = frozenset({"error"})
_WARNINGS: Final[frozenset[Severity]] = frozenset({"error", "warning"})


class Readings(NamedTuple):
    """A project as it is meant, with the findings about its misspelt words by path.

    In ``of_errors`` only those words are read as meant whose finding is an error: a warning must not remove an error
    that refuses a part. The same object as ``project`` where there is no such warning. ``words`` are those that are
    read in
    place of misspelt ones, by path.
    """

    project: Index
    of_errors: Index
    findings: Mapping[str, tuple[Finding, ...]]
    words: Mapping[str, Corrections]


def read_corrected(index: Index, read: Read, local: Local, selection: Selection, paths: Sequence[str]) -> Readings:
    """Read the documents at these paths again until no misspelt word is found that is not read as what it means.

    ``index`` is the project as it is written.
    """
    reading = _Reading(index, read, local, selection)
    reading.go_on(paths, _ERRORS)
    of_errors = reading.index
    reading.go_on(paths, _WARNINGS)
    findings = {path: tuple(found) for path, found in reading.findings.items()}
    return Readings(reading.index, of_errors, findings, reading.words)


class _Reading:
    """The words that are read as others so far, and the project as it is read then."""

    def __init__(self, index: Index, read: Read, local: Local, selection: Selection) -> None:
        self.index, self.read, self.local, self.selection = index, read, local, selection
        self.words: dict[str, dict[Span, str]] = {}
        self.findings: dict[str, list[Finding]] = {}

    def go_on(self, paths: Sequence[str], severities: frozenset[Severity]) -> None:
        """Read again, because of findings of these severities, what holds misspelt words that are not known yet."""
        for _ in range(MAX_READINGS):
            paths = [path for path in paths if self._learns(path, severities)]
            if not paths:
                return
            self.index = self.read(self.words)

    def _learns(self, path: str, severities: frozenset[Severity]) -> bool:
        """Note the new misspelt words of a document. The parser's come first: then rules mostly look at it once."""
        index = self.index.documents[path]
        return any(self._notes(path, index.document, each(index), severities) for each in (_of_parser, self.local))

    def _notes(
        self, path: str, document: Document, findings: Sequence[Finding], severities: frozenset[Severity]
    ) -> bool:
        known = self.words.get(path, {})
        found = [
            (finding, word)
            for finding in findings
            if severity_of(finding) in severities and finding.span not in known and (word := _word(document, finding))
        ]
        shown = set(reported(document, self.selection, findings)) if found else ()
        new = [(finding, word) for finding, word in found if (finding.code, finding.span) in shown]
        if new:
            self.words[path] = {**known, **{finding.span: word for finding, word in new}}
            self.findings.setdefault(path, []).extend(finding for finding, _ in new)
        return bool(new)


def _of_parser(index: DocumentIndex) -> tuple[Finding, ...]:
    return index.document.findings


def _word(document: Document, finding: Finding) -> str:
    """The word that a finding suggests; empty where it is none of the language, or two are equally near."""
    span = finding.span
    given = str(finding.data.get("y") or "")
    if not given and isinstance(finding.fixes, LaterFixes):
        return ""  # those are never about a word alone
    renames = [fix.edits[0].text for fix in finding.fixes if [edit.span for edit in fix.edits] == [span]]
    suggestions = [text for text in renames if text] or [given]
    if suggestions == [""]:
        return ""
    written = document.source.text[slice(*span)]
    intended = nearest(written, suggestions)
    if intended.casefold() in ("", written.casefold()):  # another case is read as meant anyway
        return ""
    if intended.casefold() != given.casefold() and not closest(written, (intended,)):
        return ""  # a workaround, not the intended word
    if plain(intended) in _keys() and is_key(document, span):
        return intended.lower() if written.islower() else intended.upper() if written.isupper() else intended
    if plain(intended) not in _closed_words():
        return ""
    block = misspelt_value(document, span)
    return intended if block is not None and plain(intended) in _words_behind(plain(block.key)) else ""


@cache
def _keys() -> frozenset[str]:
    """Every key of the language, as keys are compared."""
    listed = (key.name for place in PLACES.values() for key in place.listed)
    return frozenset(plain(name.replace(" ", "")) for name in (*listed, *SECTIONS, *PROFILE_SECTIONS))


@cache
def _closed_words() -> frozenset[str]:
    """Every word that follows some key."""
    types = (key.type for place in PLACES.values() for key in place.listed)
    return frozenset(plain(word) for each in types for closed in closed_types(each) for word in closed.words)


@cache
def _words_behind(key: str) -> frozenset[str]:
    """The closed words that follow a key of that name at some place."""
    declared = [each.type for place in PLACES.values() if (each := place.key(key)) is not None]
    return frozenset(plain(word) for each in declared for closed in closed_types(each) for word in closed.words)
