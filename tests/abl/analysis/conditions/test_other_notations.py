"""Conditions and rules of fields in other notations, as they are offered in ABL (docs/spec 05 §3, 07 §4)."""

from __future__ import annotations

from typing import Final

import pytest

from abl.analysis.conditions.other_notations import ranged, rewritings
from abl.analysis.conditions.other_validations import certain_validation
from abl.expressions import compile_expression
from tests.every import every

MEANT: Final = {
    'city =~ "^P"': 'city matches "^P"',
    'city !~ "^P"': 'NOT (city matches "^P")',
    "city != New York": 'city != "New York"',
    "city IN [New York, Paris]": 'city IN ["New York", "Paris"]',
    "city NOT IN (CU, IR)": 'city NOT IN ["CU", "IR"]',
    'city IN ("CU", "IR") AND day IS SET': 'city IN ["CU", "IR"] AND day IS SET',
    "city IN CU, IR": 'city IN ["CU", "IR"]',
    "city NOT SET": "city IS NOT SET",
    "NOT SET city": "city IS NOT SET",
    "NOT city SET": "city IS NOT SET",
    "city IS NULL": "city IS NOT SET",
    "city IS NOT NULL": "city IS SET",
    "city EXISTS": "city IS SET",
    "city like 'P_ris%'": 'city matches "^P.ris.*$"',
    'city NOT LIKE "P%"': 'NOT (city matches "^P.*$")',
    "party between 1 and 9": "party >= 1 AND party <= 9",
    "party BETWEEN (1, 9)": "party >= 1 AND party <= 9",
    "party IN [1..9]": "party >= 1 AND party <= 9",
    "city IS SET OR party BETWEEN 1 AND 9": "city IS SET OR (party >= 1 AND party <= 9)",
    "NOT party BETWEEN 1 AND 9": "NOT (party >= 1 AND party <= 9)",
    "LENGTH(city) BETWEEN 2 AND 9": "LENGTH(city) >= 2 AND LENGTH(city) <= 9",
    "verified is true": "verified == true",
    "verified is not true": "verified != true",
    "party equals 3": "party == 3",
    "party is at least 3": "party >= 3",
    "party ≥ 3": "party >= 3",
    "party > 1 and city is set": "party > 1 AND city IS SET",
    'city ends with "s"': 'city endsWith "s"',
    "city == “Paris”": 'city == "Paris"',
    'city ?? "there"': 'COALESCE(city, "there")',
    # several at once, and what stands in quotes is left alone
    "a = 1 and b = 2": "a == 1 AND b == 2",
    'x == "a =~ b" and y =~ "z"': 'x == "a =~ b" AND y matches "z"',
    "city == “Paris” and x like “a%”": 'city == "Paris" AND x matches "^a.*$"',
}


@every((written, (written, meant)) for written, meant in MEANT.items())
def test_another_notation_is_written_as_what_it_means(written: str, meant: str) -> None:
    found = [text for _, text in rewritings(written)]
    assert found == [meant]
    compile_expression(meant)


OTHERWISE: Final = ("a + b BETWEEN 1 AND 9", "b BETWEEN 1 AND 9 + c", 'a + b !~ "x"', "a is very good", "a b c")


@pytest.mark.parametrize("written", OTHERWISE)
def test_nothing_is_offered_that_would_group_otherwise(written: str) -> None:
    assert list(rewritings(written)) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("party IN range(1, 9)", "party >= 1 AND party < 9"),
        ("party NOT IN range(1, 9)", "NOT (party >= 1 AND party < 9)"),
        ("city IS SET AND party in range(1, 9)", "city IS SET AND (party >= 1 AND party < 9)"),
        ("a + party IN range(1, 9)", None),
        ("party IN range(1, 9) + 2", None),
    ],
)
def test_a_range_leaves_its_end_out(written: str, meant: str | None) -> None:
    found = ranged(written)
    assert (found[1] if found else None) == meant


VALIDATIONS: Final = {
    "range(18, 75)": "min(18), max(75)",
    "18..75": "min(18), max(75)",
    "min: 18": "min(18)",
    ">= 18 and <= 75": "min(18), max(75)",
    "> 18": "age > 18",
    "min(18) and max(75)": "min(18), max(75)",
    "/^[0-9]+$/": "pattern(^[0-9]+$)",
    "oneOf(a, b)": "enum(a, b)",
    "in [a, b]": "enum(a, b)",
    "minLength(3)": "LENGTH(age) >= 3",
    "age > 3 and age < 9": "age > 3 AND age < 9",
    "age BETWEEN 1 AND 9": "age >= 1 AND age <= 9",
    "a grown-up age": "",
    "sounds like a city": "",
}


@every((written, (written, meant)) for written, meant in VALIDATIONS.items())
def test_a_rule_of_a_field_is_written_as_what_it_means(written: str, meant: str) -> None:
    assert certain_validation(written, "age") == meant


def test_in_braces_two_functions_are_joined_without_a_comma() -> None:
    assert certain_validation("range(18, 75)", "age", " AND ") == "min(18) AND max(75)"
