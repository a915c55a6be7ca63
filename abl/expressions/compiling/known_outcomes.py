"""Tests of a name against what the expression spells out: where the value is one of these, the tree is prepared whole.

The records of `tier == "gold"` follow from the text alone when `tier` is that text, and so do those of `x IS SET` when
`x` is ∅. The recorder then gives the prepared tree instead of copying records; trees share what never changes (see
`expression.Explain`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Protocol

from ..explain import Record
from ..nodes import ListNode, Literal, Node, Path, Test

_NEGATIVE: Final = frozenset(("!=", "NOT IN", "IS NOT SET"))


class KnownOutcome(NamedTuple):
    """The outcome of a test where `condition`, a piece of code, holds; `tree` is code for the record."""

    condition: str
    outcome: bool
    tree: str


class Records(Protocol):
    """What makes the records of a tree."""

    def constant(self, value: Any) -> str:
        """A name under which compiled code finds the value."""

    def prepared(self, node: Node, value: Any) -> Record:
        """The record of a node that has this value."""

    def static(self, node: Node) -> Record:
        """The record of a node that never changes."""

    def unset(self, node: Path) -> Record:
        """The record of a name that is ∅."""


def known_outcomes(
    node: Test, name: Path, value: str, types: tuple[type, ...], records: Records
) -> Iterator[KnownOutcome]:
    """The outcomes of a test whose left side is a name; `value` is code for its value, which is one of `types`."""
    positive = node.op not in _NEGATIVE

    def tree(of: Any, outcome: bool) -> Record:
        return _tree(node, outcome, records.unset(name) if of is None else records.prepared(name, of), records)

    trees = {text: tree(text, positive) for text in _texts(node)}
    # Only texts themselves: what else Python takes for equal to one has a record of its own.
    if len(trees) == 1:
        [(text, only)] = trees.items()
        yield KnownOutcome(
            f"type({value}) is str and {value} == {records.constant(text)}", positive, records.constant(only)
        )
    elif trees:
        table = records.constant(trees)
        yield KnownOutcome(f"type({value}) is str and {value} in {table}", positive, f"{table}[{value}]")
    if type(None) in types:
        yield KnownOutcome(f"{value} is None", not positive, records.constant(tree(None, not positive)))
    wanted = _boolean(node.right)
    if wanted is not None:
        for truth in (True, False):
            outcome = (truth is wanted) is positive
            yield KnownOutcome(f"{value} is {truth}", outcome, records.constant(tree(truth, outcome)))


def undecided_types(node: Test, types: tuple[type, ...]) -> tuple[type, ...]:
    """Those of the types of the name of which there are other outcomes."""
    decided = (type(None),) if _boolean(node.right) is None else (type(None), bool)
    return tuple(kind for kind in types if kind not in decided)


def _boolean(node: Node | None) -> bool | None:
    """The value of `true` or `false`."""
    return bool(node.value) if isinstance(node, Literal) and node.form == "boolean" else None


def _texts(node: Test) -> list[str]:
    """The texts that a test compares with, where it asks whether the name is one of them."""
    if node.op in ("==", "!=") and isinstance(node.right, Literal):
        items: tuple[Node, ...] = (node.right,)
    elif node.op in ("IN", "NOT IN") and isinstance(node.right, ListNode):
        items = node.right.items
    else:
        return []
    return [item.value for item in items if isinstance(item, Literal) and item.form == "string"]


def _tree(node: Test, outcome: bool, name: Record, records: Records) -> Record:
    """The record of a test with this outcome over the record of its left side."""
    record = records.prepared(node, outcome)
    record["children"] = [name] if node.right is None else [name, records.static(node.right)]
    return record
