"""``complete``: what may be written at a cursor: sections, keys, values, names, functions (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from abl.analysis.model import AgentIndex
from abl.analysis.names import BUILT_IN_TOOLS
from abl.analysis.project import Index, index_of
from abl.editing.meanings import MEANINGS
from abl.editing.place import Place, place_at, read_line
from abl.expressions import BUILTINS
from abl.source import Source
from abl.syntax import vocabulary
from abl.syntax.collector import collector_paused

_WORD_BEFORE = re.compile(r"[A-Za-z_@][\w.]*$")
_VALUE = re.compile(r"^\s*(?:- +)?(?P<key>[A-Za-z_]+)\s*:\s*(?P<value>.*)$", re.DOTALL)
_RULE = re.compile(r"^\s*- +(?:REQUIRE|LIMIT|RESTRICT|WARN):?\s+(?P<value>.*)$", re.DOTALL)
_CONDITION_KEYS = frozenset(["WHEN", "IF", "CONDITION", "CHECK", "COMPLETE_WHEN", "EXIT_WHEN", "FILTER"])
_STEP_KEYS = frozenset(["THEN", "GOTO", "TRANSITION", "ON_EXHAUSTED", "ON_TIMEOUT", "ENTRY_POINT", "BACKTRACK_TO"])
_NAME_KEYS = frozenset(["CLEAR", "COLLECT", "DEPENDS_ON", "PASS"])
_OPERATORS = ("AND", "OR", "NOT", "IN", "IS SET", "IS NOT SET", "contains", "matches", "startsWith", "endsWith")
_TAG_WORDS = ("#if", "#each", "else", "/if", "/each")


@dataclass(frozen=True, slots=True)
class Item:
    """One offer. ``insert`` replaces the word before the cursor."""

    label: str
    kind: str
    detail: str
    insert: str


def complete(files: Mapping[str, str], path: str, line: int, column: int) -> list[dict[str, str]]:
    """What may stand at a 1-based position, as ``{label, kind, detail, insert}``, best first.

    Kinds: section key value step tool agent variable path function word. An unknown path gives an empty list; the
    position is clamped to the text.
    """
    if path not in files:
        return []
    with collector_paused():
        return [asdict(item) for item in _complete(index_of(files), path, line, column)]


def _complete(index: Index, path: str, line: int, column: int) -> list[Item]:
    source = index.documents[path].source
    before = source.text[source.line_starts[_clamp(line, source) - 1] : source.offset(line, column)]
    agent = _agent_at(index, path, source.offset(line, column))
    word = _WORD_BEFORE.search(before)
    typed = word.group() if word else ""
    cursor = _Cursor(index, source, agent, _clamp(line, source), before)
    return _matching([*_offers(cursor), *(_expression(cursor) if _in_expression(cursor) else ())], typed)


@dataclass(frozen=True, slots=True)
class _Cursor:
    index: Index
    source: Source
    agent: AgentIndex | None
    line: int
    before: str


def _clamp(line: int, source: Source) -> int:
    return min(max(line, 1), source.line_count)


def _agent_at(index: Index, path: str, offset: int) -> AgentIndex | None:
    agents = index.documents[path].agents
    return next((a for a in reversed(agents) if a.agent.span.start <= offset), agents[0] if agents else None)


def _in_expression(cursor: _Cursor) -> bool:
    """True in what is read as a condition or value, wherever in the language it stands."""
    if cursor.agent is None or cursor.before.lstrip().startswith("#"):
        return False
    at = cursor.source.line_starts[cursor.line - 1] + len(cursor.before)
    return any(use.text.span.start <= at <= use.text.span.end for use in cursor.agent.expressions if use.mode != "tag")


def _matching(offers: Iterable[Item], typed: str) -> list[Item]:
    """Offers that go on with what was typed, ignoring case; those that merely hold it come last."""
    unique = list({(item.label, item.kind): item for item in offers}.values())
    wanted = typed.casefold()
    starts = [item for item in unique if item.label.casefold().startswith(wanted)]
    inside = [item for item in unique if len(wanted) > 1 and wanted in item.label.casefold() and item not in starts]
    return starts + inside


def _offers(cursor: _Cursor) -> Iterator[Item]:
    if cursor.before.lstrip().startswith("#"):
        return
    if cursor.before.rfind("{{") > cursor.before.rfind("}}"):
        yield from _names(cursor)
        yield from _functions()
        yield from (Item(word, "word", "block of a template", word) for word in _TAG_WORDS)
        return
    rule = _RULE.match(cursor.before)
    value = _VALUE.match(cursor.before)
    if rule is not None:
        yield from _expression(cursor)
    elif value is not None:
        yield from _values(cursor, value["key"].upper(), value["value"])
    else:
        yield from _keys(cursor)


# keys ------------------------------------------------------------------------------------------------------------


def _keys(cursor: _Cursor) -> Iterator[Item]:
    here = read_line(cursor.before)
    place = place_at(cursor.source, cursor.line, here.indent, here.item)
    if place.block == "agent":
        yield from _sections(cursor)
    elif place.block == "rules":
        yield from (
            Item(kind, "key", MEANINGS.get(kind, ""), f"{kind} " if here.item else f"- {kind} ")
            for kind in vocabulary.RULE_KINDS
        )
    elif place.block == "hooks":
        yield from (Item(hook, "key", "hook", f"{hook}:") for hook in vocabulary.HOOKS)
    elif place.block in ("set", "map", "with"):
        yield from _names(cursor)
    else:
        yield from _properties(place)


def _sections(cursor: _Cursor) -> Iterator[Item]:
    present = {s.keyword for s in cursor.agent.agent.sections} if cursor.agent is not None else set()
    for section in sorted(vocabulary.SECTIONS - vocabulary.REMOVED_SECTIONS):
        if section not in present or section in vocabulary.REPEATABLE_SECTIONS:
            tail = ": " if section in vocabulary.SCALAR_SECTIONS else ":"
            yield Item(section, "section", MEANINGS.get(section, ""), section + tail)


def _properties(place: Place) -> Iterator[Item]:
    keys = vocabulary.KEYS_BY_PLACE.get(place.block, frozenset())
    lower = place.block in vocabulary.LOWERCASE_PLACES
    for key in sorted(keys):
        written = key.lower() if lower else key
        yield Item(written, "key", MEANINGS.get(f"{place.block}.{key}", MEANINGS.get(key, "")), f"{written}: ")


# values ----------------------------------------------------------------------------------------------------------


def _values(cursor: _Cursor, key: str, value: str) -> Iterator[Item]:
    here = read_line(cursor.before)
    place = place_at(cursor.source, cursor.line, here.indent, here.item)
    canonical = vocabulary.canonical_key(key)
    legal = vocabulary.ENUM_VALUES.get((place.block, canonical))
    if canonical == "ON" and place.block == "recall":
        yield from _events(cursor)
    elif legal is not None and not (canonical == "THEN" and place.block != "on_fail"):
        yield from (Item(word, "value", MEANINGS.get(f"{canonical}.{word}", ""), word) for word in legal)
    elif canonical in _STEP_KEYS:
        yield from _steps(cursor)
        yield from (Item(word, "word", "terminal", word) for word in vocabulary.TERMINALS)
    elif canonical == "ON_FAIL":
        yield from (
            Item(word, "word", MEANINGS.get(f"ON_FAIL.{word}", "action"), word) for word in vocabulary.ON_FAIL_ACTIONS
        )
        yield from _agents(cursor) if value.startswith("HANDOFF ") else ()
        yield from _steps(cursor) if place.block == "step" else ()
    elif canonical in ("TO", "AGENT", "HANDOFF", "DELEGATE"):
        yield from _agents(cursor)
    elif canonical == "CALL":
        yield from _tools(cursor)
    elif canonical == "BEFORE":
        yield from (Item(f"calling {t.label}", "value", "checkpoint", f"calling {t.label}") for t in _tools(cursor))
        yield Item("returning results", "value", "checkpoint", "returning results")
    elif canonical == "PATHS":
        yield from _paths(cursor)
    elif canonical in _NAME_KEYS:
        yield from _names(cursor)
    elif canonical in _CONDITION_KEYS:
        yield from _expression(cursor)
    elif canonical == "STORE" and "->" in value:
        yield from _paths(cursor)
    elif canonical in ("STORE", "SET", "SOURCE"):
        yield from _names(cursor)
        yield from _functions()
    elif place.block in ("with", "map", "set"):
        yield from _expression(cursor)


def _events(cursor: _Cursor) -> Iterator[Item]:
    yield from (Item(event, "value", "recall event", event) for event in vocabulary.RECALL_EVENTS)
    for tool in _tools(cursor):
        yield Item(f"tool:{tool.label}:after", "value", "after that tool", f"tool:{tool.label}:after")
    if cursor.agent is not None:
        for step in cursor.agent.steps:
            yield Item(f"step:enter:{step}", "value", "on entering that step", f"step:enter:{step}")


def _expression(cursor: _Cursor) -> Iterator[Item]:
    yield from _names(cursor)
    yield from _functions()
    yield from (Item(word, "word", "operator", word) for word in _OPERATORS)


# names -----------------------------------------------------------------------------------------------------------


def _names(cursor: _Cursor) -> Iterator[Item]:
    agent = cursor.agent
    if agent is None:
        return
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


def _paths(cursor: _Cursor) -> Iterator[Item]:
    for path, declarations in cursor.index.declared_paths.items():
        owner, _ = declarations[0]
        yield Item(path, "path", f"persistent in {owner.name}" if owner.name else "persistent", path)


def _functions() -> Iterator[Item]:
    for name, function in sorted(BUILTINS.items()):
        yield Item(name, "function", f"{function.signature}: {function.doc}", f"{name}(")


def _steps(cursor: _Cursor) -> Iterator[Item]:
    for name in cursor.agent.steps if cursor.agent is not None else ():
        yield Item(name, "step", "step", name)


def _agents(cursor: _Cursor) -> Iterator[Item]:
    own = cursor.agent.name if cursor.agent is not None else ""
    for name, agent in cursor.index.agents.items():
        if name != own:
            yield Item(name, "agent", agent.source.path, name)


def _tools(cursor: _Cursor) -> Iterator[Item]:
    tools = cursor.agent.tools if cursor.agent is not None else {}
    for name, tool in tools.items():
        yield Item(name, "tool", tool.description.value if tool.description else "tool", name)
    for name in sorted(cursor.index.called_tools - set(tools) - BUILT_IN_TOOLS):
        yield Item(name, "tool", "called elsewhere in the project", name)
