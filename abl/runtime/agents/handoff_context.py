"""What a handoff passes on: CONTEXT of its entry (docs/spec 09 §5)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from abl.language import type_at
from abl.language.entry import Entry
from abl.language.written import word
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.evaluation import template
from abl.runtime.flow.variables import nested
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.parts import HandoffPlan
    from abl.runtime.state import Thread


@dataclass(slots=True)
class Given:
    """What a handoff carries: values by name, the names without a value, and the summary."""

    values: dict[str, Any]
    unset: list[str]
    summary: str | None
    sensitive: set[str]  # values computed from sensitive ones
    derived: set[str]  # values computed from what a tool gave


def given_with(engine: Engine, thread: Thread, to: str, plan: HandoffPlan | None) -> Given:
    """CONTEXT of the entry; without one the session variables that the target declares under names of ours (04 §5)."""
    if plan is None:
        names = [n for n in engine.programs[to].variables if thread.variables.get(n) is not None]
        return _along(engine, thread, {name: thread.variables[name] for name in names}, None)
    made, reads = _made(engine, thread, plan.node.sets)
    context = engine.context(thread).with_local(made)
    names = [*(name.value for name in plan.node.passes), *made]
    values = {name: made[name] if name in made else context.value(name) for name in dict.fromkeys(names)}
    summary = engine.render(thread, plan.node.summary.value, made).text if plan.node.summary else None
    return _along(engine, thread, values, summary, reads)


def _along(
    engine: Engine,
    thread: Thread,
    values: dict[str, Any],
    summary: str | None,
    reads: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Given:
    read = {name: reads.get(name, (name,)) for name in values}
    return Given(
        {name: value for name, value in values.items() if value is not None},
        [name for name, value in values.items() if value is None],
        summary,
        {name for name, names in read.items() if engine.derives(thread, names)},
        {name for name, names in read.items() if from_tool(thread, names)},
    )


def _made(
    engine: Engine, thread: Thread, sets: tuple[nodes.Assignment, ...]
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """CONTEXT.set: values by name, each seeing those before it, and what each read. Ours stay as they are (09 §5)."""
    made: dict[str, Any] = {}
    reads: dict[str, tuple[str, ...]] = {}
    for item in sets:
        if item.target is None:
            continue
        formula = engine.program(thread).assigned(item.value)
        value, names = engine.evaluate(thread, formula, made).value, formula.names
        if formula.node is None and isinstance(value, str):  # a text in quotes of its own
            names = template(value).names
            value = engine.render(thread, value, made).text
        root, *rest = item.target.value.split(".")
        made[root] = nested(made.get(root), rest, value) if rest else value
        reads[root] = (*reads.get(root, ()), *names)
    return made, reads


LIMIT = "_history_from"
"""Where a thread keeps the number of the first message that its model sees."""
_AUTO = 5
_LAST = re.compile(r"last_(\d+)")


def limit_history(engine: Engine, child: Thread, plan: HandoffPlan | None, summary: str | None) -> None:
    """How much of the conversation so far the target's model sees, and the summary (09 §5)."""
    child.system.pop(LIMIT, None)
    child.notes.pop("handoff", None)
    if summary:
        child.notes["handoff"] = engine.recorder.text(summary)
    mode, count = history_wanted(plan)
    if mode == "auto":
        mode, count = "none" if summary else "last_n", _AUTO
    if mode == "full":
        return
    state = engine.state
    forwarded = bool(state.history) and state.history[-1]["from"] == "user"
    child.system[LIMIT] = max(len(state.history) - (1 if forwarded else 0) - (count if mode == "last_n" else 0), 0)


def history_wanted(plan: HandoffPlan | None) -> tuple[str, int]:
    """``history`` of the entry: full, auto, none, summary_only, or last_n with its number; none where unreadable."""
    lines = plan.node.history_lines if plan is not None else None
    if lines is None:
        return "full", 0
    nested = Entry.at("history", lines)
    count = nested.given("count") or nested.given("last_n")
    written = word(lines.value).lower()
    last = _LAST.fullmatch(written)
    if count:
        return "last_n", count
    if last:
        return "last_n", int(last[1])
    return type_at("context", "history").read_word(written) or "none", 0
