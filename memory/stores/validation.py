"""How a content violates the schema of its store, in words for people (docs/spec 11 §2)."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Any

from jsonschema.exceptions import ValidationError
from referencing import Registry

from memory.stores.keywords import BUDGET, DEFAULT_DIALECT, DIALECTS, STEPS, Budget, TooMuchWork, budget_now, dialect_of
from memory.stores.pointers import pointer_of

MOST = 20
"""Errors that are kept of one content."""
SHOWN = 60
MESSAGE_LENGTH = 300
KINDS: tuple[tuple[type, str], ...] = ((str, "string"), (list, "array"), (dict, "object"))

Problem = dict[str, str]
"""``path``: JSON pointer into the content. ``message``: what is there and what would be right."""


TOO_MUCH = (
    f"can't be checked: that would take more than {STEPS:,} steps, about a second. Make the content smaller (fewer "
    "fields and items, shorter texts), or the schema (fewer patterns and alternatives)"
)
REMEMBERED = 1_024
_remembered: OrderedDict[bytes, list[Problem]] = OrderedDict()


def errors_of(schema: Mapping[str, Any], content: Any) -> list[Problem]:
    """The first problems of a content, at most ``MOST``, in the order of the schema; empty when it fits.

    ``schema`` is one that ``memory.stores.schema`` accepted. Never raises for any JSON: what would take too long has
    the one problem ``TOO_MUCH``.
    """
    try:
        return errors_within(schema, content)
    except TooMuchWork:
        return [{"path": "", "message": TOO_MUCH}]


def errors_within(schema: Mapping[str, Any], content: Any, steps: int = STEPS) -> list[Problem]:
    """``errors_of``, which raises ``TooMuchWork`` when it takes more steps.

    What was checked a moment ago is known: writers check before they take the log, and take the answer under it.
    """
    text = json.dumps(schema)
    key = sha256(f"{text}\n{json.dumps(content)}".encode()).digest()
    known = _remembered.get(key)
    if known is None:
        with _budget(steps):
            known = _found(_validator(text), content)
        _remembered[key] = known
        while len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    return [dict(problem) for problem in known]


@contextmanager
def shared_budget() -> Iterator[None]:
    """All checks inside of it together may take what one may."""
    with _budget(STEPS):
        yield


@contextmanager
def _budget(steps: int) -> Iterator[None]:
    """A budget for what is inside, unless there is one already."""
    token = BUDGET.set(budget_now() or Budget(steps))
    try:
        yield
    finally:
        BUDGET.reset(token)


def _found(validator: Any, content: Any) -> list[Problem]:
    """The first problems that a validator finds. Raises ``TooMuchWork``."""
    try:
        return [problem_of(error) for error in islice(validator.iter_errors(content), MOST)]
    except RecursionError:
        return [{"path": "", "message": "can't be checked: content and schema are nested too deep"}]
    except ArithmeticError:
        return [{"path": "", "message": "can't be checked: a number is too large"}]


@lru_cache(maxsize=256)
def _validator(text: str) -> Any:
    """The validator of a schema, with a registry that knows the schema alone.

    Without ``$schema`` and ``$id``: with them the library would continue with a class or a place of its own.
    """
    schema = json.loads(text)
    dialect = DIALECTS[dialect_of(schema) or DEFAULT_DIALECT]
    bare = {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
    return dialect(bare, registry=Registry(), format_checker=dialect.FORMAT_CHECKER)


def problem_of(error: ValidationError) -> Problem:
    """An error of the library as a problem."""
    if error.validator == "anyOf" and error.context and len({len(e.absolute_path) for e in error.context}) > 1:
        error = max(error.context, key=lambda e: len(e.absolute_path))
    words = WORDS.get(str(error.validator), _other)(error)
    return {"path": pointer_of(error.absolute_path), "message": words[:MESSAGE_LENGTH]}


def shown(value: Any) -> str:
    """A value as compact JSON, cut."""
    if isinstance(value, (dict, list)) and len(value) > SHOWN:
        return f"{kind_of(value)} of {len(value):,}"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def kind_of(value: Any) -> str:
    """JSON Schema's word for the type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return next((word for kind, word in KINDS if isinstance(value, kind)), "value")


def _type(error: ValidationError) -> str:
    wanted = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    return f"{shown(error.instance)} is of type {kind_of(error.instance)}; it has to be {' or '.join(wanted)}"


def _required(error: ValidationError) -> str:
    missing = [name for name in error.validator_value if name not in error.instance]
    named = [name for name in missing if error.message.startswith(repr(name))]
    return f"the field {(named or missing)[0]!r} is missing"


def _other(error: ValidationError) -> str:
    if error.validator is None:
        return "the schema allows nothing here (false)"
    return f"{shown(error.instance)} breaks {error.validator}"


def _value(words: str) -> Callable[[ValidationError], str]:
    return lambda error: f"{shown(error.instance)} {words.format(shown(error.validator_value))}"


def _size(words: str) -> Callable[[ValidationError], str]:
    def say(error: ValidationError) -> str:
        return f"it has {len(error.instance):,} {words.format(error.validator_value)}"

    return say


WORDS: Mapping[str, Callable[[ValidationError], str]] = {
    "type": _type,
    "required": _required,
    "enum": _value("is not one of {}"),
    "const": _value("has to be {}"),
    "pattern": _value("does not match the pattern {}"),
    "format": _value("is not a {}"),
    "minimum": _value("is less than {}"),
    "maximum": _value("is more than {}"),
    "exclusiveMinimum": _value("has to be more than {}"),
    "exclusiveMaximum": _value("has to be less than {}"),
    "multipleOf": _value("is not a multiple of {}"),
    "minLength": _size("characters; at least {} are needed"),
    "maxLength": _size("characters; at most {} are allowed"),
    "minItems": _size("items; at least {} are needed"),
    "maxItems": _size("items; at most {} are allowed"),
    "minProperties": _size("fields; at least {} are needed"),
    "maxProperties": _size("fields; at most {} are allowed"),
    "uniqueItems": lambda error: "the item is repeated; items must be unique",
    "items": lambda error: "there are more items than the schema allows",
    "additionalProperties": lambda error: "the schema allows no such field",
    "anyOf": _value("matches none of the alternatives (anyOf)"),
    "oneOf": _value("must match exactly one of the alternatives (oneOf)"),
    "not": _value("is excluded by the schema (not)"),
}
