"""Texts as a language client sees them: its lines, its units of a line, its files (docs/how-to/editors.md)."""

from __future__ import annotations

import os
import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import Final
from urllib.parse import quote

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from abl.analysis.index import catalogues, testcases
from abl.configuration import Configuration, ConfigurationError, configuration_for
from abl.files import PROJECT_MARKS, SUFFIXES, UsageError, has_suffix, leads_out, lies_near, text_of
from abl.language import project_file
from abl.limits import MAX_FOLDER_ENTRIES, MAX_PROJECT_FILES, MAX_SOURCE_CHARS
from abl.source import Span

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_UNITS: Final = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_WIDTH: Final = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
READ: Final = (*SUFFIXES, *testcases.SUFFIXES, *catalogues.SUFFIXES, project_file.SUFFIX)
"""Endings of the files of a project: its documents, and what its documents are checked with."""
_LEFT_OUT: Final = frozenset({"node_modules", "__pycache__", "venv"})
_LISTED_FOR: Final = 2.0  # seconds


class Lines:
    """Converts between offsets and a client's positions: 0-based lines that also end at a lone ``\\r``, and units of
    the encoding that both sides agreed on. Positions outside of the text are clamped."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self.codec = _UNITS.get(encoding, "utf-16-le")
        self.width = _WIDTH.get(encoding, 2)
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def offset(self, position: types.Position) -> int:
        """Offset of a position."""
        if position.line >= len(self.starts):
            return len(self.text)
        line = self._line(max(position.line, 0))
        start = self.starts[max(position.line, 0)]
        if line.isascii():
            return start + min(max(position.character, 0), len(line))
        units = 0
        for at, character in enumerate(line):
            if units >= position.character:
                return start + at
            units += self._units(character)
        return start + len(line)

    def position(self, offset: int) -> types.Position:
        """Position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        before = self.text[self.starts[line] : offset]
        return types.Position(line, len(before) if before.isascii() else self._units(before))

    def range(self, span: Span) -> types.Range:
        """Range of a span."""
        return types.Range(self.position(span[0]), self.position(span[1]))

    def _line(self, number: int) -> str:
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[number] : end].rstrip("\r\n")

    def _units(self, text: str) -> int:
        return len(text.encode(self.codec, "surrogatepass")) // self.width


def changed(text: str, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: str) -> str:
    """The text after changes of a client, one after another; places outside of the text are clamped."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            lines = Lines(text, encoding)
            start, end = sorted((lines.offset(change.range.start), lines.offset(change.range.end)))
            text = text[:start] + change.text + text[end:]
        else:
            text = change.text
    return text


@dataclass(slots=True)
class OpenDocument:
    """A document that the client has open."""

    uri: str
    version: int | None
    text: str


@dataclass(slots=True)
class _Folder:
    """What a folder held when it was last looked at."""

    seen_at: float
    paths: tuple[str, ...]
    configuration: Configuration
    problem: str


@dataclass(slots=True)
class Projects:
    """Open texts over the files on disk. A document's project is the nearest folder with a project.yaml or a
    pyproject.toml, up to the client's workspace folders; without one its own folder."""

    roots: list[str] = field(default_factory=list)
    open_documents: dict[str, OpenDocument] = field(default_factory=dict)
    folders: dict[str, _Folder] = field(default_factory=dict)
    texts: dict[str, tuple[tuple[int, int], str]] = field(default_factory=dict)

    def path(self, uri: str) -> str:
        """The path of a document within its project: its file, or the whole address where it has none."""
        if not uri.startswith("file:"):
            return uri
        try:
            path = to_fs_path(uri) or ""
        except ValueError:  # no address at all
            return uri
        return os.path.normpath(path) if os.path.isabs(path) and "\0" not in path else uri

    def uri(self, path: str) -> str:
        """The address of a path, as the client writes it where it has it open."""
        known = self.open_documents.get(path)
        if known is not None:
            return known.uri
        try:
            return from_fs_path(path) or path
        except ValueError:  # a name that is no text
            return f"file://{quote(os.fsencode(path))}"

    def files(self, path: str) -> dict[str, str]:
        """The texts of the project of a document, open ones as the client has them. Empty for a document that is
        neither open nor on disk: its folder, which may be the root of all, is not looked at."""
        if path not in self.open_documents and not os.path.isfile(path):
            return {}
        found = dict(self._on_disk(self.folder(path))) if os.path.isabs(path) else {}
        folder = self.folder(path)
        for other, document in self.open_documents.items():
            if other == path or (os.path.isabs(other) and os.path.isabs(path) and self.folder(other) == folder):
                found[other] = document.text
        return {name: _readable(text) for name, text in found.items()}

    def exists(self, document: str, name: str) -> bool:
        """Whether a file that a document names is there; true of documents that have no place on disk."""
        return not os.path.isabs(document) or lies_near(document, name)

    def configuration(self, path: str) -> tuple[Configuration, str]:
        """The table ``[tool.abl]`` that holds for a document, and why it cannot be used, if so."""
        if not os.path.isabs(path):
            return Configuration(), ""
        folder = self._look(self.folder(path))
        return folder.configuration, folder.problem

    def folder(self, path: str) -> str:
        """The folder of a document's project."""
        own = os.path.dirname(path)
        roots = [root for root in self.roots if own == root or own.startswith(root.rstrip(os.sep) + os.sep)]
        folder = own
        while roots:
            if any(os.path.isfile(os.path.join(folder, mark)) for mark in PROJECT_MARKS):
                return folder
            if folder in roots or os.path.dirname(folder) == folder:
                break
            folder = os.path.dirname(folder)
        return own

    def forget(self) -> None:
        """Look at the folders again."""
        self.folders.clear()

    def _look(self, folder: str) -> _Folder:
        known = self.folders.get(folder)
        if known is None or time.monotonic() - known.seen_at > _LISTED_FOR:
            configuration, problem = Configuration(), ""
            try:
                configuration = configuration_for(Path(folder))
            except (ConfigurationError, OSError) as error:
                problem = str(error)
            known = _Folder(time.monotonic(), tuple(_documents(folder)), configuration, problem)
            self.folders[folder] = known
        return known

    def _on_disk(self, folder: str) -> Iterator[tuple[str, str]]:
        for path in self._look(folder).paths:
            if path in self.open_documents:
                continue
            try:
                stat = os.stat(path)
                stamp = (stat.st_mtime_ns, stat.st_size)
                if not S_ISREG(stat.st_mode):  # a pipe would be waited for
                    continue
                known = self.texts.get(path)
                if known is None or known[0] != stamp:
                    known = self.texts[path] = (stamp, text_of(Path(path)))
            except (OSError, UsageError):  # gone, or not UTF-8: the command line names these
                continue
            if len(known[1]) <= MAX_SOURCE_CHARS:
                yield path, known[1]


def _documents(folder: str) -> Iterable[str]:
    """Documents of a folder and those below it that are no projects of their own; hidden folders are left out."""
    found: list[str] = []
    seen = 0
    for place, folders, names in os.walk(folder):
        if place != folder and any(mark in names for mark in PROJECT_MARKS):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT_OUT)
        named = [os.path.join(place, name) for name in sorted(names) if has_suffix(name, READ) and name[0] != "."]
        found += [path for path in named if not leads_out(path, folder)]
        seen += len(names) + len(folders)
        if seen > MAX_FOLDER_ENTRIES or len(found) > MAX_PROJECT_FILES:
            break
    return found[:MAX_PROJECT_FILES]


def _readable(text: str) -> str:
    """Half a surrogate pair, which JSON may hold and no file, becomes U+FFFD; offsets stay."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
    return text
