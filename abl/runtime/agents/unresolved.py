"""Conditions of moves that compare a name without a value, which equals nothing (docs/spec 09 §4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from abl.analysis.index.names import SYSTEM_NAMES, is_runtime_name, is_stored
from abl.expressions.nodes import Node, Path, Test, walk
from abl.runtime.evaluation import Formula
from abl.runtime.events.recorder import note

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def look(engine: Engine, thread: Thread, move: str, when: Formula) -> None:
    """Keep which names of the condition of a move have no value now; what an earlier look found counts no more."""
    context = engine.context(thread)
    unset = [name for name in _compared(when.node) if context.value(name) is None]
    key = f"{thread.agent}: {move}"
    if unset:
        engine.turn.unresolved[key] = unset
    else:
        engine.turn.unresolved.pop(key, None)


def findings(engine: Engine) -> list[dict[str, str]]:
    """One for each move of the turn that was judged with names that have no value."""
    return [
        note("RUN014", "route_condition_unresolved", f"{key}: no value for {', '.join(unset)} in WHEN", "info")
        for key, unset in engine.turn.unresolved.items()
    ]


def _compared(node: Node | None) -> Iterator[str]:
    """The names of authors that are an operand of a comparison, each once; questions like IS SET are none."""
    tests = [found for found in walk(node) if isinstance(found, Test)] if node is not None else []
    paths = [side for test in tests if test.right is not None for side in (test.left, test.right)]
    names = dict.fromkeys(".".join(side.parts) for side in paths if isinstance(side, Path))
    yield from (name for name in names if not _is_provided(name))


def _is_provided(name: str) -> bool:
    """Names that the runtime sets have often no value, which is nobody's slip."""
    listed = name in SYSTEM_NAMES or name.partition(".")[0] in SYSTEM_NAMES
    return listed or is_runtime_name(name) or is_stored(name)
