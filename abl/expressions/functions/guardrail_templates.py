"""Guardrails that come with the runtime: a name stands for a check (docs/spec 09 §11). The patterns are ours."""

from __future__ import annotations

import re
from typing import Final

from ..values import Value
from .guardrail import subject_of
from .table import GUARDRAIL_BUILTINS, builtin

# Linear, as those of ``guardrail``: gaps have a bound, and runs begin once.
TEMPLATES: Final[dict[str, re.Pattern[str]]] = {
    "detect_instruction_override": re.compile(
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|your|the)\b"
        r"[^.\n]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|directions?)\b",
        re.IGNORECASE,
    ),
    "detect_role_manipulation": re.compile(
        r"\b(?:you are now|you are no longer|from now on,? you|act as|pretend (?:to be|that you are|you are)"
        r"|role-?play as|play the role of)\b",
        re.IGNORECASE,
    ),
    "detect_system_prompt_extraction": re.compile(
        r"\b(?:show|reveal|print|repeat|tell|give|output|display|what (?:is|are|were))\b[^.\n]{0,40}"
        r"\b(?:system prompt|hidden prompt|initial prompt|(?:your|the) (?:system |initial |original |hidden )?"
        r"(?:instructions|prompt))\b",
        re.IGNORECASE,
    ),
    "detect_encoding_tricks": re.compile(
        r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}|\\x[0-9a-f]{2}\\x[0-9a-f]{2}|\\u[0-9a-f]{4}\\u[0-9a-f]{4}"
        r"|&#x?[0-9a-f]{2,6};&#|[\u200b-\u200f\u2060\ufeff]{2}"
        r"|\b(?:decode|decrypt)\b[^.\n]{0,30}\b(?:base64|rot13|hex)\b",
        re.IGNORECASE,
    ),
    "detect_credential_leak": re.compile(
        r"\bsk-[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}|\bgh[pousr]_[A-Za-z0-9]{20,}"
        r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
        r"|\b(?:password|passwd|api[_-]?key|secret|token)[ ]?[:=][ ]?[^\s,;]{4,}",
        re.IGNORECASE,
    ),
}
"""What each looks for, by name."""
OF_REPLIES: Final = frozenset({"detect_credential_leak"})
"""Those that look at what the agent says; the others look at the user's message."""


def _found(name: str, value: Value) -> bool:
    return TEMPLATES[name].search(subject_of(value)) is not None


@builtin("detect_instruction_override(text)", "boolean", table=GUARDRAIL_BUILTINS)
def detect_instruction_override(value: Value) -> Value:
    """Whether the text asks to set the instructions aside."""
    return _found("detect_instruction_override", value)


@builtin("detect_role_manipulation(text)", "boolean", table=GUARDRAIL_BUILTINS)
def detect_role_manipulation(value: Value) -> Value:
    """Whether the text gives the agent another role."""
    return _found("detect_role_manipulation", value)


@builtin("detect_system_prompt_extraction(text)", "boolean", table=GUARDRAIL_BUILTINS)
def detect_system_prompt_extraction(value: Value) -> Value:
    """Whether the text asks for the instructions of the agent."""
    return _found("detect_system_prompt_extraction", value)


@builtin("detect_encoding_tricks(text)", "boolean", table=GUARDRAIL_BUILTINS)
def detect_encoding_tricks(value: Value) -> Value:
    """Whether the text hides something by an encoding or by invisible characters."""
    return _found("detect_encoding_tricks", value)


@builtin("detect_credential_leak(text)", "boolean", table=GUARDRAIL_BUILTINS)
def detect_credential_leak(value: Value) -> Value:
    """Whether the text holds a key, token or password."""
    return _found("detect_credential_leak", value)
