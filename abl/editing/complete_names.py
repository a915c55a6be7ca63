"""The declared names that completion offers, by kind, and what their types say about them (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from abl.analysis.chains import type_at, unwrapped
from abl.analysis.imports import tools_imported
from abl.analysis.model import AgentIndex
from abl.analysis.names import BUILT_IN_TOOLS
from abl.analysis.project import Index
from abl.analysis.vocabularies import lists_of
from abl.editing.complete_words import RUNTIME_FIELDS
from abl.editing.place import Line, Place, lines_below
from abl.expressions import BUILTINS
from abl.limits import MAX_PATHS_ABOVE
from abl.source import Source
from abl.syntax import nodes, vocabulary
from abl.syntax.context import Context
from abl.syntax.nodes import TypeRef
from abl.syntax.texts import bare_text
from abl.syntax.tools import read_type

_ITEM = re.compile(r"^(?P<source>[A-Za-z_][\w.]*)(?:\s+AS\s+(?P<item>[A-Za-z_]\w*))?")
_CALL = re.compile(r"(?i)\s*(?:- +)?CALL\s*:\s*[\"']?(?P<tool>[A-Za-z_]\w*)")
_COMPARED = re.compile(
    r"(?<![\w.])(?P<path>[A-Za-z_][\w.]*)\s*(?:[=!]=\s*|(?:NOT\s+)?IN\s*\[(?:[^\]]*,)?\s*)"
    r"(?P<quote>[\"'])(?P<typed>(?:(?!(?P=quote)).)*)$"
)
_LOOKED_AT = 500
"""Characters before the cursor that may say what a text is compared with."""
_WORD_BEFORE = re.compile(r"[A-Za-z_@][\w.]*$")
_CATEGORIES = ("intent.category", "intent.name")


@dataclass(frozen=True, slots=True)
class Item:
    """One offer. ``insert`` replaces the word before the cursor."""

    label: str
    kind: str
    detail: str
    insert: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where something is asked for: the agent there, the 1-based line, the text of it before the cursor, the place,
    and the word that is being typed, with its dots."""

    index: Index
    source: Source
    agent: AgentIndex | None
    line: int
    before: str
    place: Place
    typed: str
    yaml: bool = False


def names(cursor: Cursor) -> Iterator[Item]:
    """Variables and paths of the agent; the item of a TRANSFORM; behind a dot the fields that a declared type has."""
    agent = cursor.agent
    if agent is None:
        return
    item = item_of(cursor)
    if item is not None and item[0]:
        yield Item(item[0], "variable", "item", item[0])
    for name in dict.fromkeys(write.path for write in agent.writes):
        declared = name in agent.persistent
        kind = agent.types.of_path(name) or ""
        where = (
            "persistent"
            if declared
            else "session"
            if name in agent.session
            else "field"
            if name in agent.fields
            else "set"
        )
        yield Item(name, "path" if declared else "variable", " ".join(part for part in (kind, where) if part), name)
    if "." in cursor.typed:
        yield from _fields(cursor, agent, cursor.typed.rpartition(".")[0])


def _fields(cursor: Cursor, agent: AgentIndex, prefix: str) -> Iterator[Item]:
    for name in RUNTIME_FIELDS.get(prefix, ()):
        yield Item(f"{prefix}.{name}", "variable", "of the runtime", f"{prefix}.{name}")
    type_ = _type_of(cursor, agent, tuple(prefix.split(".")))
    for name, _, kind in type_.fields if type_ is not None else ():
        yield Item(f"{prefix}.{name}", "variable", kind.text, f"{prefix}.{name}")


def _type_of(cursor: Cursor, agent: AgentIndex, path: tuple[str, ...]) -> TypeRef | None:
    """The declared type at a path: of an item, of a variable or path, of a tool's result."""
    item = item_of(cursor)
    if item is not None and path[0] == item[0] and item[1] is not None:
        return type_at(item[1], path[1:])
    for count in range(min(len(path), MAX_PATHS_ABOVE), 0, -1):
        written = _written_type(agent, ".".join(path[:count]))
        if written is not None:
            return type_at(written, path[count:])
    result = agent.types.results.get(path[0]) or _latest(cursor, agent, path[0])
    return type_at(result, path[1:]) if result is not None else None


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
            tool = agent.tools.get(called["tool"])
            return tool.returns if tool is not None else None
    return None


def item_of(cursor: Cursor) -> tuple[str, TypeRef | None] | None:
    """The name of the item of the TRANSFORM around the cursor, and its type; None outside of one."""
    written = sibling(cursor, "TRANSFORM", "SOURCE")
    match = _ITEM.match(written)
    if match is None or cursor.agent is None:
        return None
    outside = Cursor(cursor.index, cursor.source, cursor.agent, cursor.line, "", Place("", (), False), "")
    array = unwrapped(_type_of(outside, cursor.agent, tuple(match["source"].split("."))))
    return match["item"] or "", unwrapped(array.item) if array is not None else None


def holder(cursor: Cursor, key: str) -> Line | None:
    """The nearest line that the cursor is nested in and that has a key; ``-`` is the nearest item."""
    for line in reversed(cursor.place.parents):
        if (line.item if key == "-" else line.key.upper() == key) and line.number:
            return line
    return None


def sibling(cursor: Cursor, above: str, key: str) -> str:
    """The value of a key below a line that the cursor is nested in; empty when there is none."""
    return value_below(cursor, holder(cursor, above), key)


def value_below(cursor: Cursor, parent: Line | None, key: str) -> str:
    """The same below a given line."""
    for line in lines_below(cursor.source, parent) if parent is not None else ():
        if line.key.upper() == key:
            return line.text.removeprefix("-").partition(":")[2].strip().strip("\"'")
    return ""


def mapped(cursor: Cursor) -> Iterator[Item]:
    """What SORT_BY may name: the fields of MAP, which runs first, or else those of the item (docs/spec 03 §8)."""
    parent, depth, inside = holder(cursor, "TRANSFORM"), 0, False
    for line in lines_below(cursor.source, parent) if parent is not None else ():
        if inside and line.indent > depth:
            yield Item(line.key, "variable", "field of MAP", line.key)
        else:
            inside, depth = line.key.upper() == "MAP", line.indent
            if inside and line.has_value:
                return
    item = item_of(cursor)
    if item is not None and item[1] is not None and not _has_map(cursor, parent):
        yield from (Item(name, "variable", kind.text, name) for name, _, kind in item[1].fields)


def _has_map(cursor: Cursor, parent: Line | None) -> bool:
    return parent is not None and any(line.key.upper() == "MAP" for line in lines_below(cursor.source, parent))


# texts -----------------------------------------------------------------------------------------------------------


def compared(cursor: Cursor, expression: str) -> list[Item] | None:
    """The texts that what is compared may have, within quotes; None where the cursor is not in a text."""
    match = _COMPARED.search(expression[-_LOOKED_AT:])
    if match is None:
        return [] if quote_open(expression) is not None else None
    if cursor.agent is None:
        return []
    typed = match["typed"]
    word = _WORD_BEFORE.search(typed)
    done = typed[: word.start()] if word is not None else typed
    listed = [text for text in _texts_of(cursor, cursor.agent, match["path"]) if text.startswith(done)]
    return [Item(text, "value", match["path"], text[len(done) :]) for text in listed]


def _texts_of(cursor: Cursor, agent: AgentIndex, path: str) -> tuple[str, ...]:
    if path in _CATEGORIES:
        sections = agent.all(nodes.Understanding)
        lists = [entries for section in sections for kind, entries in lists_of(section) if kind != "Entity"]
        return tuple(dict.fromkeys(name.value for entries in lists for name, _ in entries))
    if path in agent.options:
        return tuple(map(str, agent.options[path]))
    type_ = _type_of(cursor, agent, tuple(path.split(".")))
    options = type_.options if type_ is not None and type_.name == "enum" else ()
    return tuple([option for option in options if isinstance(option, str)])


def quote_open(text: str) -> int | None:
    """Where the quote stands that is open at the end of a text; None when there is none."""
    quote, start, escaped = "", 0, False
    for at, char in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'" and not text[at - 1 : at].isalnum():
            quote, start = char, at
    return start if quote else None


# other kinds -----------------------------------------------------------------------------------------------------


def paths(cursor: Cursor) -> Iterator[Item]:
    """The persistent paths of the project."""
    for path, declarations in cursor.index.declared_paths.items():
        owner, _ = declarations[0]
        yield Item(path, "path", f"persistent in {owner.name}" if owner.name else "persistent", path)


def functions() -> Iterator[Item]:
    """The functions of expressions."""
    for name, function in sorted(BUILTINS.items()):
        yield Item(name, "function", f"{function.signature}: {function.doc}", f"{name}(")


def steps(cursor: Cursor) -> Iterator[Item]:
    """The steps of the agent."""
    for name in cursor.agent.steps if cursor.agent is not None else ():
        yield Item(name, "step", "step", name)


def agents(cursor: Cursor) -> Iterator[Item]:
    """The other agents of the project."""
    own = cursor.agent.name if cursor.agent is not None else ""
    for name, agent in cursor.index.agents.items():
        if name != own:
            yield Item(name, "agent", agent.source.path, name)


def tools(cursor: Cursor) -> Iterator[Item]:
    """What the agent may call: its own tools, those it imports, and without TOOLS the project's (docs/spec 05 §1)."""
    agent = cursor.agent
    own = agent.tools if agent is not None else {}
    for name, tool in own.items():
        yield Item(name, "tool", tool.description.value if tool.description else "tool", name)
    if agent is not None and (agent.agent.section("TOOLS") is not None or cursor.index.imports_tools(agent)):
        for name in sorted(tools_imported(agent) - set(own)):
            yield Item(name, "tool", "imported", name)
        return
    declared = {name: tool for other in cursor.index.each() for name, tool in other.tools.items()}
    for name in sorted((declared.keys() | cursor.index.called_tools) - set(own) - BUILT_IN_TOOLS):
        yield Item(name, "tool", "of another agent" if name in declared else "called elsewhere in the project", name)


def parameters(cursor: Cursor, tool: str) -> Iterator[Item]:
    """The parameters of a tool, as keys."""
    declared = cursor.agent.tools.get(tool) if cursor.agent is not None else None
    for parameter in declared.parameters if declared is not None else ():
        kind = parameter.type.text if parameter.type is not None else ""
        name = parameter.name.value
        yield Item(name, "key", " ".join([kind] * bool(kind) + ["optional"] * (not parameter.required)), f"{name}: ")


def returned(cursor: Cursor) -> Iterator[Item]:
    """What another agent can give back: its variables, as keys of ``map`` and RETURNS (docs/spec 09 §5, §6)."""
    to = next((name for key in ("TO", "AGENT") if (name := sibling(cursor, "-", key))), "")
    child = cursor.index.agents.get(to)
    for name in dict.fromkeys(write.path for write in child.writes) if child is not None else ():
        if "." not in name:
            yield Item(name, "key", f"variable of {to}", f"{name}: ")


def events(cursor: Cursor) -> Iterator[Item]:
    """When a recall may happen."""
    yield from (Item(event, "value", "recall event", event) for event in vocabulary.RECALL_EVENTS)
    for tool in tools(cursor):
        yield Item(f"tool:{tool.label}:after", "value", "after that tool", f"tool:{tool.label}:after")
    if cursor.agent is not None:
        for step in cursor.agent.steps:
            yield Item(f"step:enter:{step}", "value", "on entering that step", f"step:enter:{step}")
