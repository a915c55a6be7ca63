"""The fixes of 6xx to 10xx one by one: every alternative of every case, and where none is offered (docs/spec 10)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from abl.analysis import check
from abl.analysis.index.languages import intended_tags
from tests.abl.analysis.test_analysis_rules import ALL_CASES, applied, files_of

WITH_ALTERNATIVES = {
    *("ABL613", "ABL617", "ABL618", "ABL629", "ABL638", "ABL655", "ABL703", "ABL709", "ABL713", "ABL714", "ABL718"),
    *("ABL801", "ABL804", "ABL811", "ABL901", "ABL1066"),
}
BAD = [(code, case) for code, case in ALL_CASES if code in WITH_ALTERNATIVES and "fixed" in case]
HEAD = 'AGENT: Desk\nGOAL: "Lend books"\n'


@pytest.mark.parametrize(("code", "case"), BAD, ids=[f"{code}: {case['name']}" for code, case in BAD])
def test_every_fix_of_a_case_takes_its_problem_away_and_brings_no_error(code: str, case: dict[str, Any]) -> None:
    files = files_of(case)
    path = next(iter(files))
    before = check(files).diagnostics
    told = Counter(found.message for found in before if found.code == code)
    errors = Counter(found.code for found in before if found.severity == "error")
    problems = [found for found in before if found.code == code and found.path == path]
    assert any(problem.fixes for problem in problems)
    for problem in problems:
        for fix in problem.fixes:
            after = check({**files, path: applied(files[path], fix)}).diagnostics
            assert sum(found.message == problem.message for found in after) < told[problem.message], fix.title
            assert not Counter(found.code for found in after if found.severity == "error") - errors, fix.title


WITHOUT = {
    "the only line of a SET": (
        "ABL629",
        """\
FLOW:
  count:
    REASONING: false
    SET:
      open_loans = 3
    THEN: COMPLETE
""",
    ),
    "a call that depends on the order of parameters": (
        "ABL809",
        """\
TOOLS:
  find_book(branch?: string, title: string) -> {id: string}
    description: "Find a book."
FLOW:
  look:
    REASONING: false
    CALL: find_book("central", "Emma")
    THEN: COMPLETE
""",
    ),
    "a word that is no number": (
        "ABL804",
        """\
TOOLS:
  renew(loan_count: number) -> {ok: boolean}
    description: "Renew loans."
FLOW:
  look:
    REASONING: false
    CALL: renew("all")
    THEN: COMPLETE
""",
    ),
    "a step whose THEN stands in front of the second call": (
        "ABL841",
        """\
FLOW:
  look:
    REASONING: false
    CALL: find_book("Emma")
    THEN: COMPLETE
    CALL: hold_book("Emma")
""",
    ),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_no_fix_is_offered_that_would_break_the_text(name: str) -> None:
    code, text = WITHOUT[name]
    problems = check({"doc.agent.abl": HEAD + text}, select=[code]).diagnostics
    assert [problem.fixes for problem in problems] == [()]


def test_all_routes_behind_a_catch_all_are_told_and_one_move_mends_them() -> None:
    text = f"{HEAD}HANDOFF:\n  - TO: A\n    WHEN: true\n  - TO: B\n    WHEN: b == 1\n  - TO: C\n    WHEN: c == 1"
    first, second = check({"doc.agent.abl": text}, select=["ABL937"]).diagnostics
    assert second.fixes == ()
    mended = applied(text, first.fixes[0])
    assert mended.endswith("    WHEN: c == 1\n  - TO: A\n    WHEN: true")
    assert check({"doc.agent.abl": mended}, select=["ABL937"]).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("English (UK)", ("en-GB",)),
        ("Brazilian Portuguese", ("pt",)),
        ("portuguese brazil", ("pt-BR",)),
        ("de_at", ("de-AT",)),
        ("Deutsch", ("de",)),
        ("Germn", ("de",)),
    ],
)
def test_a_language_is_known_by_its_name(text: str, tags: tuple[str, ...]) -> None:
    assert intended_tags(text) == tags


def test_usual_languages_are_offered_where_none_is_named() -> None:
    assert intended_tags("?")[0] == "en"
    assert len(intended_tags("as the user likes it")) > 1
