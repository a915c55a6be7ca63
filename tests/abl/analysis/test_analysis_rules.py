"""Every rule against its case files, and every rule's documentation against itself.

A case: ``name``; ``source`` (or ``files`` by path, the first one is looked at); ``expect``, a list of ``{code, line,
column?, text?, severity?}`` for the code of the file (an empty list for a good case); ``fixed``, the source after the
preferred fix of the first expected diagnostic: the problem is gone from it, and it has no new error.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from abl.analysis import RULES, Report, check
from abl.diagnostics import Fix
from tests.every import each, every
from tests.reading import read_yaml

CASES = Path(__file__).parent / "cases"


def load_cases(code: str) -> list[dict[str, Any]]:
    loaded = read_yaml(CASES / f"{code}.yaml")
    assert isinstance(loaded, list)
    return loaded


def applied(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


LEFT: dict[str, str] = {
    "ABL1008": "which way round it is meant is known to its author",
}
"""Codes with a case whose fix does not end the matter, with the reason."""
# Their bad example would be too long; their cases hold one.
TOO_LONG_FOR_A_PAGE = {"ABL100", "ABL228", "ABL660"}
# Their bad example needs a second file; their cases hold one.
ACROSS_FILES = {"ABL659", "ABL844", "ABL1085"}
# Their examples are project files.
OF_PROJECT_FILES = {f"ABL{number}" for number in range(1081, 1086)}
OF_WHAT_IS_NOT_SHOWN = {"ABL214", "ABL349", "ABL507", "ABL508", "ABL514"}
"""An example is short: names, tools and agents that it mentions, and is not about, stand elsewhere in its project."""
CODES = sorted(path.stem for path in CASES.glob("ABL*.yaml"))
ALL_CASES = [(code, case) for code in CODES for case in load_cases(code)]


def files_of(case: dict[str, Any]) -> dict[str, str]:
    if "files" in case:
        return case["files"]
    repeated = case.get("repeated", {"text": "", "times": 0})  # for bounds: a piece of text, ``{n}`` counts from 1
    tail = "".join(repeated["text"].replace("{n}", str(n + 1)) for n in range(repeated["times"]))
    return {"doc.agent.abl": case["source"] + tail}


def told_as_expected(code: str, case: dict[str, Any], report: Report) -> None:
    sources = report.index.sources
    found = []
    for diagnostic in report.diagnostics:
        if diagnostic.code != code:
            continue
        source = sources[diagnostic.path]
        at = source.position(diagnostic.span.start)
        found.append(
            {
                "code": diagnostic.code,
                "path": diagnostic.path,
                "line": at.line,
                "column": at.column,
                "text": source.text[diagnostic.span.start : diagnostic.span.end],
                "severity": diagnostic.severity,
                "message": diagnostic.message,
            }
        )
    expected = [{"code": code, **wanted} for wanted in case["expect"]]
    shown = [{key: f[key] for key in wanted} for f, wanted in zip(found, expected, strict=False)]
    assert (shown, len(found)) == (expected, len(expected)), found


def mended_as_expected(code: str, case: dict[str, Any], report: Report) -> None:
    """The preferred fix gives the text of the case, in which the problem is gone and no error is new."""
    files = files_of(case)
    path = next(iter(files))
    problem = next(found for found in report.diagnostics if found.code == code and found.path == path)
    fix = next((fix for fix in problem.fixes if fix.preferred), None) or problem.fixes[0]
    assert applied(files[path], fix) == case["fixed"]
    assert code in LEFT or behind(code, report, all_told(code, {**files, path: case["fixed"]})) == {}


def behind(code: str, before: Report, after: Report) -> Counter[str]:
    """What a fix leaves: its own problem, where that is told as often as before, and errors that are new."""
    same, still = (sum(found.code == code for found in report.diagnostics) for report in (before, after))
    errors, left = (
        Counter(found.code for found in report.diagnostics if found.severity == "error") for report in (before, after)
    )
    return left - errors + (Counter([code]) if still >= same else Counter())


def all_told(code: str, files: dict[str, str]) -> Report:
    """A check that also reports the code where it is off by default (05 §1)."""
    return check(files, select=sorted(RULES) if RULES[code].off else None)


def holds(code: str, case: dict[str, Any]) -> None:
    """A case is told, and mended, as it says. The report is made once, for both."""
    report = all_told(code, files_of(case))
    told_as_expected(code, case, report)
    if "fixed" in case:
        mended_as_expected(code, case, report)


def first_cases(code: str) -> list[dict[str, Any]]:
    """A bad case of a code, with a fix where there is one, and a good case."""
    bad = [case for case in load_cases(code) if case["expect"]]
    good = [case for case in load_cases(code) if not case["expect"]]
    return [*sorted(bad, key=lambda case: "fixed" not in case)[:1], *good[:1]]


@pytest.mark.parametrize("code", CODES)
def test_the_first_cases_of_a_code_are_told_and_mended_as_they_say(code: str) -> None:
    each(((case["name"], (code, case)) for case in first_cases(code)), holds)


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_the_other_cases_of_a_code_are_told_and_mended_as_they_say(code: str) -> None:
    first = first_cases(code)
    each(((case["name"], (code, case)) for case in load_cases(code) if case not in first), holds)


def test_every_rule_has_cases_good_and_bad() -> None:
    bad = {code for code, case in ALL_CASES if case["expect"]}
    good = {code for code, case in ALL_CASES if not case["expect"]}
    assert (set(RULES) - bad, set(RULES) - good) == (set(), set()), "tests/abl/analysis/cases/CODE.yaml"


def test_every_rule_documents_what_why_bad_and_good() -> None:
    assert {code: rule.page for code, rule in RULES.items() if not all(rule.page)} == {}


def path_of(code: str) -> str:
    """Where the examples of a code's page stand."""
    return "project.yaml" if code in OF_PROJECT_FILES else "doc.agent.abl"


@pytest.mark.slow
@every((code, (code,)) for code in sorted(set(RULES) - TOO_LONG_FOR_A_PAGE))
def test_the_documented_examples_show_the_problem_and_its_absence(code: str) -> None:
    page = RULES[code].page
    bad = {d.code for d in all_told(code, {path_of(code): page.bad + "\n"}).diagnostics}
    good = {d.code for d in all_told(code, {path_of(code): page.good + "\n"}).diagnostics}
    assert (code in bad) is (code not in ACROSS_FILES)
    assert code not in good


@pytest.mark.slow
@every((code, (code,)) for code in sorted(set(RULES) - TOO_LONG_FOR_A_PAGE))
def test_a_documented_good_example_is_free_of_errors_and_warnings(code: str) -> None:
    problems = check({path_of(code): RULES[code].page.good + "\n"}).diagnostics
    told = {problem.code for problem in problems if problem.severity in ("error", "warning")}
    assert told - OF_WHAT_IS_NOT_SHOWN == set()


@pytest.mark.full
def test_what_good_examples_do_not_show_is_still_told_of_some() -> None:
    pages = ({path_of(code): rule.page.good + "\n"} for code, rule in RULES.items())
    assert {d.code for page in pages for d in check(page, select=OF_WHAT_IS_NOT_SHOWN).diagnostics} == set(
        OF_WHAT_IS_NOT_SHOWN
    )


def test_what_a_fix_leaves_behind_is_still_so() -> None:
    assert {code for code, case in ALL_CASES if code in LEFT and "fixed" in case and leaves_behind(code, case)} == set(
        LEFT
    )


def leaves_behind(code: str, case: dict[str, Any]) -> bool:
    files = files_of(case)
    after = {**files, next(iter(files)): case["fixed"]}
    return bool(behind(code, all_told(code, files), all_told(code, after)))


def test_every_case_file_belongs_to_a_registered_rule() -> None:
    assert set(CODES) <= set(RULES)
