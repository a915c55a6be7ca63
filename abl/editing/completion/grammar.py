"""Completion by the grammar of expressions: operands, comparisons, connectives (docs/spec 02 §4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from abl.expressions.lexer import Token, tokenize

PREFIXES: Final = ("NOT", "EMPTY")
TESTS: Final = (
    "==", "!=", ">", ">=", "<", "<=", "IN", "NOT IN", "IS SET", "IS NOT SET", "IS EMPTY", "contains", "matches",
    "startsWith", "endsWith", "is_number",
)  # fmt: skip
JOINS: Final = ("AND", "OR", "IMPLIES")
_OPERANDS: Final = frozenset({"number", "name", "string", "regex", "constant"})
_CLOSING: Final = frozenset(")]}")
_COMPARING: Final = frozenset({"==", "!=", ">=", "<=", ">", "<"})


@dataclass(slots=True)
class Reader:
    """The state of the grammar after the text so far. ``operand``: a value is expected. ``first``: it begins a
    condition, so NOT and EMPTY may follow. ``tested``: the condition has its only comparison already. ``only``: words
    of which one has to follow. ``choices``:
    how many ``?`` wait for their ``:``.
    """

    operand: bool = True
    first: bool = True
    tested: bool = False
    only: tuple[str, ...] = ()
    choices: int = 0
    around: list[tuple[bool, int]] = field(default_factory=list)

    def read(self, token: Token) -> bool:
        """Go on by a token; False where the text is not an expression so far."""
        if token.kind in _OPERANDS:
            fits = self.operand
            self._behind_value()
            return fits
        if token.kind == "word":
            return self._word(str(token.value))
        return token.kind in ("op", "wrong") and self._sign(token.text)

    def _behind_value(self) -> None:
        self.operand, self.first, self.only = False, False, ()

    def _begin(self) -> None:
        self.operand, self.first, self.tested, self.only = True, True, False, ()

    def _compare(self) -> None:
        self.operand, self.first, self.tested, self.only = True, False, True, ()

    def _word(self, word: str) -> bool:
        if word in JOINS:
            self._begin()
        elif word == "NOT":
            self.only = () if self.operand else ("SET", "EMPTY") if "NOT SET" in self.only else ("IN",)
        elif word == "IS":
            self.only = ("SET", "NOT SET", "EMPTY", "NOT EMPTY")
        elif word == "is_number" or (word in ("SET", "EMPTY") and self.only):
            self._behind_value()
            self.tested = True
        elif word != "SET":
            self._compare()
        return True

    def _sign(self, sign: str) -> bool:
        if sign in "([{":
            self.around.append((self.tested, self.choices))
            self.choices = 0
            self._begin()
        elif sign in _CLOSING:
            if not self.around:
                return False
            self._behind_value()
            self.tested, self.choices = self.around.pop()
        elif sign in (",", "?", ":", "&&", "||"):
            self.choices += {"?": 1, ":": -1}.get(sign, 0)
            self._begin()
        elif sign in _COMPARING or sign[0] in "=<>":
            self._compare()
        else:
            self.operand, self.first, self.only = True, False, ()
        return True


def left_off(text: str) -> Reader | None:
    """The state at the end of ``text`` as the beginning of an expression; None if it cannot begin one."""
    reader = Reader()
    for token in tokenize(text):
        if token.kind == "end":
            return reader
        if not reader.read(token):
            return None
    return None


def due(reader: Reader) -> tuple[str, ...]:
    """The words and signs of the grammar that may follow."""
    if reader.only:
        return reader.only
    if reader.operand:
        return PREFIXES if reader.first else ()
    joins = JOINS[:-1] if reader.choices else JOINS  # IMPLIES binds less than ? :
    return joins if reader.tested else (*TESTS, *joins)
