"""Functions for guardrail checks only (docs/spec 02 §8, 09 §11). Elsewhere they work too and are reported."""

from __future__ import annotations

import re
from typing import NoReturn

from .. import bounds
from ..budget import makes, takes, writes
from ..errors import EvaluationError
from ..regex import compile_pattern
from ..values import Value, text
from .table import GUARDRAIL_BUILTINS, builtin

# Each pattern is linear: no repetition of a repetition, and every repeated class excludes what follows it.
_PII = {
    "email": re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"),
    "credit_card": re.compile(r"(?<![0-9])(?:[0-9][ -]?){12,18}[0-9](?![0-9])"),
    "ssn": re.compile(r"(?<![0-9])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9])"),
    "phone": re.compile(r"(?<![0-9])\+?(?:[0-9][ ().-]{0,2}){9,14}[0-9](?![0-9])"),
}
_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>\"']+", re.IGNORECASE)
_CODE = re.compile(
    r"```|<script|<\?php|\b(?:def|class|function|import|return|const|let|var)\b[^\n]{0,80}[(){};:=]"
    r"|\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^\n]{0,200}\b(?:FROM|INTO|SET|WHERE)\b",
)
# Begins only where a run of marks does: a run that ends no sentence is not looked at again from each of its marks.
_SENTENCE_END = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++(?:\s|$)")


def subject_of(value: Value) -> str:
    """The text that a check looks at: its beginning, counted by the budget."""
    subject = text(value)[: bounds.MAX_TEXT]
    takes(len(subject) >> 2)  # patterns that look a few hundred characters ahead take a quarter of a microsecond
    return subject


def spans_of(name: str, subject: str) -> list[tuple[int, int]]:
    """Where the text holds what the function ``name`` looks for, from left to right; empty for one that finds none."""
    kinds = {"contains_url": [_URL], "contains_email": [_PII["email"]]}
    patterns = kinds.get(name, [*_PII.values()] if name in {"contains_pii", "detect_pii", "redact_pii"} else [])
    return sorted(match.span() for pattern in patterns for match in pattern.finditer(subject_of(subject)))


def _found(subject: str) -> list[str]:
    return [kind for kind, pattern in _PII.items() if pattern.search(subject)]


@builtin("contains_pii(text)", "boolean", table=GUARDRAIL_BUILTINS)
def contains_pii(value: Value) -> Value:
    """Whether the text holds an e-mail address, a card number, a social security number or a phone number."""
    return bool(_found(subject_of(value)))


@builtin("detect_pii(text)", "array", table=GUARDRAIL_BUILTINS)
def detect_pii(value: Value) -> Value:
    """The kinds of personal data in the text: email, credit_card, ssn, phone."""
    return _found(subject_of(value))


@builtin("redact_pii(text)", "string", table=GUARDRAIL_BUILTINS)
def redact_pii(value: Value) -> Value:
    """The text with personal data replaced by `[EMAIL]`, `[CREDIT_CARD]` …"""
    subject = subject_of(value)
    for kind, pattern in _PII.items():
        writes(len(subject))
        subject = pattern.sub(f"[{kind.upper()}]", subject)
    return subject


@builtin("matches_pattern(text, pattern)", "boolean", table=GUARDRAIL_BUILTINS)
def matches_pattern(value: Value, pattern: Value) -> Value:
    """Whether the pattern is found; false when it is invalid."""
    compiled = compile_pattern(text(pattern))
    return compiled is not None and compiled.search(subject_of(value)) is not None


@builtin("not_matches_pattern(text, pattern)", "boolean", table=GUARDRAIL_BUILTINS)
def not_matches_pattern(value: Value, pattern: Value) -> Value:
    """Whether the pattern is not found."""
    return not matches_pattern(value, pattern)


@builtin("word_count(text)", "number", table=GUARDRAIL_BUILTINS)
def word_count(value: Value) -> Value:
    """Words, divided by blanks."""
    subject = subject_of(value)
    makes(len(subject) >> 1)
    return len(subject.split())


@builtin("sentence_count(text)", "number", table=GUARDRAIL_BUILTINS)
def sentence_count(value: Value) -> Value:
    """Sentences; text after the last full stop counts as one."""
    subject = subject_of(value)
    makes(len(subject) >> 1)
    return sum(1 for part in _SENTENCE_END.split(subject) if part.strip())


@builtin("contains_url(text)", "boolean", table=GUARDRAIL_BUILTINS)
def contains_url(value: Value) -> Value:
    """Whether the text holds a web address."""
    return _URL.search(subject_of(value)) is not None


@builtin("contains_email(text)", "boolean", table=GUARDRAIL_BUILTINS)
def contains_email(value: Value) -> Value:
    """Whether the text holds an e-mail address."""
    return _PII["email"].search(subject_of(value)) is not None


@builtin("contains_code(text)", "boolean", table=GUARDRAIL_BUILTINS)
def contains_code(value: Value) -> Value:
    """Whether the text looks like program code."""
    return _CODE.search(subject_of(value)) is not None


@builtin("pii_equal(a, b)", "boolean", table=GUARDRAIL_BUILTINS)
def pii_equal(left: Value, right: Value) -> NoReturn:
    """Equality of two live vault tokens. The workbench keeps no vault, so it is always an error."""
    raise EvaluationError("`pii_equal` needs two live vault tokens")
