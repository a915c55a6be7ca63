"""Results of tools that differ from the declared return type, which only warns (docs/spec 08 §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from abl.expressions.values import type_tag
from abl.runtime.events.recorder import note
from abl.runtime.tools.invocation import Invocation

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.syntax.nodes import TypeRef

MOST = 10
"""Differences that one event names."""
TAGS = {
    "string": ("string", "date", "datetime"), "date": ("date",), "datetime": ("datetime", "date"),
    "number": ("number",), "boolean": ("boolean",), "bool": ("boolean",), "float": ("number",),
    "int": ("number",), "integer": ("number",), "array": ("array",), "object": ("object",),
}  # fmt: skip
"""The kinds of value that a type takes. A name that is none of them is a type of the platform, an object."""


class Difference(NamedTuple):
    """Where a result differs, what is declared there, and the kind of value that it has. No value is named."""

    path: str
    expected: str
    found: str


def tell(engine: Engine, call: Invocation, value: Any) -> None:
    """Record how a result differs from the type behind ``->`` of its tool."""
    returns = call.tool.returns if call.tool is not None else None
    found = [one for _, one in zip(range(MOST), differences(returns, value), strict=False)]
    if not found:
        return
    said = "; ".join(f"{one.path} is {one.found}, declared is {one.expected}" for one in found)
    data = {
        "tool": call.name,
        "differences": [one._asdict() for one in found],
        "notes": [note("RUN010", "tool.result_shape", f"result of {call.name}: {said}")],
    }
    engine.recorder.emit("tool.result_shape", data, status="warned", span=call.span)


def differences(kind: TypeRef | None, value: Any, path: str = "result") -> Iterator[Difference]:
    """Each place where a value does not have its type; fields that no type names are fine."""
    if kind is None or kind.name == "any":
        return
    if kind.name == "nullable":
        yield from differences(kind.item, value, path) if value is not None else ()
    elif kind.name in ("enum", "union"):
        if not _is_one_of(kind, value):
            yield Difference(path, kind.text, type_tag(value))
    elif type_tag(value) not in TAGS.get(kind.name, ("object",)):
        yield Difference(path, kind.text, type_tag(value))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from differences(kind.item, item, f"{path}[{at}]")
    elif isinstance(value, dict):
        for name, needed, inner in kind.fields:
            if name in value and (needed or value[name] is not None):
                yield from differences(inner, value[name], f"{path}.{name}")
            elif needed and name not in value:
                yield Difference(f"{path}.{name}", inner.text, "missing")


def _is_one_of(kind: TypeRef, value: Any) -> bool:
    if kind.name == "enum":
        return value in kind.options
    return any(next(differences(option, value), None) is None for option in kind.options)
