"""Colours of a line by its place: the role of its parent block decides how its key and value are coloured."""

from __future__ import annotations

from typing import Final, NamedTuple

from abl.syntax import vocabulary
from abl.syntax.lines.scanner import Line

ROOT: Final = "root"
TERMINALS: Final = frozenset({*vocabulary.TERMINALS, *vocabulary.ERROR_TERMINALS})


class Reading(NamedTuple):
    """Kind of the key, mode of the value (see ``tokens``), and role of what is nested below."""

    key: str
    mode: str
    below: str


_EXPRESSIONS: Final = vocabulary.words(
    """WHEN IF CONDITION CHECK EXIT_WHEN COMPLETE_WHEN STORE FILTER VALUE SORT_BY LIMIT SOURCE SET
    TRANSFORM"""
)
_ENUMS: Final = vocabulary.words(
    """TYPE RESET SCOPE ACCESS ACTION OPERATION SEVERITY SENSITIVE_DISPLAY UNIT TTL ON STRATEGY HISTORY LEVEL
    PROMPT_MODE VALIDATION_PROCESS PII_TYPE EFFECT DOMAIN BEHAVIOR"""
)
_TARGETS: Final = vocabulary.words("THEN GOTO TRANSITION ON_EXHAUSTED ON_TIMEOUT ON_CANCEL BACKTRACK_TO")
_NAMES: Final = vocabulary.words("PATHS COLLECT CLEAR PASS PROVIDES DEPENDS_ON AS INTO TARGET NAME PATH READS WRITES")
_LABELS: Final = vocabulary.words(
    "ENTRY_POINT STEPS TO AVAILABLE_TOOLS HANDOFF DELEGATE AGENT SUPERVISOR USE_BEHAVIOR_PROFILE"
)
_RESULTS: Final = vocabulary.words("ON_SUCCESS ON_FAILURE ON_RESULT")

_BELOW: Final = {
    "SESSION": "names",
    "PERSISTENT": "names",
    "READS": "names",
    "WRITES": "names",
    "PATHS": "names",
    "COLLECT": "names",
    "CLEAR": "names",
    "PASS": "names",
    "STEPS": "steps",
    "GATHER": "gather",
    "FIELDS": "gather",
    "SET": "set",
    "WITH": "map",
    "MAP": "map",
    "LIMITATIONS": "texts",
    "STEP_CONSTRAINTS": "rules",
}
ENTRIES: Final = {"gather": "field"}
"""Role of what is nested below a list item with a key, where it is not the role of the list."""

_SECTIONS: Final = {
    "FLOW": "flow",
    "CONSTRAINTS": "rules",
    "TOOLS": "tools",
    "GATHER": "gather",
    "LIMITATIONS": "texts",
    "MESSAGES": "messages",
    "TEMPLATES": "messages",
}


def _mode(key: str) -> str:
    if key in vocabulary.TEXT_KEYS:
        return "text"
    if key in _EXPRESSIONS:
        return "expr"
    if key in _ENUMS:
        return "enum"
    if key in _TARGETS or key in _RESULTS:
        return "target"
    if key in _NAMES:
        return "names"
    if key in _LABELS:
        return "labels"
    return {"ON_FAIL": "on_fail", "CALL": "call", "VALIDATE": "validation"}.get(key, "auto")


def _property(key: str) -> Reading:
    return Reading("key", _mode(key), _BELOW.get(key, "keys"))


def _section(line: Line) -> Reading:
    keyword = vocabulary.section_keyword(line.key)
    if keyword is None:
        key = vocabulary.canonical_key(line.key)
        if key in vocabulary.STEP_DIRECTIVES:
            return _property(key)
        return Reading("label", "auto", "step")
    mode = "labels" if keyword in _LABELS else "text" if keyword in vocabulary.TEXT_SECTIONS else "auto"
    return Reading("section", mode, _SECTIONS.get(keyword, "keys"))


def reading(role: str, line: Line) -> Reading:
    """How to colour a line whose parent block has that role."""
    if not line.colon:
        return _bare(role)
    if role == ROOT:
        return _section(line)
    key = vocabulary.canonical_key(line.key)
    if role == "flow" and key not in vocabulary.FLOW_KEYS:
        return Reading("label", "auto", "step")
    if role == "steps":
        return Reading("label", "auto", "step")
    if role == "rules":
        return _in_rules(line, key)
    if role == "gather":
        if key in vocabulary.GATHER_OPTIONS and not line.item and line.value < line.end:
            return _property(key)
        return Reading("key", "auto", "gather") if key == "FIELDS" else Reading("name", "enum", "field")
    if role in ("set", "map"):
        return Reading("name", "expr", "map")
    if role == "messages":
        return Reading("label", "text", "messages")
    if role == "texts":
        return Reading("string", "text", "texts")
    if role == "tools":
        return Reading("key", "auto", "keys")
    return _property(key)


def _in_rules(line: Line, key: str) -> Reading:
    if line.item and key in vocabulary.RULE_KINDS:
        return Reading("kind", "expr", "rule")
    if key in vocabulary.RULE_KEYS:
        return _property(key)
    return Reading("label", "auto", "rules")


def _bare(role: str) -> Reading:
    """A line without a key."""
    modes = {
        "rules": ("rule", "rule"),
        ROOT: ("rule", "rule"),
        "names": ("names", "keys"),
        "flow": ("labels", "step"),
        "steps": ("labels", "step"),
        "gather": ("names", "field"),
        "set": ("expr", "keys"),
        "tools": ("signature", "tool"),
        "tool": ("signature", "tool"),
        "texts": ("text", "texts"),
        "messages": ("text", "texts"),
    }
    mode, below = modes.get(role, ("auto", "keys"))
    return Reading("key", mode, below)
