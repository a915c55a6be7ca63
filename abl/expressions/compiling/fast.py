"""The fast translation of an expression: for a plain dict as context and values of the usual types.

It lets Python's own operators do the work where they agree with docs/spec 02 §5.1, and raises whatever it raises where
they do not; then the general translation decides. That needs it to be free of effects, so expressions that use the
clock, random numbers or slots have only the general one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from .. import bounds, operators
from ..builtins import find
from ..dates import read_moment
from ..nodes import Binary, Call, ListNode, Literal, Method, Node, Path
from ..regex import compile_pattern
from ..values import Value, read_number
from .compiler import Code, General, build, fixed_pattern, has_slots

ORDER: Final = frozenset(("<", "<=", ">", ">="))


class Unsuited(Exception):
    """The fast translation does not cover this tree."""


def compile_fast(node: Node, guardrail: bool, *, condition: bool) -> Callable[..., Value] | None:
    """A function `(context, now=None, rng=None)` around the name `slow`, which it calls when it gives up.

    With `condition` it yields the truth of the value. The caller binds `slow` in its globals.
    """
    translation = Fast(node, _no_slots, guardrail)
    try:
        code = translation.code(node)
        result = translation.truth(code) if condition else code.source
    except Unsuited:
        return None
    source = (
        "def evaluate(context, now=None, rng=None):\n"
        "    if type(context) is dict:\n"
        "        try:\n"
        "            c = context\n"
        f"            return {result}\n"
        "        except Exception:\n"
        "            pass\n"
        "    return slow(context, now, rng)\n"
    )
    return build(source, translation.constants, "evaluate")


def _no_slots(source: str) -> NoReturn:
    raise Unsuited(source)


class Fast(General):
    """Translates what is common over a plain dict `c`; raises Unsuited for the rest."""

    def evaluation(self) -> str:
        raise Unsuited

    def check(self, node: Path) -> None:
        if node.parts[0] == "now" or (self.writes_match and node.parts[0] == "match"):
            raise Unsuited

    def path(self, node: Path) -> Code:
        self.check(node)
        parts = node.parts
        if len(parts) == 1:
            return Code(f"c.get({parts[0]!r})")
        if len(parts) > 2:
            return Code(f"read(c, {self.constant(parts)})")
        exact, first, second = (repr(name) for name in (".".join(parts), *parts))
        name = self.temporary()
        nested = f"{name}.get({second}) if type({name} := c.get({first})) is dict else member({name}, {second})"
        return Code(f"(c[{exact}] if {exact} in c else {nested})")

    def pair(self, op: str, left: Node, right: Node) -> Code:
        if op in ORDER:
            return self.order(op, left, right)
        if op in ("==", "!="):
            same = self.equality(left, right)
            return Code(f"(not {same})" if op == "!=" else same, "bool")
        if op in ("IN", "NOT IN") and isinstance(right, ListNode):
            found = self.membership(left, right)
            return Code(f"(not {found})" if op == "NOT IN" else found, "bool")
        if op == "matches":
            return self.match_text(left, right)
        if isinstance(right, Literal) and isinstance(right.value, str) and not has_slots(right):
            return self.text_test(op, left, right)
        return super().pair(op, left, right)

    # Subtraction exists for numbers and booleans only, so `a - b <= 0` is `a <= b` where that is about numbers and
    # raises where it is not. Python compares large ints exactly, doubles do not: beyond 2**53 the helper decides.

    def order(self, op: str, left: Node, right: Node) -> Code:
        if is_text_literal(left) or is_text_literal(right):
            return super().pair(op, left, right)
        one, two = self.operand(left), self.operand(right)
        if small_number(left) or small_number(right):
            test = f"{one} {op} {two}"
            sums = [side for side, node in ((one, left), (two, right)) if isinstance(node, Binary)]
            return Code(f"({test} if NINF < {sums[0]} < INF else give_up())" if sums else f"({test})", "bool")
        a, b, difference = self.temporary(), self.temporary(), self.temporary()
        subtraction = f"({difference} := ({a} := {one}) - ({b} := {two}))"
        if isinstance(left, Binary) or isinstance(right, Binary):
            guard, first = f" if NINF < {subtraction} < INF else give_up()", difference
        else:
            guard, first = "", subtraction
        helper = self.constant(operators.TESTS[op])
        low, high = (a, b) if op in ("<=", ">") else (b, a)
        if op in ("<=", ">="):
            test = f"{first} {op} 0 or ({high} >= M or {low} <= NM) and {helper}({a}, {b})"
        else:
            test = f"{first} {op} 0 and ({high} < M and {low} > NM or {helper}({a}, {b}))"
        return Code(f"(({test}){guard})", "bool")

    def operand(self, node: Node) -> str:
        """A number, or code that raises or gives no number; sums are left to Python."""
        if isinstance(node, Path) and len(node.parts) == 1:
            self.check(node)
            return f"c[{node.parts[0]!r}]"
        if isinstance(node, Binary) and node.op in ("+", "-") and is_plain(node.left) and is_plain(node.right):
            return f"({self.operand(node.left)} {node.op} {self.operand(node.right)})"
        return self.code(node).source

    def equality(self, left: Node, right: Node) -> str:
        if isinstance(left, Literal) and not isinstance(right, Literal):
            left, right = right, left
        subject = self.code(left).source
        if isinstance(right, Literal) and not has_slots(right):
            return self.equals_literal(subject, right)
        a, b = self.temporary(), self.temporary()
        other = self.code(right).source
        ints = f"type({a} := {subject}) is type({b} := {other}) is int and NM < {a} < M"
        return f"({a} == {b} if {ints} else equal({a}, {b}))"

    def equals_literal(self, subject: str, literal: Literal) -> str:
        name = self.temporary()
        value = self.code(literal).source
        if literal.form == "null":
            return f"({subject} is None)"
        if literal.form == "boolean":
            other = "False" if literal.value else "True"
            return f"(({name} := {subject}) is {value} or {name} is not {other} and equal({name}, {value}))"
        if literal.form == "number" and small_number(literal):
            return f"(({name} := {subject}) == {value} or type({name}) is str and equal({name}, {value}))"
        if literal.form == "string" and is_plain_text(literal.value):
            return f"(({name} := {subject}) == {value} or {name} is False)"
        return f"equal({subject}, {value})"

    def membership(self, left: Node, right: ListNode) -> str:
        subject = self.code(left).source
        values = [item.value for item in right.items if isinstance(item, Literal) and not has_slots(item)]
        helper = self.constant(operators.is_in)
        if len(values) != len(right.items):
            return f"{helper}({subject}, {self.code(right).source})"
        name = self.temporary()
        if all(isinstance(value, str) and is_plain_text(value) for value in values):
            guard = f"type({name} := {subject}) is str"
        elif all(small_number(item) for item in right.items):
            guard = f"type({name} := {subject}) is int"
        else:
            return f"{helper}({subject}, {self.constant(values)})"
        members = self.constant(frozenset(values))
        return f"({name} in {members} if {guard} else {helper}({name}, {self.constant(values)}))"

    def match_text(self, left: Node, right: Node) -> Code:
        fixed = fixed_pattern(right)
        pattern = compile_pattern(*fixed) if fixed is not None else None
        if pattern is None:
            raise Unsuited
        subject, name = self.code(left).source, self.temporary()
        found = f"{self.constant(pattern.search)}({name}) is not None"
        short = f"type({name} := {subject}) is str and len({name}) < {bounds.MAX_QUICK_TEXT}"
        return Code(f"({found} if {short} else give_up())", "bool")

    def text_test(self, op: str, left: Node, right: Literal) -> Code:
        subject, name, wanted = self.code(left).source, self.temporary(), self.constant(right.value)
        methods = {"startsWith": "startswith", "endsWith": "endswith"}
        native = f"{wanted} in {name}" if op == "contains" else f"{name}.{methods.get(op)}({wanted})"
        helper = self.constant(operators.TESTS[op])
        if op not in ("contains", *methods):
            return Code(f"{helper}({subject}, {wanted})", "bool")
        return Code(f"({native} if type({name} := {subject}) is str else {helper}({name}, {wanted}))", "bool")

    def call(self, node: Call | Method) -> Code:
        if isinstance(node, Call) and node.name.upper() == "LENGTH" and len(node.args) == 1:
            function = find(node.name, node.prefixed)
            if function is not None:
                argument, name = self.code(node.args[0]).source, self.temporary()
                helper = self.constant(function.call)
                return Code(f"(len({name}) if type({name} := {argument}) is str else {helper}({name}))")
        return super().call(node)


def small_number(node: Node) -> bool:
    """A number literal that Python compares as doubles do."""
    return isinstance(node, Literal) and node.form == "number" and abs(node.value) < bounds.EXACT_INTEGER


def is_plain(node: Node) -> bool:
    """A side of a sum that may be left to Python."""
    return (isinstance(node, Path) and len(node.parts) == 1) or small_number(node)


def is_text_literal(node: Node) -> bool:
    """A text in quotes, for which `<` never means Python's."""
    return isinstance(node, Literal) and node.form == "string"


def is_plain_text(value: str) -> bool:
    """A text that equals other texts only when they are the same, and no number or `true`."""
    return value != "true" and read_number(value) is None and read_moment(value) is None
