"""Number functions and conversions (docs/spec 02 §8). ∅ and unreadable arguments give ∅."""

from __future__ import annotations

import decimal
from collections.abc import Callable

from .. import operators
from ..values import Value, double, is_number, number_text, text, to_number
from .table import builtin

# Doubles reach 309 digits before and 324 after the point.
_EXACT = decimal.Context(prec=800, Emax=9_999, Emin=-9_999)


def _both(left: Value, right: Value, operation: Callable[[Value, Value], Value]) -> Value:
    one, two = to_number(left), to_number(right)
    return None if one is None or two is None else operation(one, two)


@builtin("ADD(a, b)", "number")
def add(left: Value, right: Value) -> Value:
    """The sum; texts are read as numbers."""
    return _both(left, right, operators.add)


@builtin("SUB(a, b)", "number")
def sub(left: Value, right: Value) -> Value:
    """The difference."""
    return _both(left, right, operators.subtract)


@builtin("MUL(a, b)", "number")
def mul(left: Value, right: Value) -> Value:
    """The product."""
    return _both(left, right, operators.multiply)


@builtin("DIV(a, b)", "number")
def div(left: Value, right: Value) -> Value:
    """The quotient; null when b is 0."""
    return _both(left, right, lambda one, two: None if two == 0 else operators.divide(one, two))


@builtin("ROUND(n, decimals?)", "number")
def round_half_up(value: Value, *decimals: Value) -> Value:
    """Rounded to decimals (default 0); halves go toward +∞, judged on the shortest decimal form."""
    number = to_number(value)
    places = to_number(decimals[0]) if decimals else 0
    if number is None or places is None:
        return None
    shift = max(-400, min(400, int(places)))
    shifted = decimal.Decimal(repr(number)).scaleb(shift, _EXACT)
    half_up = _EXACT.add(shifted, decimal.Decimal("0.5")).to_integral_value(decimal.ROUND_FLOOR, _EXACT)
    return double(float(half_up.scaleb(-shift, _EXACT)))


@builtin("ABS(n)", "number")
def absolute(value: Value) -> Value:
    """The number without its sign."""
    number = to_number(value)
    return None if number is None else abs(number)


@builtin("MIN(a, b, …)", "number")
def minimum(*values: Value) -> Value:
    """The smallest of two or more numbers."""
    numbers = [to_number(value) for value in values]
    return None if None in numbers else min(number for number in numbers if number is not None)


@builtin("MAX(a, b, …)", "number")
def maximum(*values: Value) -> Value:
    """The largest of two or more numbers."""
    numbers = [to_number(value) for value in values]
    return None if None in numbers else max(number for number in numbers if number is not None)


@builtin("TO_NUMBER(x)", "number")
def convert_number(value: Value) -> Value:
    """The number a text spells, 1 or 0 for a boolean; null when unreadable."""
    return to_number(value)


@builtin("TO_STRING(x)", "string")
def convert_text(value: Value) -> Value:
    """The text of a value: empty for ∅, JSON for lists and objects."""
    return text(value)


@builtin("IS_NUMBER(x)", "boolean")
def is_number_like(value: Value) -> Value:
    """True for numbers and fully numeric texts."""
    return operators.is_numeric(value)


@builtin("IS_STRING(x)", "boolean")
def is_string(value: Value) -> Value:
    """True for texts."""
    return isinstance(value, str)


@builtin("IS_ARRAY(x)", "boolean")
def is_array(value: Value) -> Value:
    """True for lists."""
    return isinstance(value, list)


@builtin("ORDINAL(n)", "string")
def ordinal(value: Value) -> Value:
    """`1st 2nd 3rd 4th … 11th 12th 13th 21st`."""
    number = to_number(value)
    if number is None:
        return None
    written = number_text(number)
    if not is_number(number) or "." in written or "e" in written:
        return f"{written}th"
    last_two = int(written.lstrip("-")[-2:])
    suffix = "th" if 11 <= last_two <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(last_two % 10, "th")
    return written + suffix
