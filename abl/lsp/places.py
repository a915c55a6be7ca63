"""``abl lsp``: the language server over standard input and output (docs/spec 12 §2, docs/how-to/editors.md).

Every answer comes from the functions that the browser's editor uses; here positions are converted and nothing else.
This module answers about places in a document; ``document`` about whole ones, ``sync`` keeps the texts.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from abl.analysis.index.project import index_of
from abl.analysis.project_file.reading import is_project_file
from abl.editing.actions import actions_between
from abl.editing.bulk import bulk_actions
from abl.editing.completion.complete import complete
from abl.editing.hover import hover
from abl.editing.navigate import definition, references
from abl.editing.rename import renamable, rename
from abl.lsp import document, sync
from abl.lsp.server import Look, Server, server
from abl.source import Span

PARTS: Final = (document, sync)
"""Modules that register their functions when they are imported."""

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
    "snippet": types.CompletionItemKind.Snippet,
}
_ACTIONS: Final = {
    "fix_all": types.CodeActionKind.SourceFixAll,
    "fix_kind": types.CodeActionKind.QuickFix,
    "bulk": types.CodeActionKind.RefactorRewrite,
}


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
            insert_text_mode=types.InsertTextMode.AsIs,
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
    left = [f"{place['path']}:{place['range']['start']['line']}" for place in answer["left"]]
    if left:
        message = f"abl: the word still stands, in texts or as something else, in {', '.join(left[:5])}"
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))
    changes = {ls.projects.uri(path): ls.edits(found, look.files[path]) for path, found in answer["edits"].items()}
    return types.WorkspaceEdit(changes=changes)


def _refusal(reason: str) -> JsonRpcException:
    return JsonRpcException(reason, REFUSED)


# What can be done --------------------------------------------------------------------------------------------------


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(code_action_kinds=list(dict.fromkeys([types.CodeActionKind.QuickFix, *_ACTIONS.values()]))),
)
def _actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    look = ls.look(params.text_document.uri)
    of_project = is_project_file(look.path)
    if look.path not in index_of(look.files).documents and not of_project:
        return []
    first, last = (look.source.position(look.lines.offset(p)).line for p in (params.range.start, params.range.end))
    _, _, _, column = look.at(params.range.start)
    touched = params.range.start.line, params.range.end.line
    here = [
        d for d in params.context.diagnostics if d.range.start.line <= touched[1] and touched[0] <= d.range.end.line
    ]
    found: list[types.CodeAction] = []
    if _wanted(params, types.CodeActionKind.QuickFix):
        for action, problem in actions_between(look.files, look.path, first, column, last):
            places = [(d, look.lines.offset(d.range.start), look.lines.offset(d.range.end)) for d in here]
            about = [d for d, *place in places if d.code == problem.code and tuple(place) == problem.span]
            found.append(_action(ls, look, action, types.CodeActionKind.QuickFix, about))
    for action in [] if of_project else bulk_actions(look.files, look.path, first, last):
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


def main(serve: Callable[[], int] = server.serve) -> int:
    """Serve until the client says exit or closes standard input; the exit code."""
    logging.basicConfig(level=logging.ERROR)
    return serve()
