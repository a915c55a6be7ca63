"""What the content of a record may be, and reading a part of it (docs/spec 11 §2).

Merging and projecting are those of the runtime, so that a session in memory and one on the database agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl.runtime.memory.ports import RecordRefused
from abl.runtime.memory.systems_in_memory import merged, projected
from memory import values
from web.errors import Invalid

MOST_PATHS = 200


class SchemaRefused(Invalid):
    """A strict store keeps nothing that breaks its schema; ``data["errors"]`` lists why by JSON pointer."""

    code = "schema"
    title = "The content doesn't match the schema of the store"


def object_text(content: Any, field: str = "content") -> str:
    """Canonical JSON of an object. Raises ``Invalid`` naming the field."""
    if not isinstance(content, Mapping):
        raise Invalid(fields={field: f"is {values.type_of(content)}; give an object of fields and values"})
    try:
        return values.value_text(dict(content))
    except ValueError as error:
        raise Invalid(fields={field: str(error)}) from None


def checked_projections(projections: Any) -> Mapping[str, int] | None:
    """Dotted path to 1 or 0, all the same; None without projections. Raises ``Invalid``."""
    if projections is None or projections == {}:
        return None
    if not isinstance(projections, Mapping) or len(projections) > MOST_PATHS:
        raise Invalid(fields={"projections": f'give an object of at most {MOST_PATHS} paths, such as {{"a.b": 1}}'})
    for path, kind in projections.items():
        if type(kind) is not int or kind not in (0, 1):
            raise Invalid(fields={"projections": f"{path[:80]!r} is {kind!r}; use 1 (take) or 0 (leave out)"})
        if not all(path.split(".")):
            raise Invalid(fields={"projections": f"{path[:80]!r} is no path; use names with dots between"})
    if len(set(projections.values())) > 1:
        raise Invalid(fields={"projections": "mixes 1 (take) and 0 (leave out); use one of them for all paths"})
    return projections


def part_of(content: Any, projections: Mapping[str, int] | None) -> Any:
    """The content, or the part of it that checked projections ask for."""
    if content is None or not projections:
        return content
    try:
        return projected(content, projections)
    except RecordRefused as refusal:
        raise Invalid(fields={"projections": refusal.message}) from refusal


__all__ = ["SchemaRefused", "checked_projections", "merged", "object_text", "part_of"]
