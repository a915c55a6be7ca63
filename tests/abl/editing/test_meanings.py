"""Every key of every place has a meaning, and no meaning is left over."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl.analysis.names import SYSTEM_NAMES
from abl.analysis.shapes import SHAPES
from abl.editing.meanings import PLACES, SECTIONS, WORDS, key_meaning, operator_meaning, runtime_meaning
from abl.expressions.lexer import CONSTANTS, KEYWORDS, WORD_OPERATORS
from abl.syntax import vocabulary

_RULES = frozenset(vocabulary.RULE_KINDS)
_BINDINGS = frozenset().union(*vocabulary.BINDING_KEYS.values())


@pytest.mark.parametrize("place", sorted(SHAPES))
def test_the_keys_of_a_place_and_their_meanings_are_the_same(place: str) -> None:
    keys = {vocabulary.canonical_key(key) for key in SHAPES[place] if key != "*"}
    keys |= {"rule": _RULES, "binding": _BINDINGS}.get(place, frozenset())
    assert set(PLACES[place]) == keys


def test_there_are_no_meanings_of_other_places() -> None:
    assert set(PLACES) == set(SHAPES)


def test_every_section_has_a_meaning() -> None:
    assert set(SECTIONS) == vocabulary.SECTIONS


@pytest.mark.parametrize("binding", sorted(vocabulary.BINDING_KEYS))
def test_every_key_of_a_binding_has_a_meaning(binding: str) -> None:
    assert all(key_meaning("tool", key) for key in vocabulary.BINDING_KEYS[binding])


def test_every_operator_literal_and_name_of_the_runtime_has_a_meaning() -> None:
    assert all(operator_meaning(word) for word in (*KEYWORDS, *WORD_OPERATORS, *CONSTANTS))
    assert all(runtime_meaning(name) for name in SYSTEM_NAMES)


def test_meanings_are_one_short_line() -> None:
    every = [*SECTIONS.values(), *WORDS.values(), *(text for texts in PLACES.values() for text in texts.values())]
    assert all(text == text.strip() and "\n" not in text and len(text) <= 120 for text in every)


def test_the_reference_page_tells_every_key() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/reference/keys.md").read_text(encoding="utf-8")
    told = page.split("\n## ")
    for place in (place for place in SHAPES if PLACES[place]):
        part = next(part for part in told if part.startswith(f"{place}\n"))
        keys = {vocabulary.canonical_key(line.split("`")[1]) for line in part.splitlines() if line.startswith("| `")}
        assert keys == set(PLACES[place])
