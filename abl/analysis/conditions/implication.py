"""Whether one condition holds wherever another does (docs/spec 04 §8, 10 §2). Only what is certain is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from abl.analysis.conditions.certainty import can_fail, is_fleeting, varies
from abl.analysis.conditions.intervals import Interval, Limits, bounds_of, constant, limits_of
from abl.analysis.conditions.judgement import shape
from abl.expressions import nodes as en
from abl.expressions.builtins import find
from abl.once import once

_MOST_PARTS: Final = 24
"""Parts of AND and OR that are looked into; a condition with more is compared as a whole."""
_ORDER: Final = frozenset({"<", "<=", ">", ">="})
_NEED_TEXT: Final = frozenset({"contains", "startsWith", "endsWith"})


def reverses_order(node: en.Node, negated: bool = False) -> bool:
    """True when a condition holds where `< <= > >=` does not: for a date and something else, not by `>=` for `<`.

    In a rule that is an error (04 §6), in gates, branches and triggers it is not.
    """
    match node:
        case en.Test():
            return negated and node.op in _ORDER
        case en.Unary(op="NOT" | "!"):
            return reverses_order(node.operand, not negated)
        case en.Logical(op="IMPLIES"):
            return reverses_order(node.operands[0], not negated) or reverses_order(node.operands[-1], negated)
        case en.Logical():
            return any(reverses_order(operand, negated) for operand in node.operands)
    return any(isinstance(part, en.Test) and part.op in _ORDER for part in en.walk(node))


@dataclass(eq=False)
class Demand:
    """A condition that has to hold or, ``negated``, must not hold. What is found out about it is kept with it."""

    node: en.Node
    negated: bool = False

    @once
    def opposite(self) -> Demand:
        """What does not hold when this does."""
        return Demand(self.node, not self.negated)

    @once
    def plain(self) -> Demand:
        """The same without NOT around it."""
        node, negated = self.node, self.negated
        while isinstance(node, en.Unary) and node.op in ("NOT", "!"):
            node, negated = node.operand, not negated
        return self if node is self.node else Demand(node, negated)

    @once
    def conjuncts(self) -> tuple[Demand, ...]:
        """The demands that all have to be met; the demand itself when it is one."""
        node, negated = self.node, self.negated
        if isinstance(node, en.Logical) and len(node.operands) <= _MOST_PARTS:
            if node.op == ("OR" if negated else "AND"):
                return tuple(Demand(operand, negated).plain for operand in node.operands)
            if node.op == "IMPLIES" and negated:
                return (Demand(node.operands[0]).plain, Demand(node.operands[-1], True).plain)
        return (self,)

    @once
    def disjuncts(self) -> tuple[Demand, ...]:
        """The demands of which one has to be met; the demand itself when it is one."""
        parts = self.opposite.conjuncts
        return tuple(part.opposite for part in parts) if len(parts) > 1 else (self,)

    @once
    def roots(self) -> frozenset[str]:
        """The first words of the names that it reads."""
        return frozenset([node.parts[0] for node in en.walk(self.node) if isinstance(node, en.Path)])

    @once
    def bounds(self) -> Limits:
        """What lies within limits when it is met."""
        return bounds_of(self.node, negated=self.negated)

    @once
    def limits(self) -> Limits | None:
        """The limits that are all it demands, if it is that simple."""
        return limits_of(self.node, negated=self.negated)

    @property
    def is_impossible(self) -> bool:
        """True when nothing meets it and its evaluation cannot fail."""
        return self.safe and bool(self.bounds.impossible)

    @once
    def safe(self) -> bool:
        """True when its evaluation cannot fail, so that it is either met or not met."""
        return not can_fail(self.node)

    @once
    def shape(self) -> Any:
        """Equal for equal demands; None for what may differ from one moment to the next, such as a random number."""
        if varies(self.node):
            return None
        for part in en.walk(self.node):
            if isinstance(part, en.Call):
                known = find(part.name, part.prefixed)
                if known is None or known.impure:
                    return None
        return (self.negated, shape(self.node))


def implies(one: Demand, other: Demand) -> bool:
    """True when ``other`` holds in every state in which ``one`` does."""
    one, other = one.plain, other.plain
    if len(other.conjuncts) > 1:
        if any(_unrelated(one, part) for part in other.conjuncts):
            return False
        return all(implies(one, part) for part in other.conjuncts)
    if len(one.disjuncts) > 1:
        return all(implies(part, other) for part in one.disjuncts)
    if _follows(one, other):
        return True
    parts, choices = one.conjuncts, other.disjuncts
    return (len(choices) > 1 and _offers(choices, one)) or (
        len(parts) > 1 and any(implies(part, other) for part in parts)
    )


def _offers(choices: tuple[Demand, ...], one: Demand) -> bool:
    """True when one of the choices follows, and none before it can fail: they are tried in their order."""
    for choice in choices:
        if implies(one, choice):
            return True
        if not choice.safe:
            return False
    return False


def single_demands(demand: Demand) -> tuple[Demand, ...]:
    """The demands that all have to be met, none of which is an AND."""
    return tuple(_flat(demand.plain))


def _flat(demand: Demand) -> Iterator[Demand]:
    if len(demand.conjuncts) == 1:
        yield demand
    else:
        for part in demand.conjuncts:
            yield from _flat(part)


def _follows(one: Demand, other: Demand) -> bool:
    """The same for two demands as wholes."""
    if _unrelated(one, other):
        return False
    if _alike(one, other) and one.shape is not None and one.shape == other.shape:
        return True
    if not other.safe:
        return False
    path = asked(other)
    if path and _needs_value(one, path):
        return True
    path = asked(one.opposite)
    if path and _needs_value(other.opposite, path):
        return True
    bounds = one.bounds
    return bool(bounds.numbers or bounds.values) and _holds_within(bounds, other)


def _unrelated(one: Demand, other: Demand) -> bool:
    """True for demands without a name in common: neither follows from the other, nor from a part of it."""
    return one.roots.isdisjoint(other.roots) and bool(one.roots or other.roots)


def _alike(one: Demand, other: Demand) -> bool:
    """False for demands that obviously differ: most do, and computing a shape is expensive."""
    left, right = one.node, other.node
    same = one.negated == other.negated and left.__class__ is right.__class__
    return same and getattr(left, "op", "") == getattr(right, "op", "")


def _holds_within(bounds: Limits, other: Demand) -> bool:
    """True when a demand is met by whatever lies within the limits."""
    if bounds.contradicts(other.opposite.bounds, strict=True):
        return True
    if other.limits is not None and bounds.implies(other.limits):
        return True
    if not isinstance(other.node, en.Path) or other.negated:
        return False
    values = bounds.values.get(".".join(other.node.parts))
    return values is not None and values.is_true


def asked(demand: Demand) -> str:
    """The path of which it is demanded that it has a value; empty for another demand."""
    test = demand.node
    if not isinstance(test, en.Test) or not isinstance(test.left, en.Path) or is_fleeting(test.left.parts):
        return ""
    return ".".join(test.left.parts) if test.op == ("IS NOT SET" if demand.negated else "IS SET") else ""


def _needs_value(demand: Demand, path: str) -> bool:
    """True when the demand is never met while the path has no value, which counts as 0 and equals null only."""
    node, negated = demand.node, demand.negated
    if isinstance(node, en.Path):
        return not negated and ".".join(node.parts) == path
    limits = demand.bounds
    if path in limits.values:
        return True
    if path in limits.numbers and limits.numbers[path].meet(Interval(0, 0)).empty:
        return True
    if not isinstance(node, en.Test) or negated or not isinstance(node.left, en.Path) or node.right is None:
        return False
    text = constant(node.right)
    return (
        node.op in _NEED_TEXT and ".".join(node.left.parts) == path and text is not None and isinstance(text.value, str)
    ) and text.value != ""
