"""What ``file: "x.tools.abl" [a, b]`` of TOOLS may name: tool files and their tools (docs/spec 08 §9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, relpath
from typing import Final

from abl.analysis.index.imported_tools import places_of
from abl.editing.completion.cursor import Cursor, Item

_IMPORT: Final = re.compile(r"\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\[\"']+))\s*\[")
_WORD_BEFORE: Final = re.compile(r"[A-Za-z_@][\w.]*$")


def importable(cursor: Cursor, written: str) -> Iterator[Item]:
    """Within the brackets the tools of the file, without those of the agent: two of one name collide; else files."""
    match = _IMPORT.match(written)
    if match is None:
        yield from _files(cursor, written)
        return
    path = match["double"] or match["single"] or match["bare"] or ""
    documents = cursor.index.documents
    found = next((each for each in places_of(cursor.source.path, path) if each in documents), None)
    own = cursor.agent.tools if cursor.agent is not None else {}
    for content in documents[found].agents if found is not None else ():
        for name, tool in content.tools.items():
            if name not in own:
                yield Item(name, "tool", tool.description.value if tool.description is not None else "tool", name)


def _files(cursor: Cursor, written: str) -> Iterator[Item]:
    """The tool files of the project, in quotes, as seen from the document."""
    quote = written[:1] if written[:1] in ("'", '"') else ""
    if quote and quote in written[1:]:
        return
    typed = _WORD_BEFORE.search(written)
    done = written[len(quote) : typed.start() if typed is not None else len(written)]
    for path, document in cursor.index.documents.items():
        name = relpath(path, dirname(cursor.source.path) or ".")
        if document.document.tool_files and path != cursor.source.path and name.startswith(done):
            rest = name[len(done) :]
            yield Item(name, "value", "tool file", rest if quote else f'"{rest}"')
