"""What is said to follow from a condition does follow, whatever the state (docs/spec 04 §8)."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import pytest

from abl.analysis.conditions.implication import Demand, implies
from abl.expressions import compile_expression

VALUES = [None, 0, 1, 2, 3, 5, -4, "", "a", "b", "3", " 3 ", "gold", "false", True, False, [], [1], {}]
ATOMS = [
    *(f"{name} {op} {value}" for name in "xy" for op in ("<", "<=", ">", ">=", "==", "!=") for value in (0, 2, 3)),
    *(f"{name} {op} {value}" for name in "xy" for op in ("==", "!=") for value in ('"a"', '"b"', '""', "true", "null")),
    *(f"{name} IS SET" for name in "xy"),
    *(f"{name} IS NOT SET" for name in "xy"),
    'x IN ["a", "b"]',
    "x NOT IN [2, 3]",
    'x contains "a"',
    'x startsWith "a"',
    "2 < x",
    "x < y",
    "x",
    "y",
    "NOT x",
]


@cache
def states(text: str) -> frozenset[int]:
    """The numbers of the states in which a condition holds."""
    expression = compile_expression(text)
    return frozenset(n for n, (x, y) in enumerate(product(VALUES, VALUES)) if expression.holds({"x": x, "y": y}))


def demand(text: str) -> Demand:
    return Demand(compile_expression(text).node)


def condition(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.3:
        return random.choice(ATOMS)
    op = random.choice(["AND", "OR", "AND", "OR", "NOT"])
    if op == "NOT":
        return f"NOT ({condition(random, depth - 1)})"
    return f" {op} ".join(f"({condition(random, depth - 1)})" for _ in range(random.choice([2, 2, 3])))


def test_what_follows_from_a_single_comparison_holds_in_every_state() -> None:
    followed = 0
    for one, other in product(ATOMS, ATOMS):
        if implies(demand(one), demand(other)):
            followed += 1
            assert states(one) <= states(other), (one, other)
    assert followed > len(ATOMS)


@pytest.mark.slow
def test_what_follows_from_a_compound_condition_holds_in_every_state() -> None:
    random = Random(11)
    followed = 0
    for _ in range(1_500):
        one, other = condition(random, 2), condition(random, 1)
        if one != other and implies(demand(one), demand(other)):
            followed += 1
            assert states(one) <= states(other), (one, other)
    assert followed > 25


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("n < 3", "n < 5"),
        ("n == 4", "n < 5"),
        ("n > 3 AND n < 5", "n > 2"),
        ('a == "x" OR a == "y"', 'a IN ["x", "y", "z"]'),
        ("a IS SET AND b IS SET", "b IS SET"),
        ('a == "x"', "a IS SET"),
        ("a IN [2, 3]", "a"),
        ("n > 3", "n IS SET"),
        ("n == 3", "n != 4"),
        ("NOT (n > 5)", "n < 9"),
        ("b AND a", "a AND b"),
        ('f.name contains "x" AND n > 1', 'f.name contains "x"'),
        ("NOT (n > 3 IMPLIES m > 2)", "n > 1"),
        ("a IS NOT SET", 'a != "x"'),
    ],
)
def test_follows(one: str, other: str) -> None:
    assert implies(demand(one), demand(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("n < 5", "n < 3"),
        ("n < 3", "n IS SET"),  # what is unset counts as 0
        ("n < 3 OR m < 3", "n < 5"),
        ("RANDOM() < 0.5", "RANDOM() < 0.5"),
        ("n < m", "n <= m"),
        ("a != null", "a"),
        ("a", "b"),
        ('a == "x"', "a"),  # false equals every text but one
        ('a == "x"', 'a != "y"'),
        ("a > 2", "10 / n > 1 OR a > 1"),  # an error is no yes
        ('x matches "(.)" AND match.1 == "a"', "match.1 IS SET"),
    ],
)
def test_does_not_follow(one: str, other: str) -> None:
    assert not implies(demand(one), demand(other))


def test_what_has_no_name_in_common_is_not_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Demand] = []
    monkeypatch.setattr(
        "abl.analysis.conditions.implication._holds_within", lambda bounds, other: looked.append(other) or False
    )
    assert not implies(demand('x == "a" AND a < 3'), demand('x == "b" AND b < 3'))
    assert not implies(demand("a < 3"), demand("b < 3"))
    assert looked == []
    assert not implies(demand("a < 3"), demand("a < 2"))
    assert len(looked) == 1
