"""AND and OR of names that are True or False: every tree that can come of them is prepared whole (docs/spec 04 §10).

Such a chain of n names has n + 1 outcomes. Nothing in their records depends on anything else, so the recorder returns
the prepared tree instead of copying it; trees share what never changes (see `expression.Explain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from ..explain import Record
from ..nodes import Logical, Node, Path


class Records(Protocol):
    """What makes the records of a tree."""

    def constant(self, value: Any) -> str:
        """A name under which compiled code finds the value."""

    def prepared(self, node: Node, value: Any) -> Record:
        """The record of a node that has this value."""

    def untouched(self, node: Node) -> Record:
        """The record of a node that was not reached, with all below it."""


def truth_chain(node: Node, records: Records) -> list[str]:
    """Lines that return the tree where every name that is read is True or False; none for other trees.

    They precede the lines that record any value: `c` is the context, a plain dict.
    """
    if not isinstance(node, Logical) or node.op == "IMPLIES":
        return []
    names = [operand for operand in node.operands if isinstance(operand, Path)]
    return list(_lines(node, names, records)) if len(names) == len(node.operands) else []


def _lines(node: Logical, names: Sequence[Path], records: Records) -> Iterator[str]:
    """One nested `if` per name: on while the chain continues, and what to return where it stops."""
    going_on = node.op == "AND"
    tree = _trees(node, names, records)
    for depth, name in enumerate(names):
        yield " " * depth + f"if (b := c.get({records.constant('.'.join(name.parts))})) is {going_on}:"
    yield " " * len(names) + f"return {tree(len(names), going_on)}"
    for depth in reversed(range(len(names))):
        yield " " * depth + f"elif b is {not going_on}: return {tree(depth, not going_on)}"


def _trees(node: Logical, names: Sequence[Path], records: Records) -> Callable[[int, bool], str]:
    """The tree in which the chain ends at a place, by the name of its constant."""

    def tree(place: int, value: bool) -> str:
        going_on = node.op == "AND"
        record = records.prepared(node, value)
        reached = [records.prepared(name, going_on) for name in names[:place]]
        stopped = [records.prepared(name, not going_on) for name in names[place : place + 1]]
        rest = [records.untouched(name) for name in names[place + 1 :]]
        record["children"] = [*reached, *stopped, *rest]
        return records.constant(record)

    return tree
