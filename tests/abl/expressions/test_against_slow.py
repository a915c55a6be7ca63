"""The evaluator and one that another hand wrote from docs/spec 02 and 04 §10 say the same, node by node.

100,000 expressions with `FUZZ=1` (``make fuzz``), fewer without. A failure names the number of its expression.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import pytest

from abl.expressions import Expression, ExpressionError, compile_expression
from tests.abl.expressions import slow_evaluator
from tests.abl.expressions.slow_reader import Unreadable
from tests.abl.expressions.slow_values import truthy
from tests.abl.fuzz.expressions import any_expression, context
from tests.abl.fuzz.lengths import length

NOW = "2026-03-01T09:00:00.000Z"


def differences(text: str, values: dict[str, Any]) -> list[str]:
    """Where the two do not agree."""
    slow, reason = None, ""
    try:
        slow = slow_evaluator.explained(text, values, NOW)
    except Unreadable as error:
        reason = str(error)
    try:
        expression = compile_expression(text)
    except ExpressionError as error:
        return [] if slow is None else [f"only refused by one: {error}"]
    if slow is None:
        return [f"only refused by the other: {reason}"]
    for _ in range(2):  # the first call walks over the tree, the second one may run compiled code
        found = [*_of_nodes(expression.explain(values, now=NOW), slow), *_of_results(expression, values, slow)]
        if found:
            return found
    return []


def _of_results(expression: Expression, values: dict[str, Any], slow: dict[str, Any]) -> Iterator[str]:
    """`evaluate` and `holds`; an error gives None and False."""
    wanted = None if slow["status"] == "error" else slow["value"]
    value = expression.evaluate(values, now=NOW)
    if not same(value, wanted):
        yield f"evaluate: {str(value)[:200]!r}, other: {str(wanted)[:200]!r}"
    if expression.holds(values, now=NOW) is not (slow["status"] == "ok" and truthy(wanted)):
        yield "holds"


def _of_nodes(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """Nodes from the inside out, so that the first one is where a difference begins."""
    if len(one["children"]) != len(other["children"]):
        yield f"{one['text']!r}: {len(one['children'])} parts, other {len(other['children'])}"
        return
    for below, beside in zip(one["children"], other["children"], strict=True):
        yield from _of_nodes(below, beside)
    for name in ("kind", "op", "start", "end", "status", "type", "truthy"):
        if one[name] != other[name]:
            yield f"{one['text']!r} {name}: {one[name]!r}, other: {other[name]!r}"
    if "size" not in one and not same(one["value"], other["value"]):
        yield f"{one['text']!r}: {one['value']!r}, other: {other['value']!r}"


def same(one: Any, other: Any) -> bool:
    """Equal as JSON; the other one has floats only."""
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None or isinstance(one, str):
        return type(one) is type(other) and one == other
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and list(one) == list(other)
            and all(same(item, other[key]) for key, item in one.items())
        )
    return isinstance(other, float) and math.isclose(float(one), other, rel_tol=0, abs_tol=0)


def compared(numbers: range) -> None:
    for number in numbers:
        chance = random.Random(number)
        text, values = any_expression(chance), context(chance)
        assert differences(text, values) == [], (number, text, values)


@pytest.mark.filterwarnings("error::SyntaxWarning")
@pytest.mark.slow
def test_some_thousand_expressions() -> None:
    compared(range(2_000))


@pytest.mark.thorough
@pytest.mark.filterwarnings("error::SyntaxWarning")
def test_many_expressions() -> None:
    compared(range(2_000, 2_000 + length(10_000, 100_000)))


@pytest.mark.parametrize(
    "text", ["\"a{{PAD_END('x', 1e300)}}\"", "REPEAT('ab', 1e9) + 'c'", "LENGTH(\"{{REPEAT('a', 1e9)}}b\")"]
)
def test_long_texts_are_cut_at_the_same_place(text: str) -> None:
    assert differences(text, {}) == []
    value = compile_expression(text).evaluate({}, now=NOW)
    assert (len(value) if isinstance(value, str) else value) == 100_000
