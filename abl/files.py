"""Documents on disk: which files and folders the command line is asked about, and how they are read and written."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from errno import EACCES
from functools import partial
from itertools import takewhile
from pathlib import Path
from stat import S_IMODE, S_ISREG
from typing import Final

STDIN: Final = "-"
STDIN_NAME: Final = "<stdin>"
MAX_BYTES: Final = 64 * 1024 * 1024
"""Bytes of a file that are read; a document has far fewer (``abl.limits``), a context of facts may have many."""
PROJECT_MARKS: Final = ("project.yaml", "pyproject.toml")
"""Files that make their folder a project."""
SUFFIXES: Final = (".agent.abl", ".tools.abl", ".behavior_profile.abl", ".abl", ".agent.yaml")


class UsageError(Exception):
    """Wrong use of the command line; the message says what would be right."""


def projects(paths: Sequence[str], unread: list[UsageError], beside: tuple[str, ...] = ()) -> Iterator[dict[str, str]]:
    """One mapping of texts per project; files that are named directly form one project together.

    A folder is one, but for the folders below it that have a mark of their own (``PROJECT_MARKS``).

    Files that cannot be read come into ``unread``, and the others are given even so. ``beside`` are endings of
    further files that folders with documents may hold.
    """
    single: dict[str, str] = {}
    for name in paths:
        path = Path(name)
        if name == STDIN:
            single |= _texts({STDIN_NAME: stdin_text}, unread)
        elif path.is_dir():
            found = documents_in(path)
            if not found:
                raise UsageError(f"{name}: no documents here (looked for {', '.join('*' + s for s in SUFFIXES)})")
            found += files_in(path, beside) if beside else []
            for group in _by_project(found, path).values():
                yield _texts({str(file): partial(text_of, file) for file in group}, unread)
        else:
            single |= _texts({name: partial(text_of, path)}, unread)
    if single:
        yield single


def of_one_project(files: Iterable[Path], folder: Path) -> list[Path]:
    """The files of a folder but those of projects below it. Raises UsageError where those are all that there are."""
    groups = _by_project(files, folder)
    if groups and folder not in groups:
        listed = ", ".join(sorted(map(str, groups)))
        raise UsageError(f"{folder}: no agents but in projects of their own; name one of them: {listed}")
    return groups.get(folder, [])


def _by_project(files: Iterable[Path], folder: Path) -> dict[Path, list[Path]]:
    """The files of a folder by the folder of their project."""
    homes = {folder: folder}
    found: dict[Path, list[Path]] = {}
    for file in files:
        passed = list(takewhile(lambda place: place not in homes, file.parents))
        above = next(place for place in file.parents if place in homes)
        home = homes[above]
        for place in reversed(passed):
            home = homes[place] = place if any((place / mark).is_file() for mark in PROJECT_MARKS) else home
        found.setdefault(home, []).append(file)
    return found


def folder_of(files: Mapping[str, str]) -> Path:
    """The folder that the files of a project have in common; where one works, for standard input."""
    named = [Path(name).absolute().parent for name in files if name != STDIN_NAME]
    return Path(os.path.commonpath(named)) if named else Path.cwd()


def documents_in(folder: Path) -> list[Path]:
    """Every document in a folder and those below it, hidden ones left aside."""
    return files_in(folder, SUFFIXES)


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Every file in a folder and those below it with one of these endings; ``/NAME`` is a whole name.

    Hidden ones are left aside, and links that lead out of the folder: whoever checks or formats a folder does not mean
    files elsewhere.
    """
    return [file for file in sorted(folder.rglob("*")) if _is_named(file, suffixes) and not leads_out(file, folder)]


def leads_out(path: str | Path, folder: str | Path) -> bool:
    """True for a symbolic link to what is not in the folder."""
    if not os.path.islink(path):
        return False
    root = os.path.realpath(folder)
    return os.path.commonpath([root, os.path.realpath(path)]) != root


def lies_near(document: str, name: str) -> bool:
    """Whether a file of that name lies in the folder of a document or in one above it, where its project may begin.

    True for standard input, whose place is not known.
    """
    if document == STDIN_NAME:
        return True
    folders = Path(os.path.abspath(document)).parents
    return any(os.path.isfile(os.path.join(folder, name)) for folder in folders)


def _texts(readers: Mapping[str, Callable[[], str]], unread: list[UsageError]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, read in readers.items():
        try:
            texts[name] = read()
        except UsageError as error:
            unread.append(error)
    return texts


def _is_named(path: Path, suffixes: tuple[str, ...]) -> bool:
    hidden = any(part.startswith(".") and part not in (".", "..") for part in path.parts)
    return has_suffix(path.name, suffixes) and not hidden and path.is_file()


def has_suffix(name: str, suffixes: tuple[str, ...]) -> bool:
    """Whether the name of a file has one of these endings; ``/NAME`` is a whole name."""
    return f"/{name}".endswith(suffixes)


def stdin_text() -> str:
    """Standard input as text; raises UsageError when it is closed, too long or not UTF-8."""
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from error
    return decoded(data, "standard input")


def text_of(path: Path) -> str:
    """A file's text, line ends as they are; raises UsageError when it is not there, not readable or not UTF-8."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)  # a device may have no end
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file or folder") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    return decoded(data, str(path))


def decoded(data: bytes, name: str) -> str:
    """Bytes as UTF-8 text; raises UsageError that names the first bad byte, or the bound."""
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name}: longer than {MAX_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: not UTF-8 text (byte {error.start})") from error


def write_text(path: Path, text: str) -> None:
    """Put a text in the place of a file at once, so that nobody ever reads half of it; mode and owner are kept.

    A symbolic link stays one. Raises UsageError when the folder or the file cannot be written.
    """
    target = path.resolve()
    beside = ""
    try:
        status = target.stat()
        if not S_ISREG(status.st_mode):
            raise UsageError(f"{path}: not written: no regular file")
        if not os.access(target, os.W_OK):  # a new file in its place would be allowed even so
            raise PermissionError(EACCES, os.strerror(EACCES))
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".abl-", delete=False) as file:
            beside = file.name
            file.write(text.encode("utf-8"))
        os.chmod(beside, S_IMODE(status.st_mode))
        _give(beside, status)
        os.replace(beside, target)
        beside = ""
    except OSError as error:
        raise UsageError(f"{path}: not written: {error.strerror}") from error
    finally:
        if beside:
            Path(beside).unlink(missing_ok=True)


def _give(name: str, status: os.stat_result) -> None:
    """The new file belongs to whom the old one belonged, where this user may say so."""
    if hasattr(os, "chown") and (status.st_uid, status.st_gid) != (os.getuid(), os.getgid()):
        with suppress(OSError):
            os.chown(name, status.st_uid, status.st_gid)
