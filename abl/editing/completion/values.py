"""What may follow a key: closed words, declared names by kind, expressions (docs/spec 01 §8, 03-09)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from abl.analysis.conformance.properties import named
from abl.analysis.index.aliases import aliases_of
from abl.analysis.index.vocabularies import entities_of, flow_intents_known
from abl.editing.completion import names as offer
from abl.editing.completion.cursor import Cursor, Item, line_with_key, value_below
from abl.editing.completion.expressions import expression, unwrapped
from abl.editing.completion.imports import importable
from abl.editing.completion.lists import without_keys
from abl.editing.completion.signatures import in_endpoint
from abl.editing.completion.tools import LISTS, of_tool, tool_around
from abl.expressions.builtins import GUARDRAIL_BUILTINS
from abl.language import Value, offered_keys, section_value, value_at, word_meaning, words_at
from abl.syntax import nodes, vocabulary
from abl.syntax.readers.content import content_of

_CONDITION_KEYS: Final = frozenset(
    ["WHEN", "IF", "CONDITION", "CHECK", "COMPLETE_WHEN", "EXIT_WHEN", "FILTER", "LIMIT"]
)
_STEP_KEYS: Final = frozenset(["THEN", "GOTO", "TRANSITION", "ON_EXHAUSTED", "ON_TIMEOUT", "BACKTRACK_TO"])
_NAME_KEYS: Final = frozenset(["CLEAR", "DEPENDS_ON", "PASS", "INTO", "AS"])
_AGENT_KEYS: Final = frozenset(["TO", "AGENT", "HANDOFF", "DELEGATE", "HANDOFF_TARGET"])
_EVALUATED_KEYS: Final = (
    _CONDITION_KEYS | vocabulary.words("STORE SET SOURCE TRANSFORM") | frozenset(vocabulary.RULE_KINDS)
)
_EXPRESSION_PLACES: Final = frozenset(["with", "map", "set", "returned", "input"])
_LIVES: Final = (
    ("1h", "an hour"), ("1d", "a day"), ("7d", "a week"), ("30d", "30 days"), ("90d", "90 days"), ("365d", "a year"),
)  # fmt: skip
"""Durations that facts are often given."""
_ROUTES: Final = tuple([key for key in offered_keys("routed") if key != "INTENT_MATCH"])


def values(cursor: Cursor, key: str, written: str) -> Iterator[Item]:
    """What may follow ``key:`` of the cursor's place, of which ``written`` is there."""
    canonical = vocabulary.canonical_key(key)
    if cursor.place.block == "agent" and canonical in vocabulary.STEP_DIRECTIVES - vocabulary.SECTIONS:
        cursor = replace(cursor, place=replace(cursor.place, block="step"))  # a list of directives
    if cursor.place.named and cursor.place.block == "field" and canonical not in vocabulary.GATHER_OPTIONS:
        yield from (Item(word, "value", "field", word) for word in vocabulary.REQUIRED_WORDS)
        return
    if cursor.place.block == "agent" and canonical in vocabulary.HEADERS:
        return  # a name that is not there yet
    if cursor.place.block == "tools" and canonical == "FILE":
        yield from importable(cursor, written)
        return
    if cursor.place.block == "tools":
        cursor = replace(cursor, place=replace(cursor.place, block="tool"))  # what the tools of a file share
    block, known = cursor.place.block, _known(cursor.place.block, key)
    if block == "tool" and canonical == "ENDPOINT":
        yield from in_endpoint(cursor, written)
    elif (canonical in _CONDITION_KEYS and not known.kinds) or (canonical in vocabulary.RULE_KINDS and block == "rule"):
        yield from expression(cursor, unwrapped(written))
    elif canonical == "THEN" and written.startswith("HANDOFF "):
        yield from offer.agents(cursor)
    elif block in _EXPRESSION_PLACES or (block == "store" and canonical not in vocabulary.STORE_KEYS):
        yield from expression(cursor, written)
    else:
        legal = _legal(cursor, block, canonical, known)
        for word in legal:
            yield Item(word.rstrip("("), "value", word_meaning(block, canonical, word.rstrip("(")), word)
        for kind in known.kinds:
            yield from KINDS[kind](cursor, written)
        if not legal and not known.kinds:
            yield from _by_key(cursor, canonical, written)


def known_value(cursor: Cursor, key: str) -> Value:
    """What the table says of a key of the cursor's place; that a value is evaluated, where the place says so."""
    block = cursor.place.block
    evaluated = block in _EXPRESSION_PLACES or vocabulary.canonical_key(key) in _EVALUATED_KEYS
    return Value(kinds=("expression",)) if evaluated else _known(block, key)


def _known(block: str, key: str) -> Value:
    """What the table says of a key."""
    if block in ("agent", "profile"):
        return section_value(vocabulary.section_keyword(key) or "")
    return value_at(block, key)


def _legal(cursor: Cursor, block: str, key: str, value: Value) -> tuple[str, ...]:
    """The closed set of words of a key."""
    if key == "METHOD" and block == "tool" and offer.binding(cursor) == "async_webhook":
        return vocabulary.WEBHOOK_METHODS
    if key == "TYPE" and block in ("field", "session"):
        declared = offer.declared_types(cursor)
        return tuple(sorted(value.words, key=lambda word: word not in declared))
    return value.words


def _by_key(cursor: Cursor, key: str, written: str) -> Iterator[Item]:
    """Values of keys that mean the same in every place."""
    if (cursor.place.block, key) in LISTS:
        yield from of_tool(cursor, key)
    elif key == "ENTRY_POINT":
        yield from offer.steps(cursor)
    elif key in _STEP_KEYS:
        yield from _steps(cursor, written)
    elif key in _AGENT_KEYS:
        yield from offer.agents(cursor)
    elif key == "AVAILABLE_TOOLS":
        yield from offer.tools(cursor)
    elif key == "SORT_BY":
        yield from _order(cursor, written)
    elif key in ("PATHS", "MEMORY_GRANTS"):
        yield from offer.paths(cursor)
    elif key == "COLLECT":
        yield from offer.collected(cursor)
    elif key == "REF":
        yield from offer.agents(cursor)
    elif key == "TTL":
        yield from (Item(word, "value", f"expires after {meaning}", word) for word, meaning in _LIVES)
    elif key in _NAME_KEYS:
        yield from offer.names(cursor)
    elif key == "SET":
        yield from _assignment(cursor, written)
    elif key in ("STORE", "SOURCE", "TRANSFORM"):
        yield from _value(cursor, written)


# kinds of values -------------------------------------------------------------------------------------------------


def _steps(cursor: Cursor, written: str) -> Iterator[Item]:
    if written.startswith("HANDOFF "):
        yield from offer.agents(cursor)
        return
    yield from offer.steps(cursor)
    if cursor.agent is not None and cursor.agent.agent.flow is None and not cursor.agent.fragment:
        return  # nothing to go to, and nothing to end
    yield from (Item(word, "word", "terminal", word) for word in vocabulary.TERMINALS)


def _listed(cursor: Cursor, written: str) -> Iterator[Item]:
    return offer.steps(cursor)


def _call(cursor: Cursor, written: str) -> Iterator[Item]:
    """A tool, or in parentheses what it takes."""
    if "(" in written:
        yield from without_keys(cursor, offer.parameters(cursor, written.partition("(")[0].strip("\"' ")))
        yield from expression(cursor, unwrapped(written))
        return
    yield from offer.tools(cursor)
    yield from offer.built_in_tools()


def _on_fail(cursor: Cursor, written: str) -> Iterator[Item]:
    if offer.quote_open(written) is not None or written.startswith("{"):
        return
    if written.startswith("HANDOFF "):
        yield from offer.agents(cursor)
    if " " in written.strip() or (written.strip() and written.endswith(" ")):
        return  # a reason or a message
    for word in vocabulary.ON_FAIL_ACTIONS:
        yield Item(word, "word", word_meaning("rule", "ON_FAIL", word) or "action", word)
    yield from offer.steps(cursor) if cursor.place.block in ("step", "insertion") else ()


def _error_action(cursor: Cursor, written: str) -> Iterator[Item]:
    yield from (Item(word, "word", "action", word) for word in vocabulary.ERROR_TERMINALS)
    yield from offer.agents(cursor) if written.startswith("HANDOFF ") else ()


def _returns(cursor: Cursor, written: str) -> Iterator[Item]:
    actions = () if written.startswith("{") else words_at("on_return", "ACTION")
    yield from (Item(word, "value", "when the other agent is done", word) for word in actions)
    yield from _of_section(cursor, "RETURN_HANDLERS", "return handler")


def _route(cursor: Cursor, written: str) -> Iterator[Item]:
    if written.startswith("ROUTE_TO "):
        yield from _routed(cursor)
        return
    yield from (Item(word, "word", "action", word) for word in _ROUTES)


def _routed(cursor: Cursor) -> Iterator[Item]:
    """Where a route of a supervisor may lead: to agents, also by what AGENTS calls them (09 §4)."""
    yield from offer.agents(cursor)
    for name, alias in cursor.agent.derive(aliases_of).items() if cursor.agent is not None else ():
        if name not in cursor.index.agents:
            yield Item(name, "agent", f"stands for {alias.stands_for}" if alias.stands_for else "alias", name)


def _agents(cursor: Cursor, written: str) -> Iterator[Item]:
    return _routed(cursor) if cursor.place.block in ("routing", "routed") else offer.agents(cursor)


def _order(cursor: Cursor, written: str) -> Iterator[Item]:
    if " " in written.strip() or (written.strip() and written.endswith(" ")):
        yield from (Item(word, "value", "", word) for word in vocabulary.SORT_DIRECTIONS)
    else:
        yield from offer.mapped(cursor)


def _store(cursor: Cursor, written: str) -> Iterator[Item]:
    yield from offer.paths(cursor) if "->" in written else _value(cursor, written)


def _value(cursor: Cursor, written: str) -> Iterator[Item]:
    texts = offer.compared(cursor, unwrapped(written))
    fields = offer.behind_index(cursor)
    found = texts if texts is not None else fields
    yield from found if found is not None else (*offer.names(cursor), *offer.functions())


def _assignment(cursor: Cursor, written: str) -> Iterator[Item]:
    """A name, and behind its sign what it is set to."""
    target, sign, value = written.partition("=")
    yield from expression(cursor, value) if sign else offer.names(cursor) if not target.endswith(" ") else ()


def _check(cursor: Cursor, written: str) -> Iterator[Item]:
    """A guardrail's check: what only it may call comes with the rest."""
    yield from (Item(name, "word", "text in question", name) for name in ("input", "response", "content"))
    yield from (Item(name, "function", "only in guardrails", f"{name}(") for name in sorted(GUARDRAIL_BUILTINS))
    yield from expression(cursor, unwrapped(written))


def _literal(cursor: Cursor, written: str) -> Iterator[Item]:
    """Values of the type that is beside."""
    entry = line_with_key(cursor, "-") or (cursor.place.parents[-1] if cursor.place.parents else None)
    if value_below(cursor, entry, "TYPE").lower() == "boolean":
        yield from (Item(word, "value", "boolean", word) for word in vocabulary.BOOLEANS)
    if cursor.place.block == "session":
        yield Item("NOW()", "function", "the time of the session's start", "NOW()")


def _fields(cursor: Cursor, written: str) -> Iterator[Item]:
    for name in cursor.agent.fields if cursor.agent is not None else ():
        yield Item(name, "variable", "field", name)


def _template(cursor: Cursor, written: str) -> Iterator[Item]:
    """A named body instead of a text."""
    if not written.startswith(('"', "'", "|")):
        inside = written.startswith("TEMPLATE(")
        for item in _templates(cursor, written):
            yield item if inside else replace(item, label=f"TEMPLATE({item.label})", insert=f"TEMPLATE({item.insert})")


def _templates(cursor: Cursor, written: str) -> Iterator[Item]:
    for name, _ in cursor.agent.agent.templates if cursor.agent is not None else ():
        yield Item(name.value, "value", "template", name.value)


def _entities(cursor: Cursor, written: str) -> Iterator[Item]:
    for section in cursor.agent.all(nodes.Understanding) if cursor.agent is not None else ():
        yield from (Item(name.value, "value", "entity", name.value) for name, _ in entities_of(section))


def _intents(cursor: Cursor, written: str) -> Iterator[Item]:
    known = flow_intents_known(cursor.agent) if cursor.agent is not None else None
    yield from (Item(name, "value", "intent", name) for name in sorted(known or ()))


def _profiles(cursor: Cursor, written: str) -> Iterator[Item]:
    yield from (Item(name, "value", "behaviour profile", name) for name in cursor.index.profiles)


def _actions(cursor: Cursor, written: str) -> Iterator[Item]:
    """The ids of what the step around the cursor shows to be pressed."""
    for name in offer.shown_ids(cursor):
        yield Item(name, "value", "action", name)


def _of_section(cursor: Cursor, keyword: str, detail: str) -> Iterator[Item]:
    """The names that a section of the agent declares."""
    section = cursor.agent.agent.section(keyword) if cursor.agent is not None else None
    if section is not None and section.block is not None:
        for name, _ in named(content_of(section.block)):
            yield Item(name.value, "value", detail, name.value)


def _parameters(cursor: Cursor, written: str) -> Iterator[Item]:
    """The parameters of the tool around the cursor."""
    yield from (replace(item, insert=item.label) for item in offer.parameters(cursor, tool_around(cursor)))


KINDS: Final[Mapping[str, Callable[[Cursor, str], Iterator[Item]]]] = {
    "actions": _actions,
    "agents": _agents,
    "assignment": _assignment,
    "check": _check,
    "condition": lambda cursor, written: expression(cursor, unwrapped(written)),
    "entities": _entities,
    "error_action": _error_action,
    "events": lambda cursor, written: offer.events(cursor),
    "expression": lambda cursor, written: expression(cursor, unwrapped(written)),
    "fields": _fields,
    "handlers": lambda cursor, written: _of_section(cursor, "RETURN_HANDLERS", "return handler"),
    "intents": _intents,
    "listed": _listed,
    "literal": _literal,
    "lookups": lambda cursor, written: _of_section(cursor, "LOOKUP_TABLES", "lookup table"),
    "names": lambda cursor, written: offer.names(cursor),
    "on_fail": _on_fail,
    "parameters": _parameters,
    "paths": lambda cursor, written: offer.paths(cursor),
    "policies": lambda cursor, written: _of_section(cursor, "TRANSFER_FLOW_POLICIES", "policy"),
    "profiles": _profiles,
    "result": lambda cursor, written: offer.names(cursor),
    "returns": _returns,
    "route": _route,
    "steps": _steps,
    "store": _store,
    "template": _template,
    "templates": _templates,
    "tools": _call,
    "type": lambda cursor, written: (Item(word, "value", "type", word) for word in vocabulary.TOOL_TYPES),
}
"""The kinds of names and expressions that the table of places speaks of."""
