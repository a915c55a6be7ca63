"""Documents of every kind that tests upload, made here and as small as they can be."""

from __future__ import annotations

import io
import zipfile

from docx import Document
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def pdf(*pages, password="", times=1, stream=None):
    """A PDF with a text on each page, drawn ``times`` times; or with one page of a given content ``stream``."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages if stream is None else [""]:
        page = writer.add_blank_page(200, 200)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        drawn = DecodedStreamObject()
        drawn.set_data(stream or f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET\n".encode() * times)
        page[NameObject("/Contents")] = writer._add_object(drawn.flate_encode())
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(*lines, table=(), bomb=0):
    """A DOCX with paragraphs and a table; ``bomb`` adds a part of so many zeros."""
    document = Document()
    for line in lines:
        document.add_paragraph(line)
    if table:
        made = document.add_table(rows=len(table), cols=len(table[0]))
        for row, texts in zip(made.rows, table, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    out = io.BytesIO()
    document.save(out)
    if bomb:
        with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
            package.writestr("word/media/bomb.bin", bytes(bomb))
    return out.getvalue()


def zipped(parts):
    """An archive of names and bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return out.getvalue()


def office(part, extra=None):
    """An Office package that holds nothing but what says its kind."""
    return zipped({"[Content_Types].xml": b"<Types/>", part: b"<x/>", **(extra or {})})
