"""Comparisons of a date with something else: false, and in a rule an error if they decide its outcome (02 §5.1, 04 §6).

Unset would otherwise be later than any date, as it counts as 0 and so does the date.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from abl.expressions.coercions import NOT_A_DATE
from abl.expressions.nodes import Binary, Literal, Logical, Node, Path, Test, Unary, walk
from abl.runtime.evaluation import Formula, Outcome, Resolver, value

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

NOT_COMPARABLE = "a date is compared with something that is no date"
ORDER = frozenset({"<", "<=", ">", ">="})


def undated(context: Resolver, formula: Formula, outcome: Outcome) -> list[dict[str, Any]]:
    """The comparisons of an explained condition with a date on one side only, as notes for the trace."""
    return comparisons(outcome.tree) if may_be_dated(context, formula) else []


def comparisons(tree: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The comparisons of a date with something else in a tree of ``explain``."""
    if tree is None:
        return []
    found = [
        {"rule": NOT_A_DATE, "text": tree["text"], "operand": c["operand"], "from": c["from"]}
        for c in tree.get("coercions") or ()
        if c["rule"] == NOT_A_DATE
    ]
    for child in tree.get("children") or ():
        found += comparisons(child)
    return found


def may_be_dated(context: Resolver, formula: Formula) -> bool:
    """False when no side of a comparison can be a date: all of them are names without a text."""
    sides = compared(formula)
    if sides is None:
        return False
    for parts in sides:
        if isinstance(context.resolve(parts), str):
            return True
    return not sides


def decides_undated(engine: Engine, thread: Thread, formula: Formula, outcome: Outcome) -> bool:
    """True when the verdict would be another one if such a comparison were true."""
    if not any(note.get("rule") == NOT_A_DATE for note in outcome.notes):
        return False
    context, now = engine.context(thread), engine.now()
    return decided(formula, lambda part: part.explain(context, now, engine.random)) is None


def decided(formula: Formula, explain: Callable[[Formula], Outcome]) -> bool | None:
    """The truth of a condition; None where it depends on a comparison of a date with something else."""

    def truth(node: Node) -> bool | None:
        match node:
            case Logical(op="IMPLIES"):
                return _either([_not(truth(node.operands[0])), truth(node.operands[1])])
            case Logical(op="OR"):
                return _either([truth(operand) for operand in node.operands])
            case Logical():
                return _not(_either([_not(truth(operand)) for operand in node.operands]))
            case Unary(op=op) if op != "-":
                return _not(truth(node.operand))
        outcome = explain(value(formula.text[node.start : node.end]))
        return None if outcome.error is not None or comparisons(outcome.tree) else outcome.holds

    return truth(formula.node) if formula.node is not None else None


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _either(truths: list[bool | None]) -> bool | None:
    if any(truths):
        return True
    return None if None in truths else False


@lru_cache(maxsize=2048)
def compared(formula: Formula) -> tuple[tuple[str, ...], ...] | None:
    """The names that `< <= > >=` of a condition compare; None without such a test.

    An empty tuple says that a side may be a date whatever the names hold: a text, a call, a part of a list.
    """
    tests = [part for part in walk(formula.node) if isinstance(part, Test) and part.op in ORDER] if formula.node else []
    if not tests:
        return None
    sides = [side for test in tests for side in (test.left, test.right) if side is not None]
    if not all(_is_plain(side) for side in sides):
        return ()
    return tuple(dict.fromkeys(part.parts for side in sides for part in walk(side) if isinstance(part, Path)))


def _is_plain(side: Node) -> bool:
    if isinstance(side, Binary):
        return _is_plain(side.left) and _is_plain(side.right)
    if isinstance(side, Path):
        return side.parts != ("now",)
    return isinstance(side, Literal) and side.form != "string"
