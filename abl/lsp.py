"""``abl lsp``: the language server over standard input and output (docs/spec 12 §2, docs/how-to/editors.md).

Every answer comes from the functions that the browser's editor uses; here positions are converted and nothing else.
Texts are sent whole, because clients and this server may count the lines of odd texts differently.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from abl.analysis.project import document_index, index_of
from abl.editing.actions import actions_between
from abl.editing.bulk import bulk_actions
from abl.editing.complete import complete
from abl.editing.edits import difference
from abl.editing.folding import folds
from abl.editing.format import format_source
from abl.editing.hover import hover
from abl.editing.navigate import definition, references
from abl.editing.outline import Entry, entries
from abl.editing.rename import renamable, rename
from abl.editing.tokens import tokens
from abl.lsp_server import Look, Server
from abl.source import Span

REFUSED: Final = -32803  # RequestFailed of the protocol
_BEFORE: Final = re.compile(r"[A-Za-z_@][\w.]*$")
_ITEMS: Final = {
    "section": types.CompletionItemKind.Module,
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "step": types.CompletionItemKind.Event,
    "tool": types.CompletionItemKind.Method,
    "agent": types.CompletionItemKind.Class,
    "variable": types.CompletionItemKind.Variable,
    "path": types.CompletionItemKind.Field,
    "function": types.CompletionItemKind.Function,
    "word": types.CompletionItemKind.Keyword,
}
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
_ACTIONS: Final = {
    "fix_all": types.CodeActionKind.SourceFixAll,
    "fix_kind": types.CodeActionKind.QuickFix,
    "bulk": types.CodeActionKind.RefactorRewrite,
}


server = Server()


# Documents ------------------------------------------------------------------------------------------------------


@server.feature(types.INITIALIZED)
def _initialized(ls: Server, params: types.InitializedParams) -> None:
    ls.projects.roots = [path for path in map(ls.projects.path, ls.workspace.folders) if path]
    if ls.workspace.root_path and not ls.projects.roots:
        ls.projects.roots = [ls.workspace.root_path]


@server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def _folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    gone = {ls.projects.path(folder.uri) for folder in params.event.removed}
    new = [ls.projects.path(folder.uri) for folder in params.event.added]
    ls.projects.roots = [root for root in ls.projects.roots if root not in gone] + new


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def _opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    ls.projects.forget()
    ls.take(params.text_document.uri, params.text_document.text, params.text_document.version)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def _changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    document = ls.workspace.get_text_document(params.text_document.uri)
    ls.take(params.text_document.uri, document.source, params.text_document.version)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.projects.forget()
    ls.check_soon(ls.projects.path(params.text_document.uri))


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    opened = ls.projects.opened.pop(ls.projects.path(params.text_document.uri), None)
    if opened is not None:
        opened.version = None
        ls.publish(opened, [])


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _watched(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.projects.forget()
    for path in list(ls.projects.opened):
        ls.check_soon(path)


# What stands at a place -----------------------------------------------------------------------------------------


@server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "{", "-", ":"]))
def _complete(ls: Server, params: types.CompletionParams) -> types.CompletionList:
    look = ls.look(params.text_document.uri)
    offset = look.lines.offset(params.position)
    start = look.source.line_starts[look.source.position(offset).line - 1]
    word = _BEFORE.search(look.text[start:offset])
    typed = look.lines.range(Span(start + word.start() if word else offset, offset))
    offers = complete(*look.at(params.position))
    items = [
        types.CompletionItem(
            label=offer["label"],
            kind=_ITEMS.get(offer["kind"], types.CompletionItemKind.Text),
            detail=offer["detail"] or None,
            sort_text=f"{number:05}",
            filter_text=offer["label"],
            text_edit=types.TextEdit(typed, offer["insert"]),
        )
        for number, offer in enumerate(offers)
    ]
    return types.CompletionList(is_incomplete=False, items=items)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    look = ls.look(params.text_document.uri)
    found = hover(*look.at(params.position))
    if found is None:
        return None
    text = f"```\n{found['title']}\n```\n\n" + "  \n".join(_plain(line) for line in found["text"].split("\n"))
    content = types.MarkupContent(types.MarkupKind.Markdown, text.rstrip())
    return types.Hover(content, ls.range(found["range"], look.text))


def _plain(text: str) -> str:
    """Text that Markdown shows as it stands."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text)


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
def _definition(ls: Server, params: types.DefinitionParams) -> list[types.Location]:
    look = ls.look(params.text_document.uri)
    return [ls.location(place, look.files) for place in definition(*look.at(params.position))]


@server.feature(types.TEXT_DOCUMENT_REFERENCES)
def _references(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
    look = ls.look(params.text_document.uri)
    found = references(*look.at(params.position), declarations=params.context.include_declaration)
    return [ls.location(place, look.files) for place in found]


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
def _highlight(ls: Server, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    look = ls.look(params.text_document.uri)
    found = [place for place in references(*look.at(params.position)) if place["path"] == look.path]
    read, write = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
    return [
        types.DocumentHighlight(ls.range(place["range"], look.text), read if place["role"] == "read" else write)
        for place in found
    ]


@server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
def _prepare_rename(ls: Server, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
    look = ls.look(params.text_document.uri)
    found = renamable(*look.at(params.position))
    if found["refused"]:
        raise _refusal(found["refused"])
    return types.PrepareRenamePlaceholder(ls.range(found["range"], look.text), found["name"])


@server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
def _rename(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit:
    look = ls.look(params.text_document.uri)
    answer = rename(*look.at(params.position), params.new_name)
    if answer["refused"]:
        raise _refusal(answer["refused"])
    changes = {ls.projects.uri(path): ls.edits(found, look.files[path]) for path, found in answer["edits"].items()}
    return types.WorkspaceEdit(changes=changes)


def _refusal(reason: str) -> JsonRpcException:
    return JsonRpcException(reason, REFUSED)


# The whole document ---------------------------------------------------------------------------------------------


@server.feature(types.TEXT_DOCUMENT_FORMATTING)
def _format(ls: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    look = ls.look(params.text_document.uri)
    edits = difference(look.text, format_source(look.text))  # so that a cursor in another line stays where it is
    return [types.TextEdit(look.lines.range(edit.span), edit.text) for edit in edits]


@server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
def _colours(ls: Server, params: types.SemanticTokensParams) -> types.SemanticTokens:
    look = ls.look(params.text_document.uri)
    numbers = {kind: LEGEND.token_types.index(colour) for kind, colour in _COLOURS.items()}
    data: list[int] = []
    line = column = 0
    for start, end, kind in tokens(look.text):
        if kind not in numbers:
            continue
        begin, behind = look.lines.position(start), look.lines.position(end)
        if begin.line != behind.line:
            continue  # a lone \r within a line, which only the client takes for the end of one
        data += [begin.line - line, begin.character - (column if begin.line == line else 0)]
        data += [behind.character - begin.character, numbers[kind], 0]
        line, column = begin.line, begin.character
    return types.SemanticTokens(data=data)


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _symbols(ls: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    look = ls.look(params.text_document.uri)
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


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, *_ACTIONS.values()]),
)
def _actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    look = ls.look(params.text_document.uri)
    if look.path not in index_of(look.files).documents:
        return []
    first, last = (look.source.position(look.lines.offset(p)).line for p in (params.range.start, params.range.end))
    _, _, _, column = look.at(params.range.start)
    touched = params.range.start.line, params.range.end.line
    here = [
        d for d in params.context.diagnostics if d.range.start.line <= touched[1] and touched[0] <= d.range.end.line
    ]
    found: list[types.CodeAction] = []
    if _wanted(params, types.CodeActionKind.QuickFix):
        for action in actions_between(look.files, look.path, first, column, last):
            about = [d for d in here if d.code == action["code"]]
            found.append(_action(ls, look, action, types.CodeActionKind.QuickFix, about))
    for action in bulk_actions(look.files, look.path, first, last):
        kind = _ACTIONS[action["kind"]]
        if _wanted(params, kind):
            found.append(_action(ls, look, action, kind, []))
    return found


def _wanted(params: types.CodeActionParams, kind: types.CodeActionKind) -> bool:
    """True when the client asks for everything, or for this kind or one above it."""
    only: Sequence[Any] | None = params.context.only
    names = [getattr(asked, "value", asked) for asked in only or ()]
    return only is None or any(kind.value == asked or kind.value.startswith(f"{asked}.") for asked in names)


def _action(
    ls: Server, look: Look, action: Mapping[str, Any], kind: types.CodeActionKind, about: list[types.Diagnostic]
) -> types.CodeAction:
    changes = {ls.projects.uri(look.path): ls.edits(action["edits"], look.text)}
    return types.CodeAction(
        title=action["title"],
        kind=kind,
        diagnostics=about or None,
        is_preferred=action.get("preferred") or None,
        edit=types.WorkspaceEdit(changes=changes),
    )


def main(start: Callable[[], None] = server.start_io) -> int:
    """Serve until the client says exit or closes standard input."""
    logging.basicConfig(level=logging.ERROR)
    start()
    return 0
