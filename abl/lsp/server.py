"""The state of the language server: open texts, when they are checked, and answers in the client's terms."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Any, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from abl.analysis import check
from abl.diagnostics import Diagnostic
from abl.lsp.messages import exact_converter
from abl.lsp.protocol import Protocol, write_all
from abl.lsp.texts import Lines, OpenDocument, Projects
from abl.project import policy_of
from abl.source import Source

NAME: Final = "abl"
PAUSE: Final = 0.05
"""Seconds without a change after which a text is checked."""

_SEVERITY: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_TAGS: Final = {"deprecated": types.DiagnosticTag.Deprecated, "unnecessary": types.DiagnosticTag.Unnecessary}


class Server(LanguageServer):
    """The server's state: open texts, and the check that waits for the end of typing."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            NAME,
            _version(),
            types.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
            converter_factory=exact_converter,
        )
        self.projects = Projects()
        self.waiting: dict[str, asyncio.TimerHandle] = {}
        self.complained: set[str] = set()
        self.colours: dict[str, types.SemanticTokens] = {}
        self._answers = count(1)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Errors are written to standard error; the client shows no message box."""
        logging.getLogger(__name__).error("%s: %s", source, error)

    def serve(self) -> int:
        """Answer a client over standard input and output; the exit code when it is gone."""
        source, target = sys.stdin.fileno(), sys.stdout.fileno()
        return asyncio.run(self.protocol.converse(lambda size: os.read(source, size), write_all(target)))

    @property
    def encoding(self) -> str:
        """The units of a position that both sides agreed on."""
        agreed = self.workspace.position_encoding
        return str(getattr(agreed, "value", agreed) or "utf-16")

    # Texts ------------------------------------------------------------------------------------------------------

    def look(self, uri: str) -> Look:
        """A document as it is now, with its project."""
        path = self.projects.path(uri)
        files = self.projects.files(path)
        return Look(path, files, files.get(path, ""), self.encoding)

    def take(self, uri: str, text: str, number: int | None) -> None:
        """Remember an open text; its project is checked when nothing changed for a while."""
        path = self.projects.path(uri)
        self.projects.open_documents[path] = OpenDocument(uri, number, text)
        self.check_soon(path)

    def check_all_soon(self) -> None:
        """Look at the folders again, and check the projects of all open documents."""
        self.projects.forget()
        for path in self.projects.open_documents:
            self.check_soon(path)

    def check_soon(self, path: str) -> None:
        """Check a document's project after a pause."""
        folder = self.projects.folder(path) if os.path.isabs(path) else path
        waiting = self.waiting.pop(folder, None)
        if waiting is not None:
            waiting.cancel()
        self.waiting[folder] = asyncio.get_running_loop().call_later(PAUSE, self.check_now, folder, path)

    def check_now(self, folder: str, path: str) -> None:
        """Check a project and publish what was found in its open documents."""
        self.waiting.pop(folder, None)
        try:
            self._check(path)
        except Exception:  # whatever goes wrong, the server continues
            logging.getLogger(__name__).exception("check of %s", path)

    def _check(self, path: str) -> None:
        files = self.projects.files(path)
        shown = {p: shown_document for p, shown_document in self.projects.open_documents.items() if p in files}
        configuration, problem = self.projects.configuration(path)
        self._complain(problem)
        select, ignore = configuration.under(policy_of(files, _folder_on_disk(path))).chosen(None, None)
        report = check(files, select=select, ignore=ignore, only=set(shown), exists=self.projects.exists)
        for other, shown_document in shown.items():
            found = [d for d in report.diagnostics if d.path == other]
            self.publish(shown_document, [self._diagnostic(d, report.index.sources) for d in found])

    def _complain(self, problem: str) -> None:
        """Say once what is wrong with a configuration."""
        if problem and problem not in self.complained:
            self.complained.add(problem)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"abl: {problem}"))

    def publish(self, document: OpenDocument, found: list[types.Diagnostic]) -> None:
        """Tell the client what is wrong with a document."""
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=document.uri, diagnostics=found, version=document.version)
        )

    def _diagnostic(self, problem: Diagnostic, sources: Mapping[str, Source]) -> types.Diagnostic:
        lines = Lines(sources[problem.path].text, self.encoding)
        related = [
            types.DiagnosticRelatedInformation(
                types.Location(self.projects.uri(r.path), Lines(sources[r.path].text, self.encoding).range(r.span)),
                r.message,
            )
            for r in problem.related
            if r.path in sources
        ]
        return types.Diagnostic(
            range=lines.range(problem.span),
            message=problem.message,
            severity=_SEVERITY[problem.severity],
            code=problem.code,
            source=NAME,
            tags=[_TAGS[tag] for tag in problem.tags if tag in _TAGS] or None,
            related_information=related or None,
        )

    def remember_colours(self, uri: str, data: list[int]) -> types.SemanticTokens:
        """The answer with a name by which the client may ask for what changed since; kept for open documents."""
        answer = types.SemanticTokens(data, str(next(self._answers)))
        if self.projects.path(uri) in self.projects.open_documents:
            self.colours[uri] = answer
        return answer

    # Answers in the client's terms ------------------------------------------------------------------------------

    def location(self, place: Mapping[str, Any], files: Mapping[str, str]) -> types.Location:
        """``{path, range}`` as a location."""
        return types.Location(self.projects.uri(place["path"]), self.range(place["range"], files[place["path"]]))

    def range(self, found: Mapping[str, Mapping[str, int]], text: str) -> types.Range:
        """A range of docs/spec 12 §2 as one of the client."""
        source, lines = Source(text), Lines(text, self.encoding)
        return types.Range(*(lines.position(source.offset(**found[end])) for end in ("start", "end")))

    def edits(self, found: Iterable[Mapping[str, Any]], text: str) -> list[types.TextEdit]:
        """Edits of docs/spec 12 §2 as those of the client."""
        return [types.TextEdit(self.range(edit["range"], text), edit["text"]) for edit in found]


class Look:
    """A document at the time of a request."""

    def __init__(self, path: str, files: dict[str, str], text: str, encoding: str) -> None:
        self.path = path
        self.files = files if path in files else {**files, path: text}
        self.text = text
        self.source = Source(text, path)
        self.lines = Lines(text, encoding)

    def at(self, position: types.Position) -> tuple[dict[str, str], str, int, int]:
        """Files, path, line and column (1-based), as the functions of ``abl.editing`` take them."""
        return self.files, self.path, *self.source.position(self.lines.offset(position))


def _folder_on_disk(path: str) -> Path | None:
    return Path(path).parent if os.path.isabs(path) else None


def _version() -> str:
    try:
        return version("abl-workbench")
    except PackageNotFoundError:
        return "0"


server: Final = Server()
"""The server of this process; the modules that answer register their functions with it."""
