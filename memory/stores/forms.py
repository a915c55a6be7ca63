"""A form made from a schema, and the content that a filled form says (docs/spec 11 §2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.stores.pointers import pointer_of
from memory.stores.samples import FORMATS, flattened, kind_in
from web.api.parsers import json_problem, json_value

DEEPEST = 5
MOST_FIELDS = 200
LONG_TEXT = 200
INPUTS: Mapping[str, str] = {"date": "date", "email": "email", "uri": "url"}
"""Formats that a browser's input writes as they are stored."""


@dataclass(slots=True)
class Field:
    """One input, or a group of them.

    ``kind``: group, text, long, number, choice, switch, lines (a text for each line), json. ``name`` is the JSON
    pointer of the value; ``options`` of a choice are (JSON text, label) pairs.
    """

    name: str
    kind: str
    label: str
    required: bool = False
    help: str = ""
    input: str = "text"
    value: str = ""
    options: list[tuple[str, str]] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)
    whole: bool = False


def form_of(schema: Mapping[str, Any], filled: Mapping[str, Any] | None = None) -> Field:
    """The form of a schema as a group; ``filled`` is a content to begin with, else defaults are."""
    return Builder(schema).group(Field("", "group", "", True), schema, filled, 0)


class Builder:
    """Makes the fields of a form, at most ``MOST_FIELDS``; what is deeper or more is one field of JSON."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.number = 0

    def group(self, made: Field, part: Any, filled: Any, depth: int) -> Field:
        """The fields of an object into the group ``made``."""
        part = flattened(self.root, part)
        there = filled if isinstance(filled, Mapping) else {}
        made.kind, made.help = "group", str(part.get("description", ""))
        for name, below in part.get("properties", {}).items():
            if below is not False:
                inside = Field(made.name + pointer_of([name]), "json", name, name in part.get("required", ()))
                made.fields.append(self.one(inside, below, there.get(name), depth + 1))
        return made

    def one(self, made: Field, part: Any, filled: Any, depth: int) -> Field:
        """The field of one value, of the kind that its schema asks for."""
        self.number += 1
        part = flattened(self.root, part)
        given = part if isinstance(part, Mapping) else {}
        made.label, made.help = str(given.get("title") or made.label), str(given.get("description", ""))
        kind = kind_in(given) if self.number <= MOST_FIELDS and depth <= DEEPEST else "json"
        if kind == "object" and given.get("properties"):
            return self.group(made, given, filled, depth)
        value = filled if filled is not None else given.get("default")
        if isinstance(given.get("enum"), list):
            made.kind, made.options = "choice", [(json.dumps(item), _label(item)) for item in given["enum"]]
            made.value = json.dumps(value) if value is not None else ""
        else:
            _shape(made, given, kind, value, self.root)
        return made


def _label(item: Any) -> str:
    return item if isinstance(item, str) and item else json.dumps(item, ensure_ascii=False)


def _shape(made: Field, part: Mapping[str, Any], kind: str, value: Any, root: Mapping[str, Any]) -> None:
    """Kind, attributes and first value of a field that is no choice."""
    if kind == "boolean":
        made.kind = "switch"
        made.options = [("true", "yes"), ("false", "no")]
        made.value = json.dumps(value) if isinstance(value, bool) else ""
    elif kind in ("number", "integer"):
        made.kind, made.input, made.whole = "number", "number", kind == "integer"
        made.value = json.dumps(value) if isinstance(value, (int, float)) else ""
        made.attributes = _bounds(min=part.get("minimum"), max=part.get("maximum"))
        made.attributes["step"] = "1" if made.whole else "any"
    elif kind == "string":
        made.kind = "long" if part.get("maxLength", 0) > LONG_TEXT else "text"
        made.input = INPUTS.get(str(part.get("format")), "text")
        made.value = value if isinstance(value, str) else ""
        made.attributes = _bounds(minlength=part.get("minLength"), maxlength=part.get("maxLength"))
        if made.input == "text" and part.get("format") in FORMATS:
            made.attributes["placeholder"] = FORMATS[part["format"]]
    elif kind == "array" and kind_in(_items(part, root)) == "string":
        made.kind = "lines"
        made.value = "\n".join(map(str, value)) if isinstance(value, list) else ""
    else:
        made.value = json.dumps(value, ensure_ascii=False, indent=2) if value is not None else ""


def _bounds(**bounds: Any) -> dict[str, str]:
    return {name: str(bound) for name, bound in bounds.items() if bound is not None}


def _items(part: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    items = flattened(root, part.get("items", True))
    return items if isinstance(items, Mapping) else {}


def content_of(group: Field, given: Mapping[str, str]) -> dict[str, Any]:
    """The content that a filled form says: fields left empty are left out, unless they are required groups.

    ``given`` maps the names of fields to what was typed. Raises ``ValueError`` naming a field that cannot be read.
    """
    content: dict[str, Any] = {}
    for inside in group.fields:
        key = inside.name.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        if inside.kind == "group":
            below = content_of(inside, given)
            if below or inside.required:
                content[key] = below
        elif (typed := given.get(inside.name, "")) != "":
            content[key] = read(inside, typed)
    return content


def read(made: Field, typed: str) -> Any:
    """The value that was typed into one field."""
    typed = typed.replace("\r\n", "\n")
    match made.kind:
        case "text" | "long":
            return typed
        case "lines":
            return [line for line in typed.split("\n") if line.strip()]
        case "number":
            try:
                return int(typed) if typed.lstrip("-").isdigit() else json_value(typed)
            except ValueError:
                raise ValueError(f"{made.label}: {typed[:40]!r} is not a number") from None
    try:
        return json_value(typed)
    except ValueError as error:
        raise ValueError(f"{made.label}: {typed[:40]!r} {json_problem(error)}") from None
