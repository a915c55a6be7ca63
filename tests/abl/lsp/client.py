"""A language client over standard input and output, as an editor would start the server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PATIENCE = 60  # seconds


class Editor:
    """One client with its server. What the server publishes is kept by address."""

    def __init__(self) -> None:
        self.client = LanguageClient("tests", "1")
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.arrived = asyncio.Event()
        self.capabilities: types.ServerCapabilities = types.ServerCapabilities()
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._publish(params))  # noqa: PLW0108  pygls writes to what it is given
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self.messages.append(params.message))

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.published[params.uri] = params
        self.arrived.set()

    async def start(self, folder: Path | None, encodings: list[types.PositionEncodingKind] | None) -> None:
        await self.client.start_io(sys.executable, "-m", "abl.cli", "lsp", "--stdio")
        general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
        folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)] if folder is not None else None
        answer = await self.client.initialize_async(
            types.InitializeParams(types.ClientCapabilities(general=general), workspace_folders=folders)
        )
        self.capabilities = answer.capabilities
        self.client.initialized(types.InitializedParams())

    async def stop(self) -> int:
        """Ends the server; its exit code."""
        process = self.client._server
        await self.client.shutdown_async(None)
        self.client.exit(None)
        code = await asyncio.wait_for(process.wait(), PATIENCE)
        await self.client.stop()
        return code

    def open(self, uri: str, text: str) -> types.TextDocumentIdentifier:
        item = types.TextDocumentItem(uri, "abl", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return types.TextDocumentIdentifier(uri)

    def change(self, uri: str, text: str, version: int) -> None:
        change = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def problems(self, uri: str, version: int = 1) -> list[types.Diagnostic]:
        """What was published for a version of a document, once it is."""

        async def wait() -> list[types.Diagnostic]:
            while uri not in self.published or self.published[uri].version != version:
                self.arrived.clear()
                await self.arrived.wait()
            return list(self.published[uri].diagnostics)

        return await asyncio.wait_for(wait(), PATIENCE)


def converse(
    talk: Callable[[Editor], Awaitable[Any]],
    folder: Path | None = None,
    encodings: list[types.PositionEncodingKind] | None = None,
) -> Any:
    """Start a server, talk to it, and see it end well."""

    async def run() -> Any:
        editor = Editor()
        await editor.start(folder, encodings)
        try:
            result = await asyncio.wait_for(talk(editor), PATIENCE)
        finally:
            code = await editor.stop()
        assert code == 0
        return result

    return asyncio.run(run())


def carried_out(text: str, edits: Any, units: str = "utf-16-le") -> str:
    """The text after edits of the protocol, by the units of an encoding."""
    width = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}[units]
    lines = text.split("\n")

    def offset(position: types.Position) -> int:
        before = sum(len(line) + 1 for line in lines[: position.line])
        line = lines[position.line] if position.line < len(lines) else ""
        return before + len(line.encode(units)[: position.character * width].decode(units))

    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
