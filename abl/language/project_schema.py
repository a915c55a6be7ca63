"""The JSON Schema of ``project.yaml``, from its declaration (docs/spec 12 §3.1)."""

from __future__ import annotations

from typing import Any, Final

from abl.language.project_file import ANYTHING, ERROR, PROJECT_FILE, Shape, described

_TYPES: Final = {"text": "string", "flag": "boolean", "whole": "integer", "number": "number"}
_FORMATS: Final = {
    "identifier": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    "language": {"pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"},
    "moment": {"pattern": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$"},
}


def project_schema() -> dict[str, Any]:
    """The format as a JSON Schema (draft 2020-12), for editors and other programs."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "project.yaml of ABL Workbench",
        **_schema(PROJECT_FILE),
    }


def _schema(shape: Shape) -> dict[str, Any]:
    if shape is ERROR:
        return {"anyOf": [{"type": "string"}, _object(shape)]}
    match shape.kind:
        case "keys":
            return _object(shape)
        case "map":
            return {"type": "object", "additionalProperties": _schema(shape.item or ANYTHING)}
        case "list":
            return {"type": "array", "items": _schema(shape.item or ANYTHING)}
        case "word":
            return {"enum": [word for word, _ in shape.words]}
        case "any":
            return {}
    bounds = {"minimum": shape.least, "maximum": shape.most}
    kept = {key: value for key, value in bounds.items() if value is not None}
    return {"type": _TYPES[shape.kind], **_FORMATS.get(shape.names, {}), **kept}


def _object(shape: Shape) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "object",
        "properties": {entry.name: {"description": described(entry), **_schema(entry.shape)} for entry in shape.keys},
        "additionalProperties": False,
    }
    required = [entry.name for entry in shape.keys if entry.required]
    if required:
        found["required"] = required
    if shape.needs:
        found["allOf"] = [{"oneOf": [{"required": [key]} for key in group]} for group in shape.needs]
    return found
