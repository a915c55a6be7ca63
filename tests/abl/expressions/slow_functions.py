"""The functions of docs/spec 02 §8 for the second evaluator; not FORMAT_CURRENCY, MATCH_* and UNIQUE_ID."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from tests.abl.expressions.slow_values import equal, finite, is_number, read_number, to_number, to_text, truthy

LONGEST = 100_000
Function = Callable[..., Any]
FUNCTIONS: dict[str, tuple[int, int, Function]] = {}
ANY = 10**6


def function(least: int, most: int, *names: str) -> Callable[[Function], Function]:
    """Register under names, with the least and the highest number of arguments."""

    def register(body: Function) -> Function:
        for name in names:
            FUNCTIONS[name] = (least, most, body)
        return body

    return register


def numeric(body: Function) -> Function:
    """All arguments are numbers; one that is ∅ or unreadable makes the result ∅."""

    def called(*arguments: Any) -> Any:
        numbers = [to_number(argument) for argument in arguments]
        return None if None in numbers else body(*numbers)

    return called


def whole(number: float) -> int:
    return math.trunc(number)


def _add(a: float, b: float) -> float:
    return finite(a + b)


def _sub(a: float, b: float) -> float:
    return finite(a - b)


def _mul(a: float, b: float) -> float:
    return finite(a * b)


def _div(a: float, b: float) -> float | None:
    return None if b == 0 else finite(a / b)


def _round(n: float, decimals: float = 0.0) -> float:
    places = whole(decimals)
    if places > 400 or n == 0:
        return n
    shifted = Decimal(repr(n)).scaleb(places) + Decimal("0.5")
    return finite(float(shifted.to_integral_value(ROUND_FLOOR).scaleb(-places)))


function(2, 2, "ADD")(numeric(_add))
function(2, 2, "SUB")(numeric(_sub))
function(2, 2, "MUL")(numeric(_mul))
function(2, 2, "DIV")(numeric(_div))
function(1, 2, "ROUND")(numeric(_round))
function(1, 1, "ABS")(numeric(abs))
function(2, ANY, "MIN")(numeric(min))
function(2, ANY, "MAX")(numeric(max))


@function(1, 1, "ORDINAL")
@numeric
def ordinal(n: float) -> str:
    last, two = abs(n) % 10, abs(n) % 100
    ending = "th" if 11 <= two <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(last, "th")  # of 2.5 as well
    return f"{to_text(n)}{ending}"


function(1, 1, "UPPER")(lambda s: to_text(s).upper()[:LONGEST])
function(1, 1, "LOWER")(lambda s: to_text(s).lower()[:LONGEST])
function(1, 1, "TRIM")(lambda s: to_text(s).strip())


@function(2, 3, "SUBSTRING")
def substring(s: Any, start: Any, *ends: Any) -> str | None:
    text = to_text(s)
    numbers = [to_number(bound) for bound in (start, *ends)]
    if None in numbers:
        return None
    bounds = [max(whole(number), 0) for number in numbers if number is not None]
    low, high = min(bounds), max([*bounds, len(text)] if len(bounds) == 1 else bounds)
    return text[low:high]


@function(3, 3, "REPLACE")
def replace(s: Any, find: Any, repl: Any) -> str:
    text, wanted = to_text(s), to_text(find)
    return text.replace(wanted, to_text(repl))[:LONGEST] if wanted else text


@function(2, 2, "SPLIT")
def split(s: Any, delimiter: Any) -> list[str]:
    if s is None:
        return []
    text, between = to_text(s), to_text(delimiter)
    return text.split(between) if between else list(text)


@function(1, 2, "JOIN")
def join(items: Any, delimiter: Any = ",") -> str:
    if not isinstance(items, list):
        return to_text(items)
    return to_text(delimiter).join(map(to_text, items))[:LONGEST]


@function(2, 3, "PAD_START", "PAD_END")
def pad(name: str, s: Any, length: Any, fill: Any = " ") -> str | None:
    text, wanted, piece = to_text(s), to_number(length), to_text(fill)
    if wanted is None:
        return None
    missing = min(whole(wanted), LONGEST) - len(text)
    if missing <= 0 or not piece:
        return text
    padding = (piece * (missing // len(piece) + 1))[:missing]
    return padding + text if name == "PAD_START" else text + padding


@function(2, 2, "REPEAT")
def repeat(s: Any, count: Any) -> str | None:
    times = to_number(count)
    if times is None:
        return None
    return (to_text(s) * min(max(whole(times), 0), LONGEST))[:LONGEST]


def pattern_of(pattern: str, flags: str = "") -> re.Pattern[str] | None:
    """A pattern of the kind that the tests use; what RE2 does not know (looking around, back) is invalid."""
    if re.search(r"\(\?[=!<][^a-z]?|\\[1-9]", pattern.replace("(?P<", "(P<")):
        return None
    pattern = re.sub(r"\(\?P<(?=[0-9])", "(?P<_", pattern)  # RE2 takes such a name
    pattern = pattern.replace("$", "$" if "m" in flags else r"\Z")
    number = sum(getattr(re, letter.upper()) for letter in set(flags))
    try:
        return re.compile(pattern, number | re.ASCII)
    except re.error:
        return None


@function(3, 3, "REGEX_REPLACE")
def regex_replace(text: Any, pattern: Any, repl: Any) -> str:
    compiled, written = pattern_of(to_text(pattern)), to_text(repl)
    if compiled is None:
        return to_text(text)

    def one(match: re.Match[str]) -> str:
        def group(number: re.Match[str]) -> str:
            at = int(number[1])
            return (match[at] or "") if at <= compiled.groups else ""

        return re.sub(r"\$([1-9])", group, written)

    return compiled.sub(one, to_text(text))[:LONGEST]


@function(2, 3, "REGEX_EXTRACT")
def regex_extract(text: Any, pattern: Any, group: Any = 0.0) -> str | None:
    number, compiled = to_number(group), pattern_of(to_text(pattern))
    found = compiled.search(to_text(text)) if compiled else None
    if found is None or number is None or not 0 <= whole(number) <= compiled.groups:
        return None
    return found[whole(number)]


@function(2, 3, "MASK")
def mask(s: Any, pattern: Any, char: Any = "*") -> str:
    text, kind = to_text(s), to_text(pattern)
    found = re.fullmatch(r"([0-9]+)\*([0-9]+)", kind)
    known = {"last4": (0, 4), "first4": (4, 0)}
    first, last = (int(found[1]), int(found[2])) if found else known.get(kind, (len(text), 0))
    hidden = len(text) - first - last
    if hidden <= 0:
        return text
    return text[:first] + (to_text(char) * hidden) + text[len(text) - last :]


function(1, 1, "IS_ARRAY")(lambda x: isinstance(x, list))
function(1, 1, "IS_STRING")(lambda x: isinstance(x, str))
function(1, 1, "IS_NUMBER")(lambda x: is_number(x) or (isinstance(x, str) and read_number(x) is not None))
function(1, 1, "TO_NUMBER")(to_number)
function(1, 1, "TO_STRING")(lambda x: to_text(x)[:LONGEST])
function(1, 1, "LENGTH")(lambda x: float(len(x)) if isinstance(x, (list, str)) else 0.0)
function(1, 1, "size")(lambda x: float(len(x)) if isinstance(x, (list, str, dict)) else 0.0)
function(1, 1, "has")(lambda x: x is not None)


@function(3, 3, "ARRAY_FIND")
def array_find(items: Any, field: Any, value: Any) -> Any:
    at = array_find_index(items, field, value)
    return items[int(at)] if at >= 0 else None


@function(3, 3, "ARRAY_FIND_INDEX")
def array_find_index(items: Any, field: Any, value: Any) -> float:
    for at, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and equal(item.get(to_text(field)), value):
            return float(at)
    return -1.0


function(1, 1, "OBJECT_KEYS")(lambda o: list(o) if isinstance(o, dict) else [])
function(1, 1, "OBJECT_VALUES")(lambda o: list(o.values()) if isinstance(o, dict) else [])
function(1, ANY, "COALESCE")(lambda *values: next((v for v in values if v is not None), None))


@function(1, ANY, "FIRST_NON_EMPTY")
def first_non_empty(*values: Any) -> Any:
    return next((v for v in values if v is not None and not (isinstance(v, str) and not v.strip())), None)


@function(1, ANY, "OBJECT_MERGE")
def object_merge(*objects: Any) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for one in objects:
        merged |= one if isinstance(one, dict) else {}
    return merged


function(3, 3, "IF")(lambda condition, a, b: a if truthy(condition) else b)


def call(name: str, values: list[Any]) -> Any:
    """The value of a known function."""
    body = FUNCTIONS[name][2]
    return body(name, *values) if body is pad else body(*values)
