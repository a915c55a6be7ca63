"""JSON Schema's keywords on data of users: patterns in linear time, every step counted, nothing ever fetched.

``jsonschema`` does the work. Replaced here is what a schema or a record could use to stop the server: Python's
backtracking ``re`` (now RE2, ``abl.expressions.regex``), the comparison of each element with each other, and
recursion without an end, which a budget of steps cuts.
"""

from __future__ import annotations

import ipaddress
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date, datetime, time
from time import thread_time
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from abl.expressions.regex import compile_pattern

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]

STEPS = 60_000
"""Keywords that the check of one content may evaluate, about a second; ``DEARER`` and long messages count more."""
SECONDS = 1.0
"""Processor time of the thread that a check may take where the steps do not count what it does."""
CHARACTERS_PER_STEP = 100
DEARER = {"$ref": 3}
PER_MATCH = 0.1
MOST_WORK = 40_000_000
"""Bytes of a text times instructions of a pattern: the slowest searches do so much in a second, most far more."""
PAIRS_PER_STEP = 2_000


class TooMuchWork(Exception):
    """Checking a content would take more than ``STEPS`` steps."""


@dataclass(slots=True)
class Budget:
    """What is left of ``STEPS``."""

    left: float = STEPS
    until: float = field(default_factory=lambda: thread_time() + SECONDS)

    def spend(self, steps: float) -> None:
        """Take steps off. Raises ``TooMuchWork`` when none are left, or no time."""
        self.left -= steps
        if self.left < 0 or thread_time() > self.until:
            raise TooMuchWork


BUDGET: ContextVar[Budget] = ContextVar("steps of a schema check")


def budget_now() -> Budget | None:
    """The budget of the check that continues, if one does."""
    try:
        return BUDGET.get()
    except LookupError:
        return None


def counted(keyword: Keyword, price: int = 1) -> Keyword:
    """The keyword, paying for each evaluation and for each error that it words."""

    def paying(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        budget = BUDGET.get()
        budget.spend(price)
        for error in keyword(validator, value, instance, schema) or ():
            budget.spend(len(error.message) // CHARACTERS_PER_STEP)
            yield error

    return paying


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text; False for a pattern that RE2 refuses, which no saved schema has.

    In a check it is paid for before it is looked for, as nothing can stop a search that has begun.
    """
    compiled = compile_pattern(pattern)
    if compiled is None:
        return False
    budget = budget_now()
    if budget is not None:
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        if size * compiled.size > MOST_WORK:
            raise TooMuchWork
        budget.spend(PER_MATCH)
    return compiled.search(text) is not None


def squared(keyword: Keyword) -> Keyword:
    """The keyword of the library that looks for each element in a list of all of them, paying for these pairs."""

    def paying(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(instance, (list, dict)):
            BUDGET.get().spend(len(instance) ** 2 / PAIRS_PER_STEP)
        yield from keyword(validator, value, instance, schema) or ()

    return paying


def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """``pattern`` by RE2."""
    if isinstance(instance, str) and not matches(wanted, instance):
        yield ValidationError("does not match")


def pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
    """``patternProperties`` by RE2."""
    if isinstance(instance, dict):
        for wanted, below in patterns.items():
            for name in [name for name in instance if matches(wanted, name)]:
                yield from validator.descend(instance[name], below, path=name, schema_path=wanted)


def properties(validator: Any, parts: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
    """``properties``, also saying where a field is that may not be there."""
    if isinstance(instance, dict):
        for name, below in parts.items():
            if name in instance and below is False:
                yield ValidationError("is not allowed", path=[name], validator="additionalProperties")
            elif name in instance:
                yield from validator.descend(instance[name], below, path=name, schema_path=name)


def additional_properties(validator: Any, below: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    """``additionalProperties``: of what neither ``properties`` nor a pattern names."""
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", {}), list(schema.get("patternProperties", {}))
    for name in [n for n in instance if n not in known and not any(matches(wanted, n) for wanted in patterns)]:
        if below is False:
            yield ValidationError("is not known", path=[name])
        else:
            yield from validator.descend(instance[name], below, path=name)


def unique_items(validator: Any, wanted: bool, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """``uniqueItems`` in one pass: equal values have equal keys."""
    if wanted and isinstance(instance, list):
        seen: dict[str, int] = {}
        for index, item in enumerate(instance):
            first = seen.setdefault(identity(item), index)
            if first != index:
                yield ValidationError("is repeated", path=[index])
                return


def identity(value: Any) -> str:
    """A text that equal JSON values share, where 1 equals 1.0 and true equals no number."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


SAFE: Mapping[str, Keyword] = {
    "pattern": pattern,
    "properties": properties,
    "patternProperties": pattern_properties,
    "additionalProperties": additional_properties,
    "uniqueItems": unique_items,
}

FORMATS = FormatChecker(formats=())


def _format(name: str) -> Callable[[Callable[[str], object]], Callable[[str], object]]:
    """Register a check that raises ``ValueError`` for a text that is no such thing; other values pass."""

    def register(check: Callable[[str], object]) -> Callable[[str], object]:
        FORMATS.checks(name, raises=ValueError)(lambda value: not isinstance(value, str) or check(value) is not False)
        return check

    return register


@_format("date-time")
def _date_time(text: str) -> bool:
    """ISO 8601; an offset may be missing, as in what ``datetime.now().isoformat()`` writes."""
    datetime.fromisoformat(text)
    return len(text) > 10 and text[10] in "Tt "


_format("date")(lambda text: date.fromisoformat(text) and len(text) == 10)
_format("time")(lambda text: [time.fromisoformat(text)])
_format("email")(lambda text: re.fullmatch(r"[^@\s]{1,64}@[^@\s]{1,255}", text) is not None)
_format("uri")(lambda text: urlsplit(text).scheme != "" and " " not in text)
_format("uuid")(lambda text: str(uuid.UUID(text)) == text.lower())
_format("ipv4")(lambda text: [ipaddress.IPv4Address(text)])
_format("ipv6")(lambda text: [ipaddress.IPv6Address(text)])


def _safe(base: Any) -> Any:
    own = {**base.VALIDATORS, **{name: SAFE[name] for name in SAFE if name in base.VALIDATORS}}
    own |= {name: squared(own[name]) for name in ("unevaluatedItems", "unevaluatedProperties") if name in own}
    keywords = {name: counted(keyword, DEARER.get(name, 1)) for name, keyword in own.items()}
    return extend(base, keywords, format_checker=FORMATS)


DIALECTS: Mapping[str, Any] = {
    "https://json-schema.org/draft/2020-12/schema": _safe(Draft202012Validator),
    "http://json-schema.org/draft-07/schema": _safe(Draft7Validator),
}
"""``$schema`` without its final ``#`` to the class that checks. The first is taken where a schema names none."""
STOCK: Mapping[str, Any] = dict(zip(DIALECTS, (Draft202012Validator, Draft7Validator), strict=True))
"""The classes that check schemas themselves."""
DEFAULT_DIALECT = next(iter(DIALECTS))


def dialect_of(schema: Mapping[str, Any]) -> str | None:
    """The dialect of a schema, None for one that is not supported."""
    named = schema.get("$schema", DEFAULT_DIALECT)
    named = named.removesuffix("#") if isinstance(named, str) else ""
    return named if named in DIALECTS else None
