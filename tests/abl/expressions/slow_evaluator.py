"""A second evaluator, written from docs/spec 02 and 04 §10 alone by another hand: a plain walk over the tree.

``explained`` gives the tree of 04 §10 with the fields ``kind op start end value type truthy status children``.
Numbers are floats. ``slow_reader`` holds the grammar, ``slow_values`` the types, ``slow_functions`` §8,
``slow_templates`` §9.

Where the specification can be read in two ways, both fair, this one reads like the other evaluator: `NOT (a)` and
`AND (a)` are never calls; a word may follow a number without a blank; keys of objects may be numbers; a `/` in a class
does not end a regex; a number too large is refused while reading; a list that holds null does not contain ∅; a
variable `now` without a value does not hide the clock; an ending of `ORDINAL` is that of the whole number only when
there is no fraction; what else is in `{{/if …}}` is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.abl.expressions import slow_functions, slow_templates
from tests.abl.expressions.slow_reader import Node, read
from tests.abl.expressions.slow_values import (
    Failure,
    compare,
    equal,
    finite,
    instant,
    is_number,
    plain,
    read_number,
    to_number,
    to_text,
    truthy,
    type_of,
)

Tree = dict[str, Any]
DEAD_CALLS = {"CONTAINS", "STARTS_WITH", "ENDS_WITH"}
METHODS = {"contains", "startsWith", "endsWith", "matches"}
SAME_IN_BOTH = {"size", "has"}


def explained(text: str, context: dict[str, Any], now: str) -> Tree:
    """The tree of an expression for a context. Raises Unreadable."""
    return _Evaluation(plain(context), now).walk(read(text))


class _Evaluation:
    """One evaluation: the context, the clock, and the last match."""

    def __init__(self, context: dict[str, Any], now: str) -> None:
        self.context = dict(context)
        self.now = now
        self.scopes: list[dict[str, Any]] = []

    def walk(self, node: Node) -> Tree:
        """The tree below a node. What raised Failure has the status ``error``, and so has everything above it."""
        tree: Tree = _blank(node)
        try:
            tree["value"] = self.value(node, tree)
            tree["status"] = "ok"
        except Failure:
            tree["status"] = "error"
        tree["type"] = type_of(tree["value"])
        tree["truthy"] = truthy(tree["value"])
        return tree

    def child(self, tree: Tree, node: Node, at: int) -> Any:
        """The value of a part, whose tree takes the place of the one that says ``not_evaluated``."""
        below = tree["children"][at] = self.walk(node.children[at])
        if below["status"] == "error":
            raise Failure
        return below["value"]

    def all_children(self, tree: Tree, node: Node) -> list[Any]:
        return [self.child(tree, node, at) for at in range(len(node.children))]

    def value(self, node: Node, tree: Tree) -> Any:
        return getattr(self, f"of_{node.kind}")(node, tree)

    # Kinds --------------------------------------------------------------------------------------------------------

    def of_literal(self, node: Node, tree: Tree) -> Any:
        form, value = node.data[0], node.data[1]
        if form == "regex":
            return node.data[3]
        if form == "text" and "{{" in value:
            return slow_templates.render(value, self.in_template, self.scopes)[: slow_functions.LONGEST]
        return value

    def in_template(self, node: Node, scopes: list[dict[str, Any]]) -> Any:
        """The value of an expression in a tag; items of blocks around it come before the context."""
        before, self.scopes = self.scopes, scopes
        try:
            tree = self.walk(node)
        finally:
            self.scopes = before
        if tree["status"] == "error":
            raise Failure
        return tree["value"]

    def of_list(self, node: Node, tree: Tree) -> Any:
        return self.all_children(tree, node)

    def of_object(self, node: Node, tree: Tree) -> Any:
        return dict(zip(node.data, self.all_children(tree, node), strict=True))

    def of_path(self, node: Node, tree: Tree) -> Any:
        if node.children:
            return member(self.child(tree, node, 0), node.data)
        return self.looked_up(node.data)

    def looked_up(self, parts: list[str]) -> Any:
        """02 §7: an item of a block, then the longest exact key with dots, then the steps below it."""
        for scope in reversed(self.scopes):
            if parts[0] in scope:
                return _below(scope[parts[0]], parts[1:])
        for count in range(len(parts), 0, -1):
            key = ".".join(parts[:count])
            if key in self.context and not (key == "now" and self.context[key] is None):
                return _below(self.context[key], parts[count:])
        return _below(self.now, parts[1:]) if parts[0] == "now" else None

    def of_index(self, node: Node, tree: Tree) -> Any:
        base, index = self.all_children(tree, node)
        if isinstance(base, dict):
            return base.get(to_text(index)) if isinstance(index, str) or is_number(index) else None
        number = read_number(index) if isinstance(index, str) else index
        if not isinstance(base, list) or not is_number(number) or number != math.floor(number):
            return None
        return base[int(number)] if 0 <= number < len(base) else None

    def of_unary(self, node: Node, tree: Tree) -> Any:
        operand = self.child(tree, node, 0)
        if node.op != "-":
            return not truthy(operand)
        number = to_number(operand)
        return None if number is None else -number

    def of_binary(self, node: Node, tree: Tree) -> Any:
        left, right = self.all_children(tree, node)
        return arithmetic(str(node.op), left, right)

    def of_logical(self, node: Node, tree: Tree) -> Any:
        if node.op == "IMPLIES":
            return not truthy(self.child(tree, node, 0)) or truthy(self.child(tree, node, 1))
        deciding = node.op == "OR"
        for at in range(len(node.children)):
            if truthy(self.child(tree, node, at)) is deciding:
                return deciding
        return not deciding

    def of_ternary(self, node: Node, tree: Tree) -> Any:
        return self.child(tree, node, 1 if truthy(self.child(tree, node, 0)) else 2)

    def of_test(self, node: Node, tree: Tree) -> Any:
        values = self.all_children(tree, node)
        if node.op == "matches":
            literal = node.children[1].data if node.children[1].kind == "literal" else None
            regex = literal[1:3] if literal and literal[0] == "regex" else None
            return self.matches(values[0], values[1], regex)
        return TESTS[str(node.op)](*values)

    def matches(self, text: Any, pattern: Any, regex: tuple[str, str] | None = None) -> bool:
        if text is None or pattern is None:
            return False
        compiled = slow_functions.pattern_of(*(regex or (to_text(pattern),)))
        found = compiled.search(to_text(text)) if compiled else None
        if found is None:
            return False
        groups = {str(number): found[number] for number in range(compiled.groups + 1)} | found.groupdict()
        self.context = {key: value for key, value in self.context.items() if not key.startswith("match.")}
        self.context["match"] = groups
        return True

    def of_call(self, node: Node, tree: Tree) -> Any:
        name = str(node.op)
        if node.data == "method":
            if name not in METHODS or len(node.children) != 2:
                raise Failure("no such method")
            base, argument = self.all_children(tree, node)
            return self.matches(base, argument) if name == "matches" else TESTS[name](base, argument)
        if name in ("NOW", "NOW_MS") and not node.children:
            moment = instant(self.now)
            return self.now if name == "NOW" or moment is None else round(moment.timestamp() * 1000.0, 0)
        known = name in slow_functions.FUNCTIONS and name not in DEAD_CALLS
        least, most = slow_functions.FUNCTIONS[name][:2] if known else (1, 0)
        if not least <= len(node.children) <= most:
            raise Failure("unknown function or number of arguments")
        return slow_functions.call(name, self.all_children(tree, node))


def _blank(node: Node) -> Tree:
    """The tree of a part that is not evaluated."""
    return {
        "kind": node.kind, "op": node.op, "start": node.start, "end": node.end, "value": None, "type": "null",
        "truthy": False, "status": "not_evaluated", "children": [_blank(child) for child in node.children],
    }  # fmt: skip


def _below(value: Any, parts: list[str]) -> Any:
    for part in parts:
        value = member(value, part)
    return value


def member(base: Any, name: str) -> Any:
    """``base.name``, and ``base.0`` for an index."""
    if isinstance(base, dict):
        return base.get(name)
    if name == "length" and isinstance(base, (list, str)):
        return float(len(base))
    if isinstance(base, list) and name.isdigit():
        return base[int(name)] if int(name) < len(base) else None
    return None


def arithmetic(op: str, a: Any, b: Any) -> Any:
    """The rows `+`, `- * / %`, "arithmetic with ∅" and "by zero"."""
    if a is None or b is None:
        return None
    one, two = to_number(a), to_number(b)
    if op == "+" and (isinstance(a, str) or isinstance(b, str)):
        beside_number = is_number(a) or is_number(b)
        if not beside_number or one is None or two is None:
            return (to_text(a) + to_text(b))[: slow_functions.LONGEST]
    if one is None or two is None:
        return None
    if op in "/%" and two == 0:
        raise Failure("division by zero")
    sums: dict[str, Callable[[], float]] = {
        "+": lambda: one + two,
        "-": lambda: one - two,
        "*": lambda: one * two,
        "/": lambda: one / two,
        "%": lambda: math.fmod(one, two),
    }
    return finite(sums[op]())


def contains(a: Any, b: Any) -> bool:
    """∅ on the right is in nothing, not in a list that holds null either."""
    if b is None:
        return False
    if isinstance(a, str):
        return to_text(b) in a
    return isinstance(a, list) and any(equal(item, b) for item in a)


def is_in(a: Any, b: Any) -> bool:
    if isinstance(b, dict):
        return a is not None and to_text(a) in b
    return isinstance(b, list) and any(equal(item, a) for item in b)


def edges(method: Callable[[str, str], bool]) -> Callable[[Any, Any], bool]:
    """`startsWith` and `endsWith`."""

    def test(a: Any, b: Any) -> bool:
        if a is None or b is None or isinstance(a, (list, dict)):
            return False
        return method(to_text(a), to_text(b))

    return test


def is_empty(x: Any) -> bool:
    return x is None or (isinstance(x, (str, list, dict)) and not x)


def numeric(x: Any) -> bool:
    return is_number(x) or (isinstance(x, str) and read_number(x) is not None)


TESTS: dict[str, Callable[..., bool]] = {
    "==": equal,
    "!=": lambda a, b: not equal(a, b),
    **{op: (lambda a, b, op=op: compare(op, a, b)) for op in ("<", ">", "<=", ">=")},
    "IN": is_in,
    "NOT IN": lambda a, b: not is_in(a, b),
    "contains": contains,
    "startsWith": edges(str.startswith),
    "endsWith": edges(str.endswith),
    "IS SET": lambda x: x is not None,
    "IS NOT SET": lambda x: x is None,
    "IS EMPTY": is_empty,
    "IS NOT EMPTY": lambda x: not is_empty(x),
    "EMPTY": is_empty,
    "is_number": numeric,
}
