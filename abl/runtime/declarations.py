"""Tools as a model sees them: name, description and a JSON Schema of the parameters (docs/spec 08 §1, §4)."""

from __future__ import annotations

from typing import Any

from abl.runtime.scalars import boolean
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
    enriched = _enrichment(tool)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in tool.parameters:
        more = enriched.get(parameter.name.value, {})
        if boolean(more.get("hidden")):
            continue
        schema = schema_of(parameter.type)
        if "description" in more:
            schema["description"] = more["description"]
        if parameter.default is not None and parameter.default.dynamic is None:
            schema["default"] = parameter.default.value
        properties[parameter.name.value] = schema
        if parameter.required and more.get("source", more.get("default_source", "model")) == "model":
            required.append(parameter.name.value)
    return {
        "name": tool.name.value,
        "description": tool.description.value if tool.description is not None else fallback,
        "parameters": object_schema(properties, required),
    }


def object_schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """The schema of an object with these members and no others."""
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _enrichment(tool: nodes.Tool) -> dict[str, dict[str, str]]:
    listed = tool.prop("PARAMETERS")
    if listed is None:
        return {}
    return {
        entry.key: {child.key.lower(): child.value.value for child in entry.children if child.value is not None}
        for entry in listed.block.children
    }


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
