"""Places below FLOW, MEMORY, CONSTRAINTS, GATHER and TOOLS (docs/spec 03, 04, 06-08), as ``shapes`` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.analysis.shape_words import AUTHS, GATHER_TYPES, METHODS
from abl.analysis.shapes_common import (
    ACTS,
    CALLS,
    FLAG,
    MOVES,
    PRESENTED,
    RESPONSE,
    RESULTS,
    Shape,
    any_of,
    place_of,
)  # fmt: skip
from abl.syntax import vocabulary
from abl.syntax.vocabulary import words

_PARAMETER: Final = {
    "description": "", "required": FLAG, "default": "", "source": "model|system|runtime|config|auth|expr|lookup",
    "value": "<expression>", "key": "", "table": "<lookups>", "hidden": FLAG, "visibility": "visibility",
    "properties": "{parameter}",
}  # fmt: skip
_UNFIT: Final = "block(|reask(|warn(|use_original|fallback("

FLOW: Final[Mapping[str, Shape]] = {
    "flow": place_of(vocabulary.FLOW_KEYS, {"STEPS": "<listed> {step}", "GLOBAL_DIGRESSIONS": "[digression]",
    "*": "step"}),
    "step": place_of(
        vocabulary.STEP_DIRECTIVES,
        {
            **PRESENTED, **ACTS, **RESULTS, "REASONING": FLAG, "CORRECTIONS": FLAG,
            "PRESENT": "<template>", "GATHER": "[=field] gather {field} <fields>",
            "COLLECT": "[=field] <fields> <names>",
            "ON_FAIL": "on_fail [branch] <on_fail>", "ON_INPUT": "[branch]", "DIGRESSIONS": "[digression]",
            "SUB_INTENTS": "[sub_intent]", "ON_ACTION": "[action_handler] {action_handler}",
            "ON_ERROR": "on_error [error_handler]",
            "STEP_CONSTRAINTS": "[rule]", "AVAILABLE_TOOLS": "<tools>", "AWAIT_ATTACHMENT": "await_attachment",
            "SECURE_INPUT": "secure_input", "RESOLVE_SIP_DESTINATION": "resolve_sip",
            "STRATEGY": any_of(vocabulary.STRATEGIES),
        },
    ),
    "call": {**CALLS, **RESULTS, "WHEN": ""},
    "respond": RESPONSE,
    "branch": place_of(vocabulary.BRANCH_KEYS, {**PRESENTED, **ACTS, "ELSE": "branch"}),
    "digression": place_of(vocabulary.HANDLER_KEYS, {**ACTS, **MOVES, "DO": "[digression_deed]",
    "INTENT": "<intents>"}),
    "sub_intent": place_of(vocabulary.SUB_INTENT_KEYS, {**ACTS, "RESUME": FLAG, "INTENT": "<intents>"}),
    "action_handler": place_of(vocabulary.ACTION_HANDLER_KEYS, {**PRESENTED, **ACTS, **MOVES, "ACTION": "<actions>"}),
    "deed": place_of(vocabulary.ACTION_HANDLER_KEYS - words("ACTION CONDITION DO"), {**PRESENTED, **ACTS, **MOVES}),
    "digression_deed": place_of(
        vocabulary.HANDLER_KEYS - words("INTENT KEYWORDS CONDITION DO"), {**PRESENTED, **ACTS, **MOVES}
    ),
    "tool_deed": place_of(
        words("SET CLEAR LOG RESPOND CALL WITH AS GOTO THEN HANDOFF DELEGATE RETURN FORMATS COMPLETE IF WHEN ELSE"),
        {**PRESENTED, **ACTS, **MOVES, "ELSE": "tool_deed"},
    ),
    "transform": place_of(vocabulary.TRANSFORM_KEYS, {"MAP": "map"}),
    "set": {"*": "<expression>"},
    "map": {"*": "<expression>"},
    "with": {"*": "<expression>"},
    "input": {"*": "<expression>"},
    "returned": {"*": "<names>"},
    "log": {"MESSAGE": "", "LEVEL": any_of(vocabulary.LOG_LEVELS)},
    "await_attachment": {
        "NAME": "", "PROMPT": "", "CATEGORY": "image|document|audio|video", "REQUIRED": FLAG, "TIMEOUT": "",
        "ON_TIMEOUT": "<steps>",
    },
    "secure_input": {
        "MODE": "dtmf|speech", "FIELDS": "[secure_field]", "MAX_ATTEMPTS": "", "CANCEL": "secure_cancel",
        "CALL": "call <tools>", "WITH": "with", "ON_SUCCESS": "<steps>", "ON_TIMEOUT": "<steps>",
        "ON_CANCEL": "<steps>",
        "ON_FAIL": "<steps>",
    },
    "secure_field": {"name": "", "PROMPT": "secure_prompt", "COLLECT": "secure_collect", "VALIDATE": "luhn"},
    "secure_prompt": {"template": "<templates>", "*": ""},
    "secure_collect": dict.fromkeys(("digits", "finishOnKey", "interDigitTimeoutMs", "asrTimeoutMs"), ""),
    "secure_cancel": {"dtmf_key": "", "keywords": ""},
    "resolve_sip": {"FROM_WORKFLOW": "<tools>", "FROM_MEMORY": "<names>", "TIMEOUT_MS": ""},
}  # fmt: skip

STATE: Final[Mapping[str, Shape]] = {
    "memory": {
        "session": "[=session]", "persistent": "[=persistent] memory_paths", "remember": "[remember]",
        "recall": "[recall]",
        "reads": "<paths>", "writes": "<paths>",
    },
    "memory_paths": {"READS": "<paths>", "WRITES": "<paths>"},
    "session": place_of(vocabulary.SESSION_KEYS, {"NAME": "", "INITIAL": "<literal>",
    "TYPE": any_of(vocabulary.MEMORY_TYPES)}),
    "persistent": place_of(vocabulary.PERSISTENT_KEYS, {"DEFAULT": "<literal>", "MASK_CONFIG": "mask_config"}),
    "mask_config": {"showFirst": "", "showLast": "", "char": ""},
    "remember": place_of(vocabulary.REMEMBER_KEYS, {"STORE": "store <store>"}),
    "store": {
        "value": "<expression>", "target": "<paths>", "operation": any_of(vocabulary.STORE_OPERATIONS), "unique": FLAG,
        "maxSize": "",
    },
    "recall": place_of(vocabulary.RECALL_KEYS, {"ON": "<events>", "PATHS": "<paths>"}),
    "rules": {"*": "[rule] rules"},
    "rule": place_of(vocabulary.RULE_KEYS, {"ON_FAIL": "on_fail <on_fail>"}),
    "on_fail": place_of(vocabulary.ON_FAIL_KEYS, {"SET": "set [set] <assignment>"}),
}  # fmt: skip

GATHERED: Final[Mapping[str, Shape]] = {
    "gather": place_of(vocabulary.GATHER_OPTIONS, {"FIELDS": "[=field] {field}",
    "STRATEGY": any_of(vocabulary.STRATEGIES), "*": "field"}),
    "field": place_of(
        vocabulary.FIELD_KEYS - words("RICH_CONTENT ENUM_VALUES SYNONYMS"),
        {
            "SEMANTICS": "semantics", "MASK_CONFIG": "mask_config",
            "ACTIVATION": "activation required|optional|progressive",
            "VALIDATE": "validation min(|max(|enum(|email()|pattern( <condition>", "RICH_CONTENT": "formats",
            "ENTITY_REF": "<entities>",
            "INFER": FLAG, "INFER_CONFIRM": FLAG, "LIST": FLAG, "RANGE": FLAG, "PREFERENCES": FLAG, "TRANSIENT": FLAG,
            "DEFAULT": "<literal>", "SATISFIED_BY": any_of(vocabulary.FACT_SOURCES), "DEPENDS_ON": "<fields>",
        },
    ),
    "activation": {"when": "<condition>"},
    "validation": {"type": "pattern|range|enum|custom|llm", "rule": "", "error": "", "max_retries": ""},
    "semantics": {
        "format": "", "components": "", "unit": "", "convert_to": "", "lookup": "<lookups>", "locale": "",
        "temporal": "future|past|any", "enum_set": "", "kore_entity_type": "",
    },
    "lookup": {
        "source": "inline|collection|api", "values": "", "map": "", "table_name": "", "endpoint": "", "field": "",
        "headers": "",
        "timeout_ms": "", "case_sensitive": FLAG, "fuzzy_match": FLAG, "fuzzy_threshold": "",
    },
    "entity": {
        "TYPE": any_of(GATHER_TYPES), "VALUES": "", "SYNONYMS": "", "PATTERN": "", "VALIDATION": "", "SENSITIVE": FLAG,
        "DESCRIPTION": "", "EXTRACTION_HINTS": "",
    },
}  # fmt: skip

TOOLS: Final[Mapping[str, Shape]] = {
    "tools": {
        "file": "", **dict.fromkeys(sorted(vocabulary.TOOL_FILE_KEYS), ""), "auth": any_of(AUTHS),
        "auth_config": "auth_config", "retry_policy": "retry_policy", "circuit_breaker": "circuit_breaker", "*": "tool",
    },
    "parameter_entry": {
        "name": "", "type": "<type>", **_PARAMETER,
        "fields": "[parameter_entry] {parameter_entry}", "items": "returned_type <type>",
    },
    "returned_type": {"type": "<type>", "fields": "[parameter_entry] {parameter_entry}",
    "items": "returned_type <type>"},
    "tool": place_of(
        vocabulary.TOOL_KEYS | words("NAME RETURNS"),
        {
            "RETURNS": "returned_type <type>",
            "PARAMETERS": "[parameter_entry] {parameter}", "HINTS": "hints", "SIDE_EFFECTS": FLAG,
            "CONFIRMATION": "confirmation",
            "PROVIDES": "<fields>", "RETRY_POLICY": "retry_policy", "CIRCUIT_BREAKER": "circuit_breaker",
            "AUTH_CONFIG": "auth_config", "ON_RESULT": "tool_outcome", "ON_ERROR": "tool_outcome", "PROCESS": "process",
            "CONTEXT_ACCESS": "context_access", "COMPACTION": "tool_compaction", "MODEL_CONTEXT": "model_context",
            "SECRET_ACCESS": "secret_access", "STORE_RESULT": FLAG, "SCRUB_SECRETS": FLAG, "AUTH_JIT": FLAG,
        },
    ),
    "binding": {
        "USE_BODY_SCHEMA": FLAG, "REQUEST_VARIANTS": "[variant]", "SOAP_VERSION": "1.1|1.2",
        "ON_SOAP_FAULT": "error|data",
        "MODE": "sync|async", "SCOPE": "project|end_user|session", "RETRIEVAL_PROFILE": "object-aware",
        "QUERY_PARAMS": "[pair]",
        "OPERATIONS": "get|query|count|insert|update|delete|upsert|bulkInsert|bulkUpsert",
    },
    "parameter": {**_PARAMETER, "items": "parameter"},
    "visibility": {"model": FLAG, "trace": FLAG},
    "hints": {
        "cacheable": FLAG, "latency": "fast|medium|slow", "side_effects": FLAG, "requires_auth": FLAG, "timeout": "",
    },
    "confirmation": {
        "require": "always|never|when_side_effects", "immutable_params": "<parameters>",
        "consent_required_in": "conversation|explicit_prompt", "consent_scope": "", "consent_action": "",
        "consent_fallback": "explicit_prompt|block",
    },
    "retry_policy": {
        "strategy": "fixed|exponential", "initial_delay_ms": "", "multiplier": "", "max_delay_ms": "",
        "max_retries": "",
        "jitter": "none|full",
    },
    "circuit_breaker": {"threshold": "", "resetMs": ""},
    "auth_config": dict.fromkeys(
        ("token_url", "client_id", "client_secret", "scopes", "header_name", "provider", "custom_headers"), ""
    ),
    "tool_outcome": {"set": "set [set] <assignment>", "do": "[tool_deed]"},
    "process": {"before": "before_call", "after": "after_call"},
    "before_call": {"params": "set", "require": "<condition>", "on_fail": _UNFIT, "use": ""},
    "after_call": {"result": "set", "on_fail": _UNFIT},
    "context_access": {"read": "<names>", "write": "<names>"},
    "tool_compaction": dict.fromkeys(
        ("essential_fields", "max_description_length", "summary_timeout_ms", "max_search_tokens"), ""
    ),
    "model_context": {"fields": "", "template": ""},
    "secret_access": {"READ": ""},
    "pair": {"key": "", "value": ""},
    "variant": {
        "name": "", "when": "<condition>", "default": FLAG, "endpoint": "", "method": any_of(METHODS), "headers": "",
        "query_params": "[pair]", "body_type": "json|form|xml|text", "body_template": "", "body": "",
    },
}  # fmt: skip
