"""Fields that were not asked for yet: a rule over one waits until they are collected (docs/spec 04 §6.2)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from abl.expressions.nodes import Call, Node, Path, Test, walk
from abl.runtime.evaluation import Formula

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.parts import RulePlan
    from abl.runtime.state import Thread


def unasked_fields(engine: Engine, thread: Thread, plan: RulePlan) -> list[str]:
    """GATHER fields that a rule without BEFORE reads and that nobody has given a value yet.

    A field that is unset or still holds its INITIAL counts; one that the rule itself asks for by IS [NOT] SET does not.
    """
    fields = engine.program(thread).waited_for(plan)
    if not fields:
        return []
    variables, origins = thread.variables, thread.origins
    return [name for name in fields if variables.get(name) is None or origins.get(name) == "initial"]


class Demand(NamedTuple):
    """Names of a condition by their first segments: those that only have to be there, and all of them."""

    tested: frozenset[str]
    named: frozenset[str]


@lru_cache(maxsize=1024)
def demand_of(formula: Formula, *, forbids: bool = False) -> Demand:
    """What a condition demands; ``forbids``: of a RESTRICT, in which IS NOT SET demands that a name is there."""
    if formula.node is None:
        return Demand(frozenset(), frozenset())
    tests = [path for part in walk(formula.node) if (path := _tested(part, forbids)) is not None]
    inside = {id(path) for path in tests}
    everywhere = [part for part in walk(formula.node) if isinstance(part, Path)]
    others = {path.parts[0] for path in everywhere if id(path) not in inside}
    named = frozenset(path.parts[0] for path in everywhere)
    return Demand(named - others, named)


def _tested(part: Node, forbids: bool) -> Node | None:
    """What IS SET or has(…) asks for."""
    if isinstance(part, Test) and (part.op == "IS SET" or (forbids and part.op == "IS NOT SET")):
        return part.left
    return part.args[0] if isinstance(part, Call) and part.name == "has" and part.args else None
