"""The registry of diagnostics and the catalogues of docs/spec 05 and 10: the same codes with the same severities."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abl.analysis import RULES

SPEC = Path(__file__).parents[3] / "docs" / "spec"
SEVERITIES = {"E": "error", "W": "warning", "I": "info", "H": "hint"}
ROW = re.compile(r"^\| (ABL\d+) \| ([A-Za-z/]+) \| (.+?) \|", re.MULTILINE)


def catalogue() -> dict[str, set[str]]:
    """The severities that each code may have, as the catalogues give them (``E/W``: it depends)."""
    found: dict[str, set[str]] = {}
    for name in ("05-diagnostics.md", "10-diagnostics-flow.md"):
        for code, severities, _ in ROW.findall((SPEC / name).read_text(encoding="utf-8")):
            assert code not in found, f"{code} is in the catalogues twice"
            found[code] = {SEVERITIES.get(each, each) for each in severities.split("/")}
    return found


CATALOGUE = catalogue()


def test_the_catalogues_are_read() -> None:
    assert len(CATALOGUE) > 400
    assert CATALOGUE["ABL101"] == {"error"}
    assert CATALOGUE["ABL604"] == {"error", "warning"}
    assert set().union(*CATALOGUE.values()) == set(SEVERITIES.values())


def test_every_code_of_the_catalogues_is_registered_and_no_other() -> None:
    assert set(RULES) - set(CATALOGUE) == set()
    assert set(CATALOGUE) - set(RULES) == set()


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_a_code_has_the_severity_that_its_catalogue_gives(code: str) -> None:
    assert RULES[code].severity in CATALOGUE[code]


def test_names_are_kebab_case_and_stand_for_one_code_each() -> None:
    names = [rule.name for rule in RULES.values()]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []
