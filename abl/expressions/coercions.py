"""Which conversions an operator made, for the trace (docs/spec 02 §5.1, 04 §10: `{operand, from, to, rule}`)."""

from __future__ import annotations

from typing import Any, Final

from .values import Value, is_number, read_number, starts_like_number, type_tag

NOT_A_DATE: Final = "not_a_date"
"""Rule of a comparison of a date with something else, which is false whatever the operator."""
_DATED: Final = frozenset(("date", "datetime"))
_ORDER: Final = frozenset(("<", "<=", ">", ">="))
_EQUALITY: Final = frozenset(("==", "!="))
_TEXTS: Final = frozenset(("startsWith", "endsWith", "matches"))
_SIDES: Final = ("left", "right")


def coercions(op: str, left: Value, right: Value) -> list[dict[str, Any]]:
    """The conversions of a binary operator or test; the usual cases give an empty list."""
    if op in _ORDER:
        return _order(left, right)
    if op in _EQUALITY:
        return _equality(left, right)
    if op == "+" and (isinstance(left, str) or isinstance(right, str)):
        return _plus(left, right)
    if op in "+-*/%":
        return [] if left is None or right is None else _numbers(left, right, "unreadable_is_null")
    if op in _TEXTS and left is not None and right is not None:
        return _texts(left, right)
    if op == "contains" and isinstance(left, str) and right is not None and not isinstance(right, str):
        return [_record(1, right, "string", "text")]
    return []


def negation_coercions(value: Value) -> list[dict[str, Any]]:
    """The conversion of unary `-`."""
    record = None if value is None else _number(0, value, "unreadable_is_null")
    return [] if record is None else [record | {"operand": "operand"}]


def _order(left: Value, right: Value) -> list[dict[str, Any]]:
    dated = [type_tag(side) in _DATED for side in (left, right)]
    if all(dated):
        return _dates(left, right)
    if any(dated):
        side = dated.index(False)
        return [_record(side, (left, right)[side], "date", NOT_A_DATE)]
    return _numbers(left, right, "unreadable_is_zero")


def _dates(left: Value, right: Value) -> list[dict[str, Any]]:
    tags = type_tag(left), type_tag(right)
    if tags[0] == tags[1]:
        return []
    return [_record(side, (left, right)[side], "datetime", "utc_midnight") for side in (0, 1) if tags[side] == "date"]


def _equality(left: Value, right: Value) -> list[dict[str, Any]]:
    kinds = type(left), type(right)
    if bool in kinds and kinds[0] is not kinds[1]:
        side = kinds.index(bool)
        other = (left, right)[1 - side]
        if isinstance(other, str):
            return [_record(1 - side, other, "boolean", "text_is_true")]
        return [_record(side, (left, right)[side], "number", "boolean_number")] if is_number(other) else []
    if str in kinds and (is_number(left) or is_number(right)):
        side = kinds.index(str)
        record = _number(side, (left, right)[side], "unreadable_is_unequal")
        return [] if record is None else [record]
    if kinds == (str, str) and left != right and {type_tag(left), type_tag(right)} == {"date", "datetime"}:
        return _dates(left, right)
    return []


def _plus(left: Value, right: Value) -> list[dict[str, Any]]:
    if left is None or right is None or (isinstance(left, str) and isinstance(right, str)):
        return []
    side = 0 if isinstance(left, str) else 1
    subject, other = (left, right)[side], (left, right)[1 - side]
    if is_number(other) and read_number(subject) is not None:
        return [_record(side, subject, "number", "numeric_string")]
    return [_record(1 - side, other, "string", "text")]


def _texts(left: Value, right: Value) -> list[dict[str, Any]]:
    sides = enumerate((left, right))
    return [_record(side, value, "string", "text") for side, value in sides if not isinstance(value, str)]


def _numbers(left: Value, right: Value, unreadable: str) -> list[dict[str, Any]]:
    records = (_number(side, value, unreadable) for side, value in enumerate((left, right)))
    return [record for record in records if record is not None]


def _number(side: int, value: Value, unreadable: str) -> dict[str, Any] | None:
    """How one side became a number; `unreadable` is the rule for values that are none."""
    if is_number(value):
        return None
    rule = unreadable
    readable = True
    if isinstance(value, bool):
        rule = "boolean_number"
    elif isinstance(value, str) and read_number(value) is not None:
        rule = "numeric_string"
    elif isinstance(value, list) and unreadable == "unreadable_is_zero":
        rule = "array_length"
    elif value is None:
        rule = "null_is_zero"
    else:
        readable = unreadable == "unreadable_is_zero"
        if isinstance(value, str) and starts_like_number(value):
            rule = "partial_number"
    return _record(side, value, "number" if readable else "null", rule)


def _record(side: int, value: Value, to: str, rule: str) -> dict[str, Any]:
    return {"operand": _SIDES[side], "from": type_tag(value), "to": to, "rule": rule}
