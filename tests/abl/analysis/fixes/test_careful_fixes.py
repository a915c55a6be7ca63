"""Fixes that are not offered, or not taken without asking, because they would make things worse (docs/spec 10 §8)."""

from __future__ import annotations

from abl.analysis import check
from abl.diagnostics import Diagnostic
from abl.editing.bulk import fixed

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\n'
SHARED = """\
AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - temp
COMPLETE:
  - WHEN: temp > 3
    RESPOND: "Done."
"""
GIVES = """\
AGENT: Front
GOAL: "Greet"
HANDOFF:
  - TO: Desk
    WHEN: input IS SET
    CONTEXT:
      pass: [temp]
      summary: "Lends"
"""
TAKES = """\
AGENT: Front
GOAL: "Greet"
DELEGATE:
  - AGENT: Desk
    WHEN: input IS SET
    PURPOSE: "p"
    RETURNS: {temp: how_warm}
"""


def _told(code: str, files: dict[str, str]) -> Diagnostic:
    path = next(iter(files))
    return next(one for one in check(files).diagnostics if one.code == code and one.path == path)


def test_of_two_different_values_none_is_taken_out_without_asking() -> None:
    text = HEAD + "MEMORY:\n  session:\n    - loans\n      TYPE: number\n      TYPE: string\n"
    (fix,) = _told("ABL107", {"desk.agent.abl": text}).fixes
    assert (fix.title, fix.preferred) == ("Remove `TYPE`", False)
    assert fixed({"desk.agent.abl": text}, "desk.agent.abl") == text


def test_a_repetition_is_taken_out() -> None:
    text = HEAD + "MEMORY:\n  session:\n    - loans\n      TYPE: number\n      TYPE:   number\n"
    assert _told("ABL107", {"desk.agent.abl": text}).fixes[0].preferred
    assert fixed({"desk.agent.abl": text}, "desk.agent.abl") == text.replace("      TYPE:   number\n", "")


def test_repetitions_of_several_lines_count_as_the_same_only_with_all_of_them() -> None:
    text = """\
MEMORY:
  remember:
    - WHEN: a IS SET
      STORE:
        value: a
        target: user.a
      STORE:
        value: a
        target: user.b
"""
    (fix,) = _told("ABL107", {"desk.agent.abl": text}).fixes
    assert not fix.preferred


def test_a_variable_that_other_agents_give_or_take_is_not_renamed_in_one_of_them() -> None:
    alone = _told("ABL126", {"desk.agent.abl": SHARED})
    given = _told("ABL126", {"desk.agent.abl": SHARED, "front.agent.abl": GIVES})
    taken = _told("ABL126", {"desk.agent.abl": SHARED, "front.agent.abl": TAKES})
    assert [len(one.fixes) for one in (alone, given, taken)] == [1, 0, 0]


def test_what_stands_there_empty_is_not_added_a_second_time() -> None:
    table = """\
ON_START:
  RESPOND: "Loans"
  FORMATS:
    TABLE:
      columns:
      rows:
"""
    assert [one.code for one in check({"desk.agent.abl": HEAD + table}).errors] == ["ABL116", "ABL116"]
    field = HEAD + "GATHER:\n  title:\n    type: string\n    prompt:\n"
    assert [one.code for one in check({"desk.agent.abl": field}).errors] == ["ABL116"]
