"""Unset variables in a rule: which rules the policy ``skip_unset`` would not judge (docs/spec 04 §6.1)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from abl.expressions.nodes import Call, Logical, Node, Path, Test, walk
from abl.runtime.evaluation import Formula, Resolver


class Guard(NamedTuple):
    """Paths, as segments, that must be set for a rule to apply; without any, both policies agree."""

    paths: tuple[tuple[str, ...], ...]

    def closed(self, context: Resolver) -> bool:
        """True when ``skip_unset`` would leave the rule out."""
        for path in self.paths:  # noqa: SIM110 - runs for every rule of every pass: a generator costs as much
            if context.resolve(path) is None:
                return True
        return False


NO_GUARD = Guard(())


@lru_cache(maxsize=1024)
def guard_of(formula: Formula, has_checkpoint: bool) -> Guard:
    """The guard that the platform's compiler would put before a condition.

    A condition with no author-written IS [NOT] SET, no IMPLIES and no checkpoint waits for all its variables. An AND
    chain that mixes ``x IS SET`` with assertions about the same x waits for those x.
    """
    node = formula.node
    if node is None:
        return NO_GUARD
    parts = list(walk(node))
    mentions_set = any(
        (isinstance(p, Test) and p.op in {"IS SET", "IS NOT SET"}) or (isinstance(p, Call) and p.name == "has")
        for p in parts
    )
    implies = any(isinstance(p, Logical) and p.op == "IMPLIES" for p in parts)
    if not mentions_set and not implies:
        return NO_GUARD if has_checkpoint else Guard(tuple(parts for _, parts in formula.paths))
    if isinstance(node, Logical) and node.op == "AND":
        return Guard(_chained(node.operands))
    return NO_GUARD


def _chained(operands: tuple[Node, ...]) -> tuple[tuple[str, ...], ...]:
    demanded = [path for o in operands if (path := _demanded(o)) is not None]
    others = {p.parts for o in operands if _demanded(o) is None for p in walk(o) if isinstance(p, Path)}
    return tuple(path for path in demanded if path in others)


def _demanded(operand: Node) -> tuple[str, ...] | None:
    """The path of ``path IS SET``."""
    if isinstance(operand, Test) and operand.op == "IS SET" and isinstance(operand.left, Path):
        return operand.left.parts
    return None
