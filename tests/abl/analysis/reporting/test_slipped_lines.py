"""A line two columns too far to the left gives one problem, where it stands (docs/spec 05 §1, ABL108)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from abl.analysis import check
from tests.abl.fuzz.corpus import ROOT

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


def test_one_line_that_slips_in_an_example_is_one_problem_at_that_line():
    """Each line with a key, two columns or one to the left, or behind a tab; a few mean something else there."""
    slips = [
        (files, path, at, moved)
        for folder in sorted((ROOT / "examples").iterdir())
        for files in [{path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.abl")}]
        for path in sorted(files)
        for at, line in enumerate(files[path].split("\n"))
        if line.startswith("  ") and ":" in line and not line.lstrip().startswith(("#", "-"))
        for moved in (line[2:], line[1:], _with_tab(line))
    ]
    assert len(slips) > 500
    told = [_told(*each) for each in random.Random(7).sample(slips, 90)]
    assert sum(told) >= 0.93 * len(told)


def _with_tab(line):
    """The last blanks before the text are a tab."""
    indent = len(line) - len(line.lstrip())
    return " " * max(indent - 4, 0) + "\t" + line.lstrip()


def _told(files, path, at, moved):
    """True where a slip gives one new problem, at its line, or means the same as before."""
    lines = files[path].split("\n")
    text = "\n".join([*lines[:at], moved, *lines[at + 1 :]])
    before = Counter((d.path, d.code, d.message) for d in check(files).diagnostics)
    new = []
    for each in check({**files, path: text}).diagnostics:
        before[each.path, each.code, each.message] -= 1
        if before[each.path, each.code, each.message] < 0:
            new.append((each.path, text[: each.span.start].count("\n")))
    return new in ([], [(path, at)])


FIRST = """\
AGENT: Desk
GOAL: "Lend"
FLOW:
  entry_point: ask
  steps: [ask, done]
  ask:
    REASONING: false
    GATHER:
      - city: required
        prompt: "City?"
    THEN: done
  done:
    REASONING: false
    RESPOND: "Thanks, {{city}}."
    THEN: COMPLETE
"""


@pytest.mark.parametrize(
    ("written", "slipped"),
    [
        ("    REASONING: false\n    GATHER", "  REASONING: false\n    GATHER"),
        ("    REASONING: false\n    RESPOND", "\tREASONING: false\n    RESPOND"),
        ("  entry_point: ask", "entry_point: ask"),
        ("  steps: [ask", "\t\tsteps: [ask"),
        ("  ask:\n", "ask:\n"),
        ("  done:\n", " done:\n"),
    ],
)
def test_a_first_line_that_slips_is_told_at_its_place(written, slipped):
    assert FIRST.count(written) == 1
    text = FIRST.replace(written, slipped)
    [problem] = check({"a.agent.abl": text}).diagnostics
    line = FIRST[: FIRST.index(written)].count("\n")
    assert text[: problem.span.start].count("\n") == line
