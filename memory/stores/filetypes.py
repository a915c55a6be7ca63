"""The type of a file, by its bytes and never by its name (docs/spec 11 §2).

Among texts, which all look alike, the name may choose: a text called ``.csv`` is a table when it reads as one.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

from web.api.parsers import json_value

NAME_LENGTH = 150
TEXT_PROBE = 4096
OPC = "application/vnd.openxmlformats-officedocument"
ALLOWED = "PDF, DOCX, TXT, JSON, CSV, XLS, XLSX, PPT, PPTX, HTML, PNG, JPG, GIF"


@dataclass(frozen=True, slots=True)
class FileType:
    """A kind of file that is taken. ``extracted``: its text is read."""

    name: str
    mimetype: str
    endings: tuple[str, ...]
    extracted: bool = False


PDF = FileType("PDF", "application/pdf", ("pdf",), True)
DOCX = FileType("DOCX", f"{OPC}.wordprocessingml.document", ("docx",), True)
XLSX = FileType("XLSX", f"{OPC}.spreadsheetml.sheet", ("xlsx",))
PPTX = FileType("PPTX", f"{OPC}.presentationml.presentation", ("pptx",))
XLS = FileType("XLS", "application/vnd.ms-excel", ("xls",))
PPT = FileType("PPT", "application/vnd.ms-powerpoint", ("ppt",))
PNG = FileType("PNG", "image/png", ("png",))
JPG = FileType("JPG", "image/jpeg", ("jpg", "jpeg"))
GIF = FileType("GIF", "image/gif", ("gif",))
HTML = FileType("HTML", "text/html", ("html", "htm"))
CSV = FileType("CSV", "text/csv", ("csv",))
JSON = FileType("JSON", "application/json", ("json",), True)
TXT = FileType("TXT", "text/plain", ("txt", "text", "log", "md"), True)

SIGNATURES: tuple[tuple[bytes, FileType], ...] = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
)
ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PACKAGES = (("word/document.xml", DOCX), ("xl/workbook.xml", XLSX), ("ppt/presentation.xml", PPTX))
STREAMS = (("Workbook", XLS), ("Book", XLS), ("PowerPoint Document", PPT))
_HTML = re.compile(
    r"(?is)\s*+(?:<!--(?:(?!-->).)*+-->\s*+|<\?xml[^>]*+>\s*+)*+<(?:!doctype\s+html|html|head|body|script|svg|iframe)\b"
)
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)")


def type_of(data: bytes, name: str = "") -> FileType | None:
    """The type of a file, None for one that is not taken."""
    for signature, kind in SIGNATURES:
        if data.startswith(signature):
            return kind
    if data.startswith(ZIP):
        return _package(data)
    if data.startswith(OLE):
        # The names of streams lie in the file as they are, in UTF-16.
        return next((kind for stream, kind in STREAMS if f"{stream}\0".encode("utf-16-le") in data), None)
    text = text_of(data)
    return _text_type(text, name) if text is not None else None


def _package(data: bytes) -> FileType | None:
    """The kind of an Office package; None for any other archive and for one with macros."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = set(package.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return None
    if "[Content_Types].xml" not in names or any(name.endswith("vbaProject.bin") for name in names):
        return None
    return next((kind for part, kind in PACKAGES if part in names), None)


def text_of(data: bytes) -> str | None:
    """The text of a file in UTF-8, or in UTF-16 with its mark; None when it is none."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _NO_TEXT.search(text) else text


def _text_type(text: str, name: str) -> FileType:
    """Which kind of text. What a browser could take for a page is HTML, whatever it is called."""
    ending = ending_of(name)
    if _HTML.match(text[:TEXT_PROBE]) or ending in HTML.endings:
        return HTML
    if text.lstrip()[:1] in ("{", "[") or ending == "json":
        try:
            json_value(text, repeated=True)
            return JSON
        except ValueError:
            pass
    return CSV if ending == "csv" and _is_table(text) else TXT


def _is_table(text: str) -> bool:
    try:
        return any(True for _ in csv.reader(io.StringIO(text[:TEXT_PROBE]), csv.Sniffer().sniff(text[:TEXT_PROBE])))
    except csv.Error:
        return False


def ending_of(name: str) -> str:
    """What follows the last dot of a name, in small letters; "" for nothing."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def clean_name(name: str, kind: FileType) -> str:
    """A file name without folders, control characters or tricks of direction, that ends as its type does."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    seen = "".join(_visible(last)).strip(" .")
    seen = re.sub(r'[<>:"|?*]', "_", seen)
    if _RESERVED.match(seen):
        seen = f"_{seen}"
    ending = kind.endings[0] if ending_of(seen) not in kind.endings or "." not in seen else ""
    if not ending:
        stem, _, ending = seen.rpartition(".")
        return f"{stem[: NAME_LENGTH - len(ending) - 1] or 'file'}.{ending}"
    return f"{seen[: NAME_LENGTH - len(ending) - 1] or 'file'}.{ending}"


def _visible(text: str) -> Iterable[str]:
    """Characters but controls, format marks (among them those that turn the direction) and half pairs."""
    return (char for char in text if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
