"""What values mean: truth, text, number, equality and order (docs/spec 02 §2, §5.1, §6, §9).

A value is None, bool, int or float, str, list or dict with text keys. `∅` is None here and below. Numbers are IEEE
doubles: a Python int is used where it says the same, and whole results come back as ints.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from . import bounds
from .budget import FREE, spends
from .dates import is_date_only, read_moment
from .errors import EvaluationError

Value: TypeAlias = Any

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PARTIAL = re.compile(r"[+-]?\.?[0-9]")
_EXACT: Final = bounds.EXACT_INTEGER
_quote = json.encoder.encode_basestring


def is_number(value: Value) -> bool:
    """True for int and float, not for bool."""
    return type(value) is int or type(value) is float


def double(value: float) -> int | float:
    """A number as the double it stands for, whole ones as int. Raises EvaluationError unless it is finite."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise EvaluationError("the number is not finite")
    return int(number) if number.is_integer() and -_EXACT <= number <= _EXACT else number


def read_number(text: str) -> int | float | None:
    """A text as a number when, trimmed, all of it is a number literal; None otherwise (02 §5.1)."""
    text = text.strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and -_EXACT <= number <= _EXACT else number


def starts_like_number(text: str) -> bool:
    """True when other platforms would read a number from the start of an unreadable text (`partial_number`)."""
    return _PARTIAL.match(text.strip()) is not None


def to_number(value: Value) -> int | float | None:
    """A number argument or operand: numbers, numeric texts, booleans as 1 and 0; None for all else."""
    kind = type(value)
    if kind is int or kind is float:
        return value if kind is int and -_EXACT <= value <= _EXACT else double(value)
    if kind is str:
        return read_number(value)
    if kind is bool:
        return int(value)
    return None


def to_order(value: Value) -> int | float:
    """What `<` compares when the sides are no dates: also lists by length, and 0 for everything unreadable."""
    if isinstance(value, list):
        return len(value)
    number = to_number(value)
    return 0 if number is None else number


def truthy(value: Value) -> bool:
    """False for false, 0, empty text, the text "false", ∅, empty list and empty object (02 §6)."""
    return bool(value) and value != "false"


def is_empty(value: Value) -> bool:
    """∅, empty text, empty list and empty object."""
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def number_text(value: float) -> str:
    """Shortest text that reads back as the same double: no `.0`, no exponent from 1e-6 to below 1e21 (02 §9)."""
    if type(value) is int and -_EXACT <= value <= _EXACT:
        return str(value)
    number = double(value)
    if type(number) is int:
        return str(number)
    mantissa, _, exponent = repr(number).partition("e")
    if not exponent:
        return mantissa.removesuffix(".0")  # of whole numbers beyond those that are exact
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, decimals = mantissa.lstrip("-").partition(".")
    decimals = "" if decimals == "0" else decimals
    power = int(exponent)
    if power >= 21 or power < -6:
        return f"{sign}{whole}{'.' if decimals else ''}{decimals}e{'+' if power > 0 else ''}{power}"
    if exponent.startswith("-"):
        return f"{sign}0.{'0' * (-power - 1)}{whole}{decimals}"
    return f"{sign}{whole}{decimals}{'0' * (power - len(decimals))}"


def text(value: Value) -> str:
    """`TO_STRING`: ∅ is empty, lists and objects are compact JSON; never longer than `MAX_TEXT`."""
    kind = type(value)
    if kind is str:
        return str(value)
    if value is None:
        return ""
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return number_text(value)
    return json_text(value, bounds.MAX_TEXT)[: bounds.MAX_TEXT]


def json_text(value: Value, enough: int) -> str:
    """Compact JSON with numbers as in `number_text`; writing stops soon after `enough` characters."""
    pieces: list[str] = []
    room = enough
    comma = ""
    # What is still to be written, with what closes it: so deep values need no recursion, and long ones no copy.
    todo: list[tuple[Iterator[Any], str]] = [(iter((value,)), "")]
    while todo and room >= 0:
        items, close = todo[-1]
        item: Any = next(items, _END)
        if item is _END:
            todo.pop()
            piece, comma = close, ","
        else:
            if close == "}":
                comma, item = f"{comma}{_quote(str(item[0]))}:", item[1]
            inner = _inside(item)
            if inner is None:
                piece, comma = comma + _scalar_text(item, room), ","
            else:
                todo.append(inner)
                piece, comma = comma + ("[" if inner[1] == "]" else "{"), ""
        pieces.append(piece)
        room -= len(piece)
        if not len(pieces) % FREE:
            spends(FREE)
    return "".join(pieces)


_END: Final = object()


def _inside(item: Value) -> tuple[Iterator[Any], str] | None:
    """The elements or members of a value, with what closes it; None for a value that has none."""
    if isinstance(item, (list, tuple)):
        return iter(item), "]"
    if isinstance(item, dict):
        return iter(item.items()), "}"
    return None


def _scalar_text(item: Value, room: int) -> str:
    if isinstance(item, str):
        return str(_quote(item[: room + 1]))
    return "null" if item is None else text(item)


def type_tag(value: Value) -> str:
    """`null boolean number string date datetime array object`, as traces show it (02 §2)."""
    tag = _TAGS.get(type(value))
    if tag is None:
        return "array" if isinstance(value, (list, tuple)) else "object"
    if tag == "string" and read_moment(value) is not None:
        return "date" if is_date_only(value) else "datetime"
    return tag


_TAGS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def equal(left: Value, right: Value) -> bool:
    """`==` with its conversions (02 §5.1)."""
    if left is None or right is None:
        return left is right
    if isinstance(left, (list, dict)) or isinstance(right, (list, dict)):
        return same(left, right)
    if type(left) is bool or type(right) is bool:
        return _equal_boolean(left, right)
    if isinstance(left, str) and isinstance(right, str):
        if left == right:
            return True
        moment = read_moment(left)
        return moment is not None and moment == read_moment(right)
    first, second = to_number(left), to_number(right)
    return first is not None and first == second


def _equal_boolean(left: Value, right: Value) -> bool:
    flag, other = (left, right) if type(left) is bool else (right, left)
    if isinstance(other, str):
        return bool(flag == (other == "true"))
    return bool(flag == other)


def same(left: Value, right: Value) -> bool:
    """Deep equality without conversions: `[1]` is not `["1"]` and not `[true]`."""
    todo = [(left, right)]
    steps = 0
    while todo:
        one, two = todo.pop()
        steps += 1
        if not steps % FREE:
            spends(FREE)
        if isinstance(one, dict) and isinstance(two, dict):
            if one.keys() != two.keys():
                return False
            todo.extend((item, two[key]) for key, item in one.items())
        elif isinstance(one, list) and isinstance(two, list):
            if len(one) != len(two):
                return False
            todo.extend(zip(one, two, strict=True))
        elif is_number(one) and is_number(two):
            if float(one) != float(two):
                return False
        elif type(one) is not type(two) or one != two:
            return False
    return True


def compare(left: Value, right: Value) -> int | None:
    """Below, at or above zero as `left` comes before, with or after `right`; None for a date and no date (02 §5.1)."""
    first = read_moment(left) if isinstance(left, str) else None
    second = read_moment(right) if isinstance(right, str) else None
    if first is not None and second is not None:
        return (first > second) - (first < second)
    if first is not None or second is not None:
        return None
    one, two = to_order(left), to_order(right)
    return (one > two) - (one < two)
