"""The words of the language as the parser and the rules need them: sets of keys, closed words, names, patterns.

What stands where is declared in ``abl.language``, and taken from there; what is listed here says how lines are read:
which keys begin an entry, may repeat, hold text. Keys are canonical (upper case).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.language import ALIASES as _ALIASES
from abl.language import PLACES, legal_keys, offered_keys, words_at
from abl.language import SECTIONS as _SECTIONS
from abl.language import canonical_key as _canonical_key
from abl.language.types import FLAG

Words = frozenset[str]
ALIASES: Final = _ALIASES
canonical_key: Final = _canonical_key


def words(text: str) -> Words:
    """The blank-separated words of ``text``."""
    return frozenset(text.split())


# Sections (01 §6) -----------------------------------------------------------------------------------------------

HEADERS: Final = words("AGENT SUPERVISOR")
SUPERVISOR_SECTIONS: Final = frozenset([name for name, key in _SECTIONS.items() if "supervisor" in key.of])
SECTIONS: Final = frozenset(_SECTIONS)
SECTION_ALIASES: Final[Mapping[str, str]] = {"FORMATS": "RICH_CONTENT", "USE BEHAVIOR_PROFILE": "USE_BEHAVIOR_PROFILE"}
REPEATABLE_SECTIONS: Final = words("USE_BEHAVIOR_PROFILE BEHAVIOR_PROFILE")
REMOVED_SECTIONS: Final = words("MODE")
PROFILE_SECTIONS: Final = legal_keys("profile")
NO_FRAGMENT_SECTIONS: Final = words(
    "VERSION DESCRIPTION LANGUAGE GOAL PERSONA LIMITATIONS IDENTITY INSTRUCTIONS SYSTEM_PROMPT MODE"
)
"""Sections that, as the first line of a text, do not make it a fragment (01 §1)."""

TEXT_SECTIONS: Final = frozenset([name for name, key in _SECTIONS.items() if key.type.prose])
SCALAR_SECTIONS: Final = words("AGENT SUPERVISOR VERSION LANGUAGE MODE USE_BEHAVIOR_PROFILE") | TEXT_SECTIONS

# MEMORY (03) ----------------------------------------------------------------------------------------------------

MEMORY_SHORTHANDS: Final = legal_keys("memory_paths")
MEMORY_BLOCKS: Final = legal_keys("memory") - MEMORY_SHORTHANDS
SESSION_KEYS: Final = legal_keys("session")
PERSISTENT_KEYS: Final = legal_keys("persistent")
SESSION_ONLY_KEYS: Final = words("INITIAL RESET")  # on a persistent entry: ABL312
PERSISTENT_ONLY_KEYS: Final = words("SCOPE ACCESS UNIT DEFAULT TTL")  # on a session entry: ABL313
REMEMBER_KEYS: Final = legal_keys("remember")
STORE_KEYS: Final = legal_keys("store")
RECALL_KEYS: Final = legal_keys("recall")

RESET_POLICIES: Final = words_at("session", "RESET")
SCOPES: Final = words_at("persistent", "SCOPE")
ACCESS_MODES: Final = words_at("persistent", "ACCESS")
SENSITIVE_DISPLAYS: Final = words_at("persistent", "SENSITIVE_DISPLAY")
STORE_OPERATIONS: Final = words_at("store", "OPERATION")
RECALL_ACTIONS: Final = words_at("recall", "ACTION")
TTL_UNITS: Final = ("s", "m", "h", "d")

RECALL_EVENTS: Final = words_at("recall", "ON")
RECALL_EVENT_PATTERNS: Final = (
    r"session:(start|end)",
    r"search:before",
    r"tool:(\*|[^\s:]+):after",
    r"agent:(\*|[^\s:]+):(before|after)",
    r"entity:[^\s:]+:extracted",
    r"step:(enter|exit):[^\s:]+",
)
RETIRED_RECALL_EVENTS: Final[Mapping[str, str | None]] = {
    "ON_START": "session:start",
    "session_start": "session:start",
    "ON_END": "session:end",
    "session_end": "session:end",
    "agent_enter": "agent:*:after",
    "agent_exit": "agent:*:after",
    "delegate_complete": "agent:*:after",
    "ON_SEARCH": None,
    "ON_BOOKING": None,
    "ON_CANCEL": None,
    "ON_PAYMENT": None,
    "ON_UPDATE": None,
}
"""Retired recall events and the one to write instead, if there is an exact one (03 §5)."""

MEMORY_TYPES: Final = words_at("session", "TYPE")
GATHER_ONLY_TYPES: Final = tuple([word for word in words_at("field", "TYPE") if word not in MEMORY_TYPES])
GATHER_TYPES: Final = (*MEMORY_TYPES, *GATHER_ONLY_TYPES)
GENERIC_TYPES: Final = ("array", "object", "enum", "union", "nullable")
TOOL_TYPES: Final = (*MEMORY_TYPES, "any")
TYPE_SLIPS: Final[Mapping[str, str]] = {
    "int": "number",
    "integer": "number",
    "float": "number",
    "double": "number",
    "str": "string",
    "text": "string",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "map": "object",
}
"""Type names of other languages and ours (02 §2)."""

# CONSTRAINTS (04) -----------------------------------------------------------------------------------------------

RULE_KINDS: Final = tuple([key.name for key in PLACES["rule"].listed if not key.offered])
RULE_CLAUSES: Final = ("BEFORE", "WHEN")
RULE_KEYS: Final = legal_keys("rule") - frozenset(RULE_KINDS)
SEVERITY_VALUES: Final = words_at("rule", "SEVERITY")
ON_FAIL_ACTIONS: Final = ("RESPOND", "HANDOFF", "ESCALATE", "BLOCK", "REDACT")
ON_FAIL_TRANSITIONS: Final = ("THEN", "GOTO")
ON_FAIL_KEYS: Final = legal_keys("on_fail")
ON_FAIL_INERT_KEYS: Final = words("HANDOFF ESCALATE BLOCK")  # in a block: ABL420
ON_FAIL_THEN: Final = words_at("on_fail", "THEN")
DEFAULT_PHASE: Final = "always"

# FLOW (06) ------------------------------------------------------------------------------------------------------

FLOW_KEYS: Final = legal_keys("flow")
RESPOND_KEYS: Final = legal_keys("respond")
RESULT_BLOCKS: Final = words("ON_SUCCESS ON_FAILURE ON_RESULT")
CALL_PARTS: Final = words("WITH AS CALL_WITH") | RESULT_BLOCKS
TRANSITIONS: Final = words("THEN GOTO TRANSITION ON_EXHAUSTED ON_TIMEOUT")
STEP_DIRECTIVES: Final = legal_keys("step")
BRANCH_CONDITIONS: Final = words("IF CONDITION WHEN")
BRANCH_KEYS: Final = legal_keys("branch")
HANDLER_KEYS: Final = legal_keys("digression")
SUB_INTENT_KEYS: Final = legal_keys("sub_intent")
ACTION_HANDLER_KEYS: Final = legal_keys("action_handler")
TRANSFORM_KEYS: Final = legal_keys("transform")
LOG_KEYS: Final = legal_keys("log")
LOG_LEVELS: Final = words_at("log", "LEVEL")
SORT_DIRECTIONS: Final = tuple(PLACES["transform"].keys["SORT_BY"].type.words)
TERMINALS: Final = tuple(PLACES["step"].keys["THEN"].type.words)
STEP_EXITS: Final = words("THEN GOTO TRANSITION")
"""The spellings of the key that says where a step goes on (06 §5.7)."""
ERROR_TERMINALS: Final = words_at("error_handler", "THEN")
ONCE_DIRECTIVES: Final = (
    STEP_DIRECTIVES - words("SET CLEAR TRANSFORM LOG CALL CHECK ON_FAIL WITH AS CALL_WITH") - RESULT_BLOCKS
)

# GATHER (07 §2) and TOOLS (08 §2) -------------------------------------------------------------------------------

FIELD_KEYS: Final = legal_keys("field")
GATHER_OPTIONS: Final = legal_keys("gather")
REQUIRED_WORDS: Final = tuple(PLACES["field"].heads)
STRATEGIES: Final = words_at("field", "STRATEGY")
PROMPT_MODES: Final = words_at("field", "PROMPT_MODE")
VALIDATION_PROCESSES: Final = words_at("field", "VALIDATION_PROCESS")
FACT_SOURCES: Final = words_at("field", "SATISFIED_BY")
PII_TYPES: Final = words_at("field", "PII_TYPE")
ERROR_TYPES: Final = tuple(offered_keys("on_error"))
WEBHOOK_METHODS: Final = ("POST", "PUT", "PATCH")
RUNTIME_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "intent": ("category", "name", "confidence", "unclear", "candidates"),
    "error": ("type", "subtype", "code", "message"),
}
"""Fields of the runtime's own values (02 §7, 09 §8)."""

TOOL_BINDINGS: Final = words_at("tool", "TYPE")
TOOL_EFFECTS: Final = words_at("tool", "EFFECT")
TOOL_KEYS: Final = legal_keys("tool") - words("NAME RETURNS")
"""What every tool may have; a binding adds its own keys (08 §3), so the parser does not report unlisted keys."""
BINDING_KEYS: Final[Mapping[str, Words]] = {
    binding: frozenset([name for name, key in PLACES["binding"].keys.items() if binding in key.of])
    for binding in TOOL_BINDINGS
}
"""What each binding has besides the properties of every tool (08 §3)."""
EVERY_TOOL_KEY: Final = TOOL_KEYS | words("NAME RETURNS PARAMS") | frozenset().union(*BINDING_KEYS.values())
TOOL_FILE_KEYS: Final = frozenset(offered_keys("tools")) - {"file"}
"""Defaults that the tools of a file share (08 §9); keys that hold a map are no tools."""

# HANDOFF, hooks and the rest (09) -------------------------------------------------------------------------------

HANDOFF_KEYS: Final = legal_keys("handoff")
HISTORY_MODES: Final = words_at("context", "HISTORY")
COMPLETION_KEYS: Final = legal_keys("complete")
ON_START_KEYS: Final = legal_keys("on_start")
HOOKS: Final = offered_keys("hooks")
HOOK_KEYS: Final = legal_keys("hook")
IDENTITY_KEYS: Final = legal_keys("identity")
MESSAGE_KEYS: Final = tuple([key.name for key in PLACES["messages"].listed if key.runs == "executed"])
"""Messages that the runtime says; MESSAGES may hold more."""
MESSAGE_PLACEHOLDERS: Final[Mapping[str, Words]] = {
    "gather_prompt": words("fields"),
    "escalation_format": words("reason"),
}
"""What a message of MESSAGES is given besides the variables of the session (07 §6, 09 §8)."""

# Names (01 §4) --------------------------------------------------------------------------------------------------

NAME_PATTERN: Final = r"[A-Za-z_][A-Za-z0-9_]*"
AGENT_NAME_PATTERN: Final = r"[A-Za-z][A-Za-z0-9_]*"
PATH_PATTERN: Final = r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*"
WORD_OPERATORS: Final = words("AND OR NOT IN IS SET EMPTY IMPLIES contains matches startsWith endsWith")
RESERVED_NAMES: Final = (
    words("match input now recent_input input_transcript true false null undefined") | WORD_OPERATORS
)
RUNTIME_ASSIGNED: Final = words("input match call_result result intent channel language")  # SET of one warns (06 §5.3)
VAGUE_NAMES: Final = words("data temp tmp var var1 var2 x y z foo bar value thing stuff")
BOOLEANS: Final = tuple(FLAG.words)

# Where free text stands: a `` #`` behind it is text (01 §2) -------------------------------------------------------

TEXT_KEYS: Final = frozenset(
    [
        name
        for keys in (_SECTIONS, *(place.keys for place in PLACES.values()))
        for name, key in keys.items()
        if key.type.prose
    ]
)
TEXT_CONTAINERS: Final = words("LIMITATIONS MESSAGES TEMPLATES STEP_CONSTRAINTS GUARDRAILS POLICIES")
"""Blocks whose entries are free text."""

ALONE: Final = frozenset([key.name.upper() for place in PLACES.values() for key in place.listed if key.alone])
"""Keys that say all without a value (05 ABL116)."""
MAY_REPEAT: Final = words(
    """
    SET CLEAR LOG TRANSFORM CALL WITH CALL_WITH AS RESPOND SAY CHECK ON_FAIL ON_SUCCESS ON_FAILURE ON_RESULT
    """
)
"""Actions and what belongs to them, of which any number may be in a list (06 §3, §5.3)."""


_MIXED: Final = {"MAXSIZE": "maxSize", "CRITICAL": "critical"}


def as_written(key: str, lower: bool) -> str:
    """A canonical key as an author writes it; two have their own spelling everywhere (docs/spec 03 §4, 09 §9)."""
    return _MIXED.get(key) or (key.lower() if lower else key)


def section_keyword(written: str) -> str | None:
    """Canonical section keyword of a column-0 word in any case, or None."""
    upper = written.upper()
    upper = SECTION_ALIASES.get(upper, upper)
    return upper if upper in SECTIONS else None


_NODES: Final = (
    "memory session persistent remember store recall on_fail flow step branch digression sub_intent action_handler"
    " transform log field gather handoff complete on_start hook identity"
)
KEYS_BY_PLACE: Final[Mapping[str, Words]] = {
    **{place: legal_keys(place) for place in _NODES.split()},
    "agent": SECTIONS,
    "rule": RULE_KEYS,
    "tool": TOOL_KEYS,
    "profile": PROFILE_SECTIONS,
}
"""Legal keys of the places that readers make nodes of; what ABL106 compares with there."""

LOWERCASE_PLACES: Final = frozenset([name for name, place in PLACES.items() if place.lower])
"""Places whose keys are written in lower case (01 §3); elsewhere lower case earns the hint ABL123."""
