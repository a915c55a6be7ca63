"""Keys come in the order in which they are wanted: what is required first, then what usually follows (12 §1)."""

from __future__ import annotations

import pytest

from abl import complete
from tests.abl.editing.completion.measured import measured, share

HEAD = 'AGENT: Desk\nGOAL: "Lend"\n'


def labels(text: str, **others: str) -> list[str]:
    text = HEAD + text
    before, _, after = text.partition("|")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return [item["label"] for item in complete({"d.agent.abl": before + after, **others}, "d.agent.abl", line, column)]


@pytest.mark.thorough
def test_the_word_that_was_written_is_among_the_first_three_at_95_of_100_of_all_places() -> None:
    assert share(measured()) >= 0.95


@pytest.mark.slow
def test_the_word_that_was_written_is_among_the_first_three_at_95_of_100_places() -> None:
    found = measured(sample=300)
    assert share(found) >= 0.95, [(answer.context, answer.typed, answer.first) for answer in found if not answer.right]


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("HANDOFF:\n  - |", {"TO", "WHEN"}),
        ("HANDOFF:\n  - TO: B\n    |", {"WHEN"}),
        ("MEMORY:\n  remember:\n    - |", {"WHEN", "STORE"}),
        ("MEMORY:\n  recall:\n    - |", {"ON"}),
        ("FLOW:\n  steps: [a]\n  a:\n    |", {"REASONING"}),
        ("DELEGATE:\n  - |", {"AGENT", "INPUT", "PURPOSE", "RETURNS", "USE_RESULT", "WHEN"}),
    ],
)
def test_what_is_required_and_not_there_stands_first(text: str, required: set[str]) -> None:
    assert set(labels(text)[: len(required)]) == required


def test_of_what_is_there_nothing_is_missing() -> None:
    assert labels("MEMORY:\n  remember:\n    - WHEN: a IS SET\n      |")[0] == "STORE"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("MEMORY:\n  session:\n    - city\n      |", "TYPE"),
        ("FLOW:\n  steps: [a]\n  a:\n    REASONING: false\n    RESPOND: \"Hello\"\n    |", "THEN"),
        ("FLOW:\n  steps: [a]\n  a:\n    ON_INPUT:\n      - IF: a\n        |", "THEN"),
    ],
)  # fmt: skip
def test_what_usually_follows_is_among_the_first_three(text: str, first: str) -> None:
    assert first in labels(text)[:3]


def test_where_the_project_goes_on_in_its_own_way_that_comes_first() -> None:
    text = "MEMORY:\n  session:\n    - city\n      TYPE: string\n      |"
    usual = labels(text)
    own = "".join(f"    - n{at}\n      TYPE: string\n      RESET: never\n" for at in range(9))
    other = f'AGENT: Other\nGOAL: "g"\nMEMORY:\n  session:\n{own}'
    assert labels(text, **{"o.agent.abl": other}).index("RESET") < usual.index("RESET")


def test_nothing_is_lost_or_offered_twice() -> None:
    found = labels("FLOW:\n  steps: [a]\n  a:\n    |")
    assert len(found) == len(set(found))
    assert {"REASONING", "GATHER", "RESPOND", "CALL", "THEN", "ON_INPUT", "DIGRESSIONS"} <= set(found)
