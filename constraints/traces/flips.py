"""Which change of a single value would flip the outcome of a rule, where that is simple and certain.

A comparison of numbers is solved when it is a straight line in the value; an equality with a literal names the literal.
Everything else is left out, because a wrong hint is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

MOST_NODES = 200
"""Nodes of a comparison that is solved; each value in it is tried on all of them."""

Node = Mapping[str, Any]

OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}
MIRRORED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "==", "!=": "!="}
WORDS = {"<=": "{} or less", "<": "less than {}", ">=": "{} or more", ">": "more than {}", "==": "{}", "!=": "not {}"}


@dataclass(frozen=True, slots=True)
class Flip:
    """One value that decides: ``now`` and what it would have to be, with how far that is where it is a number."""

    name: str
    now: str
    needed: str
    distance: str = ""


def flips(tree: Node | None, *, wanted: bool) -> list[Flip]:
    """Single changes that make the condition come out as ``wanted`` (False for RESTRICT)."""
    test = deciding_test(tree, wanted)
    if test is None or sum(1 for _ in islice(walk(test), MOST_NODES + 1)) > MOST_NODES:
        return []
    left, right = test["children"]
    op = test["op"] if wanted else OPPOSITE[test["op"]]
    found = []
    for leaf in single_paths(test):
        if is_number(leaf.get("value")) and op not in ("==", "!="):
            found += solve(leaf, left, right, op)
        elif op == "==":
            found += equal_to(leaf, left, right)
    return found


def deciding_test(tree: Node | None, wanted: bool) -> Node | None:
    """The comparison on which the whole hangs: the root, or the only operand of an AND that failed."""
    if tree is None or tree.get("status") != "ok":
        return None
    kind, children = tree.get("kind"), tree.get("children") or []
    if kind in ("test", "binary") and tree.get("op") in OPPOSITE and len(children) == 2:
        return tree
    if kind == "logical" and str(tree.get("op")).upper() in ("AND", "&&") and wanted:
        if any(child.get("status") != "ok" for child in children):
            return None
        fallen = [child for child in children if not child.get("truthy")]
        return deciding_test(fallen[0], wanted) if len(fallen) == 1 else None
    return None


def single_paths(test: Node) -> list[Node]:
    """Paths that occur once, in the order of the text: changing one of them changes nothing else."""
    seen: dict[str, list[Node]] = {}
    for node in walk(test):
        if node.get("kind") == "path":
            seen.setdefault(node["text"], []).append(node)
    return [nodes[0] for nodes in seen.values() if len(nodes) == 1]


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("children") or []:
        yield from walk(child)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def solve(leaf: Node, left: Node, right: Node, op: str) -> list[Flip]:
    """The bound on ``leaf`` at which ``left op right`` turns, if both sides are lines in it."""
    at = Fraction(str(leaf["value"]))
    points = [(worth(left, leaf, at + n), worth(right, leaf, at + n)) for n in range(3)]
    gaps = [None if a is None or b is None else a - b for a, b in points]
    if any(gap is None for gap in gaps):
        return []
    first, second, third = (Fraction(gap) for gap in gaps if gap is not None)
    slope = second - first
    if slope == 0 or third - second != slope:
        return []
    bound = at - first / slope
    sign = op if slope > 0 else MIRRORED[op]
    distance = abs(at - bound)
    less = "less" if bound < at else "more"
    words = WORDS[sign].format(number(bound))
    return [Flip(leaf["text"], number(at), words, f"{number(distance)} {less}" if distance else "")]


def worth(node: Node, leaf: Node, value: Fraction) -> Fraction | None:
    """The value of a node if ``leaf`` had ``value``; None where it depends on it in another way than by arithmetic."""
    if node is leaf:
        return value
    kind, children = node.get("kind"), node.get("children") or []
    if kind in ("binary", "unary") and children:
        parts = [worth(child, leaf, value) for child in children]
        known = [part for part in parts if part is not None]
        return arithmetic(str(node.get("op")), known) if len(known) == len(parts) else None
    if any(inner is leaf for inner in walk(node)):
        return None
    return Fraction(str(node["value"])) if is_number(node.get("value")) else None


def arithmetic(op: str, parts: list[Fraction]) -> Fraction | None:
    match op, parts:
        case "-", [a]:
            return -a
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "/", [a, b] if b:
            return a / b
    return None


def equal_to(leaf: Node, left: Node, right: Node) -> list[Flip]:
    """The literal on the other side of an equality, where the value stands alone on its side."""
    for side, other in ((left, right), (right, left)):
        if side is leaf and other.get("kind") in ("literal", "path") and other.get("status") == "ok":
            wanted = other.get("value")
            if wanted is not None and wanted != leaf.get("value"):
                return [Flip(leaf["text"], shown(leaf.get("value")), shown(wanted))]
    return []


def shown(value: Any) -> str:
    """A scalar as it is written in a condition."""
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    return number(Fraction(str(value))) if is_number(value) else f'"{value}"'


def number(value: Fraction) -> str:
    """At most four decimals, without trailing zeros."""
    return f"{float(value):.4f}".rstrip("0").rstrip(".")
