"""What the operators do with values of any type (docs/spec 02 §5.1). Compiled code falls back on these."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from . import bounds
from .budget import reads, visits, writes
from .errors import EvaluationError
from .evaluation import Evaluation
from .regex import Pattern, compile_pattern, regex_problem
from .values import Value, compare, double, equal, is_empty, is_number, read_number, text, to_number, truthy


def add(left: Value, right: Value) -> Value:
    """`+`: numbers add, texts concatenate, a text and a number add when the text is numeric."""
    if left is None or right is None:
        return None
    if isinstance(left, str) or isinstance(right, str):
        if is_number(left) or is_number(right):
            one, two = to_number(left), to_number(right)
            if one is not None and two is not None:
                return double(one + two)
        return joined_pair(text(left), text(right))
    return _arithmetic(left, right, lambda one, two: one + two)


def joined_pair(first: str, second: str) -> str:
    """Two texts as one, cut at `MAX_TEXT`."""
    room = bounds.MAX_TEXT - len(first)
    if room <= 0:
        return first[: bounds.MAX_TEXT]
    writes(len(first) + min(len(second), room))
    return first + second[:room]


def subtract(left: Value, right: Value) -> Value:
    """`-` with numeric texts and booleans converted; ∅ with anything that is no number."""
    return _arithmetic(left, right, lambda one, two: one - two)


def multiply(left: Value, right: Value) -> Value:
    """`*`, as `subtract`."""
    return _arithmetic(left, right, lambda one, two: one * two)


def divide(left: Value, right: Value) -> Value:
    """`/`; division by zero is an error, but ∅ / 0 is ∅."""
    return _arithmetic(left, right, _quotient)


def remainder(left: Value, right: Value) -> Value:
    """`%` with the sign of the left side; by zero an error."""
    return _arithmetic(left, right, _modulo)


def _arithmetic(left: Value, right: Value, operation: Callable[[float, float], float]) -> Value:
    one, two = to_number(left), to_number(right)
    if one is None or two is None:
        return None
    try:
        return double(operation(one, two))
    except OverflowError:
        raise EvaluationError("the number is not finite") from None


def _quotient(left: float, right: float) -> float:
    if right == 0:
        raise EvaluationError("division by zero")
    return left / right


def _modulo(left: float, right: float) -> float:
    if right == 0:
        raise EvaluationError("division by zero")
    return math.fmod(left, right)


def negate(value: Value) -> Value:
    """Unary `-`."""
    number = to_number(value)
    return None if number is None else double(-number)


def not_equal(left: Value, right: Value) -> bool:
    """`!=`, the negation of `==`."""
    return not equal(left, right)


def less(left: Value, right: Value) -> bool:
    """`<`."""
    order = compare(left, right)
    return order is not None and order < 0


def less_equal(left: Value, right: Value) -> bool:
    """`<=`."""
    order = compare(left, right)
    return order is not None and order <= 0


def greater(left: Value, right: Value) -> bool:
    """`>`."""
    order = compare(left, right)
    return order is not None and order > 0


def greater_equal(left: Value, right: Value) -> bool:
    """`>=`."""
    order = compare(left, right)
    return order is not None and order >= 0


def is_in(left: Value, right: Value) -> bool:
    """`IN`: an element of a list that is `==`, or a key of an object."""
    if isinstance(right, list):
        return any(equal(left, item) for item in visits(right))
    if isinstance(right, dict):
        return left is not None and text(left) in right
    return False


def not_in(left: Value, right: Value) -> bool:
    """`NOT IN`."""
    return not is_in(left, right)


def contains(left: Value, right: Value) -> bool:
    """`contains`: a part of a text, or an element of a list; never with ∅ on the right."""
    if right is None:
        return False
    if isinstance(left, str):
        reads(len(left))
        return text(right) in left
    if isinstance(left, list):
        return any(equal(item, right) for item in visits(left))
    return False


def starts_with(left: Value, right: Value) -> bool:
    """`startsWith` on the texts of both sides."""
    return _comparable_texts(left, right) and text(left).startswith(text(right))


def ends_with(left: Value, right: Value) -> bool:
    """`endsWith` on the texts of both sides."""
    return _comparable_texts(left, right) and text(left).endswith(text(right))


def _comparable_texts(left: Value, right: Value) -> bool:
    return left is not None and right is not None and not isinstance(left, (list, dict))


def pattern_of(evaluation: Evaluation, value: Value, flags: str = "") -> Pattern | None:
    """The right side of `matches`; None, with a note, when it is no valid pattern."""
    if value is None:
        return None
    pattern = text(value)
    compiled = compile_pattern(pattern, flags)
    if compiled is None:
        evaluation.note("invalid_regex", pattern=pattern[:200], reason=regex_problem(pattern, flags))
    return compiled


def is_set(value: Value) -> bool:
    """`IS SET`: anything but ∅."""
    return value is not None


def is_unset(value: Value) -> bool:
    """`IS NOT SET`."""
    return value is None


def is_not_empty(value: Value) -> bool:
    """`IS NOT EMPTY`."""
    return not is_empty(value)


def is_numeric(value: Value) -> bool:
    """`is_number`: a number, or a text that reads fully as one."""
    return is_number(value) or (isinstance(value, str) and read_number(value) is not None)


def negation(value: Value) -> bool:
    """`NOT` and `!`."""
    return not truthy(value)


BINARY: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": remainder,
}

TESTS: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "==": equal,
    "!=": not_equal,
    "<": less,
    "<=": less_equal,
    ">": greater,
    ">=": greater_equal,
    "IN": is_in,
    "NOT IN": not_in,
    "contains": contains,
    "startsWith": starts_with,
    "endsWith": ends_with,
}
"""Every test with two sides but `matches`, which also writes `match`."""

QUESTIONS: Final[dict[str, Callable[[Value], bool]]] = {
    "IS SET": is_set,
    "IS NOT SET": is_unset,
    "IS EMPTY": is_empty,
    "IS NOT EMPTY": is_not_empty,
    "EMPTY": is_empty,
    "is_number": is_numeric,
}
"""Every test with one side."""
