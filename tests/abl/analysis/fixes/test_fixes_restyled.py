"""Quick fixes in the spellings of docs/spec 01 §9: the cases as YAML and in braces, and where a fix puts what it adds.

A fix changes the text, leaves its problem fewer times, and brings no error, however the entry is written.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from abl.analysis import Report, check
from abl.diagnostics import Fix
from abl.editing.bulk import fixed, safe_fix
from tests.abl.analysis.restyled import spellings
from tests.abl.analysis.test_analysis_rules import CODES, all_told, applied, files_of, load_cases
from tests.every import each, every

LEFT: Final = {
    "ABL112": "each of two open brackets is told, and closed, for itself",
    "ABL811": "a binding may lack more than one property",
    "ABL813": "where tools are called, a new parameter is not preferred",
    "ABL970": "what stands in the hook is read only when its name is right",
    "ABL1008": "which way round it is meant is known to its author",
}
"""Codes of which some fix does not end the matter in any spelling, with the reason."""
EXAMPLES: Final = Path(__file__).parents[4] / "examples"
SAMPLE: Final = (
    *("ABL102", "ABL323", "ABL340", "ABL386", "ABL404", "ABL422", "ABL506", "ABL602", "ABL605", "ABL640", "ABL643"),
    *("ABL702", "ABL716", "ABL722", "ABL728", "ABL819", "ABL823", "ABL921", "ABL941", "ABL1001", "ABL1024"),
    *("ABL1061", "ABL1064"),
)
"""Codes whose fixes add, replace and take away in all ways that there are."""


def errors(report: Report) -> Counter[str]:
    return Counter(found.code for found in report.errors)


def holds(code: str, files: dict[str, str], report: Report, fix: Fix) -> None:
    path = next(iter(files))
    mended = applied(files[path], fix)
    assert mended != files[path]
    after = all_told(code, {**files, path: mended})
    told, left = (sum(d.code == code and d.path == path for d in each.diagnostics) for each in (report, after))
    assert left < told, mended
    assert not errors(after) - errors(report), mended


def in_every_spelling(code: str, case: dict[str, Any]) -> None:
    files = files_of(case)
    path = next(iter(files))
    for _, text in spellings(files[path]):
        respelt = {**files, path: text}
        report = all_told(code, respelt)
        for problem in report.diagnostics:
            for fix in problem.fixes if problem.code == code and problem.path == path else ():
                holds(code, respelt, report, fix)


def after_all_fixes(_: str, case: dict[str, Any]) -> None:
    """Nothing that "fix all" would take is left, and it does not write the same again and again."""
    files = files_of(case)
    path = next(iter(files))
    for _, text in spellings(files[path]):
        respelt = {**files, path: text}
        mended = fixed(respelt, path)
        left = [found.code for found in check({**files, path: mended}).diagnostics if safe_fix(found) is not None]
        assert not left, mended
        known, lines = (Counter(line for line in each.split("\n") if ":" in line) for each in (text, mended))
        assert not [line for line, times in lines.items() if times > 2 and times > known[line]], mended


def bad_cases(code: str) -> list[tuple[str, tuple[str, dict[str, Any]]]]:
    return [(case["name"], (code, case)) for case in load_cases(code) if case["expect"]]


def in_examples(text: str) -> None:
    """The examples have nothing to mend, however they are written; a goal that is missing comes into its form."""
    for name, respelt in spellings(text):
        without = "\n".join(line for line in respelt.split("\n") if not line.lower().startswith(("goal:", "version:")))
        files = {"doc.agent.abl": without}
        report = check(files)
        for problem in report.diagnostics:
            for fix in problem.fixes:
                holds(problem.code, files, report, fix)
        assert "ABL102" not in {
            found.code for found in check({"doc.agent.abl": fixed(files, "doc.agent.abl")}).errors
        }, name


@every((path.name, (path.read_text(),)) for path in sorted(EXAMPLES.glob("*/*.agent.abl")))
def test_fixes_suit_the_examples(text: str) -> None:
    in_examples(text)


@pytest.mark.full
@every((code, (code,)) for code in SAMPLE)
def test_fixes_suit_yaml_and_braces(code: str) -> None:
    each(bad_cases(code), in_every_spelling)


@pytest.mark.thorough
@every((code, (code,)) for code in CODES if code not in LEFT)
def test_every_fix_suits_yaml_and_braces(code: str) -> None:
    each(bad_cases(code), in_every_spelling)


@pytest.mark.slow
@every((code, (code,)) for code in SAMPLE)
def test_all_fixes_together_suit_yaml_and_braces(code: str) -> None:
    each(bad_cases(code), after_all_fixes)


@pytest.mark.thorough
@every((code, (code,)) for code in CODES if code not in SAMPLE)
def test_all_fixes_of_every_case_together_suit_yaml_and_braces(code: str) -> None:
    each(bad_cases(code), after_all_fixes)
