"""Examples of what a schema allows, for the page that shows a schema (docs/spec 11 §2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from memory.stores.keywords import TooMuchWork, identity, matches
from memory.stores.pointers import keys_of_pointer, pointer_of_reference
from memory.stores.validation import errors_of, shared_budget

DEEPEST = 6
"""Levels of objects in an example; a schema that refers to itself has no end of its own."""
LONGEST = 200
MOST_ITEMS = 20

FORMATS: Mapping[str, str] = {
    "date-time": "2026-03-01T09:30:00Z",
    "date": "2026-03-01",
    "time": "09:30:00",
    "email": "ines@example.org",
    "uri": "https://example.org/page",
    "uuid": "3f2c1a5e-7b64-4d1f-9c0a-52d8e0b7a911",
    "ipv4": "192.0.2.10",
    "ipv6": "2001:db8::10",
}
TEXTS = ("text", "Text", "abc", "ABC", "A1", "a1", "AB-123", "abc-1", "1", "12", "123", "1234", "12345", "123456", "en",
         "en-GB", "EUR", "#1a2b3c", "2026-03-01", "09:30", "+441134960000", "ines@example.org", "a_b", "A")  # fmt: skip
"""Tried in order where a text has to match a pattern."""


def examples_of(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """(what it is, content) pairs that fit the schema: everything filled in, and only what is required.

    None of a schema whose examples would take longer than a check may.
    """
    found: list[tuple[str, Any]] = []
    try:
        with shared_budget():
            for title, whole in (("Every field", True), ("Only what is required", False)):
                content = Maker(schema, whole).value(schema)
                if not errors_of(schema, content) and content not in [other for _, other in found]:
                    found.append((title, content))
    except TooMuchWork:
        return found
    return found


def target_of(root: Mapping[str, Any], part: Any) -> Any:
    """The schema behind a chain of references; True where it has no end. Keywords beside ``$ref`` win."""
    extra: dict[str, Any] = {}
    for _ in range(DEEPEST):
        if not (isinstance(part, Mapping) and "$ref" in part):
            return {**part, **extra} if isinstance(part, Mapping) and extra else part
        extra = {**{key: value for key, value in part.items() if key != "$ref"}, **extra}
        part = at_pointer(root, pointer_of_reference(part["$ref"]) or "")
    return True


def at_pointer(root: Any, pointer: str) -> Any:
    """The value at a pointer, which must exist."""
    for key in keys_of_pointer(pointer):
        root = root[int(key)] if isinstance(root, list) else root[key]
    return root


def flattened(root: Mapping[str, Any], part: Any) -> Any:
    """A schema with its references followed, ``allOf`` joined in and the first alternative taken."""
    part = target_of(root, part)
    for _ in range(DEEPEST):
        if not isinstance(part, Mapping):
            return part
        inside = [*part.get("allOf", ()), *part.get("anyOf", ())[:1], *part.get("oneOf", ())[:1]]
        if not inside:
            return part
        bare = {key: value for key, value in part.items() if key not in ("allOf", "anyOf", "oneOf")}
        part = joined(bare, *(target_of(root, item) for item in inside))
    return part


def joined(*parts: Any) -> dict[str, Any]:
    """Schemas that hold together as one: fields and required names of all; elsewhere the last one that speaks."""
    whole: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items() if isinstance(part, Mapping) else ():
            if key == "properties" and key in whole:
                value = {**whole[key], **value}  # noqa: PLW2901
            elif key in ("required", "allOf") and key in whole:
                value = [*whole[key], *value]  # noqa: PLW2901
            whole[key] = value
    return whole


class Maker:
    """Makes one example; ``whole`` fills in what is not required too."""

    def __init__(self, root: Mapping[str, Any], whole: bool) -> None:
        self.root, self.whole = root, whole

    def value(self, part: Any, depth: int = 0, number: int = 0, name: str = "") -> Any:
        """A value for a schema. ``number`` distinguishes the items of a list, ``name`` is that of the field."""
        part = flattened(self.root, part)
        if not isinstance(part, Mapping):
            return "text" if part is not False else None
        for key in ("const", "default"):
            if key in part and not number:
                return part[key]
        for key in ("enum", "examples"):
            if part.get(key) and isinstance(part[key], list):
                return part[key][number % len(part[key])]
        match kind_in(part):
            case "object":
                return self.object(part, depth)
            case "array":
                return self.array(part, depth)
            case "integer" | "number" as kind:
                return number_for(part, whole=kind == "integer", step=number)
            case "boolean":
                return number % 2 == 0
            case "null":
                return None
        return text_for(part, number, name)

    def object(self, part: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """Fields in the order of the schema, then those that are required without being described."""
        known, required = part.get("properties", {}), part.get("required", [])
        optional = self.whole and depth < DEEPEST
        names = [name for name in known if (optional and known[name] is not False) or name in required]
        names += [name for name in required if name not in known]
        if depth > 2 * DEEPEST:
            return {}
        other = part.get("additionalProperties", True)
        content = {name: self.value(known.get(name, other), depth + 1, name=name) for name in names}
        missing = min(part.get("minProperties", 0), MOST_ITEMS) - len(content)
        return content | {f"field{n + 1}": self.value(other, depth + 1) for n in range(missing)}

    def array(self, part: Mapping[str, Any], depth: int) -> list[Any]:
        """As few items as the schema allows, but one to look at in a whole example."""
        first, rest = part.get("prefixItems", []), part.get("items", True)
        if isinstance(rest, list):
            first, rest = rest, part.get("additionalItems", True)
        wanted = min(part.get("minItems", 0), MOST_ITEMS)
        if self.whole and depth < DEEPEST:
            wanted = max(wanted, min(len(first) or (2 if rest is not False else 0), part.get("maxItems", MOST_ITEMS)))
        schemas = [*first, *[rest] * MOST_ITEMS][:wanted]
        items = [self.value(item, depth + 1, number) for number, item in enumerate(schemas)]
        if part.get("uniqueItems"):
            items = list({identity(item): item for item in items}.values())
        return items


def kind_in(part: Mapping[str, Any]) -> str:
    """The first type that a schema names, or what its keywords speak of; "" where anything goes."""
    kinds = part.get("type")
    if isinstance(kinds, list):
        kinds = next((kind for kind in kinds if kind != "null"), "null")
    if kinds:
        return str(kinds)
    for kind, keys in (("object", ("properties", "required")), ("array", ("items", "prefixItems", "minItems"))):
        if any(key in part for key in keys):
            return kind
    return "number" if "minimum" in part or "maximum" in part else ""


def number_for(part: Mapping[str, Any], *, whole: bool, step: int = 0) -> int | float:
    """A number between the bounds: the least, else the greatest, else 1; then ``step`` units further on.

    Where bounds and unit are too far apart to compute with, a bound, which may not fit the schema.
    """
    try:
        value = _between(part, whole=whole, step=step)
        if math.isfinite(value):
            return value
    except OverflowError:
        pass
    bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    return next((part[name] for name in bounds if part.get(name) is not None), 1)


def _between(part: Mapping[str, Any], *, whole: bool, step: int) -> int | float:
    unit = part.get("multipleOf") or (1 if whole else 0.5)
    low, high = part.get("minimum"), part.get("maximum")
    above, below = part.get("exclusiveMinimum"), part.get("exclusiveMaximum")
    if above is not None and (low is None or above >= low):
        low = above + unit if below is None or above + unit < below else (above + below) / 2
    if below is not None and (high is None or below <= high):
        high = below - unit
    start = low if low is not None else min(high, 1) if high is not None else 1
    if "multipleOf" in part or whole:
        start = math.ceil(start / unit) * unit
    value = start + step * unit
    if high is not None and value > high:
        value = start
    return int(value) if whole or float(value).is_integer() else round(value, 10)


def text_for(part: Mapping[str, Any], number: int = 0, name: str = "") -> str:
    """A text of the format, pattern and length that are asked for, as far as one is known."""
    least, most = min(part.get("minLength", 0), LONGEST), part.get("maxLength", LONGEST)
    if part.get("format") in FORMATS:
        return FORMATS[part["format"]]
    if isinstance(part.get("pattern"), str):
        fitting = (text for text in TEXTS if least <= len(text) <= most and matches(part["pattern"], text))
        return next(fitting, "text")
    text = (name or "text") + (f" {number + 1}" if number else "")
    return (text if len(text) >= least else (text + " and more" * LONGEST)[:least])[:most]
