"""Which lines may be below a line: what a value on the line leaves room for (docs/spec 01 §2, 06 §3, §5, 07 §1).

A key whose value stands on its line holds nothing more, so that a deeper line below it is a sibling that was indented
too far. The table names the keys that hold lines even so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from abl.syntax import vocabulary
from abl.syntax.lines.scanner import Line
from abl.syntax.vocabulary import Words, words

_ALL: Final = words("*")
BELOW_VALUE: Final[Mapping[str, Words]] = {
    **dict.fromkeys(("RESPOND", "SAY", "PRESENT"), vocabulary.RESPOND_KEYS),
    **dict.fromkeys(("THEN", "GOTO", "TRANSITION", *vocabulary.RESULT_BLOCKS), words("REASON")),
    **dict.fromkeys(("IF", "ELSE", "AGENT", "SUPERVISOR", "BEHAVIOR_PROFILE", "GATHER", "COLLECT"), _ALL),
    "CALL": vocabulary.CALL_PARTS | words("ON_FAIL WHEN"),
    "CHECK": words("ON_FAIL"),
    "DELEGATE": words("INPUT PASS RETURNS ON_RETURN ON_FAIL ON_FAILURE TIMEOUT USE_RESULT MEMORY_GRANTS PURPOSE"),
    "LOG": vocabulary.LOG_KEYS,
    "TRANSFORM": vocabulary.TRANSFORM_KEYS,
}
"""Keys that hold lines below the value on their line, and the keys of these lines (``*``: any)."""

_HOOKS: Final = frozenset(name.upper() for name in vocabulary.HOOKS)
_SIGNATURE: Final = re.compile(r"[ \t]*[A-Za-z_]\w*[ \t]*\(")
_DIRECTIVES: Final = (
    vocabulary.STEP_DIRECTIVES | vocabulary.BRANCH_KEYS | vocabulary.HANDLER_KEYS | vocabulary.HOOK_KEYS
)
_NAMED: Final = words(
    """GATHER COLLECT FIELDS PARAMETERS PARAMS PROPERTIES ENTITIES LOOKUP_TABLES ATTACHMENTS TEMPLATES GUARDRAILS STATE
    DESTINATIONS RETURN_HANDLERS TRANSFER_FLOW_POLICIES ACTION_HANDLERS ON_ERROR FLOW STEPS TOOLS INTENTS"""
)
"""Blocks whose keys are names that authors give, or kinds; what a value and lines of one mean is for readers to say."""
_OPTIONS: Final = (
    vocabulary.GATHER_OPTIONS | vocabulary.FLOW_KEYS | frozenset(key.upper() for key in vocabulary.TOOL_FILE_KEYS)
) - {"FIELDS"}
_FIELD_WORDS: Final = frozenset((*vocabulary.REQUIRED_WORDS, *vocabulary.GATHER_TYPES))


def holds(above: Line, line: Line) -> bool:
    """True for a key that holds such a line below the value on its line."""
    below = BELOW_VALUE.get(vocabulary.canonical_key(above.key))
    return below is not None and (below is _ALL or vocabulary.canonical_key(line.key) in below)


def is_ended_by(above: Line, below: Line) -> bool:
    """True when the next line but one shows that an empty key below a key with a value was indented too far."""
    held = BELOW_VALUE.get(vocabulary.canonical_key(above.key)) if above.colon and not above.item else None
    return held is not None and held is not _ALL and above.value < above.end and not holds(above, below)


def is_signature(text: str) -> bool:
    """True for a line that declares a tool: ``name(...)``."""
    return _SIGNATURE.match(text) is not None


def around_decides(above: Line, around: str) -> bool:
    """True when the block around a key with a value decides what may be below it."""
    if above.item:
        return False
    return around in _NAMED or around in _HOOKS


def is_beside(line: Line, text: str, above: Line, value: str, around: str) -> bool:
    """True for a line that cannot be below the one above, which has a value, in a block with the key ``around``."""
    if above.item:
        return line.item and line.content < line.end and _is_next_entry(line, above)
    key = vocabulary.canonical_key(above.key)
    if not above.colon:
        return not line.colon and not line.item and is_signature(value) and is_signature(text)
    if line.item or not line.colon or (key == "WHEN" and around in _HOOKS):
        return False
    below = BELOW_VALUE.get(key)
    if below is _ALL:
        return False
    if around in _NAMED and (key not in _OPTIONS or value.lower() in _FIELD_WORDS):
        return False
    written = vocabulary.canonical_key(line.key)
    return below is None or (written not in below and written in _DIRECTIVES)


def _is_next_entry(line: Line, above: Line) -> bool:
    """True for an entry that cannot be below another; actions may be listed below a condition (06 §6)."""
    if not above.colon:
        return True
    mine, its = line.key.upper(), above.key.upper()
    return mine == its or not line.colon or mine not in _DIRECTIVES or mine in vocabulary.BRANCH_CONDITIONS | {"ELSE"}
