"""The fix of a finding makes it go away and leaves the rest of the text alone."""

from __future__ import annotations

import pytest

from abl.diagnostics import Fix
from abl.syntax import parse

CASES = {
    "ABL103": "AGENT: A\nMEMROY:\n  session:\n    - a\n",
    "ABL104": "AGENT: A\nmemory:\n  session:\n    - a\n",
    "ABL105": "AGENT: A\nMEMORY:\n  session:\n    - a\nGOAL: x\nMEMORY:\n  session:\n    - b\n",
    "ABL106": "MEMORY:\n  session:\n    - a\n      TPYE: number\n",
    "ABL107": "MEMORY:\n  session:\n    - a\n      TYPE: number\n      TYPE: string\n    - b\n",
    "ABL108": "MEMORY:\n  session:\n    - a\n   - b\n",
    "ABL109": "MEMORY:\n  session:\n\t- a\n",
    "ABL110": "MEMORY\n  session:\n    - a\n",
    "ABL111": 'RESPOND: "open\nTHEN: a\n',
    "ABL112": "MEMORY:\n  recall:\n    - PATHS: [a, b\n      ON: x\n",
    "ABL113": "MEMORY:\n  session:\n    - a  # note\n",
    "ABL114": "// note\nMEMORY:\n  session:\n    - a\n",
    "ABL115": "MEMORY:\n  session:\n    a\n",
    "ABL116": "MEMORY:\n  session:\n    - a\n      TYPE:\n    - b\n",
    "ABL117": "MEMORY:\n  session:\n    - my-name\n",
    "ABL119": "AGENT: A\nMODE: flow\nGOAL: x\n",
    "ABL123": "MEMORY:\n  session:\n    - a\n      type: number\n",
    "ABL127": "MEMORY:\n  sesion:\n    - a\n",
    "ABL203": "- REQUIRE a when b\n",
    "ABL342": "MEMORY:\n  remember:\n    - STORE: a\n",
    "ABL386": "TRANSFORM:\n  SOURCE: rows\n",
    "ABL401": "- REQIRE a == 1\n- REQUIRE b\n",
    "ABL405": "- REQUIRE a\n  ON_FAIL:\n",
    "ABL433": "- REQUIRE a WHEN b\n  WHEN: c\n",
}


def apply(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@pytest.mark.parametrize("code", CASES)
def test_applying_the_first_fix_removes_the_finding_and_adds_none(code: str) -> None:
    text = CASES[code]
    before = parse(text).findings
    finding = next(f for f in before if f.code == code)
    after = parse(apply(text, finding.fixes[0])).findings
    assert len(after) < len(before)
    assert {f.code for f in after} <= {f.code for f in before}


def test_the_comment_moves_to_a_line_of_its_own() -> None:
    text = "MEMORY:\n  session:\n    - a  # note\n"
    assert apply(text, parse(text).findings[0].fixes[0]) == "MEMORY:\n  session:\n    # note\n    - a\n"


def test_the_entries_of_a_repeated_section_move_into_the_first() -> None:
    fixed = apply(CASES["ABL105"], parse(CASES["ABL105"]).findings[0].fixes[0])
    assert fixed == "AGENT: A\nMEMORY:\n  session:\n    - a\n    - b\nGOAL: x\n"


def test_what_stands_in_one_of_the_two_sections_alone_moves_behind_the_rest() -> None:
    text = """\
AGENT: A
MEMORY:
  session:
    - a
MEMORY:
  # for later
  persistent:
    - user.b
      SCOPE: user
  # for now
  session:
    # the third
    - c
"""
    fixed = apply(text, parse(text).findings[0].fixes[0])
    assert (
        fixed
        == """\
AGENT: A
MEMORY:
  session:
    - a
  # for now
    # the third
    - c
  # for later
  persistent:
    - user.b
      SCOPE: user
"""
    )


def test_two_gates_are_joined_with_and() -> None:
    fixed = apply(CASES["ABL433"], parse(CASES["ABL433"]).findings[0].fixes[0])
    assert fixed == "- REQUIRE a\n  WHEN: (b) AND (c)\n"


def test_a_fix_is_preferred_only_when_there_is_no_choice() -> None:
    (unique,) = parse("MEMORY:\n  session:\n    - a\n      RESTE: never\n").findings
    assert [fix.preferred for fix in unique.fixes if "Change" in fix.title] == [True]


@pytest.mark.parametrize(("written", "offered"), [("user.a-b", ["user.a_b"]), ("user..c", ["user.c"]), ("user.", [])])
def test_a_path_stays_a_path_when_its_name_is_mended(written: str, offered: list[str]) -> None:
    found = next(f for f in parse(f"MEMORY:\n  persistent:\n    - {written}\n").findings if f.code == "ABL117")
    assert [fix.edits[0].text for fix in found.fixes] == offered


def test_a_parenthesis_is_closed_behind_the_last_parameter() -> None:
    text = "TOOLS:\n  find(title: string -> {id: string}\n"
    found = next(f for f in parse(text).findings if f.code == "ABL112")
    assert apply(text, found.fixes[0]) == "TOOLS:\n  find(title: string) -> {id: string}\n"
