"""Every rule against its case files, and every rule's documentation against itself.

A case: ``name``; ``source`` (or ``files`` by path, the first one is looked at); ``expect``, a list of ``{code, line,
column?, text?, severity?}`` for the code of the file (an empty list for a good case); ``fixed``, the source after the
preferred fix of the first expected diagnostic.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from abl.analysis import RULES, check
from abl.diagnostics import Fix
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


# Their bad example would be too long; their cases hold one.
TOO_LONG_FOR_A_PAGE = {"ABL100", "ABL228", "ABL660"}
# Their bad example needs a second file; their cases hold one.
ACROSS_FILES = {"ABL659", "ABL844"}
CODES = sorted(path.stem for path in CASES.glob("ABL*.yaml"))
ALL_CASES = [(code, case) for code in CODES for case in load_cases(code)]


def files_of(case: dict[str, Any]) -> dict[str, str]:
    if "files" in case:
        return case["files"]
    repeated = case.get("repeated", {"text": "", "times": 0})  # for bounds: a piece of text, ``{n}`` counts from 1
    tail = "".join(repeated["text"].replace("{n}", str(n + 1)) for n in range(repeated["times"]))
    return {"doc.agent.abl": case["source"] + tail}


@pytest.mark.parametrize(("code", "case"), ALL_CASES, ids=[f"{code}: {case['name']}" for code, case in ALL_CASES])
def test_a_case_gives_exactly_the_expected_diagnostics_of_its_code(code: str, case: dict[str, Any]) -> None:
    report = check(files_of(case))
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


@pytest.mark.parametrize(
    ("code", "case"),
    [(code, case) for code, case in ALL_CASES if "fixed" in case],
    ids=[f"{code}: {case['name']}" for code, case in ALL_CASES if "fixed" in case],
)
def test_the_preferred_fix_gives_the_expected_text(code: str, case: dict[str, Any]) -> None:
    files = files_of(case)
    path = next(iter(files))
    diagnostic = next(d for d in check(files).diagnostics if d.code == code and d.path == path)
    preferred = next((fix for fix in diagnostic.fixes if fix.preferred), None) or diagnostic.fixes[0]
    assert applied(files[path], preferred) == case["fixed"]


def test_every_rule_has_cases_good_and_bad() -> None:
    bad = {code for code, case in ALL_CASES if case["expect"]}
    good = {code for code, case in ALL_CASES if not case["expect"]}
    assert (set(RULES) - bad, set(RULES) - good) == (set(), set()), "tests/abl/analysis/cases/CODE.yaml"


def test_every_rule_documents_what_why_bad_and_good() -> None:
    assert {code: rule.page for code, rule in RULES.items() if not all(rule.page)} == {}


@pytest.mark.parametrize("code", sorted(set(RULES) - TOO_LONG_FOR_A_PAGE))
def test_the_documented_examples_show_the_problem_and_its_absence(code: str) -> None:
    page = RULES[code].page
    bad = {d.code for d in check({"doc.agent.abl": page.bad + "\n"}).diagnostics}
    good = {d.code for d in check({"doc.agent.abl": page.good + "\n"}).diagnostics}
    assert (code in bad) is (code not in ACROSS_FILES)
    assert code not in good


def test_every_case_file_belongs_to_a_registered_rule() -> None:
    assert set(CODES) <= set(RULES)
