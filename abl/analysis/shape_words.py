"""Words of blocks without nodes, besides those of ``abl.syntax.vocabulary``: completion and rules share them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.syntax import vocabulary
from abl.syntax.vocabulary import BOOLEANS, Words, words

ERROR_TYPES: Final = (
    "default", "llm_error", "tool_error", "routing_error", "validation_error", "timeout_error", "unknown_error",
)  # fmt: skip
BACKOFFS: Final = ("fixed", "linear", "exponential")
METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
AUTHS: Final = ("none", "bearer", "api_key", "oauth2_client", "oauth2_user", "custom")
WEBHOOK_METHODS: Final = ("POST", "PUT", "PATCH")
GATHER_TYPES: Final = tuple([word for word in vocabulary.GATHER_TYPES if word not in ("array", "object")])
"""The types of 07 §3; a list is ``list: true`` there."""
NOT_OFFERED: Final = words("GRANT_MEMORY CALL_WITH")
"""Keys that are read and should not be written: removed (ABL931), or another spelling."""
RUNTIME_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "intent": ("category", "name", "confidence", "unclear", "candidates"),
    "error": ("type", "subtype", "code", "message"),
}
"""Fields of the runtime's own values (02 §7, 09 §8)."""

KEYS: Final[Mapping[str, Words]] = {
    "on_return": words("ACTION HANDLER RESUME_WITH MAP SET"),
    "context": words("PASS SUMMARY HISTORY SET MEMORY_GRANTS"),
    "behavior": words("ROLE"),
    "grant": words("PATH ACCESS"),
    "delegate": words(
        """AGENT WHEN PURPOSE INPUT RETURNS USE_RESULT MEMORY_GRANTS TIMEOUT EXPERIENCE_MODE ON_FAIL FAILURE_MESSAGE
        ON_RETURN"""
    ),
    "error_handler": words(
        """TYPE SUBTYPE SUBTYPES RESPOND SET LOG RETRY RETRY_DELAY RETRY_BACKOFF RETRY_MAX_DELAY THEN HANDOFF_TARGET
        BACKTRACK_TO VOICE FORMATS ACTIONS"""
    ),
}
LOWERCASE: Final = vocabulary.LOWERCASE_PLACES | words("on_return context behavior grant")

VALUES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    **vocabulary.ENUM_VALUES,
    ("field", "TYPE"): GATHER_TYPES,
    ("field", "INFER"): BOOLEANS,
    ("field", "INFER_CONFIRM"): BOOLEANS,
    ("field", "LIST"): BOOLEANS,
    ("field", "TRANSIENT"): BOOLEANS,
    ("tool", "METHOD"): METHODS,
    ("tool", "SIDE_EFFECTS"): BOOLEANS,
    ("tool", "CONFIRM"): ("always", "never", "when_side_effects"),
    ("tool", "BODY_TYPE"): ("json", "form", "xml", "text"),
    ("tool", "BODY_MODE"): ("auto", "none"),
    ("tool", "PROTOCOL"): ("rest", "soap"),
    ("tool", "AUTH"): AUTHS,
    ("tool", "CONSENT"): ("preflight", "inline"),
    ("tool", "CONNECTION"): ("per_user", "shared"),
    ("tool", "STORE_RESULT"): BOOLEANS,
    ("tool", "SCRUB_SECRETS"): BOOLEANS,
    ("tool", "PII_ACCESS"): ("original", "tools", "user", "logs", "llm"),
    ("tool", "RUNTIME"): ("javascript", "python"),
    ("behavior", "ROLE"): ("router", "orchestrator", "assistant"),
    ("context", "HISTORY"): vocabulary.HISTORY_MODES,
    ("grant", "ACCESS"): ("read", "readwrite"),
    ("on_return", "ACTION"): ("continue", "resume_intent"),
    ("on_return", "RESUME_WITH"): (
        "original_handoff_utterance",
        "latest_child_user_utterance",
        "latest_session_user_utterance",
        "forwarded_return_message",
    ),
    ("handoff", "EXPERIENCE_MODE"): (
        "shared_voice_handoff",
        "visible_handoff",
        "silent_delegate",
        "human_escalation",
    ),
    ("handoff", "ASYNC"): BOOLEANS,
    ("delegate", "ON_FAIL"): ("respond", "continue", "escalate", "retry"),
    ("error_handler", "TYPE"): ERROR_TYPES,
    ("error_handler", "RETRY_BACKOFF"): BACKOFFS,
    ("error_handler", "THEN"): vocabulary.ERROR_TERMINALS,
    ("complete", "TERMINAL"): BOOLEANS,
}
"""Legal values by place and canonical key."""
