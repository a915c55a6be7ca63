"""What the editing page asks of the language: tokens, problems, outline in one answer (docs/architecture.md §2)."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

from abl.analysis.check import check
from abl.analysis.index.project import is_beside
from abl.diagnostics import Diagnostic, Fix
from abl.editing.bulk import safe_fix
from abl.editing.completion.complete import complete
from abl.editing.hover import hover
from abl.editing.outline import Entry, entries
from abl.editing.tokens import KINDS
from abl.source import Source
from editor import selectors
from editor.editing.last_values import last_seen
from editor.editing.patches import Lines, Units, patch
from editor.models import Document
from editor.texts import readable

REMEMBERED = 32
Page = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """The last text of one open page and what was said about it."""

    version: int
    lines: Lines
    outline: tuple[Entry, ...]


class Memory:
    """The last answers, so that the next one need only contain what changed. A lost entry costs one full answer."""

    def __init__(self, size: int = REMEMBERED) -> None:
        self.size = size
        self.entries: OrderedDict[Page, Seen] = OrderedDict()
        self.lock = Lock()

    def get(self, page: Page, version: int | None) -> Seen | None:
        """What was answered for that version, if it is still the last."""
        with self.lock:
            seen = self.entries.get(page)
        return seen if seen is not None and seen.version == version else None

    def put(self, page: Page, seen: Seen) -> None:
        """Remembers an answer and forgets the oldest."""
        with self.lock:
            self.entries[page] = seen
            self.entries.move_to_end(page)
            while len(self.entries) > self.size:
                self.entries.popitem(last=False)


memory = Memory()


def analyse(
    *,
    document: Document,
    text: str,
    version: int,
    page: Page,
    base: int | None = None,
    touched: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Tokens, problems and outline of an open text, checked with the saved rest of its project.

    ``page`` names the open page; if ``base`` is the version it was last answered for, only the tokens that differ are
    given, and at least those between the UTF-16 offsets ``touched`` (where the page changed something since).
    ``outline`` is None if it is as it was. Offsets in the answer are UTF-16, lines and columns as people count.
    """
    began = time.perf_counter()
    if not is_code(document):
        return {
            "version": version,
            "kinds": KINDS,
            "from": 0,
            "to": 0,
            "tokens": [],
            "problems": [],
            "outline": [],
            "took": 0,
        }
    text = readable(text)
    units = Units(text)
    page = (document.pk, *page)
    seen = memory.get(page, base)
    report = check(open_files(document, text), only=(document.path,))
    index = report.index.documents[document.path]
    parts = entries(index.document)
    changed = (units.points(touched[0]), units.points(touched[1])) if touched else None
    tokens, lines = patch(index.source, seen.lines if seen else None, changed)
    memory.put(page, Seen(version, lines, parts))
    return {
        "version": version,
        "kinds": KINDS,
        **tokens.as_dict(units),
        "problems": [problem_dict(problem, index.source, units) for problem in report.diagnostics],
        "outline": None if seen and seen.outline == parts else [part_dict(part) for part in parts],
        "took": round((time.perf_counter() - began) * 1000, 1),
    }


def completions(*, document: Document, text: str, line: int, column: int) -> list[dict[str, str]]:
    """What may be written at a 1-based place of an open text: label, kind, detail, insert; best first."""
    if not is_code(document):
        return []
    return complete(open_files(document, text), document.path, line, column)


def explanation(*, document: Document, text: str, line: int, column: int) -> dict[str, Any] | None:
    """Title and text about what stands at a 1-based place of an open text, or None; with the last value of a name."""
    if not is_code(document):
        return None
    files = open_files(document, text)
    return hover(files, document.path, line, column, partial(last_seen, document, files))


def is_code(document: Document) -> bool:
    """Whether a document is ABL. The ending counts too: the API takes any kind for any path."""
    return document.kind in Document.LANGUAGE_KINDS and not is_beside(document.path)


def open_files(document: Document, text: str) -> dict[str, str]:
    """The project as the page sees it: the open text over the saved rest."""
    return {**selectors.files_beside(document=document), document.path: readable(text)}


def problem_dict(problem: Diagnostic, source: Source, units: Units) -> dict[str, Any]:
    """A diagnostic as the page needs it: UTF-16 offsets to mark, line and column to show."""
    at = source.position(problem.span.start)
    safe = safe_fix(problem)
    return {
        "from": units.units(problem.span.start),
        "to": units.units(problem.span.end),
        "line": at.line,
        "column": at.column,
        "code": problem.code,
        "name": problem.name,
        "severity": problem.severity,
        "message": problem.message,
        "fixes": [{**fix_dict(fix, units), "safe": fix is safe} for fix in problem.fixes],
        "related": [{"path": r.path, "message": r.message} for r in problem.related],
    }


def fix_dict(fix: Fix, units: Units) -> dict[str, Any]:
    """A fix as changes of CodeMirror."""
    edits = [{"from": units.units(e.span.start), "to": units.units(e.span.end), "insert": e.text} for e in fix.edits]
    return {"title": fix.title, "preferred": fix.preferred, "edits": edits}


def part_dict(entry: Entry) -> dict[str, Any]:
    """A part of the outline: name, kind, detail, first and last line (1-based), column, and what is inside."""
    return {
        "name": entry.name,
        "kind": entry.kind,
        "detail": entry.detail,
        "line": entry.start.line,
        "column": entry.start.column,
        "end_line": entry.end.line,
        "children": [part_dict(child) for child in entry.children],
    }
