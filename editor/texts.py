"""Text as it comes from people and programs, made fit to store (docs/spec 01 §2)."""

from __future__ import annotations

import re

from abl.limits import MAX_SOURCE_CHARS
from web.errors import Invalid

MAX_MESSAGE = 300
PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
MAX_PATH = 200
_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str, field: str = "text") -> str:
    """The text, or ``Invalid`` where no database can keep it: too long, NUL, half a surrogate pair."""
    if len(text) > MAX_SOURCE_CHARS:
        raise Invalid(fields={field: f"has {len(text):,} characters; the limit is {MAX_SOURCE_CHARS:,}."})
    at = text.find("\0")
    if at >= 0:
        raise Invalid(fields={field: f"has a NUL character in line {line_of(text, at)}; remove it."})
    half = _SURROGATE.search(text)
    if half:
        raise Invalid(fields={field: f"has half of a surrogate pair in line {line_of(text, half.start())}; remove it."})
    return text


def readable(text: str) -> str:
    """The text with every lone surrogate as U+FFFD: it can be analysed, and offsets stay as they were."""
    try:
        text.encode()  # much faster than a search
    except UnicodeEncodeError:
        return _SURROGATE.sub("�", text)
    return text


def line_of(text: str, offset: int) -> int:
    """1-based line of an offset."""
    return text.count("\n", 0, offset) + 1


def with_line_ends_of(text: str, model: str) -> str:
    """What a browser sent, with the line ends of ``model``: forms send CRLF, the code editor LF."""
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in model else plain


def document_path(path: str) -> str:
    """A path fit for a document, or ``Invalid``."""
    path = path.strip()
    if len(path) > MAX_PATH or not PATH.fullmatch(path):
        raise Invalid(
            fields={
                "path": f"{path[:80]!r} is not a valid document path. Use letters, digits, _ - . and / between names, "
                f"at most {MAX_PATH} characters, such as desk.agent.abl."
            }
        )
    return path
