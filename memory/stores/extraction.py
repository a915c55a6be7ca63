"""The text of an uploaded file, read in a separate process that has little memory, little time and no right to write
files.

``extract`` starts this file as a program (``python extraction.py pdf|docx``): the document on standard input, JSON with
``text`` and ``problem`` on standard output. A document made to exhaust its reader can only end that process.
"""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import zipfile
from typing import Any

SECONDS = 20
"""Seconds for one document; half of them as processor time."""
MEMORY = 1024**3
PAGES = 300
CHARACTERS = 500_000
UNPACKED = 64 * 1024**2
MEMBERS = 5_000
RATIO = 200
"""A part of a package that unpacks to more than this many times its size is a bomb."""


def extract(kind: str, data: bytes, *, seconds: float = SECONDS) -> tuple[str | None, str]:
    """Text of a ``pdf`` or ``docx`` and what was wrong (""; a text that was cut has both).

    Never raises for a document, however broken.
    """
    command = [sys.executable, "-I", "-B", __file__, kind]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=seconds, check=False, env={})
        answer = json.loads(done.stdout)
        return answer["text"], answer["problem"]
    except subprocess.TimeoutExpired:
        return None, f"the text could not be read within {seconds:g} seconds"
    except (ValueError, KeyError, TypeError, OSError):
        return None, "the text could not be read: the document needs too much memory or time"


def cut(text: str) -> tuple[str, str]:
    """The text within bounds and what to say when it was longer."""
    if len(text) <= CHARACTERS:
        return text, ""
    return text[:CHARACTERS], f"only the first {CHARACTERS:,} characters are kept"


def read_pdf(data: bytes) -> tuple[str | None, str]:
    """Text of the first pages of a PDF, a blank line between two."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return None, "the PDF is password-protected"
        pages: list[str] = []
        length = 0
        for number, page in enumerate(reader.pages):
            if number == PAGES or length > CHARACTERS:
                text, problem = cut("\n\n".join(pages))
                return text, problem or f"only the first {PAGES} pages are read"
            pages.append(page.extract_text().strip())
            length += len(pages[-1])
    except MemoryError:
        return None, "the PDF needs too much memory"
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        return None, f"the PDF could not be read ({type(error).__name__})"
    return cut("\n\n".join(pages))


def read_docx(data: bytes) -> tuple[str | None, str]:
    """Paragraphs and tables of a DOCX in order; cells with tabs between."""
    from docx import Document
    from docx.table import Table

    try:
        problem = bomb_in(data)
        if problem:
            return None, problem
        lines: list[str] = []
        for item in Document(io.BytesIO(data)).iter_inner_content():
            if isinstance(item, Table):
                lines += ["\t".join(cell.text for cell in row.cells) for row in item.rows]
            else:
                lines.append(item.text)
    except MemoryError:
        return None, "the document needs too much memory"
    except Exception as error:
        return None, f"the document could not be read ({type(error).__name__})"
    return cut("\n".join(lines))


def bomb_in(data: bytes) -> str:
    """Why a package is not unpacked; "" for one that may be. Its directory binds what can come out of it."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = package.infolist()
    size = sum(part.file_size for part in parts)
    if len(parts) > MEMBERS or size > UNPACKED:
        return f"the document unpacks to {len(parts):,} parts of {size:,} bytes; that is too much"
    if any(part.file_size > RATIO * max(part.compress_size, 1024) for part in parts):
        return "the document holds a part that unpacks to far more than its size"
    return ""


def main() -> None:
    """Bound this process, read, print."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS // 2, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    readers: dict[str, Any] = {"pdf": read_pdf, "docx": read_docx}
    text, problem = readers[sys.argv[1]](sys.stdin.buffer.read())
    sys.stdout.write(json.dumps({"text": text, "problem": problem}))


if __name__ == "__main__":
    main()
