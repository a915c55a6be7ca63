"""What the declared types say about a path at a cursor: fields behind a dot, an index, within a list (02 §7, §9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from abl.analysis.conditions.chains import type_at, unwrapped
from abl.analysis.index.model import AgentIndex
from abl.analysis.results.latest import only_holds_result
from abl.editing.completion.cursor import Cursor, sibling
from abl.editing.completion.each import Steps, item_type, open_lists, steps_of, type_within
from abl.editing.place import Place
from abl.limits import MAX_PATHS_ABOVE
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.lines.texts import bare_text
from abl.syntax.nodes import TypeRef
from abl.syntax.readers.context import Context
from abl.syntax.readers.tools import read_type

_ITEM: Final = re.compile(r"^(?P<source>[A-Za-z_][\w.]*)(?:\s+AS\s+(?P<item>[A-Za-z_]\w*))?")
_CALL: Final = re.compile(r"(?i)\s*(?:- +)?CALL\s*:\s*[\"']?(?P<tool>[A-Za-z_]\w*)")
_NOWHERE: Final = Span(0, 0)
_LONGEST: Final = 50
"""So many lists are followed of which each is made of the one before."""


def type_of(cursor: Cursor, agent: AgentIndex, steps: Steps, asked: tuple[str, ...] = ()) -> TypeRef | None:
    """The declared type at a path: of an item, of a variable or path, of a tool's result, of what TRANSFORM makes.

    ``asked``: what TRANSFORM makes and is being looked at already.
    """
    root = steps[0]
    if root is None:
        return None
    within = type_within(items_at(cursor, agent), steps)
    if within is not None:
        return within
    item = item_of(cursor)
    if item is not None and root == item[0] and item[1] is not None:
        return type_at(item[1], steps[1:])
    for count in range(min(len(steps), MAX_PATHS_ABOVE), 0, -1):
        names = [step for step in steps[:count] if step is not None]
        written = _written_type(agent, ".".join(names)) if len(names) == count else None
        if written is not None and not (count == 1 and only_holds_result(root, agent)):
            return type_at(written, steps[count:])
    result = agent.types.results.get(root) or _latest(cursor, agent, root)
    if result is None and root not in asked and len(asked) < _LONGEST:
        result = _made(cursor, agent, root, asked)
    return type_at(result, steps[1:]) if result is not None else None


def items_at(cursor: Cursor, agent: AgentIndex) -> list[TypeRef | None]:
    """The types of the items of the ``{{#each}}`` that are open at the cursor, outermost first."""
    found: list[TypeRef | None] = []
    for path in open_lists(cursor):
        steps = steps_of(path)
        whole = type_within(found, steps) or type_of(outside(cursor), agent, steps)
        found.append(item_type(whole))
    return found


def outside(cursor: Cursor) -> Cursor:
    """The same place outside of lists and pipelines."""
    return Cursor(cursor.index, cursor.source, cursor.agent, cursor.line, "", Place("", (), False), "")


def _written_type(agent: AgentIndex, name: str) -> TypeRef | None:
    declared = agent.session.get(name) or agent.persistent.get(name)
    return _read(declared.type.value) if declared is not None and declared.type is not None else None


@lru_cache(maxsize=256)
def _read(written: str) -> TypeRef | None:
    text = bare_text(written, 0, len(written))
    return read_type(Context(Source(written), written), text) if text is not None else None


def _latest(cursor: Cursor, agent: AgentIndex, root: str) -> TypeRef | None:
    """The type of ``result`` and ``call_result``: that of the nearest CALL above (docs/spec 06 §5.8)."""
    if root not in ("result", "call_result"):
        return None
    for number in range(cursor.line, 0, -1):
        called = _CALL.match(cursor.source.line_text(number))
        if called is not None:
            tool = agent.tools.get(called["tool"]) or agent.imported_tools.get(called["tool"])
            return tool.returns if tool is not None else None
    return None


def _made(cursor: Cursor, agent: AgentIndex, root: str, asked: tuple[str, ...]) -> TypeRef | None:
    """The type of the list that a TRANSFORM makes: of the fields of MAP, or else of the items of its source."""
    for transform in agent.all(nodes.Transform):
        if transform.into is None or transform.into.value != root or transform.source is None:
            continue
        if transform.mapping:
            any_ = TypeRef("", _NOWHERE, "any")
            fields = tuple([(field.name.value, True, any_) for field in transform.mapping if field.name is not None])
            return TypeRef("", _NOWHERE, "array", item=TypeRef("", _NOWHERE, "object", fields=fields))
        return type_of(outside(cursor), agent, steps_of(transform.source.value), (*asked, root))
    return None


def item_of(cursor: Cursor) -> tuple[str, TypeRef | None] | None:
    """The name of the item of the TRANSFORM around the cursor, and its type; None outside of one."""
    written = sibling(cursor, "TRANSFORM", "SOURCE") or _one_line(cursor)
    match = _ITEM.match(written)
    if match is None or cursor.agent is None:
        return None
    name = match["item"] or sibling(cursor, "TRANSFORM", "AS")
    return name, item_type(type_of(outside(cursor), cursor.agent, steps_of(match["source"])))


def _one_line(cursor: Cursor) -> str:
    """The source of ``TRANSFORM: rows AS r INTO out`` around the cursor."""
    for line in reversed(cursor.place.parents):
        if line.key.upper() == "TRANSFORM":
            return line.text.removeprefix("- ").partition(":")[2].strip()
    return ""


def fields_of(type_: TypeRef | None) -> Iterator[tuple[str, str]]:
    """The names that may follow a dot, with what is said of them."""
    type_ = unwrapped(type_)
    if type_ is None:
        return
    for name, _, kind in type_.fields:
        yield name, kind.text
    if type_.item is not None or type_.name in ("array", "string", "enum"):
        yield "length", "number of items" if type_.name not in ("string", "enum") else "number of characters"
