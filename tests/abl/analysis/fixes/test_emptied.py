"""A fix that removes the last entry of a block removes what would be empty, and says so; a chain keeps its way."""

from __future__ import annotations

from abl.analysis import check
from abl.diagnostics import Fix
from abl.editing.bulk import fixed
from abl.runtime import Session

PATH = "desk.agent.abl"
CHAIN = """AGENT: Desk
GOAL: "x"
FLOW:
  a -> b
  a:
    REASONING: false
    RESPOND: "x"
  b:
    REASONING: false
    GATHER: q
  c:
    REASONING: false
    RESPOND: "{{q}}"
    THEN: COMPLETE
"""


def fixes_of(text: str, code: str) -> list[Fix]:
    return [fix for problem in check({PATH: text}, select=[code]).diagnostics for fix in problem.fixes]


def done(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def said(text: str) -> list[tuple[object, bool]]:
    run = Session({PATH: text})
    return [(turn.replies, turn.ended) for turn in (run.start(), run.say("hello"))]


def test_the_canonical_shape_of_a_chain_says_the_same() -> None:
    (fix,) = fixes_of(CHAIN, "ABL651")
    assert said(CHAIN)[1][0] == ["hello"]
    assert said(done(CHAIN, fix)) == said(CHAIN)
    assert fixed({PATH: CHAIN}, PATH) != CHAIN
    assert said(fixed({PATH: CHAIN}, PATH)) == said(CHAIN)


def test_a_step_without_an_exit_is_not_added_to_a_chain_that_would_lead_it_on() -> None:
    text = CHAIN.replace('    RESPOND: "{{q}}"\n    THEN: COMPLETE\n', '    RESPOND: "{{q}}"\n') + (
        '  d:\n    REASONING: false\n    RESPOND: "more"\n    THEN: COMPLETE\n'
    )
    assert [fix.title for fix in fixes_of(text, "ABL505")] == ["Add `d` to `steps`"]


def test_the_title_names_what_goes_with_the_last_entry_and_no_error_is_left() -> None:
    text = 'SUPERVISOR: Desk\nGOAL: "x"\nBEHAVIOR:\n  forbiddenActions: [refund]\nHANDOFF:\n  - TO: A\n    WHEN: true\n'
    fix = next(fix for fix in fixes_of(text, "ABL907") if fix.title.startswith("Remove"))
    assert fix.title == "Remove `forbiddenActions` and the empty `BEHAVIOR`"
    assert done(text, fix) == 'SUPERVISOR: Desk\nGOAL: "x"\nHANDOFF:\n  - TO: A\n    WHEN: true\n'


def test_nothing_removes_a_whole_document() -> None:
    assert fixes_of("MEMORY:\n  session:\n", "ABL116") == []
