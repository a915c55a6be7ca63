"""Names of an open text: definition, references, rename; and its layout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from abl.diagnostics import Edit
from abl.editing.edits import applied, difference
from abl.editing.format import format_source
from abl.editing.navigate import definition, references
from abl.editing.rename import renamable, rename
from abl.source import Source, Span
from editor import selectors, services
from editor.editing.language import is_code, open_files
from editor.editing.patches import Units
from editor.editing.settings_case import SETTINGS, SETTINGS_WORDS, case_taken, settings_case
from editor.models import Document, Project, User
from editor.texts import readable
from web.errors import Invalid

_SHOWN = 120
_NOTES = {
    "path": "Stored facts keep their path.",
    "agent": "Data stored under the agent's name, such as its texts in memory banks, keeps that name.",
}


def formatting(*, document: Document, text: str) -> list[dict[str, Any]]:
    """Changes of CodeMirror that give an open text the canonical layout; none for what is no ABL."""
    if not is_code(document):
        return []
    text = readable(text)
    return changes(text, difference(text, format_source(text)))


def places(*, document: Document, text: str, line: int, column: int, everywhere: bool) -> list[dict[str, Any]]:
    """Where the name at a 1-based place is declared or, with ``everywhere``, each place where it stands.

    ``{path, line, column, end_column, role, text}`` in code points; ``text`` is the line.
    """
    if not is_code(document):
        return []
    files = open_files(document, text)
    find = references if everywhere else definition
    sources = {path: Source(content, path) for path, content in files.items()}
    return [
        {
            "path": place["path"],
            **place["range"]["start"],
            "end_column": place["range"]["end"]["column"],
            "role": place.get("role", "declaration"),
            "text": sources[place["path"]].line_text(place["range"]["start"]["line"]).strip()[:_SHOWN],
        }
        for place in find(files, document.path, line, column)
    ]


def named(*, document: Document, text: str, line: int, column: int) -> dict[str, Any]:
    """The name at a 1-based place that can be changed, or why none can: ``{name, refused, note}``.

    ``note`` says what a rename does not reach, if anything.
    """
    if not is_code(document):
        return {"name": "", "refused": "This document has no symbols to rename.", "note": ""}
    found = renamable(open_files(document, text), document.path, line, column)
    return {"name": found["name"], "refused": found["refused"], "note": _NOTES.get(found["kind"], "")}


def renaming(
    *, document: Document, text: str, line: int, column: int, name: str, user: User, apply: bool
) -> dict[str, Any]:
    """Rename what is at a 1-based place: ``{refused, edits, others, left}``.

    ``edits`` are changes of the open text, ``others`` the paths of other documents that change with it, and words for
    the project's settings. With ``apply`` these are saved, all or none. ``left``, in the shape of ``places``, lists
    where the word remains with another meaning. Raises ``Conflict`` when somebody saved a document meanwhile.
    """
    heads = {
        other.path: other
        for other in selectors.document_list(project=document.project).select_related("head")
        if other.pk != document.pk
    }
    files = {**open_files(document, text), **settings_case(document.project)}
    answer = rename(files, document.path, line, column, name.strip())
    edits = {path: read_edits(Source(files[path]), found) for path, found in answer["edits"].items()}
    others = sorted(set(edits) - {document.path})
    refused = answer["refused"] or _drafts(heads, others, user)
    if refused:
        return {
            "refused": refused.replace(f"{SETTINGS}:", f"{SETTINGS_WORDS}, line "),
            "edits": [],
            "others": [],
            "left": [],
        }
    if apply and others:
        _save(document.project, heads, {p: applied(files[p], edits[p]) for p in others}, user, name.strip())
    return {
        "refused": None,
        "edits": changes(files[document.path], edits.get(document.path, [])),
        "others": [SETTINGS_WORDS if path == SETTINGS else path for path in others],
        "left": [_left(place, files[place["path"]], edits.get(place["path"], [])) for place in answer["left"]],
    }


def _left(place: dict[str, Any], before: str, edits: list[Edit]) -> dict[str, Any]:
    """A place of the text before a rename as one of the text behind it."""
    source, after = Source(before), Source(applied(before, edits))
    start, end = (source.offset(**place["range"][side]) for side in ("start", "end"))
    moved = sum(len(e.text) - (e.span.end - e.span.start) for e in edits if e.span.end <= start)
    at = after.position(start + moved)
    line = after.line_text(at.line).strip()[:_SHOWN]
    return {
        "path": place["path"],
        "line": at.line,
        "column": at.column,
        "end_column": at.column + end - start,
        "text": line,
    }


def _drafts(heads: dict[str, Document], others: list[str], user: User) -> str | None:
    """Saving a document ends its draft, so that documents with a draft are not touched."""
    drafted = [
        path for path in others if path in heads and selectors.draft_get(document=heads[path], user=user) is not None
    ]
    return f"You have a draft of {', '.join(drafted)}. Save or discard it first." if drafted else None


@transaction.atomic
def _save(project: Project, heads: dict[str, Document], texts: dict[str, str], user: User, name: str) -> None:
    for path, text in texts.items():
        if path == SETTINGS:
            case_taken(project, text)
            continue
        head = heads[path].head
        if head is None:
            raise Invalid(f"{path} has no revision yet.")
        services.document_save(
            document=heads[path], user=user, text=text, base_revision=head.number, message=f"Rename to {name}"[:300]
        )


def changes(text: str, edits: list[Edit]) -> list[dict[str, Any]]:
    """Edits as changes of CodeMirror, in UTF-16."""
    units = Units(text)
    return [{"from": units.units(e.span.start), "to": units.units(e.span.end), "insert": e.text} for e in edits]


def read_edits(source: Source, edits: Iterable[dict[str, Any]]) -> list[Edit]:
    """Edits of docs/spec 12 §1 with offsets."""
    return [Edit(Span(*(source.offset(**e["range"][side]) for side in ("start", "end"))), e["text"]) for e in edits]
