"""``complete``: what may be written at a cursor: sections, keys, values, names, functions (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace

from abl.analysis.model import AgentIndex
from abl.analysis.project import Index, index_of
from abl.editing import complete_names as offer
from abl.editing.complete_names import Cursor, Item
from abl.editing.complete_words import ERROR_TYPES, KEYS, LOWERCASE, NOT_OFFERED, VALUES, WEBHOOK_METHODS
from abl.editing.meanings import MEANINGS
from abl.editing.place import Place, called_tool, place_at, place_in_braces, read_line
from abl.source import Source
from abl.syntax import vocabulary
from abl.syntax.collector import collector_paused

_WORD_BEFORE = re.compile(r"[A-Za-z_@][\w.]*$")
_VALUE = re.compile(r"^\s*(?:- +)?(?P<key>[A-Za-z_]+)\s*:\s*(?P<value>.*)$", re.DOTALL)
_RULE = re.compile(r"^\s*- +(?:REQUIRE|LIMIT|RESTRICT|WARN):?\s+(?P<value>.*)$", re.DOTALL)
_BEFORE = re.compile(r"(?:^|\s)BEFORE:?\s+(?P<calling>calling\s+)?\w*$", re.IGNORECASE)
_CONDITION_KEYS = frozenset(["WHEN", "IF", "CONDITION", "CHECK", "COMPLETE_WHEN", "EXIT_WHEN", "FILTER"])
_STEP_KEYS = frozenset(["THEN", "GOTO", "TRANSITION", "ON_EXHAUSTED", "ON_TIMEOUT", "ENTRY_POINT", "BACKTRACK_TO"])
_NAME_KEYS = frozenset(["CLEAR", "COLLECT", "DEPENDS_ON", "PASS"])
_AGENT_KEYS = frozenset(["TO", "AGENT", "HANDOFF", "DELEGATE", "HANDOFF_TARGET"])
_RULE_KEYS = frozenset(vocabulary.RULE_KINDS)
_OPERATORS = ("AND", "OR", "NOT", "IN", "IS SET", "IS NOT SET", "contains", "matches", "startsWith", "endsWith")
_TAG_WORDS = ("#if", "#each", "else", "/if", "/each")


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
    document = index.documents[path]
    source = document.source
    line_here = _clamp(line, source)
    offset = source.offset(line, column)
    before = source.text[source.line_starts[line_here - 1] : offset]
    if before.lstrip().startswith("#"):
        return []
    word = _WORD_BEFORE.search(before)
    typed = word.group() if word else ""
    here = read_line(before)
    place, entry = place_at(source, line_here, here.indent, here.item), before
    braces = place_in_braces(source, line_here, before)
    if braces is not None:
        place, entry = braces
    agent = _agent_at(index, path, offset)
    cursor = Cursor(index, source, agent, line_here, before, place, typed, document.document.yaml)
    return _matching(_offers(cursor, entry, braces is not None), typed)


def _clamp(line: int, source: Source) -> int:
    return min(max(line, 1), source.line_count)


def _agent_at(index: Index, path: str, offset: int) -> AgentIndex | None:
    agents = index.documents[path].agents
    return next((a for a in reversed(agents) if a.agent.span.start <= offset), agents[0] if agents else None)


def _in_expression(cursor: Cursor) -> bool:
    """True in what is read as a condition or value, wherever in the language it stands."""
    if cursor.agent is None:
        return False
    at = cursor.source.line_starts[cursor.line - 1] + len(cursor.before)
    return any(use.text.span.start <= at <= use.text.span.end for use in cursor.agent.expressions if use.mode != "tag")


def _matching(offers: Iterable[Item], typed: str) -> list[Item]:
    """Offers that go on with what was typed, ignoring case; those that merely hold it come last."""
    unique = list({(item.label, item.kind): item for item in offers}.values())
    wanted = typed.casefold()
    starts = [item for item in unique if item.insert.casefold().startswith(wanted) or _begins(item, wanted)]
    inside = [item for item in unique if len(wanted) > 1 and wanted in item.label.casefold() and item not in starts]
    return starts + inside


def _begins(item: Item, wanted: str) -> bool:
    return item.label.casefold().startswith(wanted)


def _offers(cursor: Cursor, entry: str, braces: bool) -> Iterator[Item]:
    """``entry`` is the line before the cursor, or what is written of an entry in ``braces``."""
    tag = cursor.before.rfind("{{")
    if tag > cursor.before.rfind("}}"):
        yield from _in_tag(cursor, cursor.before[tag + 2 :])
        return
    rule = _RULE.match(entry)
    value = _VALUE.match(entry)
    if (rule is not None or cursor.place.block in ("rule", "rules")) and (before := _BEFORE.search(entry)) is not None:
        yield from _checkpoints(cursor, before["calling"] is not None)
    elif rule is not None:
        yield from _expression(cursor, _unwrapped(rule["value"]))
    elif value is not None:
        found = list(_values(cursor, value["key"].upper(), value["value"]))
        yield from found
        if not found and _in_expression(cursor):
            yield from _expression(cursor, _unwrapped(value["value"]))
    elif _in_expression(cursor):
        yield from _expression(cursor, entry)
    else:
        yield from _keys(cursor, braces)


def _in_tag(cursor: Cursor, text: str) -> Iterator[Item]:
    return _operands(cursor, text, (Item(word, "word", "block of a template", word) for word in _TAG_WORDS))


def _operands(cursor: Cursor, written: str, words: Iterable[Item]) -> Iterator[Item]:
    """What an expression goes on with: texts to compare with, where one is open; else names, functions and words."""
    texts = offer.compared(cursor, written)
    if texts is not None:
        yield from texts
        return
    yield from offer.names(cursor)
    yield from offer.functions()
    yield from words


# keys ------------------------------------------------------------------------------------------------------------


def _keys(cursor: Cursor, braces: bool) -> Iterator[Item]:
    block = cursor.place.block
    if block == "agent":
        yield from _sections(cursor)
    elif block == "rules" or (block == "rule" and braces):
        yield from _rules(cursor, braces)
        yield from _properties(cursor) if braces else ()
    elif block == "hooks":
        yield from (Item(hook, "key", "hook", f"{hook}:") for hook in vocabulary.HOOKS)
    elif block == "with":
        with_ = offer.holder(cursor, "WITH") or offer.holder(cursor, "CALL_WITH")
        yield from offer.parameters(cursor, called_tool(cursor.source, with_)) if with_ is not None else ()
    elif block == "on_error":
        yield from (Item(type_, "key", "error type", f"{type_}:") for type_ in ERROR_TYPES)
    elif block == "returned":
        yield from offer.returned(cursor)
    elif block in ("set", "map"):
        yield from offer.names(cursor)
    else:
        yield from _properties(cursor)


def _rules(cursor: Cursor, braces: bool) -> Iterator[Item]:
    item = braces or read_line(cursor.before).item
    for kind in vocabulary.RULE_KINDS:
        written, colon = (kind.lower(), ": ") if cursor.yaml else (kind, " ")
        yield Item(written, "key", MEANINGS.get(kind, ""), f"{'' if item else '- '}{written}{colon}")


def _sections(cursor: Cursor) -> Iterator[Item]:
    present = {s.keyword for s in cursor.agent.agent.sections} if cursor.agent is not None else set()
    for section in sorted(vocabulary.SECTIONS - vocabulary.REMOVED_SECTIONS):
        if section not in present or section in vocabulary.REPEATABLE_SECTIONS:
            tail = ": " if section in vocabulary.SCALAR_SECTIONS else ":"
            written = section.lower() if cursor.yaml else section
            yield Item(written, "section", MEANINGS.get(section, ""), written + tail)


def _properties(cursor: Cursor) -> Iterator[Item]:
    block = cursor.place.block
    keys = vocabulary.KEYS_BY_PLACE.get(block, KEYS.get(block, frozenset())) - NOT_OFFERED
    if block == "tool":
        keys |= vocabulary.BINDING_KEYS.get(_binding(cursor.place, cursor), frozenset())
    for key in sorted(keys):
        written = key.lower() if cursor.yaml or block in LOWERCASE else key
        yield Item(written, "key", MEANINGS.get(f"{block}.{key}", MEANINGS.get(key, "")), f"{written}: ")


def _binding(place: Place, cursor: Cursor) -> str:
    """The ``type`` of the tool around the cursor."""
    tool = place.parents[1] if len(place.parents) > 1 else None
    return offer.value_below(cursor, tool, "TYPE").lower()


# values ----------------------------------------------------------------------------------------------------------


def _values(cursor: Cursor, key: str, value: str) -> Iterator[Item]:
    block = cursor.place.block
    canonical = vocabulary.canonical_key(key)
    legal = VALUES.get((block, canonical))
    if canonical == "METHOD" and block == "tool" and _binding(cursor.place, cursor) == "async_webhook":
        legal = WEBHOOK_METHODS
    if canonical in _CONDITION_KEYS or (canonical in _RULE_KEYS and block in ("rule", "rules")):
        yield from _expression(cursor, _unwrapped(value))
    elif block == "on_error":
        yield from (Item(word, "word", "action", word) for word in vocabulary.ERROR_TERMINALS)
        yield from offer.agents(cursor) if value.startswith("HANDOFF ") else ()
    elif block in ("with", "map", "set", "returned", "input"):
        yield from _expression(cursor, value)
    elif canonical == "ON" and block == "recall":
        yield from offer.events(cursor)
    elif canonical == "THEN" and value.startswith("HANDOFF "):
        yield from offer.agents(cursor)
    elif legal is not None and not (canonical == "THEN" and block not in ("on_fail", "error_handler")):
        yield from (Item(word, "value", MEANINGS.get(f"{canonical}.{word}", ""), word) for word in legal)
    else:
        yield from _names_for(cursor, canonical, value)


def _names_for(cursor: Cursor, key: str, value: str) -> Iterator[Item]:
    """Values that are declared names."""
    if key in _STEP_KEYS:
        yield from offer.steps(cursor)
        yield from (Item(word, "word", "terminal", word) for word in vocabulary.TERMINALS)
    elif key == "ON_RETURN":
        actions = () if value.startswith("{") else VALUES["on_return", "ACTION"]
        yield from (Item(word, "value", "when the other agent is done", word) for word in actions)
    elif key == "ON_FAIL":
        yield from _on_fail(cursor, value)
    elif key in _AGENT_KEYS:
        yield from offer.agents(cursor)
    elif key == "CALL" and "(" in value:
        yield from offer.parameters(cursor, value.partition("(")[0].strip("\"' "))
        yield from _expression(cursor, _unwrapped(value))
    elif key in ("CALL", "AVAILABLE_TOOLS"):
        yield from offer.tools(cursor)
    elif key == "SORT_BY":
        yield from _order(cursor, value)
    elif key == "PATHS" or (key == "PATH" and cursor.place.block == "grant") or (key == "STORE" and "->" in value):
        yield from offer.paths(cursor)
    elif key in _NAME_KEYS:
        yield from offer.names(cursor)
    elif key in ("STORE", "SET", "SOURCE"):
        texts = offer.compared(cursor, _unwrapped(value))
        yield from texts if texts is not None else (*offer.names(cursor), *offer.functions())


def _on_fail(cursor: Cursor, value: str) -> Iterator[Item]:
    if offer.quote_open(value) is not None or value.startswith("{"):
        return
    for word in vocabulary.ON_FAIL_ACTIONS:
        yield Item(word, "word", MEANINGS.get(f"ON_FAIL.{word}", "action"), word)
    yield from offer.agents(cursor) if value.startswith("HANDOFF ") else ()
    yield from offer.steps(cursor) if cursor.place.block == "step" else ()


def _order(cursor: Cursor, value: str) -> Iterator[Item]:
    if " " in value.strip() or (value.strip() and value.endswith(" ")):
        yield from (Item(word, "value", "", word) for word in vocabulary.SORT_DIRECTIONS)
    else:
        yield from offer.mapped(cursor)


def _checkpoints(cursor: Cursor, calling: bool) -> Iterator[Item]:
    """What BEFORE takes (docs/spec 04 §4); after ``calling`` only the tool is missing."""
    if calling:
        yield from offer.tools(cursor)
        return
    for tool in offer.tools(cursor):
        yield replace(tool, label=f"calling {tool.label}", kind="value", insert=f"calling {tool.insert}")
    yield Item("returning results", "value", "checkpoint", "returning results")


def _unwrapped(value: str) -> str:
    """An expression without the quotes around all of it, which are those of the property."""
    quote = value[:1]
    if quote in ("'", '"') and offer.quote_open(value) == 0:
        return value[1:].replace(f"\\{quote}", quote)
    return value


def _expression(cursor: Cursor, written: str) -> Iterator[Item]:
    return _operands(cursor, written, (Item(word, "word", "operator", word) for word in _OPERATORS))
