"""The tokens of an expression as the parser reads them: look-ahead, brackets, spans, and what errors say."""

from __future__ import annotations

from typing import Final, NoReturn

from . import bounds
from .errors import ExpressionError
from .lexer import WRONG_OPERATORS, Token, tokenize
from .nodes import Node

CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class TokenStream:
    """The tokens of a text and a place among them."""

    def __init__(self, text: str) -> None:
        self.tokens = tokenize(text)
        self.at = 0
        self.text = text
        self.nesting = 0
        self.call_nesting = 0
        self.outer: dict[int, tuple[int, int]] = {}

    # -- tokens ------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def advance(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def is_op(self, sign: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == "op" and token.text == sign

    def is_word(self, *words: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == "word" and token.value in words

    # -- errors ------------------------------------------------------------------------------------------------

    def unexpected(self, wanted: str = "") -> NoReturn:
        """Report the current token, which cannot stand where it does."""
        token = self.token
        self.check_spelling(token)
        if token.kind == "end":
            before = self.tokens[self.at - 1] if self.at else token
            reason = f"{wanted or 'a value'} is missing after `{before.text}`" if self.at else "the expression is empty"
            raise ExpressionError(reason, before.start, before.end)
        if token.kind == "op" and token.text in ")]}":
            raise ExpressionError(f"`{token.text}` closes nothing", token.start, token.end)
        if wanted:
            raise ExpressionError(f"{wanted} is expected, not `{_short(token.text)}`", token.start, token.end)
        reason = f"an operator is missing before `{_short(token.text)}`"
        raise ExpressionError(reason, token.start, token.end)

    def check_spelling(self, token: Token) -> None:
        """Raise what is wrong with the token itself, wherever it stands."""
        if token.kind == "bad":
            code = "ABL111" if token.value == "unterminated string" else "ABL201"
            raise ExpressionError(str(token.value), token.start, token.end, code=code)
        if token.kind == "wrong":
            right = WRONG_OPERATORS[token.text]
            reason = f"operator `{token.text}` is not valid; use `{right}`"
            raise ExpressionError(reason, token.start, token.end, code="ABL202", replacement=right)

    def lowercase_word(self) -> NoReturn:
        """Report `and`, `is not set` …: the fix covers the whole run of such words."""
        first = last = self.advance()
        words = [first.text.upper()]
        if words[0] in ("IS", "NOT"):
            while self.token.text.upper() in ("NOT", "SET", "EMPTY", "IN"):
                last = self.advance()
                words.append(last.text.upper())
        right = " ".join(words)
        raise ExpressionError(f"write `{right}` in uppercase", first.start, last.end, code="ABL203", replacement=right)

    def descend(self, opening: Token) -> None:
        self.nesting += 1
        if self.nesting > bounds.MAX_NESTING:
            code = "ABL228" if self.call_nesting > bounds.MAX_FUNCTION_DEPTH else "ABL201"
            reason = f"nested more than {bounds.MAX_NESTING} levels deep"
            raise ExpressionError(reason, opening.start, opening.end, code=code)

    def close(self, opening: Token) -> Token:
        """Read the bracket that belongs to `opening`."""
        if not self.is_op(CLOSING[opening.text]):
            self.unclosed(opening)
        self.nesting -= 1
        return self.advance()

    def unclosed(self, opening: Token) -> NoReturn:
        """Report what stands where a bracket should close."""
        self.check_spelling(self.token)
        if self.token.kind == "end" or (self.token.kind == "op" and self.token.text in ")]}"):
            reason = f"`{opening.text}` is not closed"
            raise ExpressionError(reason, opening.start, opening.end, code="ABL112")
        separated = opening.text in "[{" or self.call_nesting > 0
        self.unexpected(f"`,` or `{CLOSING[opening.text]}`" if separated else "")

    # -- spans -------------------------------------------------------------------------------------------------

    def begin(self, node: Node) -> int:
        """Where a node starts for the node around it: at its parenthesis, if it has one."""
        outer = self.outer.get(id(node))
        return node.start if outer is None else outer[0]

    def finish(self, node: Node) -> int:
        outer = self.outer.get(id(node))
        return node.end if outer is None else outer[1]


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"
