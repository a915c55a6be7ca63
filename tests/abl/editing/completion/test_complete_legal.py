"""Completion knows what a declared variable holds, and where a key has no effect (docs/spec 04 §5, 08 §1, 09 §7)."""

from __future__ import annotations

import pytest

from abl.editing.completion.complete import complete

RESULT = """\
AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - book
      TYPE: object
    - kept
      TYPE: object
      INITIAL: {title: "none"}
TOOLS:
  find_book(title: string) -> {id: string, shelf: string}
    description: "Find a book."
FLOW:
  look:
    REASONING: false
    CALL: find_book("Emma") AS book
    CALL: find_book("Emma") AS kept
    RESPOND: "{{NAME.|}}"
    THEN: COMPLETE
"""
FAILS = """\
AGENT: Desk
GOAL: "Lend books"
CONSTRAINTS:
  - REQUIRE tries < 3
    ON_FAIL:
      RULE
      RESPOND: "Too often."
FLOW:
  look:
    REASONING: STEP
    STEP_CONSTRAINTS:
      - REQUIRE tries < 2
        ON_FAIL:
          OF_STEP
          RESPOND: "Too often."
    CHECK: tries < 1
    ON_FAIL:
      OF_CHECK
      THEN: continue
"""
HUMAN = """\
AGENT: Desk
GOAL: "Lend books"
ESCALATE:
  on_human_complete:
    - IF human.done == true: COMPLETE
    - |
"""


def labels(text: str) -> list[str]:
    before, _, after = text.partition("|")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return [item["label"] for item in complete({"desk.agent.abl": before + after}, "desk.agent.abl", line, column)]


def test_a_declared_variable_has_the_fields_of_the_result_that_it_holds() -> None:
    assert labels(RESULT.replace("NAME", "book")) == ["book.id", "book.shelf"]
    assert labels(RESULT.replace("NAME", "kept")) == []


@pytest.mark.parametrize(("word", "is_offered"), [("RULE", False), ("OF_STEP", False), ("OF_CHECK", True)])
def test_set_is_offered_where_a_check_fails_only(word: str, is_offered: bool) -> None:
    text = FAILS.replace(f"{word}\n", "|\n", 1).replace("RULE", "CLEAR: [a]").replace("OF_STEP", "CLEAR: [a]")
    offered = labels(text.replace("OF_CHECK", "CLEAR: [a]"))
    assert "COLLECT" in offered
    assert ("SET" in offered) is is_offered


def test_else_is_offered_when_a_human_is_done() -> None:
    assert "ELSE" in labels(HUMAN)
