"""The request to a model for a message that is not sent (docs/spec 09 §2, 11 §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl.expressions.api import Budget
from abl.runtime.agents.moving import carry_out
from abl.runtime.engine import Engine
from abl.runtime.events.recorder import monotonic_ns
from abl.runtime.flow.variables import initialise
from abl.runtime.memory.block_policy import MemoryPolicy
from abl.runtime.memory.in_memory import MemoryFacts, MockTools, SystemClock
from abl.runtime.memory.systems import Memories
from abl.runtime.plan.flow import StepPlan
from abl.runtime.plan.program import Program
from abl.runtime.ports import BankPort, BlockPort, Clock, FactStore, RecordPort
from abl.runtime.session import Session
from abl.runtime.state import SessionState, Thread, TurnState
from abl.runtime.turn.prompt import prompt_of, sections

Policy = Mapping[str, Any] | MemoryPolicy


def prompt_preview(
    source: Session | Program,
    text: str,
    memory_policy: Policy | None = None,
    *,
    user: str | None = None,
    channel: str = "web",
    clock: Clock | None = None,
    facts: FactStore | None = None,
    blocks: BlockPort | None = None,
    records: RecordPort | None = None,
    bank: BankPort | None = None,
    budget: Budget | None = None,
) -> dict[str, Any]:
    """What the active agent's model would be given for a message: ``{"request", "memory", "sections"}``.

    ``request`` and ``memory`` have the shape of the events ``model.request`` and ``context`` (docs/spec 12 §4), nothing
    cut; ``sections`` is the request as titled texts. Nothing is kept, no tool is called and no event is recorded. The
    further arguments are for a program, an agent without a conversation. ValueError for a wrong policy, BudgetExceeded
    as a turn raises it.
    """
    if isinstance(source, Session):
        engine = source.rehearsal()
    else:
        state = SessionState("preview", user, channel, "evaluate", source.name, 1)
        state.language = source.language or state.default_language
        engine = Engine(
            state,
            {source.name: source},
            facts=facts if facts is not None else MemoryFacts(),
            tools=MockTools(),
            model=None,
            clock=clock or SystemClock(),
            settings={},
            kept={},
            on_event=None,
            timer=monotonic_ns,
            carry_out=carry_out,
            memories=Memories(blocks, records, bank),
            budget=budget,
        )
    with engine.budget:
        return _preview(engine, text, memory_policy)


def _preview(engine: Engine, text: str, memory_policy: Policy | None) -> dict[str, Any]:
    """The preview, with its budget entered."""
    engine.memories.start_turn(memory_policy)
    engine.facts.start_turn()
    if not engine.state.stack:
        _place(engine, engine.state.entry)
    state, thread = engine.state, engine.active
    state.turn += 1
    engine.turn = TurnState(state.turn, message=text.strip())
    state.history.append({"from": "user", "text": text})
    prompt = prompt_of(engine, thread, _reasoning_step(engine, thread))
    shown: dict[str, Any] = engine.recorder.shown(prompt.data)
    memory = engine.recorder.shown(prompt.memory) if prompt.memory is not None else None
    request = {**shown, "notes": prompt.notes} if prompt.notes else shown
    return {"request": request, "memory": memory, "sections": sections(shown)}


def _reasoning_step(engine: Engine, thread: Thread) -> StepPlan | None:
    """The step the flow is in when a model works in it."""
    flow = engine.program(thread).flow
    step = flow.steps.get(thread.flow.step or "") if flow is not None else None
    return step if step is not None and step.step.reasoning else None


def _place(engine: Engine, agent: str) -> None:
    """Put an agent where it precedes its first message, without what ON_START does."""
    engine.state.threads[agent] = thread = Thread(agent)
    engine.state.stack = [agent]
    initialise(engine, thread)
