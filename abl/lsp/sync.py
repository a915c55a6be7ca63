"""What a client sends to the language server: its folders, its texts, what changed on disk (docs/how-to/editors.md).

Texts are sent whole, because clients and this server may count the lines of odd texts differently; a client that sends
parts of a text even so is understood.
"""

from __future__ import annotations

import logging
from typing import Final

from lsprotocol import types
from pygls.capabilities import get_capability

from abl.files import PROJECT_MARKS
from abl.lsp.server import Server, server
from abl.lsp.texts import READ, changed

_LOG: Final = logging.getLogger(__name__)
_WATCHED: Final = (*(f"**/*{suffix}" for suffix in READ), *(f"**/{mark}" for mark in PROJECT_MARKS))


@server.feature(types.INITIALIZE)
def _begun(ls: Server, params: types.InitializeParams) -> None:
    folders = [folder.uri for folder in params.workspace_folders or ()]
    if not folders:
        folders = [params.root_uri] if params.root_uri else []
    ls.projects.roots = [ls.projects.path(uri) for uri in folders]
    if not folders and params.root_path:
        ls.projects.roots = [params.root_path]


@server.feature(types.INITIALIZED)
def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask a client that can watch files to report those that change on disk."""
    if get_capability(ls.client_capabilities, "workspace.did_change_watched_files.dynamic_registration"):
        watchers = [types.FileSystemWatcher(glob) for glob in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        ls.client_register_capability(types.RegistrationParams([types.Registration("files", method, options)]))


@server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def _folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    gone = {ls.projects.path(folder.uri) for folder in params.event.removed}
    new = [ls.projects.path(folder.uri) for folder in params.event.added]
    ls.projects.roots = [root for root in ls.projects.roots if root not in gone] + new
    ls.check_all_soon()


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def _did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    ls.projects.forget()
    ls.take(params.text_document.uri, params.text_document.text, params.text_document.version)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def _changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    known = ls.projects.open_documents.get(ls.projects.path(document.uri))
    if known is None:
        _LOG.error("change of %s, which is not open", document.uri)
        return
    ls.take(document.uri, changed(known.text, params.content_changes, ls.encoding), document.version)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.projects.forget()
    ls.check_soon(ls.projects.path(params.text_document.uri))


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.colours.pop(params.text_document.uri, None)
    closed = ls.projects.open_documents.pop(ls.projects.path(params.text_document.uri), None)
    if closed is not None:
        closed.version = None
        ls.publish(closed, [])
        ls.check_all_soon()  # from now on the file on disk counts


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _watched(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.check_all_soon()
