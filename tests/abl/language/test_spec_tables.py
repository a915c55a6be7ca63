"""The tables of docs/spec and the declaration say the same: keys, closed words, defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from abl.language import PLACES, SECTIONS, words_at

SPEC = Path(__file__).resolve().parents[3] / "docs/spec"
_WORD = re.compile(r"`([A-Za-z_]+):?`")
_PLAIN = re.compile(r"`?([A-Za-z0-9_.]+)`?")


class Table(NamedTuple):
    """A table: its file, the heading above it, its column names and its rows of cells."""

    file: str
    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables() -> Iterator[Table]:
    """Every table of the specification."""
    for path in sorted(SPEC.glob("*.md")):
        heading = ""
        lines = path.read_text(encoding="utf-8").splitlines()
        for at, line in enumerate(lines):
            heading = line.lstrip("# ") if line.startswith("#") else heading
            if line.startswith("|") and at + 1 < len(lines) and re.fullmatch(r"\|[-| :]+\|", lines[at + 1]):
                rows = []
                for row in lines[at + 2 :]:
                    if not row.startswith("|"):
                        break
                    rows.append(_cells(row))
                yield Table(path.name[:2], heading, _cells(line), tuple(rows))


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1])


def found(file: str, heading: str, column: str) -> Table:
    """The first table of a section whose first column is called so."""
    return next(
        table
        for table in tables()
        if (table.file, table.columns[0]) == (file, column) and table.heading.startswith(heading)
    )


KEYS = {
    ("03", "2.", "Property"): "session",
    ("03", "3.", "Property"): "persistent",
    ("03", "4.", "Property"): "remember",
    ("03", "5.", "Property"): "recall",
    ("03", "TRANSFORM", "Key"): "transform",
    ("04", "4.", "Property"): "rule",
    ("06", "3.", "Directive"): "step",
    ("06", "5.5", "Key"): "transform",
    ("06", "7.", "Key"): "digression",
    ("07", "2.", "Property"): "field",
    ("07", "8.", "`semantics` key"): "semantics",
    ("09", "5.", "Key"): "handoff",
    ("09", "6.", "Key"): "delegate",
    ("09", "14.", "Key"): "formats",
}
"""Tables of keys, and the place that they are of."""
WORDS = {
    ("03", "2.", "RESET"): ("session", "RESET"),
    ("03", "3.", "Scope"): ("persistent", "SCOPE"),
    ("03", "3.", "ACCESS"): ("persistent", "ACCESS"),
    ("03", "5.", "Action"): ("recall", "ACTION"),
    ("04", "4.", "Severity"): ("rule", "SEVERITY"),
    ("07", "5.", "Strategy"): ("field", "STRATEGY"),
}
"""Tables of the words of a key."""


@pytest.mark.parametrize(("where", "place"), KEYS.items(), ids=str)
def test_every_key_of_a_table_is_declared(where: tuple[str, str, str], place: str) -> None:
    table = found(*where)
    named = [key for row in table.rows for key in _WORD.findall(row[0])]
    assert len(named) > 2
    assert [key for key in named if PLACES[place].key(key) is None] == []


@pytest.mark.parametrize(("where", "place"), KEYS.items(), ids=str)
def test_defaults_of_a_table_are_those_declared(where: tuple[str, str, str], place: str) -> None:
    table = found(*where)
    column = next((at for at, name in enumerate(table.columns) if name == "Default"), None)
    different = []
    for row in table.rows if column is not None else ():
        default = _PLAIN.fullmatch(row[column or 0])
        for name in _WORD.findall(row[0]):
            key = PLACES[place].key(name)
            declared = _PLAIN.fullmatch(key.default) if key is not None else None  # others are sentences
            if default is not None and declared is not None and declared[1] != default[1]:
                different.append((name, default[1], declared[1]))
    assert different == []


@pytest.mark.parametrize(("where", "key"), WORDS.items(), ids=str)
def test_the_words_of_a_table_are_those_declared(where: tuple[str, str, str], key: tuple[str, str]) -> None:
    table = found(*where)
    listed = [word for row in table.rows for word in _WORD.findall(row[0])]
    assert sorted(listed) == sorted(words_at(*key))


def test_every_section_of_the_table_is_declared() -> None:
    table = found("01", "6.", "Keyword")
    named = {name for row in table.rows for name in _WORD.findall(row[0])}
    assert len(named) > 30
    assert named - {"FORMATS"} <= set(SECTIONS)
