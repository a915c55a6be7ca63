"""One root cause, one diagnostic: what follows from a misspelt word is not told beside it (docs/spec 05 §1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abl.analysis import check
from tests.every import every
from tests.reading import read_yaml

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "consequences.yaml")


def told(text: str) -> list[str]:
    return [d.code for d in check({"desk.agent.abl": text}).diagnostics if d.severity in ("error", "warning")]


def misspelt(case: dict[str, Any]) -> str:
    text: str = case["source"]
    assert text.count(case["right"]) >= 1
    return text.replace(case["right"], case["wrong"], 1)


@every((case["name"], (case,)) for case in CASES)
def test_a_misspelt_word_is_told_once(case: dict[str, Any]) -> None:
    assert (told(case["source"]), told(misspelt(case))) == (case.get("before", []), case["told"])


TRIGGER = """AGENT: Desk
GOAL: "Lend books"
MEMORY:
  persistent:
    - user.turns
  remember:
    - STORE: turn_count -> user.turns
      # {comment}
      WEHN: turn_count > 9
"""


def test_what_follows_from_something_that_is_not_told_is_told() -> None:
    assert told(TRIGGER.format(comment="soon")) == ["ABL106"]
    assert told(TRIGGER.format(comment="abl-ignore ABL106")) == ["ABL340"]
    report = check({"desk.agent.abl": TRIGGER.format(comment="soon")}, ignore=["ABL106"])
    assert [d.code for d in report.errors] == ["ABL340"]


def test_an_error_does_not_follow_from_a_warning() -> None:
    text = """AGENT: Desk
GOAL: "Lend books"
ESCALATE:
  triggers:
    - WHEN: turn_count > 9
  routing:
    - id: money
      whne: turn_count > 20
      queue: cashiers
    - id: others
      queue: desk
"""
    assert sorted(told(text)) == ["ABL927", "ABL947"]
