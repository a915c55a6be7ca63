"""Names of an open text: where they come from, where else they stand, another name for them; and its layout."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from abl.diagnostics import Edit
from abl.editing.edits import applied, difference
from abl.editing.format import format_source
from abl.editing.navigate import definition, references
from abl.editing.rename import renamable, rename
from abl.source import Source, Span
from editor import selectors, services
from editor.language import open_files
from editor.models import Document, User
from editor.patches import Units
from editor.texts import readable
from web.errors import Invalid

_SHOWN = 120


def formatting(*, document: Document, text: str) -> list[dict[str, Any]]:
    """Changes of CodeMirror that give an open text the canonical layout; none for what is no ABL."""
    if document.kind not in Document.LANGUAGE_KINDS:
        return []
    text = readable(text)
    return changes(text, difference(text, format_source(text)))


def places(*, document: Document, text: str, line: int, column: int, everywhere: bool) -> list[dict[str, Any]]:
    """Where the name at a 1-based place is declared or, with ``everywhere``, each place where it stands.

    ``{path, line, column, end_column, role, text}`` in code points; ``text`` is the line.
    """
    if document.kind not in Document.LANGUAGE_KINDS:
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
    """The name at a 1-based place that can be changed, or why none can: ``{name, refused}``."""
    if document.kind not in Document.LANGUAGE_KINDS:
        return {"name": "", "refused": "This document holds no names of the language."}
    found = renamable(open_files(document, text), document.path, line, column)
    return {"name": found["name"], "refused": found["refused"]}


def renaming(
    *, document: Document, text: str, line: int, column: int, name: str, user: User, apply: bool
) -> dict[str, Any]:
    """Another name for what stands at a 1-based place: ``{refused, edits, others}``.

    ``edits`` are changes of the open text, ``others`` the paths of other documents that change with it. With ``apply``
    these are saved as new revisions, all or none. Raises ``Conflict`` when somebody saved one of them meanwhile.
    """
    heads = {
        other.path: other
        for other in selectors.document_list(project=document.project).select_related("head")
        if other.pk != document.pk
    }
    files = open_files(document, text)
    answer = rename(files, document.path, line, column, name.strip())
    edits = {path: [_edit(files[path], each) for each in found] for path, found in answer["edits"].items()}
    others = sorted(set(edits) - {document.path})
    refused = answer["refused"] or _drafts(heads, others, user)
    if refused:
        return {"refused": refused, "edits": [], "others": []}
    if apply and others:
        _save(heads, {path: applied(files[path], edits[path]) for path in others}, user, name.strip())
    return {"refused": None, "edits": changes(files[document.path], edits.get(document.path, [])), "others": others}


def _drafts(heads: dict[str, Document], others: list[str], user: User) -> str | None:
    """Saving a document ends its draft, so that documents with a draft are not touched."""
    drafted = [path for path in others if selectors.draft_get(document=heads[path], user=user) is not None]
    return f"You have a draft of {', '.join(drafted)}. Save or discard it first." if drafted else None


@transaction.atomic
def _save(heads: dict[str, Document], texts: dict[str, str], user: User, name: str) -> None:
    for path, text in texts.items():
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


def _edit(text: str, edit: dict[str, Any]) -> Edit:
    source = Source(text)
    start, end = (source.offset(**edit["range"][side]) for side in ("start", "end"))
    return Edit(Span(start, end), edit["text"])
