"""Constants and intervals: what can be said about a condition without running it (docs/spec 04 §8).

Only certain facts are derived. A condition that is no plain conjunction of comparisons with literals has no ``Limits``;
``bounds_of`` gives those that it sets in any case, among whatever else it demands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from abl.analysis.conditions.certainty import can_fail, is_fleeting
from abl.analysis.conditions.choices import Choice, equal_to, union
from abl.expressions import compile_expression
from abl.expressions import nodes as en
from abl.expressions.errors import EvaluationError
from abl.expressions.values import double, truthy

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


class Constant(NamedTuple):
    """The value that an expression has whatever the state."""

    value: Any

    @property
    def holds(self) -> bool:
        """By truthiness (docs/spec 02 §6)."""
        return truthy(self.value)


def constant(node: en.Node, text: str = "") -> Constant | None:
    """Fold a tree; None when it depends on state. ``text`` is the expression's, needed for operators on constants."""
    match node:
        case en.Path():
            return None
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
    outcome = compile_expression(text).evaluate_once({})
    return None if outcome.error else Constant(outcome.value)


def _logical(node: en.Logical, text: str) -> Constant | None:
    """The first operand that decides does so only if none before it can fail, which would be an error of the whole."""
    decisive = node.op != "AND"
    unknown = False
    for place, operand in enumerate(node.operands):
        value = constant(operand, text)
        deciding = (place == 1) if node.op == "IMPLIES" else decisive
        if value is not None and value.holds is deciding:
            return Constant(decisive)
        if value is None and can_fail(operand):
            return None
        unknown = unknown or value is None
    return None if unknown else Constant(not decisive)


class Interval(NamedTuple):
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

    def apart(self, other: Interval) -> bool:
        """True when no number lies in both."""
        return self._ends_before(other) or other._ends_before(self) or self.empty or other.empty

    def _ends_before(self, other: Interval) -> bool:
        return self.high < other.low or (self.high == other.low and (self.open_high or other.open_low))

    def within(self, other: Interval) -> bool:
        """True when every number of this interval lies in the other."""
        above = self.low > other.low or (self.low == other.low and self.open_low >= other.open_low)
        return above and (self.high < other.high or (self.high == other.high and self.open_high >= other.open_high))


class Limits(NamedTuple):
    """What a conjunction demands: what `<` takes values for within intervals, values equal to one of some literals."""

    numbers: dict[str, Interval]
    values: dict[str, Choice]

    def contradicts(self, other: Limits, *, strict: bool = False) -> str:
        """A path on which both cannot hold, or an empty text; ``strict`` counts ``false``, which equals any word."""
        if not (self.numbers or self.values) or not (other.numbers or other.values):
            return ""
        for path, interval in self.numbers.items():
            if path in other.numbers and interval.apart(other.numbers[path]):
                return path
        for path, values in self.values.items():
            if path in other.values and values.apart(other.values[path], strict=strict):
                return path
        for one, two in ((self, other), (other, self)) if self.values or other.values else ():
            for path, interval in one.numbers.items():
                if path in two.values and not _reaches(two.values[path], interval):
                    return path
        return ""

    @property
    def impossible(self) -> str:
        """A path that can have no fitting value, or an empty text."""
        nowhere = next((path for path, interval in self.numbers.items() if interval.empty), "")
        return nowhere or next((p for p, choice in self.values.items() if choice.empty), "") or self.contradicts(self)

    def implies(self, other: Limits) -> bool:
        """True when whatever fits here also fits there."""
        if not other.numbers and not other.values:
            return False
        for path, interval in other.numbers.items():
            if path not in self.numbers or not self.numbers[path].within(interval):
                return False
        return all(p in self.values and self.values[p].within(v) for p, v in other.values.items())


def _reaches(choice: Choice, interval: Interval) -> bool:
    """True when a value of the choice may lie in the interval."""
    if choice.orders is None:
        return True
    return any(not interval.meet(Interval(order, order)).empty for order in choice.orders)


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


def bounds_of(node: en.Node, *, negated: bool = False) -> Limits:
    """The limits within which names lie whenever the condition (``negated``: its opposite) holds; perhaps none."""
    match node:
        case en.Unary(op="NOT" | "!"):
            return bounds_of(node.operand, negated=not negated)
        case en.Logical(op="IMPLIES") if negated:
            return met([bounds_of(node.operands[0]), bounds_of(node.operands[-1], negated=True)])
        case en.Logical(op="AND" | "OR"):
            parts = [bounds_of(operand, negated=negated) for operand in node.operands]
            return met(parts) if (node.op == "AND") is not negated else _either(parts)
        case en.Test():
            return _test_limits(node, negated) or Limits({}, {})
    return Limits({}, {})


def met(parts: Sequence[Limits]) -> Limits:
    """What holds when all parts do."""
    if len(parts) == 1:
        return parts[0]
    numbers: dict[str, Interval] = {}
    values: dict[str, Choice] = {}
    for part in parts:
        for path, interval in part.numbers.items():
            numbers[path] = numbers[path].meet(interval) if path in numbers else interval
        for path, choice in part.values.items():
            values[path] = values[path].meet(choice) if path in values else choice
    return Limits(numbers, values)


def _either(parts: Sequence[Limits]) -> Limits:
    """What holds when one of the parts does: what all of them say something about."""
    first, *others = parts
    numbers = {
        path: _hull([part.numbers[path] for part in parts])
        for path in first.numbers
        if all(path in part.numbers for part in others)
    }
    values = {
        path: union([part.values[path] for part in parts])
        for path in first.values
        if all(path in part.values for part in others)
    }
    return Limits(numbers, values)


def _hull(intervals: Sequence[Interval]) -> Interval:
    """The smallest interval around several."""
    low, open_low = min((one.low, one.open_low) for one in intervals)
    high, closed_high = max((one.high, not one.open_high) for one in intervals)
    return Interval(low, high, open_low, not closed_high)


def _joined(operands: tuple[en.Node, ...], negated: bool) -> Limits | None:
    parts = [limits_of(operand, negated=negated) for operand in operands]
    known = [part for part in parts if part is not None]
    return met(known) if len(known) == len(parts) else None


_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "IN": "NOT IN", "NOT IN": "IN"}


def _test_limits(test: en.Test, negated: bool) -> Limits | None:
    op, left, right = test.op, test.left, test.right
    if not isinstance(left, en.Path) and isinstance(right, en.Path) and op in _FLIPPED:
        op, left, right = _FLIPPED[op], right, left
    if negated:
        op = _NEGATED.get(op, "")
    if not isinstance(left, en.Path) or right is None or is_fleeting(left.parts):
        return None
    path = ".".join(left.parts)
    try:
        if op == "IN":
            return _one_of(path, right)
        value = constant(right)
        known = value is not None and isinstance(value.value, str | int | float)
        return _comparison(path, op, value.value) if value is not None and known else None
    except EvaluationError:  # a number that is not finite
        return None


def _one_of(path: str, choices: en.Node) -> Limits | None:
    if not isinstance(choices, en.ListNode):
        return None
    items = [constant(item) for item in choices.items]
    known = [equal_to(item.value) for item in items if item is not None and isinstance(item.value, str | int | float)]
    return Limits({}, {path: union(known)}) if len(known) == len(items) else None


def _comparison(path: str, op: str, value: Any) -> Limits | None:
    if op == "==":
        return Limits({}, {path: equal_to(value)})
    if isinstance(value, str | bool):
        return None
    bound = double(value)
    if op in ("<", "<="):
        return Limits({path: Interval(high=bound, open_high=op == "<")}, {})
    return Limits({path: Interval(low=bound, open_low=op == ">")}, {}) if op in (">", ">=") else None
