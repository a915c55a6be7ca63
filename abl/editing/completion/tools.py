"""What lists of a tool may name: fields of its result, secrets that it may use (docs/spec 08 §2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis.conditions.chains import unwrapped
from abl.analysis.symbols.local_names import labels_of
from abl.editing.completion.cursor import Cursor, Item
from abl.syntax.nodes import TypeRef

_RESULTS: Final = frozenset({("model_context", "FIELDS"), ("tool_compaction", "ESSENTIAL_FIELDS")})
_SECRETS: Final = ("secret_access", "READ")
LISTS: Final = _RESULTS | {_SECRETS}
"""The lists, by place and key."""


def of_tool(cursor: Cursor, key: str) -> Iterator[Item]:
    """The names that a list of the tool around the cursor may hold."""
    if (cursor.place.block, key) == _SECRETS:
        yield from _secrets(cursor)
        return
    tools = cursor.agent.tools if cursor.agent is not None else {}
    tool = tools.get(tool_around(cursor))
    if tool is not None and tool.returns is not None:
        for path, kind in _fields(tool.returns, ""):
            yield Item(path, "variable", kind, path)


def tool_around(cursor: Cursor) -> str:
    """The name of the tool that the cursor is nested in; empty outside of one."""
    line = cursor.place.parents[1] if len(cursor.place.parents) > 1 else None
    if line is None:
        return ""
    if line.key.lower() == "name":  # of the list form of YAML
        return line.text.partition(":")[2].strip().strip("\"'")
    return line.text.partition("(")[0].partition(":")[0].strip()


def _fields(type_: TypeRef, above: str) -> Iterator[tuple[str, str]]:
    """The paths to fields; those of items are left, as ``rows[].price`` needs quotes in a list."""
    inner = unwrapped(type_)
    for name, _, kind in inner.fields if inner is not None else ():
        yield f"{above}{name}", kind.text
        yield from _fields(kind, f"{above}{name}.")


def _secrets(cursor: Cursor) -> Iterator[Item]:
    for agent in cursor.index.each():
        for label in agent.derive(labels_of):
            if label.kind == "secret" and label.role == "declaration":
                yield Item(label.name, "value", f"secret, kept in {agent.source.path}", label.name)
