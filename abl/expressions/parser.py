"""Reads an expression by precedence climbing (grammar: docs/spec 02 §4, binding: §5).

Time is linear in the text and the Python stack is bounded: chains are loops, and whatever nests counts against
`MAX_NESTING`. Every failure is an `ExpressionError` that says what was expected, with the span of the culprit.
"""

from __future__ import annotations

from typing import Final, NoReturn

from . import bounds
from .errors import ExpressionError
from .lexer import CONSTANTS, WORD_OPERATORS, Token
from .nodes import (
    Binary,
    Call,
    Index,
    ListNode,
    Literal,
    Logical,
    Member,
    Method,
    Node,
    ObjectNode,
    Path,
    Regex,
    Ternary,
    Test,
    Unary,
    height,
)
from .token_stream import CLOSING, TokenStream

IMPLIES, TERNARY, OR, AND, NOT, TEST, ADD, MUL, UNARY = range(1, 10)
"""Binding powers, loosest first. A right operand is read with the power of what may be in it."""

_RELATIONAL: Final = frozenset(("==", "!=", ">=", "<=", ">", "<"))
_ARITHMETIC: Final = {"+": ADD, "-": ADD, "*": MUL, "/": MUL, "%": MUL}
_OPERATOR_SIGNS: Final = {"&&": AND, "||": OR, "?": TERNARY, **_ARITHMETIC, **dict.fromkeys(_RELATIONAL, TEST)}
_WORDS: Final = {
    "AND": AND,
    "OR": OR,
    "IMPLIES": IMPLIES,
    **dict.fromkeys(("NOT", "IN", "in", "IS", "is_number", *WORD_OPERATORS.values()), TEST),
}
_NONE: Final[frozenset[tuple[int, int]]] = frozenset()
_LOWERCASE_INFIX: Final = frozenset(("and", "or", "implies", "is", "not"))


class Parsed:
    """A tree, and the spans of the nodes that are in parentheses of their own."""

    __slots__ = ("node", "parenthesised")

    def __init__(self, node: Node, parenthesised: frozenset[tuple[int, int]]) -> None:
        self.node = node
        self.parenthesised = parenthesised


def parse(text: str, *, in_template: bool = False) -> Parsed:
    """Read all of `text`; raises ExpressionError. With `in_template` also the names `@index`, `@first`, `@last`."""
    if len(text) > bounds.MAX_EXPRESSION_LENGTH:
        reason = f"an expression has at most {bounds.MAX_EXPRESSION_LENGTH:,} characters, this one has {len(text):,}"
        raise ExpressionError(reason, 0, len(text))
    parser = _Parser(text, in_template)
    node = parser.everything()
    if len(parser.tokens) > bounds.MAX_HEIGHT and height(node) > bounds.MAX_HEIGHT:  # a level takes a token at least
        raise ExpressionError("the expression nests too deeply; split it up", 0, len(text))
    return Parsed(node, frozenset(parser.parenthesised) if parser.parenthesised else _NONE)


class _Parser(TokenStream):
    def __init__(self, text: str, in_template: bool) -> None:
        super().__init__(text)
        self.in_template = in_template
        self.parenthesised: set[tuple[int, int]] = set()

    def everything(self) -> Node:
        if self.token.kind == "end":
            raise ExpressionError("the expression is empty", 0, len(self.text))
        node = self.expression(IMPLIES)
        if self.token.kind != "end":
            self.unexpected()
        return node

    # -- operators ---------------------------------------------------------------------------------------------

    def expression(self, power: int) -> Node:
        """Read operands and the operators that bind at least as tightly as `power`."""
        left, tested = self.operand(power)
        while True:
            binding = self.binding()
            if binding is None or binding < power:
                return left
            if binding == TEST:
                if tested:
                    self.chained(left)
                left, tested = self.test(left), True
            elif binding in (AND, OR):
                left = self.chain(left, binding)
            elif binding == TERNARY:
                left = self.ternary(left)
            elif binding == IMPLIES:
                left = self.implies(left)
            elif tested:
                self.test_as_operand(left)
            else:
                operator = self.advance()
                right = self.expression(binding + 1)
                start, end = self.begin(left), self.finish(right)
                left = Binary(start, end, operator.text, left, right, operator.start, operator.end)

    def binding(self) -> int | None:
        """The power of the operator at this place; None when there is none."""
        token = self.tokens[self.at]
        if token.kind == "op":
            return _OPERATOR_SIGNS.get(token.text)
        if token.kind == "word":
            return _WORDS.get(str(token.value))
        if token.kind == "name" and token.text.lower() in _LOWERCASE_INFIX:
            self.lowercase_word()
        if token.kind == "wrong":
            self.check_spelling(token)
        return None

    def operand(self, power: int) -> tuple[Node, bool]:
        """Read a prefix operator with its operand, or a value. The flag: it is a test already."""
        token = self.tokens[self.at]
        word = token.value if token.kind == "word" else ""
        if word == "NOT":
            if power > NOT:
                reason = "`NOT` cannot stand here without parentheses"
                raise ExpressionError(reason, token.start, token.end)
            return self.prefix(NOT), False
        if word == "EMPTY":
            if power >= ADD:
                raise ExpressionError("`EMPTY` cannot stand here without parentheses", token.start, token.end)
            operator = self.advance()
            operand = self.expression(ADD)
            return Test(
                operator.start, self.finish(operand), "EMPTY", operand, None, operator.start, operator.end
            ), True
        if token.kind == "op" and token.text in ("-", "!"):
            return self.prefix(UNARY), False
        return self.postfix(), False

    def prefix(self, power: int) -> Node:
        operator = self.advance()
        self.descend(operator)
        operand = self.expression(power)
        self.nesting -= 1
        return Unary(operator.start, self.finish(operand), operator.text, operand)

    def chain(self, first: Node, power: int) -> Node:
        """`a AND b AND c`: one node for the whole chain, so that its length costs no depth."""
        operands, spans = [first], []
        while self.binding() == power:
            operator = self.advance()
            spans.append((operator.start, operator.end))
            operands.append(self.expression(power + 1))
        name = "AND" if power == AND else "OR"
        return Logical(self.begin(first), self.finish(operands[-1]), name, tuple(operands), tuple(spans))

    def implies(self, left: Node) -> Node:
        operator = self.advance()
        self.descend(operator)
        right = self.expression(IMPLIES)
        self.nesting -= 1
        span = (operator.start, operator.end)
        return Logical(self.begin(left), self.finish(right), "IMPLIES", (left, right), (span,))

    def ternary(self, condition: Node) -> Node:
        question = self.advance()
        self.descend(question)
        then = self.expression(TERNARY)
        if not self.is_op(":"):
            self.check_spelling(self.token)
            raise ExpressionError("`?` needs a `:` with the other value", question.start, question.end)
        self.advance()
        otherwise = self.expression(TERNARY)
        self.nesting -= 1
        return Ternary(self.begin(condition), self.finish(otherwise), condition, then, otherwise)

    # -- tests -------------------------------------------------------------------------------------------------

    def test(self, left: Node) -> Node:
        operator = self.advance()
        if operator.kind == "op":
            return self.test_with(left, operator.text, operator, operator)
        word = str(operator.value)
        if word == "NOT":
            if not self.is_word("IN", "in"):
                self.unexpected("`IN` after `NOT`")
            return self.test_with(left, "NOT IN", operator, self.advance())
        if word in ("IN", "in"):
            return self.test_with(left, "IN", operator, operator)
        if word == "IS":
            return self.is_test(left, operator)
        if word == "is_number":
            return Test(self.begin(left), operator.end, "is_number", left, None, operator.start, operator.end)
        return self.test_with(left, word, operator, operator)

    def test_with(self, left: Node, op: str, first: Token, last: Token) -> Node:
        right: Node
        if self.token.kind == "regex":
            token = self.advance()
            pattern, flags = token.value if isinstance(token.value, tuple) else ("", "")
            right = Regex(token.start, token.end, pattern, flags)
        else:
            right = self.expression(ADD)
        return Test(self.begin(left), self.finish(right), op, left, right, first.start, last.end)

    def is_test(self, left: Node, operator: Token) -> Node:
        if self.token.text in ("not", "set", "empty"):
            self.at -= 1
            self.lowercase_word()
        negated = self.is_word("NOT")
        if negated:
            self.advance()
        if self.token.text in ("set", "empty"):
            self.lowercase_word()
        if not self.is_word("SET", "EMPTY"):
            self.unexpected("`SET`, `NOT SET`, `EMPTY` or `NOT EMPTY` after `IS`")
        last = self.advance()
        op = f"IS {'NOT ' if negated else ''}{last.text}"
        return Test(self.begin(left), last.end, op, left, None, operator.start, last.end)

    def chained(self, left: Node) -> NoReturn:
        """`a < b < c`; the fix repeats the middle operand where the tests allow that."""
        operator = self.token
        if not isinstance(left, Test):
            raise ExpressionError("comparisons cannot be chained", self.begin(left), operator.end, code="ABL204")
        start, end, replacement = self.begin(left), operator.end, None
        second = self.test(left)
        end = self.finish(second)
        if left.right is not None and left.op in _RELATIONAL:
            middle = self.text[self.begin(left.right) : self.finish(left.right)]
            replacement = f"{self.text[start : left.end]} AND {middle} {self.text[operator.start : end]}"
        raise ExpressionError("comparisons cannot be chained", start, end, code="ABL204", replacement=replacement)

    def test_as_operand(self, left: Node) -> NoReturn:
        """`a IS SET + 1`: a test is no operand of an arithmetic operator (docs/spec 02 §4)."""
        reason = f"a test beside `{self.token.text}` needs parentheses"
        raise ExpressionError(reason, self.begin(left), left.end)

    # -- values ------------------------------------------------------------------------------------------------

    def postfix(self) -> Node:
        node = self.primary()
        if self.tokens[self.at].kind != "op":
            return node
        if isinstance(node, Path) and id(node) not in self.outer:
            node = self.path(node)
        while (token := self.tokens[self.at]).kind == "op":
            if token.text == ".":
                node = self.member(node)
            elif token.text == "[":
                opening = self.advance()
                self.descend(opening)
                index = self.expression(IMPLIES)
                node = Index(self.begin(node), self.close(opening).end, node, index)
            else:
                break
        return node

    def path(self, first: Path) -> Node:
        """The names behind a name, up to a method call."""
        parts = [first.parts[0]]
        end = first.end
        while self.is_op(".") and self.tokens[self.at + 1].kind in ("name", "number"):
            called = self.tokens[self.at + 2]
            if called.kind == "op" and called.text == "(":
                break
            self.advance()
            name = self.advance()
            parts.append(name.text)
            end = name.end
        if len(parts) > bounds.MAX_NESTING:
            raise ExpressionError(f"a path has at most {bounds.MAX_NESTING} names", first.start, end)
        return Path(first.start, end, tuple(parts)) if len(parts) > 1 else first

    def member(self, target: Node) -> Node:
        self.advance()
        name = self.token
        if name.kind not in ("name", "number"):
            self.unexpected("a name after `.`")
        self.advance()
        if name.kind == "name" and self.is_op("("):
            arguments, end = self.arguments()
            if isinstance(target, Path) and target.parts == ("abl",):
                return Call(self.begin(target), end, name.text, arguments, True, name.start, name.end)
            return Method(self.begin(target), end, target, name.text, arguments, name.start, name.end)
        return Member(self.begin(target), name.end, target, name.text)

    def arguments(self) -> tuple[tuple[Node, ...], int]:
        opening = self.advance()
        self.call_nesting += 1
        self.descend(opening)
        values: list[Node] = []
        while not self.is_op(")"):
            values.append(self.expression(IMPLIES))
            if not self.is_op(","):
                break
            self.advance()
            if self.is_op(")"):
                self.unexpected_end_of_list()
        end = self.close(opening).end
        self.call_nesting -= 1
        return tuple(values), end

    def unexpected_end_of_list(self) -> NoReturn:
        comma = self.tokens[self.at - 1]
        raise ExpressionError("an argument is missing after `,`", comma.start, comma.end)

    def primary(self) -> Node:
        token = self.tokens[self.at]
        if token.kind == "number":
            return self.number(self.advance())
        if token.kind == "string":
            self.advance()
            return Literal(token.start, token.end, token.value, "string")
        if token.kind == "constant":
            self.advance()
            form = "null" if CONSTANTS[token.text] is None else "boolean"
            return Literal(token.start, token.end, token.value, form)
        if token.kind == "name":
            return self.name(self.advance())
        if token.kind == "op" and token.text in CLOSING:
            return self.bracketed(self.advance())
        return self.misplaced(token)

    def number(self, token: Token) -> Node:
        value = float(token.text)
        if value == float("inf"):
            raise ExpressionError("the number is too large", token.start, token.end)
        exact = value.is_integer() and value <= bounds.EXACT_INTEGER
        return Literal(token.start, token.end, int(value) if exact else value, "number")

    def name(self, token: Token) -> Node:
        if token.text.startswith("@") and not (self.in_template and token.text in ("@index", "@first", "@last")):
            reason = f"`{token.text}` exists only inside `{{{{#each}}}}`"
            raise ExpressionError(reason, token.start, token.end)
        if token.text.lower() == "not" and self.token.kind in ("name", "string", "number", "constant"):
            self.at -= 1
            self.lowercase_word()
        if self.is_op("("):
            arguments, end = self.arguments()
            return Call(token.start, end, token.text, arguments, False, token.start, token.end)
        return Path(token.start, token.end, (token.text,))

    def misplaced(self, token: Token) -> Node:
        """A token that starts no value, unless it is a word operator spelled as a call."""
        following = self.tokens[self.at + 1] if token.kind == "word" else token
        callable_word = token.kind == "word" and token.text not in ("AND", "OR", "IS", "IMPLIES", "NOT", "EMPTY")
        if not callable_word or following.kind != "op" or following.text != "(":
            self.no_value(token)
        self.advance()
        arguments, end = self.arguments()
        return Call(token.start, end, token.text, arguments, False, token.start, token.end)

    def no_value(self, token: Token) -> NoReturn:
        self.check_spelling(token)
        if token.kind == "word":
            raise ExpressionError(f"`{token.text}` needs a value before it", token.start, token.end)
        self.unexpected("a value")

    def bracketed(self, opening: Token) -> Node:
        self.descend(opening)
        if opening.text == "[":
            return self.list(opening)
        if opening.text == "{":
            return self.object(opening)
        calls, self.call_nesting = self.call_nesting, 0
        node = self.expression(IMPLIES)
        self.outer[id(node)] = (opening.start, self.close(opening).end)
        self.call_nesting = calls
        self.parenthesised.add((node.start, node.end))
        return node

    def list(self, opening: Token) -> Node:
        items: list[Node] = []
        while not self.is_op("]"):
            items.append(self.expression(IMPLIES))
            if not self.is_op(","):
                break
            self.advance()
        return ListNode(opening.start, self.close(opening).end, tuple(items))

    def object(self, opening: Token) -> Node:
        keys: list[str] = []
        values: list[Node] = []
        while not self.is_op("}"):
            key = self.advance()
            if key.kind not in ("name", "string", "number", "word", "constant"):
                self.at -= 1
                self.unexpected("a key")
            keys.append(str(key.value) if key.kind == "string" else key.text)
            if self.is_op(":"):
                self.advance()
                values.append(self.expression(IMPLIES))
            elif key.kind == "name":
                values.append(Path(key.start, key.end, (key.text,)))
            else:
                self.unexpected("`:` after the key")
            if not self.is_op(","):
                break
            self.advance()
        return ObjectNode(opening.start, self.close(opening).end, tuple(keys), tuple(values))
