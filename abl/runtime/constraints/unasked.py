"""Fields that were not asked for yet: a rule over one waits until they are collected (docs/spec 04 §6.2)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from abl.expressions.nodes import Path, Test, walk
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


@lru_cache(maxsize=1024)
def only_tested(formula: Formula) -> tuple[frozenset[str], frozenset[str]]:
    """Names of a condition: those that stand only in IS SET, and all of them, by their first segments."""
    if formula.node is None:
        return frozenset(), frozenset()
    tests = [part for part in walk(formula.node) if isinstance(part, Test) and part.op == "IS SET"]
    inside = {id(test.left) for test in tests}
    everywhere = [part for part in walk(formula.node) if isinstance(part, Path)]
    others = {path.parts[0] for path in everywhere if id(path) not in inside}
    return frozenset({p.parts[0] for p in everywhere} - others), frozenset(p.parts[0] for p in everywhere)
