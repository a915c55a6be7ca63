"""Words for `true`, `false` or `null` in other languages, and placeholders in expressions (docs/spec 02 §3, §4)."""

from __future__ import annotations

import re
from typing import Final

from abl.analysis import fixes
from abl.analysis.conditions.reading import Reading
from abl.diagnostics import Fix
from abl.expressions import ExpressionError, compile_expression
from abl.source import Span

_INTENDED: Final = {
    "true": "true", "false": "false", "null": "null", "undefined": "undefined", "none": "null", "nil": "null",
}  # fmt: skip
_PLACEHOLDER: Final = re.compile(r"\{\{(?P<inner>[^{}]*+)\}\}|\$\{(?P<old>[^{}]*+)\}")


def intended_literal(name: str) -> str:
    """The literal that a name which is not declared stands for; empty for any other."""
    return _INTENDED.get(name.lower(), "")


def placeholder_in(reading: Reading, error: ExpressionError) -> tuple[Span, tuple[Fix, ...]] | None:
    """The placeholder at which an expression cannot be read, and the expression without such braces."""
    text = reading.text
    at = next((m for m in _PLACEHOLDER.finditer(text) if m.start() <= error.start < m.end()), None)
    if at is None:
        return None
    plain = _PLACEHOLDER.sub(lambda m: (m["inner"] or m["old"] or "").strip() or m[0], text)
    try:
        compile_expression(plain)
    except ExpressionError:
        return Span(*at.span()), ()
    return Span(*at.span()), (fixes.replace(Span(0, len(text)), plain, "Write it without braces"),)
