"""Every key of every place has a meaning, and no meaning is left over."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl.analysis.index.names import SYSTEM_NAMES
from abl.editing.meanings import operator_meaning, runtime_meaning
from abl.expressions.lexer import CONSTANTS, KEYWORDS, WORD_OPERATORS
from abl.language import PLACES, SECTIONS, key_meaning
from abl.syntax import vocabulary

_EVERY = [(place.name, key) for place in PLACES.values() for key in place.listed]


def test_every_key_that_is_offered_has_a_meaning() -> None:
    assert [(place, key.name) for place, key in _EVERY if key.offered and not key.doc] == []


def test_every_section_has_a_meaning() -> None:
    assert set(SECTIONS) == vocabulary.SECTIONS
    assert all(section.doc for section in SECTIONS.values())


@pytest.mark.parametrize("binding", sorted(vocabulary.BINDING_KEYS))
def test_every_key_of_a_binding_has_a_meaning(binding: str) -> None:
    assert all(key_meaning("tool", key) for key in vocabulary.BINDING_KEYS[binding])


def test_every_operator_literal_and_name_of_the_runtime_has_a_meaning() -> None:
    assert all(operator_meaning(word) for word in (*KEYWORDS, *WORD_OPERATORS, *CONSTANTS))
    assert all(runtime_meaning(name) for name in SYSTEM_NAMES)


def test_meanings_are_one_short_line() -> None:
    keys = [*SECTIONS.values(), *(key for _, key in _EVERY)]
    every = [*(key.meaning for key in keys), *(meaning for key in keys for meaning in key.type.words.values())]
    assert all(text == text.strip() and "\n" not in text and len(text) <= 120 for text in every)


def test_the_reference_page_tells_every_key() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/reference/keys.md").read_text(encoding="utf-8")
    told = page.split("\n## ")
    for place in (place for place in PLACES.values() if any(key.doc for key in place.listed)):
        part = next(part for part in told if part.startswith(f"{place.name}\n"))
        keys = {line.split("`")[1].upper() for line in part.splitlines() if line.startswith("| `")}
        assert keys == {key.name.upper() for key in place.listed if key.doc}
