"""What the table of places closes is told: a key that a place does not know.

Each key of each place in the corpus is misspelt once; somebody has to tell of it, the rules of the table or a rule of
its own. What a key does not take is tried in tests/abl/language.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abl import parse
from abl.analysis.check import check
from abl.analysis.conformance.value_walk import Stood, below, properties
from abl.language import PLACES
from abl.source import Span
from abl.syntax.vocabulary import canonical_key, words
from tests.abl.syntax.test_corpus import cases

PATH = "desk.agent.abl"
NAMED = words("flow gather rules template intents on_error lookup tools parameter")
"""Places where a key may be a name of the author's."""


def in_corpus() -> Iterator[tuple[str, Stood]]:
    """The first property of each place and key that the table of places reaches, with its text."""
    seen = set()
    for case in cases():
        source = str(case.values[0])
        document = parse(source, PATH)
        for whole in (*document.agents, *document.fragments):
            for section in whole.sections:
                for stood in properties(below(document.source, section.keyword, section.block)):
                    key = stood.place, canonical_key(stood.block.key)
                    if stood.listed and key not in seen:
                        seen.add(key)
                        yield source, stood


@pytest.fixture(scope="module")
def stand() -> list[tuple[str, Stood]]:
    found = list(in_corpus())
    assert len(found) > 400
    return found


def told(text: str, span: Span, word: str) -> bool:
    changed = text[: span.start] + word + text[span.end :]
    return any(
        problem.span.start <= span.start < problem.span.end and problem.severity in ("error", "warning")
        for problem in check({PATH: changed}).diagnostics
    )


def _names_entry(stood: Stood) -> bool:
    """True for `- name: find`, where any other key is taken for the name."""
    return stood.place == "tool" and stood.block.key.lower() == "name"


@pytest.mark.slow
def test_a_misspelt_key_is_told(stand: list[tuple[str, Stood]]) -> None:
    silent = {
        f"{stood.place}.{stood.block.key}"
        for text, stood in stand
        if not PLACES[stood.place].free
        and stood.place not in NAMED
        and not _names_entry(stood)
        and not told(text, stood.block.key_span, f"{stood.block.key}xq")
    }
    assert not silent, " ".join(sorted(silent))


@pytest.mark.full
def test_no_word_of_the_corpus_is_unknown() -> None:
    found = {
        (problem.code, problem.message)
        for case in cases()
        if "[" not in str(case.id)
        for problem in check({PATH: str(case.values[0])}).diagnostics
        if problem.code == "ABL945"
    }
    assert found == set()
