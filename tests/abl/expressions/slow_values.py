"""Values as docs/spec 02 §2, §5.1, §6 and §9 see them, for the second evaluator. Every number is a float here."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
DATETIME = re.compile(DATE.pattern + r"T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2})?")


class Failure(Exception):
    """The evaluation error of 02 §10."""


def plain(value: Any) -> Any:
    """A value of a context with its numbers as floats."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value]


def is_number(value: Any) -> bool:
    return isinstance(value, float)


def finite(value: float) -> float:
    """The number, unless it is none (02 §10)."""
    if not math.isfinite(value):
        raise Failure("not finite")
    return value


def read_number(text: str) -> float | None:
    """ "Read as a number"."""
    text = text.strip()
    return float(text) if NUMBER.fullmatch(text) else None


def to_number(value: Any) -> float | None:
    """A number argument or operand: numeric text and booleans count; everything else is ∅."""
    if isinstance(value, bool):
        return 1.0 if value else 0.0
    if isinstance(value, str):
        return read_number(value)
    return value if is_number(value) else None


def number_text(value: float) -> str:
    """Shortest form without ``.0``; no exponent from 1e-6 to below 1e21."""
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = repr(value).split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def to_text(value: Any) -> str:
    """TO_STRING."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return to_json(value)


def to_json(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return number_text(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    return "{" + ",".join(f"{to_json(key)}:{to_json(item)}" for key, item in value.items()) + "}"


def truthy(value: Any) -> bool:
    """02 §6."""
    if value is None or value is False or value == "false":
        return False
    if value is True:
        return True
    if is_number(value):
        return value != 0
    return len(value) > 0


def instant(value: Any) -> datetime | None:
    """The moment that a text names when it is tagged `date` or `datetime`."""
    tag, moment = _dated(value)
    return moment if tag else None


def type_of(value: Any) -> str:
    """The type tag of 02 §2."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return _dated(value)[0] or "string"
    names = {bool: "boolean", float: "number", list: "array", dict: "object"}
    return names[type(value)]


def _dated(value: Any) -> tuple[str, datetime | None]:
    if not isinstance(value, str):
        return "", None
    date, moment = DATE.fullmatch(value), DATETIME.fullmatch(value)
    try:
        if date:
            return "date", datetime(*map(int, date.groups()), tzinfo=UTC)  # type: ignore[arg-type]
        if moment:
            return "datetime", _moment(*moment.groups())
    except (ValueError, OverflowError):
        pass
    return "", None


def _moment(*groups: str | None) -> datetime:
    *numbers, digits, zone = groups
    offset = UTC
    if zone and zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 23 or minutes > 59:
            raise ValueError("no zone")
        sign = -1 if zone[0] == "-" else 1
        offset = timezone(sign * timedelta(hours=hours, minutes=minutes))
    microseconds = int((digits or "0").ljust(6, "0")[:6])
    return datetime(*(int(number or 0) for number in numbers), microseconds, tzinfo=offset).astimezone(UTC)


def deep_equal(a: Any, b: Any) -> bool:
    """Same JSON type and value throughout, nothing converted."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(deep_equal, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(deep_equal(item, b[key]) for key, item in a.items())
    return bool(a == b)


def equal(a: Any, b: Any) -> bool:
    """The row `a == b` of 02 §5.1."""
    if a is None or b is None:
        return a is b
    one, two = instant(a), instant(b)
    if one is not None and two is not None:
        return one == two
    for left, right in ((a, b), (b, a)):
        if isinstance(left, bool) and isinstance(right, str):
            return left == (right == "true")
        if isinstance(left, bool) and is_number(right):
            return float(left) == right
        if is_number(left) and isinstance(right, str):
            return left == read_number(right)
    return deep_equal(a, b)


def order_number(value: Any) -> float:
    """What `< > <= >=` make of a value that is no date."""
    if isinstance(value, list):
        return float(len(value))
    number = to_number(value)
    return 0.0 if number is None else number


def compare(op: str, a: Any, b: Any) -> bool:
    """The row `< > <= >=`."""
    one, two = instant(a), instant(b)
    left: Any = one
    right: Any = two
    if (one is None) != (two is None):
        return False
    if one is None or two is None:
        left, right = order_number(a), order_number(b)
    return bool({"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[op])
