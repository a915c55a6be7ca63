"""Conditions in quotes (docs/spec 02 §1): `WHEN: "a == b"` is the condition `a == b`, other quoted text is a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .errors import ExpressionError
from .expression import Expression
from .lexer import unescape
from .reading import compile_expression

_WHOLE_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|\'[^\'\\]*+(?:\\.[^\'\\]*+)*+\'', re.DOTALL)
_HARD: Final = r"==|!=|<=?|>=?|&&|\|\||\b(?:AND|OR|NOT|IN|IS|SET|IMPLIES)\b"
_SOFT: Final = r"!|\b(?:contains|matches|startsWith|endsWith|in)\b|\b[A-Za-z_][A-Za-z0-9_]*\("
_HARD_OPERATOR = re.compile(_HARD)
_SOFT_OPERATOR = re.compile(_SOFT)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition property, unwrapped. `kind` is `expression`, `text` (always true) or `empty` (true).

    `text` is what to compile; offset `i` in it is offset `i + shift` in the raw text, unless `escaped` (then spans are
    those of the whole). `only_soft` marks a quoted text whose operators are all `!`, lower-case words or calls: where
    natural language is legal such a text may be read as language when it does not compile.
    """

    kind: str
    text: str
    shift: int
    quoted: bool = False
    only_soft: bool = False
    escaped: bool = False

    def compile(self) -> Expression:
        """The expression; raises ExpressionError with offsets in `text`, also for `text` and `empty`."""
        return compile_expression(self.text)

    def is_natural_language(self) -> bool:
        """Whether the text is language where that is legal (09 §4): no operators, or only soft ones and unreadable."""
        if self.kind == "text":
            return True
        if not self.only_soft:
            return False
        try:
            compile_expression(self.text)
        except ExpressionError:
            return True
        return False


def read_condition(raw: str) -> Condition:
    """Unwrap the value of a condition property. Never raises."""
    body = raw.strip()
    shift = len(raw) - len(raw.lstrip())
    if not body:
        return Condition("empty", "", shift)
    if _WHOLE_STRING.fullmatch(body) is None:
        return Condition("expression", body, shift)
    inner = unescape(body[1:-1])
    escaped = inner != body[1:-1]
    text = inner.strip()
    shift += 1 + len(inner) - len(inner.lstrip())
    if not text:
        return Condition("text", "", shift, quoted=True, escaped=escaped)
    hard, soft = _HARD_OPERATOR.search(text), _SOFT_OPERATOR.search(text)
    kind = "expression" if hard or soft else "text"
    return Condition(kind, text, shift, quoted=True, only_soft=bool(soft and not hard), escaped=escaped)
