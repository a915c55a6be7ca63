"""Fixes that declare what is named and not there (docs/spec 10 §1.1: ABL507, ABL508)."""

from __future__ import annotations

from abl.analysis import check
from abl.diagnostics import Diagnostic
from tests.abl.analysis.test_analysis_rules import applied

DESK = """\
AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - loans
      TYPE: number
    - title
      TYPE: string
TOOLS:
  find_book(title: string) -> {id: string}
    description: "Find a book."
    effect: read_only
HANDOFF:
  - TO: Lending
    WHEN: loans > 3
FLOW:
  look:
    REASONING: false
    CALL: CALLED
    THEN: COMPLETE
"""
OTHER = 'AGENT: Porter\nGOAL: "Open doors"\n'


def _told(code: str, text: str) -> Diagnostic:
    return next(one for one in check({"a.agent.abl": text, "b.agent.abl": OTHER}).diagnostics if one.code == code)


def _declared(call: str) -> str:
    text = DESK.replace("CALLED", call)
    (fix,) = (fix for fix in _told("ABL507", text).fixes if fix.title.startswith("Declare"))
    after = applied(text, fix)
    codes = {one.code for one in check({"a.agent.abl": after}).diagnostics}
    assert codes.isdisjoint({"ABL507", "ABL806", "ABL837"})
    return next(line.strip() for line in after.splitlines() if line.startswith("  renew"))


def test_a_tool_is_declared_from_its_call() -> None:
    assert _declared("renew") == "renew() -> object"
    assert _declared('renew(title, loans, 3, true, "x")') == (
        "renew(title: string, loans: number, value_3: number, value_4: boolean, value_5: string) -> object"
    )
    assert _declared('renew([1], {a: 2}, "{{title}}")') == (
        "renew(value_1: array, value_2: object, value_3: string) -> object"
    )
    assert _declared("renew\n      WITH:\n        name: title\n        count: loans") == (
        "renew(name: string, count: number) -> object"
    )


def test_an_agent_is_created_as_a_document_of_its_own() -> None:
    text = DESK.replace("CALLED", "find_book(title)")
    (fix,) = (fix for fix in _told("ABL508", text).fixes if fix.title == "Create agent `Lending`")
    after = applied(text, fix)
    assert after.endswith('    THEN: COMPLETE\n\nAGENT: Lending\nGOAL: "…"\n')
    report = check({"a.agent.abl": after, "b.agent.abl": OTHER})
    assert [one.code for one in report.diagnostics if one.severity == "error"] == []
    assert not fix.preferred


def test_nothing_is_declared_in_the_yaml_form_or_for_what_is_no_name() -> None:
    text = DESK.replace("CALLED", "find_book(title)").replace("TO: Lending", "TO: lend-ing")
    assert not [fix for fix in _told("ABL508", text).fixes if fix.title.startswith("Create")]
