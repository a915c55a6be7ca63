"""Rules are compared one by one only where one may exclude another; that finds the same contradictions (04 §8)."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest

from abl.analysis import check
from abl.analysis.conditions.rulebook import Rulebook
from abl.analysis.index.documents import forget_documents

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\nMEMORY:\n  session:\n    - fines\n    - loans\nCONSTRAINTS:\n'
KINDS = ("REQUIRE", "LIMIT", "RESTRICT")
TESTS = ("<", "<=", ">", ">=", "==", "!=")


def a_text(seed: int) -> str:
    """Rules over two names, of which some exclude others."""
    chance = random.Random(seed)
    lines = [HEAD]
    for _ in range(chance.randint(2, 8)):
        parts = [
            f"{chance.choice(('fines', 'fines', 'loans'))} {chance.choice(TESTS)} {chance.randint(0, 6)}"
            for _ in range(chance.choice((1, 1, 1, 2)))
        ]
        lines.append(f'  - {chance.choice(KINDS)} {" AND ".join(parts)}\n    ON_FAIL: "No."\n')
    return "".join(lines)


def contradictions(text: str) -> list[str]:
    forget_documents()
    return [d.message for d in check({"desk.agent.abl": text}, select=["ABL438"]).diagnostics]


@pytest.mark.full
def test_the_same_rules_contradict_each_other_as_when_all_are_compared() -> None:
    found = 0
    for seed in range(150):
        text = a_text(seed)
        quick = contradictions(text)
        with patch.object(Rulebook, "_may_exclude", lambda self, entry: True):
            assert contradictions(text) == quick, text
        found += len(quick)
    assert found > 30


def test_rules_that_cannot_exclude_each_other_are_not_compared() -> None:
    rules = "".join(f'  - LIMIT fines < {number}\n    ON_FAIL: "No."\n' for number in range(2, 60))
    compared = 0
    known = Rulebook._related

    def counted(self, *given):
        nonlocal compared
        for other in known(self, *given):
            compared += len(given) == 1  # for what the rule excludes
            yield other

    with patch.object(Rulebook, "_related", counted):
        contradictions(HEAD + rules)
    assert compared == 0
