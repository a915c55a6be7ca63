"""Tools as a model sees them: name, description and a JSON Schema of the parameters (docs/spec 08 §1, §4)."""

from __future__ import annotations

from typing import Any

from abl.language.entry import Entry, named
from abl.syntax import nodes

SCALARS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "array": {"type": "array"},
    "any": {},
    **{name: {"type": "number"} for name in ("int", "integer", "float")},
    "bool": {"type": "boolean"},
}


def declaration(tool: nodes.Tool, fallback: str) -> dict[str, Any]:
    """A declared tool as ``{"name", "description", "parameters"}``; hidden parameters are left out (08 §4)."""
    enriched = enrichment(tool)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in tool.parameters:
        more = enriched.get(parameter.name.value)
        if more is not None and (more.value("hidden") or more.below("visibility").given("model") is False):
            continue
        schema = schema_of(parameter.type)
        if more is not None and (said := more.text("description")) is not None:
            schema["description"] = said
        if parameter.default is not None and parameter.default.dynamic is None:
            schema["default"] = parameter.default.value
        properties[parameter.name.value] = schema
        if parameter.required and source_of(more) == "model":
            required.append(parameter.name.value)
    return {
        "name": tool.name.value,
        "description": tool.description.value if tool.description is not None else fallback,
        "parameters": object_schema(properties, required),
    }


def object_schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """The schema of an object with these members and no others."""
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def enrichment(tool: nodes.Tool) -> dict[str, Entry]:
    """What PARAMETERS says of the parameters, by name (docs/spec 08 §4)."""
    listed = tool.prop("PARAMETERS")
    return dict(named("parameter", listed.block if listed is not None else None))


def source_of(entry: Entry | None) -> str:
    """Where the value of a parameter comes from."""
    if entry is None:
        return "model"
    return str(entry.value("source"))


def schema_of(kind: nodes.TypeRef | None) -> dict[str, Any]:
    """The JSON Schema of a type expression; an undeclared domain type is an object."""
    if kind is None:
        return {}
    if kind.name == "enum":
        return {"enum": list(kind.options)}
    if kind.name == "union":
        return {"anyOf": [schema_of(option) for option in kind.options]}
    if kind.name == "nullable":
        return {"anyOf": [schema_of(kind.item), {"type": "null"}]}
    if kind.name == "array" and kind.item is not None:
        return {"type": "array", "items": schema_of(kind.item)}
    if kind.fields:
        members = {name: schema_of(inner) for name, _, inner in kind.fields}
        return {"type": "object", "properties": members, "required": [n for n, needed, _ in kind.fields if needed]}
    return dict(SCALARS.get(kind.name, {"type": "object"}))
