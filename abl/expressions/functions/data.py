"""Functions over lists, objects and unset values, the clock and identifiers (docs/spec 02 §8)."""

from __future__ import annotations

from .. import bounds
from ..budget import makes, visits
from ..dates import timestamp_text
from ..evaluation import Evaluation
from ..scope import descend
from ..values import Value, equal, text, to_number, truthy
from .table import CEL_FUNCTIONS, builtin

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@builtin("LENGTH(x)", "number")
def length(value: Value) -> Value:
    """Elements of a list or characters of a text, else 0."""
    return len(value) if isinstance(value, (list, str)) else 0


@builtin("size(x)", "number", table=CEL_FUNCTIONS)
def size(value: Value) -> Value:
    """As LENGTH; for an object the number of its keys."""
    return len(value) if isinstance(value, (list, str, dict)) else 0


@builtin("has(path)", "boolean", table=CEL_FUNCTIONS)
def has(value: Value) -> Value:
    """The same as `path IS SET`."""
    return value is not None


@builtin("ARRAY_FIND(arr, field, value)", "any")
def array_find(items: Value, field: Value, value: Value) -> Value:
    """The first element whose field equals the value, else null."""
    at = array_find_index(items, field, value)
    return items[at] if at >= 0 else None


@builtin("ARRAY_FIND_INDEX(arr, field, value)", "number")
def array_find_index(items: Value, field: Value, value: Value) -> int:
    """The 0-based place of the first element whose field equals the value, else -1."""
    if not isinstance(items, list):
        return -1
    name = text(field)
    path = tuple(name.split("."))
    for place, item in enumerate(visits(items)):
        if isinstance(item, dict):
            found = item[name] if name in item else descend(item, path)
            if equal(found, value):
                return place
    return -1


@builtin("OBJECT_KEYS(o)", "array")
def object_keys(value: Value) -> Value:
    """The keys in their order; an empty list for anything but an object."""
    if not isinstance(value, dict):
        return []
    makes(len(value))
    return list(value)


@builtin("OBJECT_VALUES(o)", "array")
def object_values(value: Value) -> Value:
    """The values in the order of their keys; an empty list for anything but an object."""
    if not isinstance(value, dict):
        return []
    makes(len(value))
    return list(value.values())


@builtin("OBJECT_MERGE(o1, …)", "object")
def object_merge(*values: Value) -> Value:
    """One object with the keys of all, later ones winning; only the top level, anything but objects skipped."""
    merged: dict[str, Value] = {}
    for value in values:
        if isinstance(value, dict):
            makes(len(value))
            merged.update(value)
    return merged


@builtin("COALESCE(a, …)", "any")
def coalesce(*values: Value) -> Value:
    """The first value that is set; `0`, `false` and empty text are set."""
    return next((value for value in values if value is not None), None)


@builtin("FIRST_NON_EMPTY(a, …)", "any")
def first_non_empty(*values: Value) -> Value:
    """As COALESCE, but skips blank texts too."""
    candidates = (value for value in values if value is not None)
    return next((value for value in candidates if not (isinstance(value, str) and not value.strip())), None)


@builtin("IF(cond, a, b)", "any")
def if_function(condition: Value, then: Value, otherwise: Value) -> Value:
    """One of two values; both are evaluated (`?:` evaluates one)."""
    return then if truthy(condition) else otherwise


@builtin("NOW()", "datetime", impure=True)
def now(evaluation: Evaluation) -> Value:
    """The current time as ISO-8601 text in UTC with milliseconds."""
    return timestamp_text(evaluation.now())


@builtin("NOW_MS()", "number", impure=True)
def now_ms(evaluation: Evaluation) -> Value:
    """The current time in milliseconds since 1970."""
    moment = evaluation.now()
    return int(moment.timestamp()) * 1000 + moment.microsecond // 1000


@builtin("UNIQUE_ID(length?)", "string", impure=True)
def unique_id(evaluation: Evaluation, *length: Value) -> Value:
    """Random letters and digits, by default 6."""
    wanted = to_number(length[0]) if length else 6
    if wanted is None:
        return None
    rng = evaluation.rng()
    return "".join(rng.choice(_ALPHABET) for _ in range(max(0, min(int(wanted), bounds.MAX_ID_LENGTH))))
