"""What memory blocks put into a model request, and what of them was cut (docs/spec 11 §1).

Core blocks go in as ``user_memory``; in archival mode ``auto`` the best archival lines for the current user message go
in as ``system_reminders``: hidden, and for this turn only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from abl.runtime.memory.ports import BlockMatch, BlockPort, BlockRefused, BlockView

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

LOOKED_AT_BEYOND = 50
"""So many matches behind the limit are named as cut."""


@dataclass(slots=True)
class MemoryContext:
    """The parts of the request, and the report that the trace shows of them (``data.memory``, docs/spec 12 §4)."""

    user_memory: list[dict[str, Any]] = field(default_factory=list)
    system_reminders: list[dict[str, Any]] = field(default_factory=list)
    report: dict[str, Any] | None = None


def memory_context(engine: Engine, thread: Thread) -> MemoryContext:
    """The context for one request of an agent; empty and without a report when the session has no blocks."""
    memories = engine.memories
    if memories.blocks is None:
        return MemoryContext()
    context = MemoryContext(report={"policy": memories.policy.as_dict(), "injected": [], "cut": []})
    if engine.state.user is None:
        _cut(context, {}, "no signed-in user")
        return context
    _core(engine, thread, memories.blocks, engine.state.user, context)
    _archival(engine, thread, memories.blocks, engine.state.user, context)
    return context


def _core(engine: Engine, thread: Thread, port: BlockPort, owner: str, context: MemoryContext) -> None:
    policy = engine.memories.policy
    included = {"user": policy.include_user_core, "agent": policy.include_agent_core}
    try:
        blocks = port.core(owner, thread.agent)
    except BlockRefused as refused:
        _cut(context, {"place": "user_memory"}, refused.message)
        return
    for block in blocks:
        for line in _lines(block):
            if included[block.scope]:
                _inject(context, line)
            else:
                _cut(context, line, f"include_{block.scope}_core is false")
        if included[block.scope]:
            shown = asdict(block)
            context.user_memory.append({key: shown[key] for key in ("scope", "agent_id", "content", "updated_at")})


def _lines(block: BlockView) -> list[dict[str, Any]]:
    common = {"place": "user_memory", "block_type": block.block_type, "scope": block.scope, "agent_id": block.agent_id,
              "updated_at": block.updated_at}  # fmt: skip
    lines = enumerate(block.content.split("\n"), start=1)
    return [{**common, "line_number": number, "content": line} for number, line in lines if line.strip()]


def _archival(engine: Engine, thread: Thread, port: BlockPort, owner: str, context: MemoryContext) -> None:
    policy = engine.memories.policy
    query = (engine.turn.message or "").strip()
    if policy.archival_mode != "auto" or not query:
        return
    most = policy.archival_limit + LOOKED_AT_BEYOND
    try:
        matches = port.recall(owner, query, agent=thread.agent, limit=most, min_score=None)
    except BlockRefused as refused:
        _cut(context, {"place": "system_reminders"}, refused.message)
        return
    for match in matches:
        line = _matched(match)
        if policy.archival_min_score is not None and match.score < policy.archival_min_score:
            _cut(context, line, f"score {match.score:g} is under archival_min_score {policy.archival_min_score:g}")
        elif len(context.system_reminders) >= policy.archival_limit:
            _cut(context, line, f"archival_limit {policy.archival_limit} is reached")
        else:
            _inject(context, line)
            context.system_reminders.append({key: line[key] for key in ("scope", "agent_id", "content", "score")})
    if len(matches) == most:
        _cut(context, {"place": "system_reminders"}, f"matches behind the first {most} were not looked at")


def _matched(match: BlockMatch) -> dict[str, Any]:
    return {"place": "system_reminders", **asdict(match)}


def _inject(context: MemoryContext, line: dict[str, Any]) -> None:
    if context.report is not None:
        context.report["injected"].append(line)


def _cut(context: MemoryContext, line: dict[str, Any], why: str) -> None:
    if context.report is not None:
        context.report["cut"].append({**line, "why": why})
