"""What a text comes to: the plans that the runtime makes of it, and the events of a short run, without places."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from typing import Any, Final

from abl.expressions import Template
from abl.language import PLACES, plain, type_at
from abl.language.entry import Entry
from abl.language.types import ANY, FLAG
from abl.language.written import listed, unquoted
from abl.runtime import NotRunnable, Session
from abl.runtime.evaluation import Formula
from abl.runtime.events.reading import without_durations
from abl.runtime.memory.in_memory import FixedClock, MockTools
from abl.runtime.plan.left_out import LeftOut
from abl.runtime.plan.program import Program, programs_of
from abl.runtime.scenarios.files import Scenario
from abl.runtime.scenarios.player import run_scenario
from abl.source import Source, Span
from abl.syntax import nodes

_PLACES: Final = frozenset(
    {"span", "key_span", "block", "written", "source", "agent", "raw", "digest", "revision", "range"}
)
"""Where something stands, and the tree that plans are made of."""
_OF_ANALYSIS: Final = frozenset({"index", "library"})
"""What a program asks the analysis for: it keeps places of its own."""
_QUOTED: Final = re.compile(r"(ABL\d+) .*", re.DOTALL)
_DEEPEST: Final = 25
_MESSAGES: Final = ("Wq7-4829", "one", "yes")


def planned(files: Mapping[str, str], path: str) -> str:
    """Every plan of the agents of a file."""
    found = [{name: _said(getattr(program, name)) for name in _plans()} for program in programs_of(path, files[path])]
    return json.dumps(found, sort_keys=True, default=str)


def _plans() -> list[str]:
    """The plans of a program by name."""
    held = [vars(kind) for kind in Program.__mro__]
    known = {name for each in held for name, what in each.items() if isinstance(what, cached_property)}
    return sorted(name for name in known if not name.startswith("_") and name not in _OF_ANALYSIS)


def played(files: Mapping[str, str], scenario: Scenario | None) -> str:
    """The events of the scenario, else of a few messages."""
    if scenario is not None:
        events = run_scenario(scenario, files).events
    else:
        try:
            desk = Session(dict(files), tools=MockTools({}), clock=FixedClock())
        except NotRunnable:
            return ""
        turns = [desk.start(), *(desk.say(message) for message in _MESSAGES)]
        events = [event for turn in turns for event in turn.events]
    return json.dumps([_placeless(event) for event in without_durations(events)], default=str, sort_keys=True)


def _placeless(found: object) -> object:
    if isinstance(found, dict):
        if found.get("kind") == "not_executed":  # it names the key as it is written
            return "not_executed", plain(found["data"]["construct"])
        quotes = {"message", "diagnostics"} if str(found.get("code", "")).startswith("ABL") else set()
        said = {name: value for name, value in found.items() if name not in _PLACES | quotes}
        if found.get("code") == "RUN015":  # it quotes the diagnostic, which names the key as it is written
            said["message"] = _QUOTED.sub(r"\1", said["message"])
        return {name: _placeless(value) for name, value in said.items()}
    return [_placeless(each) for each in found] if isinstance(found, list) else found


def _said(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        return "..."
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Formula):
        return value.text
    if isinstance(value, Span | Source | nodes.Block):
        return None
    if isinstance(value, nodes.Text):
        if value.value.strip()[:1] == "[":
            return [word.lower() for word in listed(value)]
        return _word(value.value)
    if isinstance(value, Entry):
        return _entry(value, depth)
    if isinstance(value, nodes.Content):  # kept as written; events show what is made of it
        texts = [item.text for item in value.items]
        if value.text is not None and not value.members:
            return plain(value.key), [_number(_word(word)) for word in listed(value.text)]
        if texts and all(text is not None for text in texts) and not any(item.members for item in value.items):
            return plain(value.key), [_number(_word(text.value)) for text in texts if text is not None]
        return plain(value.key), *(_said(part, depth + 1) for part in (value.members, value.items))
    if isinstance(value, LeftOut):
        return plain(value.construct)
    if isinstance(value, Mapping):
        return {str(key): _said(each, depth + 1) for key, each in value.items() if key not in _PLACES}
    if isinstance(value, set | frozenset):
        return sorted(str(each) for each in value)
    if isinstance(value, nodes.Setting) and value.value is not None:
        read = type_at("step", value.keyword).read_word(unquoted(value.value.value))
        return (
            value.keyword,
            _word(read) if isinstance(read, str) else _said(read, depth + 1),
            _said(value.rules, depth + 1),
        )
    if isinstance(value, nodes.Setting) and value.block is not None and not value.rules:  # a list below its key
        return value.keyword, _said(type_at("step", value.keyword).read(value.block), depth + 1), []
    if isinstance(value, nodes.OnFail) and value.then_word:
        value = replace(value, then=None)
    if isinstance(value, nodes.Node) and value.PLACE:
        return type(value).__name__, _entry(value.typed, depth)
    if is_dataclass(value) and not isinstance(value, type | Template | Program):
        names = [field.name for field in fields(value) if field.name not in _PLACES | {"props", "path"}]
        return type(value).__name__, {name: _said(getattr(value, name), depth + 1) for name in names}
    if hasattr(value, "_fields"):
        return {name: _said(getattr(value, name), depth + 1) for name in value._fields if name not in _PLACES}
    if isinstance(value, list | tuple):
        return [_said(each, depth + 1) for each in value]
    return type(value).__name__


def _word(text: str) -> str:
    """A text of which nothing is declared, as words and switches are compared."""
    word = unquoted(text).lower()
    switch = FLAG.read_word(word)
    return word if switch is None else str(switch).lower()


def _number(said: Any) -> Any:
    """A number as a number, which a run reads in any spelling where one is declared."""
    try:
        return float(said)
    except (TypeError, ValueError):
        return said


def _entry(entry: Entry, depth: int) -> Any:
    found = {}
    for key in entry.written:
        nested = entry.below(key) if entry.place in PLACES else Entry("", {})
        if nested and depth < _DEEPEST:
            found[key] = _entry(nested, depth + 1)
        elif type_at(entry.place, key) is ANY:
            found[key] = _word(entry.text(key) or "")
        else:
            found[key] = _said(entry.value(key), depth + 1)
    return found
