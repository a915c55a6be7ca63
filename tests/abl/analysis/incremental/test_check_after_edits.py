"""A check after an edit, which builds on the last one, says what a check from scratch says (docs/spec 05 §1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from abl.analysis import check
from abl.analysis.incremental.parts import Placed
from abl.analysis.incremental.segments import _AgentCheck
from abl.analysis.index.documents import document_index, forget_documents
from tests.abl.edits import EXAMPLES, SHOWN, edits, generated

TEXTS = [*EXAMPLES, SHOWN, generated(5)]
BESIDE = {"beside.agent.abl": EXAMPLES[0]}


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_diagnostics_after_edits_are_those_of_a_check_from_scratch(number: int) -> None:
    versions = [text for seed in range(3) for text in edits(TEXTS[number], seed, 8)]
    forget_documents()
    warm = [check({"desk.agent.abl": text, **BESIDE}).diagnostics for text in versions]
    for text, diagnostics in zip(versions, warm, strict=True):
        forget_documents()
        assert diagnostics == check({"desk.agent.abl": text, **BESIDE}).diagnostics


@pytest.mark.parametrize("slip", [("TYPE: number", "TYP: number"), ("CHECK:", "CHEKC:"), ("\nFLOW:", "\nFLWO:")])
def test_with_a_misspelt_key_too(slip: tuple[str, str]) -> None:
    texts = list(edits(generated(4).replace(*slip, 1), 1, 6))
    forget_documents()
    warm = [check({"desk.agent.abl": text}).diagnostics for text in texts]
    for text, diagnostics in zip(texts, warm, strict=True):
        forget_documents()
        assert diagnostics == check({"desk.agent.abl": text}).diagnostics


def test_an_edit_beside_a_misspelt_key_is_not_looked_for_in_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = generated(40).replace("REASONING: false", "REASONNG: false", 1)
    looks: list[object] = []
    look = _AgentCheck.look

    def counted(looking: _AgentCheck, placed: Placed) -> Iterator[Any]:
        looks.append(placed)
        return look(looking, placed)

    monkeypatch.setattr(_AgentCheck, "look", counted)
    forget_documents()
    check({"desk.agent.abl": text})
    whole = len(looks)
    for number in range(3):
        looks.clear()
        check({"desk.agent.abl": text.replace("CHECK: total < 2\n", f"CHECK: total < 2{number}\n")})
    assert len(looks) < whole / 3


def test_a_renamed_variable_is_missed_by_what_was_not_edited() -> None:
    text = generated(3)
    assert "days_2" not in missing(text)
    assert missing(text.replace("- days_2 ", "- dais_2 ")).count("days_2") >= 2


def missing(text: str) -> list[str]:
    """The names that ABL214 says are not declared."""
    found = check({"a.abl": text}).diagnostics
    return [d.message.split("`")[1] for d in found if d.code == "ABL214"]


@pytest.mark.full
def test_a_changed_type_is_seen_by_expressions_that_were_not_edited() -> None:
    text = generated(3)
    of_numbers = {d.code for d in check({"a.abl": text}).diagnostics}
    of_texts = {d.code for d in check({"a.abl": text.replace("TYPE: number", "TYPE: boolean")}).diagnostics}
    assert of_texts - of_numbers


def test_only_some_versions_of_a_document_are_remembered() -> None:
    texts = [f'AGENT: A\nGOAL: "{n}"\n' for n in range(9)]
    first = document_index("kept.abl", texts[0])
    assert document_index("kept.abl", texts[0]) is first
    for text in texts[1:]:
        document_index("kept.abl", text)
    assert document_index("kept.abl", texts[0]) is not first
