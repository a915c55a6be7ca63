"""Blanks of Unicode in the indentation count as one space each, and are told once for a text (docs/spec 01 §2)."""

from __future__ import annotations

from abl.analysis import check
from abl.syntax import parse
from abl.syntax.incremental.reparse import reparse
from tests.abl.edits import edits

TEXT = """AGENT: Desk
GOAL: "Lend books"
PERSONA: |
  kind and
    quick
MEMORY:
  session:
    # what is owed
    - fines
      TYPE: number
CONSTRAINTS:
  - REQUIRE fines < 20
    ON_FAIL: "Too much\u00a0is owed."
"""


def odd(blank: str, text: str = TEXT) -> str:
    """The text indented with another blank."""
    return "\n".join(blank * (len(line) - len(line.lstrip(" "))) + line.lstrip(" ") for line in text.split("\n"))


def test_they_are_told_once_and_a_fix_writes_spaces() -> None:
    for blank, words in (("\u00a0", "no-break spaces (U+00A0)"), ("\u2003", "blanks that are no spaces (U+2003)")):
        problems = check({"desk.agent.abl": odd(blank)}).diagnostics
        [problem] = [each for each in problems if each.severity == "error"]
        assert (problem.code, problem.message) == ("ABL108", f"The indentation holds {words}; indent with spaces")
        assert problem.span == (TEXT.index("  session"), TEXT.index("session"))
        [fix] = problem.fixes
        text = odd(blank)
        for edit in reversed(fix.edits):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        assert text == TEXT


def test_what_is_indented_with_them_is_read() -> None:
    agent, same = parse(odd("\u00a0")).agents[0], parse(TEXT).agents[0]
    assert agent.memory is not None
    assert same.memory is not None
    assert agent.memory.session == same.memory.session
    assert agent.constraints == same.constraints


def test_mixed_with_spaces_and_tabs_they_are_told_too() -> None:
    for text in (
        odd("\u00a0", TEXT[:-30]) + TEXT[-30:],
        TEXT.replace("\n    - fines", "\n \u00a0  - fines"),
        TEXT.replace("      TYPE", "\t\u00a0\u00a0TYPE"),
    ):
        assert [d.code for d in check({"desk.agent.abl": text}).diagnostics if d.code == "ABL108"] == ["ABL108"]


def test_in_texts_they_are_as_good_as_others() -> None:
    assert [d.code for d in check({"desk.agent.abl": TEXT}).diagnostics if d.severity == "error"] == []


def test_an_edit_near_them_gives_what_reading_anew_gives() -> None:
    mixed = TEXT.replace("\n    - fines", "\n \u00a0  - fines").replace("      TYPE", "\u00a0     TYPE")
    for whole in (odd("\u00a0"), mixed):
        document = parse(whole)
        for text in edits(whole, 3, 30):
            document = reparse(document, text)
            assert document == parse(text)
