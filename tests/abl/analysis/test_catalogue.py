"""The registry of diagnostics and the catalogues of docs/spec 05 and 10: the same codes, severities and fixes."""

from __future__ import annotations

import re
from pathlib import Path

from abl.analysis import RULES, check
from tests.abl.analysis.test_analysis_rules import ALL_CASES, files_of
from tests.every import every

SPEC = Path(__file__).parents[3] / "docs" / "spec"
SEVERITIES = {"E": "error", "W": "warning", "I": "info", "H": "hint"}
ROW = re.compile(r"^\| (ABL\d+) \| ([A-Za-z/]+) \| (.+?) \|", re.MULTILINE)
COLUMN = re.compile(r"(?<!\\)\|")
WITHOUT = {"—", "–", ""}
"""What is in the column of fixes where there is none."""

NO_FIX: dict[str, str] = {
    "ABL844": "The mock belongs into the test case, which is another file; a fix edits the document of its problem.",
}
"""Codes whose row names a fix that no text can show, with the reason."""


def catalogue() -> dict[str, set[str]]:
    """The severities that each code may have, as the catalogues give them (``E/W``: it depends)."""
    found: dict[str, set[str]] = {}
    for name in ("05-diagnostics.md", "10-diagnostics-flow.md"):
        for code, severities, _ in ROW.findall((SPEC / name).read_text(encoding="utf-8")):
            assert code not in found, f"{code} is in the catalogues twice"
            found[code] = {SEVERITIES.get(each, each) for each in severities.split("/")}
    return found


def rows_with_a_fix() -> set[str]:
    """The codes whose row has something in the column of fixes; the tables of docs/spec 10 §1.1 have no such column."""
    found: set[str] = set()
    for name in ("05-diagnostics.md", "10-diagnostics-flow.md"):
        for line in (SPEC / name).read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in COLUMN.split(line)[1:-1]]
            if len(cells) == 5 and ROW.match(line) and cells[-1] not in WITHOUT:
                found.add(cells[0])
    return found


CATALOGUE = catalogue()
NAMED = rows_with_a_fix()
FIXED = {code for code, case in ALL_CASES if "fixed" in case}
"""Codes with a case that holds the text behind its fix: that there is one is tried there."""


def test_the_catalogues_are_read() -> None:
    assert len(CATALOGUE) > 400
    assert CATALOGUE["ABL101"] == {"error"}
    assert CATALOGUE["ABL604"] == {"error", "warning"}
    assert set().union(*CATALOGUE.values()) == set(SEVERITIES.values())


def test_every_code_of_the_catalogues_is_registered_and_no_other() -> None:
    assert set(RULES) - set(CATALOGUE) == set()
    assert set(CATALOGUE) - set(RULES) == set()


@every((code, (code,)) for code in sorted(CATALOGUE))
def test_a_code_has_the_severity_that_its_catalogue_gives(code: str) -> None:
    assert RULES[code].severity in CATALOGUE[code]


def test_names_are_kebab_case_and_stand_for_one_code_each() -> None:
    names = [rule.name for rule in RULES.values()]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []


def test_a_code_whose_row_names_a_fix_offers_one_in_a_case() -> None:
    assert [code for code in sorted(NAMED - set(NO_FIX) - FIXED) if not offers_a_fix(code)] == []


def offers_a_fix(code: str) -> bool:
    own = [case for case_code, case in ALL_CASES if case_code == code and case["expect"]]
    problems = [found for case in own for found in check(files_of(case), select=[code]).diagnostics]
    return any(found.fixes for found in problems)


def test_what_has_no_fix_is_in_the_catalogue_with_a_reason() -> None:
    assert len(NAMED) > 250
    assert set(NO_FIX) <= NAMED
    assert all(NO_FIX.values())
