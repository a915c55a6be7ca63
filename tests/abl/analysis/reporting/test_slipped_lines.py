"""A line two columns too far to the left gives one problem, where it stands (docs/spec 05 §1, ABL108)."""

from __future__ import annotations

import pytest

from abl.analysis import check

AGENT = """\
AGENT: Desk
GOAL: "Lend"
MEMORY:
  session:
    - NAME: city
      TYPE: string
      INITIAL: "x"
  persistent:
    - PATH: user.name
      SCOPE: user
      ACCESS: readwrite
  remember:
    - WHEN: city == "y"
      STORE: city -> user.name
      TTL: 30d
CONSTRAINTS:
  - LIMIT count <= 3
    WHEN: city IS SET
    ON_FAIL: "No"
GATHER:
  count:
    type: number
    prompt: "How many?"
HANDOFF:
  - TO: Other
    WHEN: city == "x"
    CONTEXT:
      summary: "s"
      pass: [city]
    EXPECT_RETURN: true
FLOW:
  entry_point: a
  a:
    REASONING: false
    RESPOND: "Hi {{city}}"
    ON_INPUT:
      - IF: input == "x"
        RESPOND: "Y"
        THEN: COMPLETE
      - ELSE:
        RESPOND: "Z"
"""
LINES = AGENT.splitlines()
SLIPPED = [6, 10, 14, 18, 26, 27, 38]


def problems(text):
    files = {"desk.agent.abl": text, "other.agent.abl": 'AGENT: Other\nGOAL: "g"\n'}
    return [d for d in check(files).diagnostics if d.path == "desk.agent.abl"]


KNOWN = {(d.code, d.message) for d in problems(AGENT)}


@pytest.mark.parametrize("number", SLIPPED)
def test_one_property_in_the_column_of_the_dash_is_told_once(number):
    slipped = "\n".join([*LINES[: number - 1], LINES[number - 1][2:], *LINES[number:]]) + "\n"
    new = [d for d in problems(slipped) if (d.code, d.message) not in KNOWN]
    assert [d.code for d in new] == ["ABL108"]
    assert slipped[: new[0].span.start].count("\n") == number - 1
    assert len({fix.title for fix in new[0].fixes}) == len(new[0].fixes)


def test_many_lines_that_miss_the_column_of_one_with_a_tab_are_told_once():
    tabbed = AGENT.replace("    REASONING: false", "\t\tREASONING: false")
    new = [d for d in problems(tabbed) if (d.code, d.message) not in KNOWN]
    assert [d.code for d in new] == ["ABL108"]
    assert tabbed[: new[0].span.start].count("\n") == tabbed[: tabbed.index("\t\tREASONING")].count("\n")
