"""The language server's answers about whole documents: layout, colours, parts (docs/how-to/editors.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lsprotocol import types

from abl.analysis.index.documents import document_index
from abl.analysis.index.project import is_beside
from abl.editing.edits import difference
from abl.editing.folding import folds
from abl.editing.format import format_source
from abl.editing.outline import Entry, entries
from abl.editing.tokens import tokens
from abl.lsp.server import Look, Server, server
from abl.source import Span

_SYMBOLS: Final = {
    "agent": types.SymbolKind.Class,
    "supervisor": types.SymbolKind.Class,
    "profile": types.SymbolKind.Class,
    "section": types.SymbolKind.Module,
    "group": types.SymbolKind.Namespace,
    "variable": types.SymbolKind.Variable,
    "field": types.SymbolKind.Field,
    "path": types.SymbolKind.Field,
    "step": types.SymbolKind.Event,
    "tool": types.SymbolKind.Method,
    "rule": types.SymbolKind.Boolean,
}
_COLOURS: Final = {
    "section": "namespace",
    "key": "property",
    "kind": "keyword",
    "word": "keyword",
    "op": "operator",
    "name": "variable",
    "label": "class",
    "string": "string",
    "slot": "macro",
    "number": "number",
    "func": "function",
    "type": "type",
    "comment": "comment",
}
LEGEND: Final = types.SemanticTokensLegend(sorted(set(_COLOURS.values())), [])
_NUMBERS: Final = {kind: LEGEND.token_types.index(colour) for kind, colour in _COLOURS.items()}


@server.feature(types.TEXT_DOCUMENT_FORMATTING)
def _format(ls: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    look = ls.look(params.text_document.uri)
    if is_beside(look.path):
        return []  # plain YAML, whose layout is its author's
    edits = difference(look.text, format_source(look.text))  # so that a cursor in another line stays where it is
    return [types.TextEdit(look.lines.range(edit.span), edit.text) for edit in edits]


# Colours --------------------------------------------------------------------------------------------------------


@server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
def _colours(ls: Server, params: types.SemanticTokensParams) -> types.SemanticTokens:
    return ls.remember_colours(params.text_document.uri, _coloured(ls.look(params.text_document.uri)))


@server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, LEGEND)
def _changed_colours(
    ls: Server, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    uri = params.text_document.uri
    before = ls.colours.get(uri)
    now = ls.remember_colours(uri, _coloured(ls.look(uri)))
    if before is None or before.result_id != params.previous_result_id:
        return now
    return types.SemanticTokensDelta(list(data_edits(before.data, now.data)), now.result_id)


@server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND)
def _colours_between(ls: Server, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
    look = ls.look(params.text_document.uri)
    span = Span(*sorted((look.lines.offset(params.range.start), look.lines.offset(params.range.end))))
    return types.SemanticTokens(_coloured(look, span))


def _coloured(look: Look, within: Span | None = None) -> list[int]:
    """Five numbers for each piece that has a colour and touches the span: lines and units from the piece before it,
    length, kind, nothing."""
    data: list[int] = []
    line = column = 0
    for start, end, kind in tokens(look.text):
        if kind not in _NUMBERS or (within is not None and (end <= within.start or start >= within.end)):
            continue
        begin, behind = look.lines.position(start), look.lines.position(end)
        if begin.line != behind.line:
            continue  # a lone \r within a line, which only the client takes for the end of one
        data += [begin.line - line, begin.character - (column if begin.line == line else 0)]
        data += [behind.character - begin.character, _NUMBERS[kind], 0]
        line, column = begin.line, begin.character
    return data


def data_edits(before: Sequence[int], now: Sequence[int]) -> Iterator[types.SemanticTokensEdit]:
    """What is between the numbers that both have at their start and at their end; nothing when they are the same."""
    shorter = min(len(before), len(now))
    first = next((at for at in range(shorter) if before[at] != now[at]), shorter)
    most = shorter - first
    last = next((at for at in range(most) if before[-1 - at] != now[-1 - at]), most)
    if len(before) - last > first or len(now) - last > first:
        yield types.SemanticTokensEdit(first, len(before) - last - first, list(now[first : len(now) - last]))


# Parts ----------------------------------------------------------------------------------------------------------


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _symbols(ls: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    look = ls.look(params.text_document.uri)
    if is_beside(look.path):
        return []
    document = document_index(look.path, look.files[look.path]).document
    return [_symbol(entry, look) for entry in entries(document)]


def _symbol(entry: Entry, look: Look) -> types.DocumentSymbol:
    start = look.source.offset(*entry.start)
    whole = look.lines.range(Span(start, max(start, look.source.offset(*entry.end))))
    first_line = look.source.line_span(entry.start.line)
    name = look.lines.range(Span(start, min(first_line.end, look.source.offset(*entry.end))))
    return types.DocumentSymbol(
        name=entry.name.strip() or entry.kind,
        detail=entry.detail or None,
        kind=_SYMBOLS.get(entry.kind, types.SymbolKind.Property),
        range=whole,
        selection_range=name,
        children=[_symbol(child, look) for child in entry.children],
    )


@server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
def _folds(ls: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    look = ls.look(params.text_document.uri)
    found = []
    for fold in folds(document_index(look.path, look.files[look.path]).document):
        start, end = look.lines.position(fold.span.start), look.lines.position(fold.span.end)
        kind = types.FoldingRangeKind.Comment if fold.comment else types.FoldingRangeKind.Region
        found.append(types.FoldingRange(start_line=start.line, end_line=end.line, kind=kind))
    return found


@server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)
def _selections(ls: Server, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    look = ls.look(params.text_document.uri)
    if is_beside(look.path):
        return []
    document = document_index(look.path, look.files[look.path]).document
    blocks = [block.span for root in document.blocks for block in root.walk()]
    pieces = [Span(start, end) for start, end, kind in tokens(look.text) if kind != "text"]
    return [_selection(look, look.lines.offset(position), blocks, pieces) for position in params.positions]


def _selection(look: Look, offset: int, blocks: Sequence[Span], pieces: Sequence[Span]) -> types.SelectionRange:
    """From the word at a place to the whole text, each within the next."""
    start, end = look.source.line_span(look.source.position(offset).line)
    words = look.text[start:end]
    line = Span(start + len(words) - len(words.lstrip()), start + len(words.rstrip()))
    around = {Span(*span) for span in (*pieces, line, *blocks) if span[0] <= offset <= span[1] and span[0] < span[1]}
    chosen = types.SelectionRange(look.lines.range(Span(0, len(look.text))))
    outer = Span(0, len(look.text))
    for span in sorted(around, key=lambda span: span.start - span.end):
        if outer.start <= span.start and span.end <= outer.end and span != outer:
            chosen, outer = types.SelectionRange(look.lines.range(span), chosen), span
    return chosen
