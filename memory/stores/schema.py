"""What the schema of a store may be (docs/spec 11 §2): an object at the root, bounded, no reference to elsewhere.

A refusal is a ``Problem`` whose ``path`` is the JSON pointer of what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from abl.expressions.regex import compile_pattern, regex_problem
from memory.log.chain import canonical
from memory.stores.keywords import DIALECTS, STOCK, dialect_of
from memory.stores.pointers import pointer_of_reference
from memory.stores.validation import MESSAGE_LENGTH, MOST, Problem, problem_of, shown
from memory.values import storable_text
from web.api.parsers import json_value, nested_deeper

LARGEST = 64 * 1024
DEEPEST = 32
MOST_PARTS = 2_000
MOST_PROGRAM = 400_000
"""Instructions that all patterns of a schema may be compiled to together: that takes about half a second."""
MOST_NAMES = 1_000
"""Entries that a list of ``LISTED`` may have."""
LISTED = {"required": "names", "enum": "values"}
TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")

ONE = ("not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "additionalItems", "items",
       "unevaluatedItems", "unevaluatedProperties")  # fmt: skip
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
SAME_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
"""Keywords whose schemas apply to the value itself, not to something inside of it."""
NOT_HERE = {
    "$schema": "stands only at the root of a schema",
    "$id": "stands only at the root of a schema",
    "$anchor": "is not supported; refer to a part by its pointer, such as #/$defs/name",
    "$dynamicRef": "is not supported; use $ref",
    "$dynamicAnchor": "is not supported; use $ref and a pointer",
    "$recursiveRef": "is not supported; use $ref",
}


def schema_of(text: str) -> Any:
    """The JSON of an editor's text. ``ValueError`` for ``json_problem``."""
    return json_value(text)


def problems_of(schema: Any) -> list[Problem]:
    """Why a value cannot be the schema of a store, at most ``MOST`` problems; empty when it can."""
    found = _shape(schema)
    if found is not None:
        return [found]
    walk = Walk(schema)
    problems = list(islice(walk.problems(), MOST))
    return problems or list(islice(_against_dialect(schema), MOST))


def _shape(schema: Any) -> Problem | None:
    """What is wrong with the whole."""
    if not isinstance(schema, dict):
        return _problem("", f"is {shown(schema)}; a schema is a JSON object")
    if nested_deeper(schema, DEEPEST):
        return _problem("", f"is nested deeper than {DEEPEST} levels")
    try:
        text = canonical(schema)
    except (ValueError, TypeError):
        return _problem("", "is not JSON: numbers must be finite, keys text")
    if not storable_text(text) or "\\u0000" in text:
        return _problem("", "has a character that cannot be stored (NUL or half a surrogate pair)")
    size = len(text.encode())
    if size > LARGEST:
        return _problem("", f"has {size:,} bytes; at most {LARGEST:,} are allowed")
    if dialect_of(schema) is None:
        named = " or ".join(DIALECTS)
        return _problem("/$schema", f"{shown(schema['$schema'])} is not supported; use {named}, or leave it out")
    if schema.get("type") != "object":
        return _problem("/type", f'is {shown(schema.get("type"))} at the root; it has to be "object"')
    return None


def _problem(path: str, message: str) -> Problem:
    return {"path": path, "message": message[:MESSAGE_LENGTH]}


def _against_dialect(schema: Mapping[str, Any]) -> Iterator[Problem]:
    """What the schema of schemas says; its own patterns are harmless."""
    stock = STOCK[dialect_of(schema) or ""]
    for error in stock(stock.META_SCHEMA).iter_errors(schema):
        pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
        what = pointer.rpartition("/")[2] or "a schema"
        yield _problem(pointer, f"{shown(error.instance)} is not a value for {what}: {problem_of(error)['message']}")


@dataclass(slots=True)
class Walk:
    """A walk over all schemas inside a schema, each with its pointer."""

    root: Mapping[str, Any]
    parts: dict[str, Any] = field(default_factory=dict)
    program: int = 0
    patterns: set[str] = field(default_factory=set)
    full: bool = False

    def problems(self) -> Iterator[Problem]:
        """Everything that is wrong, in the order of the schema, references last."""
        waiting: list[tuple[str, Any]] = [("", self.root)]
        while waiting:
            pointer, part = waiting.pop()
            if len(self.parts) >= MOST_PARTS:
                yield _problem(pointer, f"is part number {MOST_PARTS + 1:,}; at most {MOST_PARTS:,} are allowed")
                return
            self.parts[pointer] = part
            yield from self._own(pointer, part)
            if self.full:
                return
            waiting += reversed(list(inner(pointer, part)))
        yield from self._mixed()
        yield from self._references()

    def _own(self, pointer: str, part: Any) -> Iterator[Problem]:
        """What is wrong with the keywords of one schema."""
        if isinstance(part, bool):
            return
        if not isinstance(part, dict):
            yield _problem(pointer, f"is {shown(part)}; a schema is an object, true or false")
            return
        for name, why in NOT_HERE.items():
            if name in part and pointer:
                yield _problem(_below(pointer, name), why)
        yield from _types(pointer, part.get("type", []))
        for name, what in LISTED.items():
            listed = part.get(name, [])
            if not isinstance(listed, list) or (
                name == "required" and not all(isinstance(item, str) for item in listed)
            ):
                yield _problem(_below(pointer, name), f"{shown(listed)} is not a list of {what}")
            elif len(listed) > MOST_NAMES:
                yield _problem(
                    _below(pointer, name), f"has {len(listed):,} entries; at most {MOST_NAMES:,} are allowed"
                )
        for name in ("properties", "patternProperties", "$defs", "definitions"):
            if not isinstance(part.get(name, {}), dict):
                yield _problem(_below(pointer, name), f"{shown(part[name])} is not an object of names and schemas")
        for place, text in _patterns(pointer, part):
            if not self.full:
                yield from self._pattern(place, text)

    def _pattern(self, place: str, text: Any) -> Iterator[Problem]:
        """A pattern that RE2 cannot read, such as one that looks ahead or behind, or one too many of large ones."""
        why = regex_problem(text) if isinstance(text, str) else "is no text"
        if why:
            yield _problem(place, f"{shown(text)} is not a supported pattern (RE2): {why}")
            return
        compiled = compile_pattern(text)
        self.program += compiled.size if compiled is not None and text not in self.patterns else 0
        self.patterns.add(text)
        if self.program > MOST_PROGRAM:
            why = "makes the patterns of this schema too large together; use smaller counts such as {1,50}, or fewer"
            yield _problem(place, f"{shown(text)} {why}")
            self.full = True

    def _mixed(self) -> Iterator[Problem]:
        """The library reads patterns for ``unevaluated…`` with an engine that some patterns stop."""
        if any("patternProperties" in part for part in self.parts.values() if isinstance(part, dict)):
            for pointer, part in self.parts.items():
                if isinstance(part, dict) and "unevaluatedProperties" in part:
                    why = "cannot stand in a schema with patternProperties; use additionalProperties"
                    yield _problem(_below(pointer, "unevaluatedProperties"), why)

    def _references(self) -> Iterator[Problem]:
        """References to elsewhere, to nothing, or around in a circle without ever going deeper into the value."""
        bad = False
        for pointer, part in self.parts.items():
            if isinstance(part, dict) and "$ref" in part:
                why = self._refusal(part["$ref"])
                if why:
                    bad = True
                    yield _problem(_below(pointer, "$ref"), why)
        circle = None if bad else self._circle()
        if circle is not None:
            yield _problem(circle, "refers to itself without going deeper into the value, so no check of it would end")

    def _refusal(self, reference: Any) -> str | None:
        target = pointer_of_reference(reference) if isinstance(reference, str) else None
        if target is None:
            return f"{shown(reference)} is not inside this schema; refer to a part by its pointer, such as #/$defs/name"
        return None if target in self.parts else f"{shown(reference)} is not part of this schema"

    def _circle(self) -> str | None:
        """A pointer on a circle of schemas that apply to the same value, or None."""
        done: set[str] = set()
        for start in self.parts:
            path: list[tuple[str, Iterator[str]]] = [(start, self._same_place(start))]
            active = {start}
            while path and start not in done:
                here, rest = path[-1]
                following = next(rest, None)
                if following is None:
                    done.add(here)
                    active.discard(here)
                    path.pop()
                elif following in active:
                    return here
                elif following not in done:
                    active.add(following)
                    path.append((following, self._same_place(following)))
        return None

    def _same_place(self, pointer: str) -> Iterator[str]:
        """Pointers of the schemas that apply to the value that this one applies to."""
        part = self.parts[pointer]
        if not isinstance(part, dict):
            return
        if "$ref" in part:
            yield pointer_of_reference(part["$ref"]) or ""
        for below, _ in inner(pointer, part, SAME_PLACE):
            yield below


def inner(pointer: str, part: Any, keywords: tuple[str, ...] | None = None) -> Iterator[tuple[str, Any]]:
    """Pointer and value of the schemas directly inside one, or of those under some keywords."""
    if not isinstance(part, dict):
        return
    for name, value in part.items():
        if keywords is not None and name not in keywords:
            continue
        here = _below(pointer, name)
        if name in LISTS and isinstance(value, list):
            yield from ((f"{here}/{index}", item) for index, item in enumerate(value))
        elif name in MAPS and isinstance(value, dict):
            # ``dependencies`` may also list names.
            yield from ((_below(here, key), item) for key, item in value.items() if not isinstance(item, list))
        elif name in ONE:
            yield here, value


def _below(pointer: str, name: str) -> str:
    return pointer + "/" + name.replace("~", "~0").replace("/", "~1")


def _types(pointer: str, types: Any) -> Iterator[Problem]:
    for name in types if isinstance(types, list) else [types]:
        if name not in TYPES:
            yield _problem(_below(pointer, "type"), f"{shown(name)} is not a type; use {', '.join(TYPES)}")
            return


def _patterns(pointer: str, part: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Where the patterns of one schema stand, and they."""
    given = [(_below(pointer, "pattern"), part["pattern"])] if "pattern" in part else []
    named = part.get("patternProperties")
    if isinstance(named, dict):
        given += [(_below(_below(pointer, "patternProperties"), text), text) for text in named]
    return given
