"""A rename leaves nothing behind in silence: where the word means something else, that is told."""

from __future__ import annotations

import pytest

import abl
from tests.abl.editing.desk import FILES
from tests.abl.editing.test_rename import at


def test_where_the_word_means_something_else_is_told() -> None:
    text = (
        'AGENT: A\nGOAL: "loans"\n# loans\nMEMORY:\n  session:\n    - loans\n    - rows\nFLOW:\n  s:\n'
        "    REASONING: false\n    SET: rows = [{loans: loans}]\n    TRANSFORM: rows AS row INTO kept\n"
        '      FILTER: row.loans > loans\n      SORT_BY: loans\n    RESPOND: "loans {{loans}}"\n    THEN: COMPLETE\n'
    )
    files = {"a.agent.abl": text}
    answer = abl.rename(files, *at("a.agent.abl", "    - lo|ans\n", files), "books")
    assert [(place["path"], place["range"]["start"]["line"]) for place in answer["left"]] == [("a.agent.abl", 14)]
    assert abl.rename(FILES, *at("desk.agent.abl", "steps: [gr|eet", FILES), "hello")["left"] == []


PROSE = """\
AGENT: A
GOAL: "Count open_loans and `loans`"  # open_loans
PERSONA: says open_loans, user.branch, loanCap and loans
INSTRUCTIONS: |
  Never tell open_loans or {{open_loans}}.
MEMORY:
  session:
    - open_loans
    - loans
    - loanCap
    - kind
  persistent:
    - user.branch
CONSTRAINTS:
  - REQUIRE loans < 5 AND kind != "open_loans"
    ON_FAIL: "More than loanCap: {{open_loans}} open_loans"
"""


@pytest.mark.parametrize(
    ("mark", "lines"),
    [
        ("    - open_|loans\n", [2, 2, 3, 5, 16]),
        ("    - lo|ans\n", [2]),
        ("    - loan|Cap\n", [3, 16]),
        ("    - user|.branch\n", [3]),
        ("    - ki|nd\n", []),
    ],
)
def test_where_a_text_still_says_the_word_is_told(mark: str, lines: list[int]) -> None:
    files = {"a.agent.abl": PROSE}
    place = at("a.agent.abl", mark, files)
    answer = abl.rename(files, *place, "user.new_name" if "user" in mark else "new_name")
    assert answer["refused"] is None
    assert [left["range"]["start"]["line"] for left in answer["left"]] == lines
