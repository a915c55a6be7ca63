"""``hover``: what the thing under the cursor means, its type and default, and where it is set and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from abl.analysis.corrected import corrected_symbol, corrected_text
from abl.analysis.index.shared_names import Symbol
from abl.analysis.project_file.reading import is_project_file
from abl.analysis.registry import lookup
from abl.editing.completion.project_file import hover_project_file
from abl.editing.hover_symbols import about
from abl.editing.hover_words import meaning_at
from abl.source import Source, Span
from abl.syntax.incremental.collector import collector_paused

_WORD = re.compile(r"[A-Za-z_][\w-]*")
Seen = Callable[[Symbol], str | None]


@collector_paused()
def hover(
    files: Mapping[str, str], path: str, line: int, column: int, seen: Seen | None = None
) -> dict[str, Any] | None:
    """``{range, title, text}`` for a 1-based position, or None where there is nothing to say.

    ``seen`` returns the last value of a variable or path as text, where the caller knows of test conversations.
    """
    if is_project_file(path):
        return hover_project_file(files, path, line, column) if path in files else None
    index, symbol = corrected_symbol(files, path, line, column)
    if index is None:
        return None
    source = index.documents[path].source
    if symbol is not None:
        title, text = about(symbol, index)
        last = seen(symbol) if seen is not None and symbol.kind in ("variable", "path") else None
        return _answer(source, symbol.span, title, f"{text}\nlast seen: {last}" if last else text)
    offset = source.offset(line, column)
    return _code(source, offset) or _word(files, source, offset)


def _word(files: Mapping[str, str], source: Source, offset: int) -> dict[str, Any] | None:
    """What a word of the language means; of a misspelt one, what the one means that is meant."""
    corrected = corrected_text(files, source.path)
    found = meaning_at(corrected.project, corrected.project.documents[source.path], corrected.offset(offset))
    if found is None:
        return None
    span, written = corrected.span(found[0])
    text = f"`{written}` is a misspelling of {found[1]}.\n{found[2]}" if written else found[2]
    return _answer(source, span, found[1], text)


def _answer(source: Source, span: Span, title: str, text: str) -> dict[str, Any]:
    return {"range": source.range(span).as_dict(), "title": title, "text": text}


def _code(source: Source, offset: int) -> dict[str, Any] | None:
    """What a diagnostic code in a comment stands for."""
    number = source.position(offset).line
    start, text = source.line_starts[number - 1], source.line_text(number)
    if not text.lstrip().startswith("#"):
        return None
    word = next((m for m in _WORD.finditer(text) if m.start() <= offset - start <= m.end()), None)
    known = lookup(word.group()) if word is not None else None
    if word is None or known is None:
        return None
    span = Span(start + word.start(), start + word.end())
    return _answer(source, span, f"{known.code} {known.name}", known.page.what)
