"""A problem is found in every form in which a section can be written (docs/spec 01 §1, §9). The texts: forms.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from abl.analysis import check
from tests.reading import read_yaml

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "forms.yaml")


def problems(text: str) -> list[tuple[str, str]]:
    """Codes and messages without ABL123, which is about the case of keys, and without that case."""
    diagnostics = check({"desk.agent.abl": text}).diagnostics
    return sorted((d.code, d.message.lower()) for d in diagnostics if d.code != "ABL123")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_expected_problems_are_found_in_keyword_form(case: dict[str, Any]) -> None:
    assert set(case["codes"]) <= {code for code, _ in problems(case["keyword"])}


@pytest.mark.parametrize(
    ("case", "form"),
    [(case, form) for case in CASES for form in ("yaml", "flow") if form in case],
    ids=[f"{case['name']}: {form}" for case in CASES for form in ("yaml", "flow") if form in case],
)
def test_problems_in_yaml_form_are_the_same(case: dict[str, Any], form: str) -> None:
    assert problems(case[form]) == problems(case["keyword"])
