"""Fixes over a whole open text (docs/spec 05 §9, 10 §8): what each would change, as a preview before it is applied."""

from __future__ import annotations

from typing import Any

from abl.editing.bulk import bulk_actions
from abl.editing.edits import applied
from abl.source import Source
from editor.changes import changed_lines
from editor.editing.language import is_code, open_files
from editor.editing.names import changes, read_edits
from editor.models import Document
from editor.texts import readable

MOST_SHOWN = 200
"""Lines of a preview; it says how many more there are."""


def bulk_fixes(*, document: Document, text: str) -> list[dict[str, Any]]:
    """Every fix that reaches over the document and would change it; none for what is no ABL.

    ``{title, kind, places, edits, lines, more}``: ``places`` counts what is fixed, ``edits`` are changes of CodeMirror,
    ``lines`` what changes, as ``{sign, number, text}`` (``editor.changes``), ``more`` the number of lines left out.
    """
    if not is_code(document):
        return []
    text = readable(text)
    source = Source(text)
    found = []
    for action in bulk_actions(open_files(document, text), document.path, 1, source.line_count):
        edits = read_edits(source, action["edits"])
        changed = changed_lines(text, applied(text, edits), most=MOST_SHOWN)
        found.append(
            {
                "title": action["title"],
                "kind": action["kind"],
                "places": action["places"],
                "edits": changes(text, edits),
                "lines": [{"sign": n.sign, "number": n.number, "text": n.text} for n in changed.lines],
                "more": changed.more,
            }
        )
    return found
