"""A second reader of expressions, written from docs/spec 02 §3 and §4 alone: one function per line of the grammar.

It shares nothing with ``abl.expressions``, works on the text without tokens, and is made to be compared with the
grammar by eye. It knows no codes and no words for what is wrong: a text is read or ``Unreadable``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

SPACE = re.compile(r"\s*")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
DIGITS = re.compile(r"[0-9]+")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'", re.DOTALL)
REGEX = re.compile(r"/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)/([a-z]*)")  # / in a class does not end it
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
AT_NAME = re.compile(r"@(index|first|last)\b")

RELATIONS = ("==", "!=", ">=", "<=", ">", "<")
WORD_OPERATORS = {
    "contains": "contains",
    "matches": "matches",
    "startswith": "startsWith",
    "endswith": "endsWith",
    "starts_with": "startsWith",
    "ends_with": "endsWith",
}
WORDS = {"AND", "OR", "NOT", "IN", "IS", "SET", "EMPTY", "IMPLIES", "in", "is_number"}
NEVER_CALLED = {"AND", "OR", "NOT", "IS", "EMPTY", "IMPLIES"}  # `NOT (a)` is the operator; so is `AND (a)`
CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}


class Unreadable(Exception):
    """The text is no expression."""


@dataclass
class Node:
    """A part of the expression: what 04 §10 calls it, its place, and its parts. ``data`` depends on the kind."""

    kind: str
    start: int
    end: int
    op: str | None = None
    children: list[Node] = field(default_factory=list)
    data: Any = None


def reserved(word: str) -> bool:
    """Whether a word cannot be a name."""
    return word in WORDS or word.lower() in WORD_OPERATORS


def unescaped(body: str) -> str:
    """The inside of a literal with its escapes read; an unknown escape keeps the backslash (01 §5)."""

    def one(match: re.Match[str]) -> str:
        letter = match[1]
        if len(letter) == 5:
            return chr(int(letter[1:], 16))
        return {'"': '"', "'": "'", "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}.get(letter, match[0])

    return ESCAPE.sub(one, body)


def read(text: str, in_each: bool = False) -> Node:
    """The tree of an expression. Raises Unreadable."""
    reader = _Reader(text, in_each)
    node = reader.implies()
    reader.skip()
    if reader.at != len(text):
        raise Unreadable(f"rest: {text[reader.at :]}")
    return node


class _Reader:
    def __init__(self, text: str, in_each: bool) -> None:
        self.text = text
        self.at = 0
        self.end = 0  # of what was read last
        self.in_each = in_each

    # Pieces -------------------------------------------------------------------------------------------------------

    def skip(self) -> None:
        self.at = SPACE.match(self.text, self.at).end()

    def start(self) -> int:
        self.skip()
        return self.at

    def peek(self, *signs: str) -> str | None:
        """The first of these signs that stands here."""
        self.skip()
        return next((sign for sign in signs if self.text.startswith(sign, self.at)), None)

    def take(self, *signs: str) -> str | None:
        sign = self.peek(*signs)
        if sign is not None:
            self.at += len(sign)
            self.end = self.at
        return sign

    def need(self, sign: str) -> None:
        if self.take(sign) is None:
            raise Unreadable(f"no {sign} at {self.at}")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self.skip()
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = self.end = found.end()
        return found

    def word(self) -> str | None:
        """The word that stands here, not taken."""
        self.skip()
        found = NAME.match(self.text, self.at)
        return found[0] if found else None

    def take_word(self, *words: str) -> str | None:
        found = self.word()
        if found in words:
            self.match(NAME)
            return found
        return None

    # The grammar --------------------------------------------------------------------------------------------------

    def implies(self) -> Node:
        start, left = self.start(), self.ternary()
        if self.take_word("IMPLIES"):
            right = self.implies()
            return Node("logical", start, self.end, "IMPLIES", [left, right])
        return left

    def ternary(self) -> Node:
        start, condition = self.start(), self.or_()
        if self.take("?") is None:
            return condition
        yes = self.ternary()
        self.need(":")
        no = self.ternary()
        return Node("ternary", start, self.end, "?:", [condition, yes, no])

    def or_(self) -> Node:
        start, operands = self.start(), [self.and_()]
        while self.take_word("OR") or self.take("||"):
            operands.append(self.and_())
        return operands[0] if len(operands) == 1 else Node("logical", start, self.end, "OR", operands)

    def and_(self) -> Node:
        start, operands = self.start(), [self.not_()]
        while self.take_word("AND") or self.take("&&"):
            operands.append(self.not_())
        return operands[0] if len(operands) == 1 else Node("logical", start, self.end, "AND", operands)

    def not_(self) -> Node:
        start = self.start()
        if self.take_word("NOT"):
            operand = self.not_()
            return Node("unary", start, self.end, "NOT", [operand])
        return self.test()

    def test(self) -> Node:
        start = self.start()
        if self.take_word("EMPTY"):
            operand = self.add()
            return Node("test", start, self.end, "EMPTY", [operand])
        left = self.add()
        operator = self.test_operator()
        if operator is None:
            return left
        operands = [left]
        if operator == "matches" and self.peek("/"):
            operands.append(self.regex())
        elif not operator.startswith("IS ") and operator != "is_number":
            operands.append(self.add())
        return Node("test", start, self.end, operator, operands)

    def test_operator(self) -> str | None:
        relation = self.take(*RELATIONS)
        if relation is not None:
            return relation
        word = self.word() or ""
        if word == "NOT":
            self.match(NAME)
            if self.take_word("IN") is None:
                raise Unreadable("NOT without IN")
            return "NOT IN"
        if word in ("IN", "in", "is_number"):
            self.match(NAME)
            return "IN" if word != "is_number" else word
        if word.lower() in WORD_OPERATORS:
            self.match(NAME)
            return WORD_OPERATORS[word.lower()]
        if self.take_word("IS"):
            negation = "NOT " if self.take_word("NOT") else ""
            what = self.take_word("SET", "EMPTY")
            if what is None:
                raise Unreadable("IS without SET or EMPTY")
            return f"IS {negation}{what}"
        return None

    def regex(self) -> Node:
        start = self.start()
        found = self.match(REGEX)
        if found is None or set(found[2]) - set("ims"):
            raise Unreadable("no regex")
        return Node("literal", start, self.end, data=("regex", found[1].replace("\\/", "/"), found[2], found[0]))

    def add(self) -> Node:
        return self.left_to_right(self.mul, "+", "-")

    def mul(self) -> Node:
        return self.left_to_right(self.unary, "*", "/", "%")

    def left_to_right(self, operand: Any, *signs: str) -> Node:
        start, node = self.start(), operand()
        while (sign := self.take(*signs)) is not None:
            right = operand()
            node = Node("binary", start, self.end, sign, [node, right])
        return node

    def unary(self) -> Node:
        start = self.start()
        if self.peek("!="):
            raise Unreadable("!= at a beginning")
        sign = self.take("-", "!")
        if sign is None:
            return self.postfix()
        operand = self.unary()
        return Node("unary", start, self.end, sign, [operand])

    def postfix(self) -> Node:
        start = self.start()
        node, plain = self.primary()
        while True:
            if self.take("."):
                node = self.behind_dot(node, start, plain)
                plain = plain and node.kind == "path"
            elif self.take("["):
                index = self.implies()
                self.need("]")
                node, plain = Node("index", start, self.end, None, [node, index]), False
            else:
                return node

    def behind_dot(self, base: Node, start: int, plain: bool) -> Node:
        found = self.match(DIGITS) or self.match(NAME)
        if found is None:
            raise Unreadable("nothing behind a dot")
        if not found[0][0].isdigit() and self.peek("("):
            return Node("call", start, self.end_of_call(), found[0], [base, *self.called], "method")
        if plain:
            return Node("path", start, self.end, data=[*base.data, found[0]])
        return Node("path", start, self.end, None, [base], found[0])

    def end_of_call(self) -> int:
        self.called = self.items("(", ")")
        return self.end

    def is_call(self) -> bool:
        """Whether the word that stands here is followed by a bracket."""
        word = NAME.match(self.text, self.at)
        return word is not None and self.text[SPACE.match(self.text, word.end()).end() :].startswith("(")

    def primary(self) -> tuple[Node, bool]:
        """A value, and whether it is a bare name, whose dots belong to its path."""
        start = self.start()
        if self.take("("):
            node = self.implies()
            self.need(")")
            return node, False
        if self.peek("["):
            items = self.items("[", "]")
            return Node("list", start, self.end, None, items), False
        if self.peek("{"):
            return self.object(), False
        if (found := self.match(STRING)) is not None:
            return Node("literal", start, self.end, data=("text", unescaped(found[0][1:-1]))), False
        if (found := self.match(NUMBER)) is not None:
            if float(found[0]) == float("inf"):
                raise Unreadable("the number is too large")
            return Node("literal", start, self.end, data=("number", float(found[0]))), False
        if (found := self.match(AT_NAME)) is not None:
            if not self.in_each:
                raise Unreadable("@ outside of a block")
            return Node("path", start, self.end, data=[found[0]]), True
        return self.named()

    def named(self) -> tuple[Node, bool]:
        start = self.start()
        word = self.word()
        if word is None:
            raise Unreadable(f"no value at {self.at}")
        call = self.is_call() and word not in NEVER_CALLED
        if reserved(word) and not call:
            raise Unreadable(f"{word} is reserved")
        self.match(NAME)
        if call:
            arguments = self.items("(", ")")
            return Node("call", start, self.end, word, arguments, "function"), False
        if word == "abl":
            before = self.at
            if self.take(".") and (function := self.match(NAME)) is not None and self.peek("("):
                arguments = self.items("(", ")")
                return Node("call", start, self.end, function[0].upper(), arguments, "abl"), False
            self.at = self.end = before
        if word in CONSTANTS:
            return Node("literal", start, self.end, data=("constant", CONSTANTS[word])), False
        return Node("path", start, self.end, data=[word]), True

    def items(self, opening: str, closing: str) -> list[Node]:
        self.need(opening)
        found: list[Node] = []
        while self.take(closing) is None:
            if found:
                self.need(",")
                if closing == "]" and self.take(closing):  # a comma at the end is tolerated (01 §5)
                    break
            found.append(self.implies())
        return found

    def object(self) -> Node:
        start = self.start()
        self.need("{")
        keys: list[str] = []
        values: list[Node] = []
        while self.take("}") is None:
            if keys:
                self.need(",")
                if self.take("}"):
                    break
            at, quoted, name = self.start(), self.match(STRING), None
            if quoted is None:
                name = self.match(NAME) or self.match(NUMBER)
                if name is None:
                    raise Unreadable("no key")
            key = unescaped(quoted[0][1:-1]) if quoted else name[0]
            keys.append(key)
            if self.take(":"):
                values.append(self.implies())
            elif name is not None and NAME.fullmatch(key) and not reserved(key) and key not in CONSTANTS:
                values.append(Node("path", at, self.end, data=[key]))
            else:
                raise Unreadable("a key without a value")
        return Node("object", start, self.end, None, values, keys)
