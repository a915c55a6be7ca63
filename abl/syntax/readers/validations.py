"""The functions that a field's rule may be made of: ``min(1), max(9)`` (docs/spec 07 §4)."""

from __future__ import annotations

import re
from typing import Final

FUNCTIONS: Final = ("min", "max", "enum", "email", "pattern")
FUNCTION: Final = re.compile(r"\s*(min|max|enum|email|pattern)\s*\(", re.IGNORECASE)
_JOINER: Final = re.compile(r"\s*(?:,|AND\b)\s*")


def functions(rule: str) -> list[tuple[str, str]] | None:
    """``min(1), max(9)`` as (name, argument) pairs; None when the text is anything else."""
    calls: list[tuple[str, str]] = []
    at = 0
    while at < len(rule):
        match = FUNCTION.match(rule, at)
        if match is None:
            return None
        name = match[1].lower()
        end = rule.rfind(")") if name == "pattern" else rule.find(")", match.end())
        if end < 0:
            return None
        calls.append((name, rule[match.end() : end]))
        joined = _JOINER.match(rule, end + 1)
        if joined is None:
            return calls if not rule[end + 1 :].strip() else None
        at = joined.end()
    return calls or None
