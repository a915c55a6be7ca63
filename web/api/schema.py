"""The responses that any operation of the API may give besides those its view declares, in one place, so that none is
forgotten.

Errors are problem objects (docs/spec 12 §5), whatever a view calls them.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension

PROBLEM = "#/components/schemas/Problem"
CONTENT_TYPE = "application/problem+json"
WORDS = {
    "400": "Bad input; `fields` says what is wrong with which field.",
    "401": "Not signed in, or the token is unknown or revoked.",
    "403": "Your role does not allow it.",
    "404": "It is not there, or not for you.",
    "405": "The address has no such method; `Allow` names those it has.",
    "406": "There is only JSON.",
    "409": "In conflict with what is there by now; `current` is that, where one can say.",
    "413": "The body is too large, or holds too many values.",
    "415": "The body is not of a type that is read here.",
    "429": "Asked too often, or too much at once; `Retry-After` says when to ask again.",
    "503": "A part of the workbench is away; ask again in a moment.",
    "507": "The disk is full; nothing was written, reading goes on.",
}
ALWAYS = ("400", "401", "403", "405", "406", "429", "503", "507")
"""400 for any query parameter that is not known. Also 403 and 507 for reading: a session may have run out of its form
token, and a database of room for its log."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "An error (RFC 9457). Other members say more about some errors.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "description": "urn:abl-workbench:problem: and the code."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "For people."},
        "code": {"type": "string", "description": "For programs; stable."},
        "fields": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Field to what is wrong, what was given and what would be right.",
        },
        "current": {"nullable": True, "description": "What is there now, as a read gives it."},
        "problems": {"type": "array", "items": {"type": "object"}, "description": "What stops agents from running."},
        "retry_after": {"type": "integer", "description": "Seconds until the next request is taken."},
    },
    "additionalProperties": True,
}


class ClosedBody(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """A body whose fields are all that it may have (``web.api.fields.Fields``)."""

    target_class = "web.api.fields.Fields"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """The schema of the serializer, closed where it is sent to us."""
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False} if direction == "request" else schema


def describe_errors(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Hook of drf-spectacular: every error of every operation, each as a problem object."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = SCHEMA
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            responses = operation["responses"]
            for status in possible(path, method, operation):
                responses.setdefault(status, {"description": WORDS[status]})
            for status, response in responses.items():
                if status >= "400":
                    response["content"] = {CONTENT_TYPE: {"schema": {"$ref": PROBLEM}}}
                    response["description"] = response.get("description") or WORDS.get(status, "")
            if "429" in responses:
                responses["429"]["headers"] = {
                    "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}
                }
            operation["responses"] = dict(sorted(responses.items()))
    return result


def possible(path: str, method: str, operation: dict[str, Any]) -> list[str]:
    """Statuses that an operation may answer because of what it takes."""
    found = list(ALWAYS)
    places = {parameter["in"] for parameter in operation.get("parameters", ())}
    if "requestBody" in operation:
        found += ["400", "413", "415"]
    if "query" in places:
        found.append("400")
    if "path" in places or "query" in places:
        found.append("404")  # a cursor names a place too
    if method != "get" and "path" in places:
        found.append("409")
    return found
