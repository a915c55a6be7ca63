"""The JSON Schema of ``project.yaml``, from its declaration (docs/spec 12 §3.1)."""

from __future__ import annotations

from typing import Any, Final

from abl.language.project_file import ANYTHING, ERROR, PROJECT_FILE, ValueType, described

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


def _schema(value_type: ValueType) -> dict[str, Any]:
    if value_type is ERROR:
        return {"anyOf": [{"type": "string"}, _object(value_type)]}
    match value_type.kind:
        case "keys":
            return _object(value_type)
        case "map":
            return {"type": "object", "additionalProperties": _schema(value_type.item or ANYTHING)}
        case "list":
            return {"type": "array", "items": _schema(value_type.item or ANYTHING)}
        case "word":
            return {"enum": [word for word, _ in value_type.words]}
        case "any":
            return {}
    bounds = {"minimum": value_type.least, "maximum": value_type.most}
    kept = {key: value for key, value in bounds.items() if value is not None}
    return {"type": _TYPES[value_type.kind], **_FORMATS.get(value_type.names, {}), **kept}


def _object(value_type: ValueType) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "object",
        "properties": {
            entry.name: {"description": described(entry), **_schema(entry.value_type)} for entry in value_type.keys
        },
        "additionalProperties": False,
    }
    required = [entry.name for entry in value_type.keys if entry.required]
    if required:
        found["required"] = required
    if value_type.needs:
        found["allOf"] = [{"oneOf": [{"required": [key]} for key in group]} for group in value_type.needs]
    return found
