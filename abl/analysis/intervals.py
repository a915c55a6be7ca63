"""Constants and intervals: what can be said about a condition without running it (docs/spec 04 §8).

Only what is certain is said. A condition that is no plain conjunction of comparisons with literals has no ``Limits``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from abl.expressions import compile_expression
from abl.expressions import nodes as en
from abl.expressions.values import truthy

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Constant:
    """The value that an expression has whatever the state."""

    value: Any

    @property
    def holds(self) -> bool:
        """By truthiness (docs/spec 02 §6)."""
        return truthy(self.value)


def constant(node: en.Node, text: str = "") -> Constant | None:
    """Fold a tree; None when it depends on state. ``text`` is the expression's, needed for operators on constants."""
    match node:
        case en.Literal():
            return None if isinstance(node.value, str) and "{{" in node.value else Constant(node.value)
        case en.Unary(op="-", operand=en.Literal(form="number", value=value)):
            return Constant(-value)
        case en.Unary(op="NOT" | "!"):
            inner = constant(node.operand, text)
            return None if inner is None else Constant(not inner.holds)
        case en.Logical():
            return _logical(node, text)
    if not text or any(_depends(child) for child in en.walk(node)):
        return None
    return _evaluated(text[node.start : node.end])


def _depends(node: en.Node) -> bool:
    if isinstance(node, en.Literal):
        return isinstance(node.value, str) and "{{" in node.value
    return isinstance(node, en.Path | en.Call | en.Method | en.Regex)


def _evaluated(text: str) -> Constant | None:
    outcome = compile_expression(text).evaluate_checked({})
    return Constant(outcome.value)


def _logical(node: en.Logical, text: str) -> Constant | None:
    values = [constant(operand, text) for operand in node.operands]
    if node.op == "IMPLIES":
        first, last = values[0], values[-1]
        if (first is not None and not first.holds) or (last is not None and last.holds):
            return Constant(True)
        return Constant(False) if first is not None and last is not None else None
    decisive = node.op == "OR"
    if any(value is not None and value.holds is decisive for value in values):
        return Constant(decisive)
    return None if None in values else Constant(not decisive)


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from ``low`` to ``high``; an open end leaves its bound out."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    @property
    def empty(self) -> bool:
        """True when no number lies in it."""
        return self.low > self.high or (self.low == self.high and (self.open_low or self.open_high))

    def meet(self, other: Interval) -> Interval:
        """The numbers in both."""
        low, open_low = max((self.low, self.open_low), (other.low, other.open_low))
        high, closed_high = min((self.high, not self.open_high), (other.high, not other.open_high))
        return Interval(low, high, open_low, not closed_high)

    def within(self, other: Interval) -> bool:
        """True when every number of this interval lies in the other."""
        return self.meet(other) == self


@dataclass(frozen=True, slots=True)
class Limits:
    """What a conjunction demands: numbers within intervals, values equal to one of some literals."""

    numbers: dict[str, Interval]
    values: dict[str, frozenset[Any]]

    def contradicts(self, other: Limits) -> str:
        """A path on which both cannot hold, or an empty text."""
        for path in self.numbers.keys() & other.numbers.keys():
            if self.numbers[path].meet(other.numbers[path]).empty:
                return path
        for path in self.values.keys() & other.values.keys():
            if not self.values[path] & other.values[path]:
                return path
        for one, two in ((self, other), (other, self)):
            for path in one.numbers.keys() & two.values.keys():
                if not any(_inside(value, one.numbers[path]) for value in two.values[path]):
                    return path
        return ""

    @property
    def impossible(self) -> str:
        """A path that can have no fitting value, or an empty text."""
        return next((p for p, i in self.numbers.items() if i.empty), "") or self.contradicts(self)

    def implies(self, other: Limits) -> bool:
        """True when whatever fits here also fits there."""
        if not other.numbers and not other.values:
            return False
        return all(p in self.numbers and self.numbers[p].within(i) for p, i in other.numbers.items()) and all(
            p in self.values and self.values[p] <= v for p, v in other.values.items()
        )


def _inside(value: Any, interval: Interval) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return not interval.meet(Interval(value, value)).empty


def limits_of(node: en.Node, *, negated: bool = False) -> Limits | None:
    """The limits that a condition sets (``negated``: that its opposite sets), or None when they are not that simple."""
    match node:
        case en.Unary(op="NOT" | "!"):
            return limits_of(node.operand, negated=not negated)
        case en.Logical(op="AND") if not negated:
            return _joined(node.operands, False)
        case en.Logical(op="OR") if negated:
            return _joined(node.operands, True)
        case en.Test():
            return _test_limits(node, negated)
    return None


def _joined(operands: tuple[en.Node, ...], negated: bool) -> Limits | None:
    numbers: dict[str, Interval] = {}
    values: dict[str, frozenset[Any]] = {}
    for operand in operands:
        part = limits_of(operand, negated=negated)
        if part is None:
            return None
        for path, interval in part.numbers.items():
            numbers[path] = numbers.get(path, Interval()).meet(interval)
        for path, choice in part.values.items():
            values[path] = values[path] & choice if path in values else choice
    return Limits(numbers, values)


_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "IN": "NOT IN", "NOT IN": "IN"}


def _test_limits(test: en.Test, negated: bool) -> Limits | None:
    op, left, right = test.op, test.left, test.right
    if not isinstance(left, en.Path) and isinstance(right, en.Path) and op in _FLIPPED:
        op, left, right = _FLIPPED[op], right, left
    if negated:
        op = _NEGATED.get(op, "")
    if not isinstance(left, en.Path) or right is None:
        return None
    path = ".".join(left.parts)
    if op == "IN" and isinstance(right, en.ListNode):
        items = [constant(item) for item in right.items]
        known = [_plain(item.value) for item in items if item is not None and isinstance(item.value, str | int | float)]
        return Limits({}, {path: frozenset(known)}) if len(known) == len(items) else None
    value = constant(right)
    if value is None or not isinstance(value.value, str | int | float):
        return None
    return _comparison(path, op, value.value)


def _plain(value: Any) -> Any:
    """Numeric text equals its number (docs/spec 02 §5.1), so both are one value here; booleans are another."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    return value


def _comparison(path: str, op: str, value: Any) -> Limits | None:
    if op == "==":
        return Limits({}, {path: frozenset({_plain(value)})})
    if isinstance(value, str | bool):
        return None
    intervals = {
        "<": Interval(high=value, open_high=True),
        "<=": Interval(high=value),
        ">": Interval(low=value, open_low=True),
        ">=": Interval(low=value),
    }
    return Limits({path: intervals[op]}, {}) if op in intervals else None
