"""A project as it is meant, for what asks about a place: misspelt words of the language are read as ``check`` reads
them (docs/spec 05 §1), and so what is below them is known (12 §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from abl.analysis.check import readings_of
from abl.analysis.index.project import Index, index_of
from abl.analysis.index.shared_names import Symbol
from abl.analysis.symbols.kinds import symbol_at
from abl.source import Span
from abl.syntax.readers.context import Corrections


def corrected_symbol(files: Mapping[str, str], path: str, line: int, column: int) -> tuple[Index | None, Symbol | None]:
    """The index of the files, None where the path is no document, and the symbol at a 1-based position, if one is
    there. Read as meant is the document, and every other one in which the symbol's word stands."""
    index = readings_of(files, [path]).project
    if path not in index.documents:
        return None, None
    offset = index.documents[path].source.offset(line, column)
    symbol = symbol_at(index, path, offset)
    if symbol is None:
        return index, None
    others = [other for other, document in index.documents.items() if symbol.word in document.source.text]
    index = readings_of(files, {path: None, **dict.fromkeys(others)}).project
    return index, symbol_at(index, path, offset)


class CorrectedText(NamedTuple):
    """A text in which misspelt words of the language are replaced by those that are meant, and the project with it.

    ``words`` are those, by their places in the text as it is written.
    """

    project: Index
    words: Corrections
    written: str

    def offset(self, offset: int) -> int:
        """A place of the written text in this one; within a word that is replaced, as far inside as that goes."""
        shift = 0
        for span, word in sorted(self.words.items()):
            if span.end <= offset:
                shift += len(word) - (span.end - span.start)
            elif span.start < offset:
                shift -= max(offset - span.start - len(word), 0)
        return offset + shift

    def span(self, span: Span) -> tuple[Span, str]:
        """A place of this text in the written one, and what is there where that is another word."""
        shift = 0
        for place, word in sorted(self.words.items()):
            start = place.start + shift
            if start <= span.start and span.end <= start + len(word):
                return place, self.written[slice(*place)]
            if start >= span.end:
                break
            shift += len(word) - (place.end - place.start)
        return Span(span.start - shift, span.end - shift), ""


def corrected_text(files: Mapping[str, str], path: str, typed: Span | None = None) -> CorrectedText:
    """The document at a path as it is meant. A word that is being typed stays as it is: who types it is not done."""
    found = readings_of(files, [path])
    words = {
        span: word for span, word in found.words.get(path, {}).items() if typed is None or not _touches(span, typed)
    }
    text = files[path]
    if not words:
        return CorrectedText(index_of(files), {}, text)
    corrected = text
    for span, word in sorted(words.items(), reverse=True):
        corrected = corrected[: span.start] + word + corrected[span.end :]
    return CorrectedText(index_of({**files, path: corrected}), words, text)


def _touches(span: Span, typed: Span) -> bool:
    return span.start < typed.end and typed.start <= span.end
