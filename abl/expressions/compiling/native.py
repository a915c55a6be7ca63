"""Where Python's own operators mean the same as those of docs/spec 02 §5, so that compiled code may use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..nodes import Binary, Call, ListNode, Literal, Node, Path, Test
from ..regex import compile_pattern
from .compiler import fixed_pattern, has_slots
from .fast import ORDER, Unsuited, is_plain_text, small_number

NUMBERS: Final = (int, float)


def subject_types(node: Test) -> tuple[type, ...]:
    """The types of the left side for which Python's operator means the same as ours, without a conversion."""
    right = node.right
    if node.op in ORDER:
        if right is None or not (is_numeric_side(node.left) and is_numeric_side(right)):
            raise Unsuited
        return NUMBERS
    if isinstance(right, ListNode):
        return list_types(right)
    if node.op == "matches":
        return (str,)
    if not isinstance(right, Literal) or has_slots(right) or right.form == "null":
        raise Unsuited
    if right.form == "string":
        if node.op in ("==", "!=") and not is_plain_text(right.value):
            raise Unsuited
        return (str, type(None)) if node.op in ("==", "!=") else (str,)
    if node.op not in ("==", "!="):
        raise Unsuited
    return (bool, type(None)) if right.form == "boolean" else (*NUMBERS, type(None))


def is_numeric(node: Node) -> bool:
    """A node for which a number can be demanded when it is emitted."""
    if isinstance(node, Path):
        return True
    if isinstance(node, Binary):
        return is_numeric_side(node.left) and is_numeric_side(node.right)
    return isinstance(node, Call) and node.name.upper() == "LENGTH"


def is_numeric_side(node: Node) -> bool:
    """A number that may be large, or a literal that is not."""
    return small_number(node) or is_numeric(node)


def list_types(node: ListNode) -> tuple[type, ...]:
    """The types of what a list of plain literals of one kind is searched for."""
    items = [item for item in node.items if isinstance(item, Literal) and not has_slots(item)]
    if len(items) == len(node.items):
        if all(item.form == "string" and is_plain_text(item.value) for item in items):
            return (str, type(None))
        if all(small_number(item) for item in items):
            return NUMBERS
    raise Unsuited


def doubtful(op: str, left: str, right: str) -> tuple[str, str]:
    """Where true, and where false, may differ from comparing doubles: for two different large ints; see
    `Fast.order`.
    """
    low, high = (left, right) if op in ("<", "<=") else (right, left)
    if op in ("<", ">"):
        return f"{low} >= M or {high} <= NM", ""
    return "", f"{high} >= M or {low} <= NM"


def comparison(node: Test, left: str, right: str, constant: Callable[[Any], str]) -> str:
    """Python code for a test with two sides, of which the left is of `subject_types`; `constant` names a value."""
    if node.op in ORDER or node.op in ("==", "!="):
        return f"{left} {node.op} {right}"
    if node.op in ("IN", "NOT IN") and isinstance(node.right, ListNode):
        values = frozenset(item.value for item in node.right.items if isinstance(item, Literal))
        return f"{left} {'in' if node.op == 'IN' else 'not in'} {constant(values)}"
    if node.op == "matches" and node.right is not None:
        fixed = fixed_pattern(node.right)
        pattern = compile_pattern(*fixed) if fixed is not None else None
        if pattern is None:
            raise Unsuited
        return f"{constant(pattern.search)}({left}) is not None"
    if node.op == "contains":
        return f"{right} in {left}"
    methods = {"startsWith": "startswith", "endsWith": "endswith"}
    if node.op not in methods:
        raise Unsuited
    return f"{left}.{methods[node.op]}({right})"
