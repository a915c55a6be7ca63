"""Every word of the language in one place: the parser, the rules and completion read it from here.

Keys are canonical (upper case). ``canonical_key`` maps what an author wrote, in any case and with the documented
aliases, to that form. Sources: docs/spec 01 §3 and §6, 03, 04, 06 §3, 07 §2, 08 §2, 09.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Words = frozenset[str]


def words(text: str) -> Words:
    """The blank-separated words of ``text``."""
    return frozenset(text.split())


# Sections (01 §6) -----------------------------------------------------------------------------------------------

HEADERS: Final = words("AGENT SUPERVISOR")
SUPERVISOR_SECTIONS: Final = words("AGENTS ROUTING STATE POLICIES COMMUNICATION")
SECTIONS: Final = (
    words(
        """AGENT SUPERVISOR VERSION DESCRIPTION LANGUAGE GOAL PERSONA LIMITATIONS IDENTITY INSTRUCTIONS SYSTEM_PROMPT
        EXECUTION TOOLS GATHER FLOW MEMORY CONSTRAINTS GUARDRAILS DELEGATE HANDOFF ESCALATE COMPLETE ON_START HOOKS
        ON_ERROR MESSAGES TEMPLATES RICH_CONTENT FORMATS ACTIONS ACTION_HANDLERS NLU MULTI_INTENT INTENTS ENTITIES
        LOOKUP_TABLES ATTACHMENTS DESTINATIONS TRANSFER_FLOW_POLICIES RETURN_HANDLERS CONVERSATION BEHAVIOR
        USE_BEHAVIOR_PROFILE BEHAVIOR_PROFILE TESTS MODE"""
    )
    | SUPERVISOR_SECTIONS
)
SECTION_ALIASES: Final[Mapping[str, str]] = {"FORMATS": "RICH_CONTENT", "USE BEHAVIOR_PROFILE": "USE_BEHAVIOR_PROFILE"}
REPEATABLE_SECTIONS: Final = words("USE_BEHAVIOR_PROFILE BEHAVIOR_PROFILE")
REMOVED_SECTIONS: Final = words("MODE")
PROFILE_SECTIONS: Final = words("PRIORITY WHEN INSTRUCTIONS CONSTRAINTS RESPONSE VOICE TOOLS CONVERSATION GATHER FLOW")
NO_FRAGMENT_SECTIONS: Final = words(
    "VERSION DESCRIPTION LANGUAGE GOAL PERSONA LIMITATIONS IDENTITY INSTRUCTIONS SYSTEM_PROMPT EXECUTION MODE"
)
"""Sections that, as the first line of a text, do not make it a fragment (01 §1)."""

TEXT_SECTIONS: Final = words("DESCRIPTION GOAL PERSONA INSTRUCTIONS SYSTEM_PROMPT")
SCALAR_SECTIONS: Final = words("AGENT SUPERVISOR VERSION LANGUAGE MODE USE_BEHAVIOR_PROFILE") | TEXT_SECTIONS
TWO_WORD_KEYS: Final = ("USE BEHAVIOR_PROFILE", "VOICE INSTRUCTIONS")

# MEMORY (03) ----------------------------------------------------------------------------------------------------

MEMORY_BLOCKS: Final = words("SESSION PERSISTENT REMEMBER RECALL")
MEMORY_SHORTHANDS: Final = words("READS WRITES")
SESSION_KEYS: Final = words("NAME TYPE DESCRIPTION INITIAL RESET")
PERSISTENT_KEYS: Final = words(
    "PATH SCOPE ACCESS TYPE UNIT DEFAULT DESCRIPTION SENSITIVE SENSITIVE_DISPLAY MASK_CONFIG DOMAIN"
)
SESSION_ONLY_KEYS: Final = words("INITIAL RESET")  # on a persistent entry: ABL312
PERSISTENT_ONLY_KEYS: Final = words("SCOPE ACCESS UNIT DEFAULT")  # on a session entry: ABL313
REMEMBER_KEYS: Final = words("WHEN STORE TTL")
STORE_KEYS: Final = words("VALUE TARGET OPERATION UNIQUE MAXSIZE")
RECALL_KEYS: Final = words("ON ACTION PATHS DOMAIN INSTRUCTION")

RESET_POLICIES: Final = ("per_session", "per_step", "per_activation", "never")
SCOPES: Final = ("user", "project", "execution_tree")
ACCESS_MODES: Final = ("read", "write", "readwrite")
SENSITIVE_DISPLAYS: Final = ("redact", "mask", "replace")
STORE_OPERATIONS: Final = ("overwrite", "set", "append")
RECALL_ACTIONS: Final = ("inject_context", "load_memory", "prompt_llm")
TTL_UNITS: Final = ("s", "m", "h", "d")

RECALL_EVENTS: Final = ("session:start", "session:end", "search:before")
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

MEMORY_TYPES: Final = ("string", "number", "boolean", "date", "datetime", "array", "object")
GATHER_ONLY_TYPES: Final = (
    "text",
    "free_text",
    "integer",
    "float",
    "currency",
    "email",
    "phone",
    "enum",
    "pattern",
    "location",
)
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

RULE_KINDS: Final = ("REQUIRE", "LIMIT", "RESTRICT", "WARN")
RULE_CLAUSES: Final = ("BEFORE", "WHEN")
RULE_KEYS: Final = words("WHEN BEFORE ON_FAIL SEVERITY")
SEVERITY_VALUES: Final = ("error", "warning")
ON_FAIL_ACTIONS: Final = ("RESPOND", "HANDOFF", "ESCALATE", "BLOCK", "REDACT")
ON_FAIL_TRANSITIONS: Final = ("THEN", "GOTO")
ON_FAIL_KEYS: Final = words("RESPOND COLLECT GOTO RETRY THEN CLEAR SET")
ON_FAIL_INERT_KEYS: Final = words("HANDOFF ESCALATE BLOCK")  # in a block: ABL420
ON_FAIL_THEN: Final = ("continue", "retry")
DEFAULT_PHASE: Final = "always"

# FLOW (06) ------------------------------------------------------------------------------------------------------

FLOW_KEYS: Final = words("ENTRY_POINT STEPS GLOBAL_DIGRESSIONS")
STEP_SETTINGS: Final = words(
    """GOAL BEHAVIOR AVAILABLE_TOOLS EXIT_WHEN MAX_TURNS STEP_CONSTRAINTS WHEN MAX_ATTEMPTS MESSAGE_KEY MODEL_CONTEXT
    CORRECTIONS COMPLETE_WHEN ACTIONS ON_ACTION AWAIT_ATTACHMENT SECURE_INPUT RESOLVE_SIP_DESTINATION ON_ERROR"""
)
PRESENTATION_KEYS: Final = words("FORMATS RICH_CONTENT CAROUSEL VOICE VOICE_INSTRUCTIONS BARGE_IN STREAMING")
RESPOND_KEYS: Final = PRESENTATION_KEYS | words("MESSAGE_KEY MODEL_CONTEXT ACTIONS")
RESULT_BLOCKS: Final = words("ON_SUCCESS ON_FAILURE ON_RESULT")
CALL_PARTS: Final = words("WITH AS CALL_WITH") | RESULT_BLOCKS
TRANSITIONS: Final = words("THEN GOTO TRANSITION ON_EXHAUSTED ON_TIMEOUT")
ACTION_DIRECTIVES: Final = words("RESPOND SAY PRESENT SET CLEAR TRANSFORM LOG GATHER COLLECT CALL CHECK")
STEP_DIRECTIVES: Final = (
    STEP_SETTINGS
    | PRESENTATION_KEYS
    | CALL_PARTS
    | TRANSITIONS
    | ACTION_DIRECTIVES
    | words("REASONING ON_FAIL ON_INPUT DIGRESSIONS SUB_INTENTS PROMPT STRATEGY")
)
BRANCH_CONDITIONS: Final = words("IF CONDITION WHEN")
BRANCH_KEYS: Final = (
    BRANCH_CONDITIONS
    | PRESENTATION_KEYS
    | words(
        """ELSE SET CLEAR TRANSFORM RESPOND SAY CALL WITH CALL_WITH AS LOG THEN GOTO TRANSITION MESSAGE_KEY ACTIONS
        REASON"""
    )
)
HANDLER_KEYS: Final = words(
    """INTENT RESPOND SAY MESSAGE_KEY CLEAR SET CALL WITH AS KEYWORDS CONDITION GOTO THEN HANDOFF DELEGATE RETURN DO
    RESUME LOG"""
)
SUB_INTENT_KEYS: Final = words("INTENT RESPOND SAY MESSAGE_KEY CLEAR SET CALL WITH AS RESUME LOG")
ACTION_HANDLER_KEYS: Final = (
    words(
        """ACTION CONDITION RESPOND SAY MESSAGE_KEY SET CLEAR CALL WITH AS LOG HANDOFF DELEGATE RETURN ON_RETURN
        COMPLETE THEN GOTO TRANSITION DO TRANSFORM"""
    )
    | PRESENTATION_KEYS
)
TRANSFORM_KEYS: Final = words("SOURCE AS INTO FILTER MAP SORT_BY LIMIT")
LOG_KEYS: Final = words("MESSAGE LEVEL")
LOG_LEVELS: Final = ("debug", "info", "warn", "error")
SORT_DIRECTIONS: Final = ("asc", "desc")
TERMINALS: Final = ("COMPLETE", "ESCALATE", "HANDOFF")
ERROR_TERMINALS: Final = ("CONTINUE", "COMPLETE", "ESCALATE", "BACKTRACK", "RETRY_STEP", "HANDOFF")
ONCE_DIRECTIVES: Final = (
    STEP_DIRECTIVES - words("SET CLEAR TRANSFORM LOG CALL CHECK ON_FAIL WITH AS CALL_WITH") - RESULT_BLOCKS
)

# GATHER (07 §2) and TOOLS (08 §2) -------------------------------------------------------------------------------

FIELD_KEYS: Final = words(
    """PROMPT MESSAGE_KEY DESCRIPTION TYPE REQUIRED DEFAULT ENTITY_REF OPTIONS VALIDATE VALIDATION_PROCESS RETRY_PROMPT
    MAX_RETRIES INFER INFER_CONFIDENCE INFER_CONFIRM PROMPT_MODE STRATEGY EXTRACTION_PATTERN EXTRACTION_GROUP
    EXTRACTION_HINTS RANGE LIST PREFERENCES ACTIVATION DEPENDS_ON SATISFIED_BY SENSITIVE SENSITIVE_DISPLAY MASK_CONFIG
    PII_TYPE PII_PATTERN_REF TRANSIENT SEMANTICS RICH_CONTENT ENUM_VALUES SYNONYMS"""
)
GATHER_OPTIONS: Final = words("FIELDS STRATEGY PROMPT MESSAGE_KEY")
REQUIRED_WORDS: Final = ("required", "optional")
STRATEGIES: Final = ("auto", "pattern", "ml", "llm", "hybrid")
PROMPT_MODES: Final = ("ask", "extract_only")
VALIDATION_PROCESSES: Final = ("REGEX", "CODE", "LLM")
FACT_SOURCES: Final = ("user_input", "authoritative_tool", "system")
PII_TYPES: Final = ("email", "phone", "ssn", "credit_card", "address", "name", "custom")

TOOL_BINDINGS: Final = ("http", "mcp", "sandbox", "lambda", "async_webhook", "workflow", "searchai", "table")
TOOL_EFFECTS: Final = ("read_only", "state_write", "side_effect")
TOOL_KEYS: Final = words(
    """DESCRIPTION TYPE PARAMETERS HINTS SIDE_EFFECTS CONFIRM CONFIRMATION EFFECT PROVIDES TIMEOUT RETRY RETRY_DELAY
    RETRY_POLICY RATE_LIMIT CIRCUIT_BREAKER AUTH AUTH_CONFIG AUTH_PROFILE TLS_PROFILE AUTH_JIT CONSENT CONNECTION
    ON_RESULT ON_ERROR PROCESS STORE_RESULT CONTEXT_ACCESS COMPACTION MODEL_CONTEXT PII_ACCESS SCRUB_SECRETS
    RESULT_SECRETS SECRET_ACCESS"""
)
"""What every tool may have; a binding adds its own keys (08 §3), so unlisted keys are not the parser's business."""
BINDING_KEYS: Final[Mapping[str, Words]] = {
    "http": words(
        """ENDPOINT METHOD HEADERS QUERY_PARAMS BODY_TYPE BODY_MODE BODY_TEMPLATE BODY BODY_SCHEMA USE_BODY_SCHEMA
        REQUEST_VARIANTS IDEMPOTENCY_HEADER PROTOCOL SOAP_VERSION SOAP_ACTION SOAP_HEADERS ON_SOAP_FAULT WSDL_ASSET
        WSDL_VERSION WSDL_OPERATION WSDL_ASSET_ID WSDL_VERSION_ID WSDL_SERVICE WSDL_PORT WSDL_BINDING
        WSDL_TARGET_NAMESPACE WSDL_ELEMENT WSDL_RESPONSE_ARRAYS"""
    ),
    "mcp": words("SERVER SERVER_TOOL HEADERS"),
    "sandbox": words("RUNTIME CODE MEMORY_MB"),
    "lambda": words("FUNCTION RUNTIME"),
    "async_webhook": words("ENDPOINT METHOD HEADERS CALLBACK_URL_FIELD TIMEOUT_SECONDS"),
    "workflow": words("WORKFLOW_ID MODE TIMEOUT_MS PARAM_MAPPING WORKFLOW_VERSION TRIGGER_ID"),
    "searchai": words("INDEX_ID KB_NAME SEARCH_INSTRUCTIONS RETRIEVAL_PROFILE"),
    "table": words("TABLE TABLE_NAME SCOPE OPERATIONS TABLES QUERY_TEMPLATE"),
}
"""What each binding has besides the properties of every tool (08 §3)."""
EVERY_TOOL_KEY: Final = TOOL_KEYS | words("NAME RETURNS PARAMS") | frozenset().union(*BINDING_KEYS.values())
TOOL_FILE_KEYS: Final = words(
    "base_url auth auth_config timeout retry retry_delay retry_policy rate_limit headers circuit_breaker"
)
"""Defaults that the tools of a file share (08 §9); keys that hold a map are no tools."""

# HANDOFF, hooks and the rest (09) -------------------------------------------------------------------------------

HANDOFF_KEYS: Final = words(
    """TO WHEN PRIORITY CONTEXT PASS SUMMARY HISTORY SET MEMORY_GRANTS EXPECT_RETURN ON_RETURN ON_FAILURE
    EXPERIENCE_MODE REMOTE LOCATION ENDPOINT PROTOCOL AUTH TIMEOUT ASYNC ASYNC_TIMEOUT GRANT_MEMORY"""
)
HISTORY_MODES: Final = ("full", "auto", "none", "summary_only")
COMPLETION_KEYS: Final = (
    words("WHEN RESPOND MESSAGE_KEY STORE SET CLEAR CALL WITH AS LOG ACTIONS TERMINAL MODEL_CONTEXT")
    | PRESENTATION_KEYS
)
ON_START_KEYS: Final = (
    words("SET CALL WITH AS WHEN DELEGATE RESPOND SAY MESSAGE_KEY ACTIONS BRANCHES CLEAR LOG") | PRESENTATION_KEYS
)
HOOKS: Final = ("before_agent", "after_agent", "before_turn", "after_turn")
HOOK_KEYS: Final = ON_START_KEYS | words("SET_INTERACTION_LANGUAGE CLEAR_INTERACTION_LANGUAGE CRITICAL")
IDENTITY_KEYS: Final = words("ROLE PERSONA EXPERTISE LIMITATIONS")
MESSAGE_KEYS: Final = (
    "error_default",
    "constraint_blocked",
    "gather_prompt",
    "error_validation",
    "escalation_format",
    "conversation_complete",
    "invalid_handoff",
    "self_handoff",
    "tool_fallback_desc",
)
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
BOOLEANS: Final = ("true", "false")

# Where free text stands: a `` #`` behind it is text (01 §2) -------------------------------------------------------

TEXT_KEYS: Final = (
    words(
        """RESPOND SAY PRESENT PROMPT RETRY_PROMPT INSTRUCTION SUMMARY MESSAGE LOG MODEL_CONTEXT ROLE EXPERTISE TEXT
        REASON VOICE_INSTRUCTIONS INTENT EXIT_WHEN"""
    )
    | TEXT_SECTIONS
)
TEXT_CONTAINERS: Final = words("LIMITATIONS MESSAGES TEMPLATES STEP_CONSTRAINTS GUARDRAILS POLICIES")
"""Blocks whose entries are free text."""

# Aliases --------------------------------------------------------------------------------------------------------

ALIASES: Final[Mapping[str, str]] = {
    "INITIAL_VALUE": "INITIAL",
    "DEFAULT_VALUE": "DEFAULT",
    "EVENT": "ON",
    "MAX_SIZE": "MAXSIZE",
    "VALIDATION": "VALIDATE",
    "PARAMS": "PARAMETERS",
    "CALL_WITH": "WITH",
    "RETURN": "EXPECT_RETURN",
    "SHOWFIRST": "SHOW_FIRST",
    "SHOWLAST": "SHOW_LAST",
    "VOICE INSTRUCTIONS": "VOICE_INSTRUCTIONS",
}
"""Documented other spellings of a property (upper case) and the canonical one."""


MAY_REPEAT: Final = words(
    """
    SET CLEAR LOG TRANSFORM CALL WITH CALL_WITH AS RESPOND SAY CHECK ON_FAIL ON_SUCCESS ON_FAILURE ON_RESULT
    """
)
"""Actions and what belongs to them, of which any number may stand in a list (06 §3, §5.3)."""


_MIXED: Final = {"MAXSIZE": "maxSize", "CRITICAL": "critical"}


def as_written(key: str, lower: bool) -> str:
    """A canonical key as an author writes it; two have their own spelling everywhere (docs/spec 03 §4, 09 §9)."""
    return _MIXED.get(key) or (key.lower() if lower else key)


def canonical_key(written: str) -> str:
    """Canonical upper-case form of a key as an author wrote it; unknown keys are only put in upper case."""
    upper = written.upper()
    return ALIASES.get(upper, upper)


def section_keyword(written: str) -> str | None:
    """Canonical section keyword of a column-0 word in any case, or None."""
    upper = written.upper()
    upper = SECTION_ALIASES.get(upper, upper)
    return upper if upper in SECTIONS else None


KEYS_BY_PLACE: Final[Mapping[str, Words]] = {
    "agent": SECTIONS,
    "memory": MEMORY_BLOCKS | MEMORY_SHORTHANDS,
    "session": SESSION_KEYS,
    "persistent": PERSISTENT_KEYS,
    "remember": REMEMBER_KEYS,
    "store": STORE_KEYS,
    "recall": RECALL_KEYS,
    "rule": RULE_KEYS,
    "on_fail": ON_FAIL_KEYS,
    "flow": FLOW_KEYS,
    "step": STEP_DIRECTIVES,
    "branch": BRANCH_KEYS,
    "digression": HANDLER_KEYS,
    "sub_intent": SUB_INTENT_KEYS,
    "action_handler": ACTION_HANDLER_KEYS,
    "transform": TRANSFORM_KEYS,
    "log": LOG_KEYS,
    "field": FIELD_KEYS,
    "gather": GATHER_OPTIONS,
    "tool": TOOL_KEYS,
    "handoff": HANDOFF_KEYS,
    "complete": COMPLETION_KEYS,
    "on_start": ON_START_KEYS,
    "hook": HOOK_KEYS,
    "identity": IDENTITY_KEYS,
    "profile": PROFILE_SECTIONS,
}
"""Legal keys for each place an entry or block can stand; what completion offers and ABL106 compares with."""

LOWERCASE_PLACES: Final = words("memory field gather tool identity flow hook store")
"""Places whose keys are written in lower case (01 §3); elsewhere lower case earns the hint ABL123."""

ENUM_VALUES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("session", "TYPE"): MEMORY_TYPES,
    ("session", "RESET"): RESET_POLICIES,
    ("persistent", "TYPE"): MEMORY_TYPES,
    ("persistent", "SCOPE"): SCOPES,
    ("persistent", "ACCESS"): ACCESS_MODES,
    ("persistent", "SENSITIVE"): BOOLEANS,
    ("persistent", "SENSITIVE_DISPLAY"): SENSITIVE_DISPLAYS,
    ("store", "OPERATION"): STORE_OPERATIONS,
    ("store", "UNIQUE"): BOOLEANS,
    ("recall", "ON"): RECALL_EVENTS,
    ("recall", "ACTION"): RECALL_ACTIONS,
    ("rule", "SEVERITY"): SEVERITY_VALUES,
    ("on_fail", "RETRY"): BOOLEANS,
    ("on_fail", "THEN"): ON_FAIL_THEN,
    ("step", "REASONING"): BOOLEANS,
    ("step", "CORRECTIONS"): BOOLEANS,
    ("digression", "RESUME"): BOOLEANS,
    ("sub_intent", "RESUME"): BOOLEANS,
    ("log", "LEVEL"): LOG_LEVELS,
    ("field", "TYPE"): GATHER_TYPES,
    ("field", "REQUIRED"): BOOLEANS,
    ("field", "STRATEGY"): STRATEGIES,
    ("field", "PROMPT_MODE"): PROMPT_MODES,
    ("field", "VALIDATION_PROCESS"): VALIDATION_PROCESSES,
    ("field", "SENSITIVE"): BOOLEANS,
    ("field", "SENSITIVE_DISPLAY"): SENSITIVE_DISPLAYS,
    ("field", "PII_TYPE"): PII_TYPES,
    ("tool", "TYPE"): TOOL_BINDINGS,
    ("tool", "EFFECT"): TOOL_EFFECTS,
    ("handoff", "EXPECT_RETURN"): BOOLEANS,
    ("handoff", "HISTORY"): HISTORY_MODES,
}
"""Legal values of enum-typed properties, by place and canonical key."""
