"""The public face of the runtime: a conversation with the agents of a set of files (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from abl.diagnostics import Diagnostic
from abl.expressions.api import Budget, BudgetExceeded
from abl.expressions.sizes import SizeExceeded, written_size
from abl.limits import MAX_SNAPSHOT
from abl.runtime.agents.delegating import ask
from abl.runtime.agents.human import HUMAN_DONE
from abl.runtime.agents.moving import carry_out
from abl.runtime.engine import Engine
from abl.runtime.events.recorder import Event, iso_millis, monotonic_ns
from abl.runtime.flow.variables import assign
from abl.runtime.loading import NotRunnable, begin, check_problems, programs_in, seeded
from abl.runtime.memory.block_policy import MemoryPolicy
from abl.runtime.memory.in_memory import MemoryFacts, MockTools, SystemClock, ttl_seconds
from abl.runtime.memory.systems import Memories
from abl.runtime.plan.profiles import profiles_in
from abl.runtime.ports import BankPort, BlockPort, Clock, FactStore, FactWrite, ModelPort, RecordPort, ToolPort
from abl.runtime.state import DEFAULT_LANGUAGE, SessionState, Thread, load_state
from abl.runtime.turn import algorithm as turns
from abl.runtime.turn.reasoning import LEAVE, REPLY
from abl.runtime.turn.work import process
from abl.syntax import nodes

__all__ = ["NotRunnable", "Session", "Turn", "check_problems"]

Policy = Mapping[str, Any] | MemoryPolicy


def delegate(engine: Engine, thread: Thread, agent: str, span: Any, back: nodes.Block | None) -> None:
    """DELEGATE as an action; the agent that is asked works as in a turn."""
    ask(engine, thread, agent, span, back, work=process)


@dataclass(slots=True)
class Turn:
    """What one turn gave. ``state`` holds the active agent's variables, unmasked; events are masked."""

    replies: list[str]
    events: list[Event]
    state: dict[str, Any]
    waiting: str | None
    ended: bool
    step: str | None
    agent: str
    fact_writes: list[FactWrite] = field(default_factory=list)


class Session:
    """A conversation. Not thread-safe; one turn at a time.

    ``files`` maps paths to texts. ``language`` is that of agents without LANGUAGE. ``policy`` is ``evaluate`` or
    ``skip_unset`` (docs/spec 04 §6.1). ``variables`` are session values given from outside, which INITIAL does not
    overwrite. ``kept`` holds ``RESET: never`` variables and should live as long as the process. ``settings``:
    ``ask_again`` (04 §5). ``blocks``, ``records`` and ``bank`` are
    the memory systems of docs/spec 11, ``memory_policy`` says how blocks reach the model (11 §1); a model is offered
    the tools of those that are given. ``problems`` are the diagnostics of the files where they are known; ``checked``
    says that there are none. What has an error is not simulated (05 §1). ``budget`` has the limits with which every
    turn begins, by default those of ``TURN``, and the ``poll`` of the host (02 §8). Raises :class:`NotRunnable` when
    that is the agent that begins, and ValueError for a wrong policy.

    A turn raises BudgetExceeded when its budget ran out, and as it is whatever ``poll`` raises. Any other exception
    out of a turn means a fault of the runtime or of a port. In each case nothing of the turn was committed, and the
    session must be restored from its last snapshot.
    """

    def __init__(
        self,
        files: Mapping[str, str],
        *,
        facts: FactStore | None = None,
        tools: ToolPort | None = None,
        model: ModelPort | None = None,
        clock: Clock | None = None,
        blocks: BlockPort | None = None,
        records: RecordPort | None = None,
        bank: BankPort | None = None,
        memory_policy: Policy | None = None,
        policy: str = "evaluate",
        seed: int = 0,
        user: str | None = None,
        channel: str = "web",
        session_id: str = "session",
        entry: str | None = None,
        language: str | None = None,
        settings: Mapping[str, Any] | None = None,
        on_event: Callable[[Event], None] | None = None,
        variables: Mapping[str, Any] | None = None,
        kept: MutableMapping[str, Any] | None = None,
        port_memory: Mapping[str, dict[str, Any]] | None = None,
        timer: Callable[[], int] = monotonic_ns,
        budget: Budget | None = None,
        checked: bool = False,
        problems: Iterable[Diagnostic] | None = None,
    ) -> None:
        if policy not in {"evaluate", "skip_unset"}:
            raise ValueError(f"policy is {policy!r}; it is 'evaluate' or 'skip_unset'")
        self.problems = list(problems) if problems is not None else [] if checked else check_problems(files)
        programs = programs_in(files)
        entry, refused = begin(programs, entry, self.problems)
        state = SessionState(session_id, user, channel, policy, entry, seeded(seed), refused=refused)
        state.default_language = language or DEFAULT_LANGUAGE
        state.language = programs[entry].language or state.default_language
        if port_memory is not None:
            state.tool_memory, state.model_memory = dict(port_memory["tools"]), dict(port_memory["model"])
        if variables:
            state.threads[entry] = Thread(entry, variables=dict(variables))
        self._engine = Engine(
            state,
            programs,
            facts=facts if facts is not None else MemoryFacts(),
            tools=tools or MockTools(),
            model=model,
            clock=clock or SystemClock(),
            settings=settings or {},
            kept=kept if kept is not None else {},
            on_event=on_event,
            timer=timer,
            carry_out=carry_out,
            memories=Memories(blocks, records, bank, memory_policy),
            profiles=profiles_in(files),
            budget=budget,
            delegate=delegate,
        )

    @classmethod
    def restore(
        cls,
        snapshot: Mapping[str, Any],
        files: Mapping[str, str],
        *,
        facts: FactStore | None = None,
        tools: ToolPort | None = None,
        model: ModelPort | None = None,
        clock: Clock | None = None,
        blocks: BlockPort | None = None,
        records: RecordPort | None = None,
        bank: BankPort | None = None,
        memory_policy: Policy | None = None,
        settings: Mapping[str, Any] | None = None,
        on_event: Callable[[Event], None] | None = None,
        kept: MutableMapping[str, Any] | None = None,
        timer: Callable[[], int] = monotonic_ns,
        budget: Budget | None = None,
    ) -> Session:
        """Go on from a snapshot, in this or another process. The clock is the caller's; ``snapshot["now"]`` helps."""
        session = cls.__new__(cls)
        session.problems = []
        state = load_state(dict(snapshot["state"]))
        programs = programs_in(files)
        missing = [name for name in state.threads if name not in programs]
        if missing:
            raise NotRunnable((), f"the files have no agent {', '.join(missing)}, which the snapshot needs")
        session._engine = Engine(
            state,
            programs,
            facts=facts if facts is not None else MemoryFacts(),
            tools=tools or MockTools(),
            model=model,
            clock=clock or SystemClock(),
            settings=settings or {},
            kept=kept if kept is not None else {},
            on_event=on_event,
            timer=timer,
            carry_out=carry_out,
            memories=Memories(blocks, records, bank, memory_policy),
            profiles=profiles_in(files),
            budget=budget,
            delegate=delegate,
        )
        return session

    # Turns --------------------------------------------------------------------------------------------------------

    def start(self) -> Turn:
        """SESSION_START, turn 0. ValueError when the session was started before."""
        if self._engine.state.started:
            raise ValueError("the session was started before")
        return self._run(lambda: turns.start(self._engine))

    def say(self, text: str, *, memory_policy: Policy | None = None) -> Turn:
        """One message of the user; ``memory_policy`` overrides the session's for it (docs/spec 11 §1)."""
        self._require_start()
        return self._run(lambda: turns.take(self._engine, text), memory_policy)

    def act(self, action_id: str, value: Any = None, *, memory_policy: Policy | None = None) -> Turn:
        """A click, as its value as text. ``reasoning.reply`` and ``reasoning.leave`` stand in for a model,
        ``human.done`` is :meth:`human_done`.
        """
        self._require_start()
        if action_id == HUMAN_DONE:
            if value is not None and not isinstance(value, Mapping):
                raise ValueError(f"{HUMAN_DONE}: the value is an object with the fields of human.*, not {value!r:.40}")
            return self.human_done(value or {})
        action = {"id": action_id, "value": value}
        if action_id in {REPLY, LEAVE}:
            return self._run(lambda: turns.take(self._engine, None, action=action))
        text = str(value) if value is not None else action_id
        return self._run(lambda: turns.take(self._engine, text, action=action), memory_policy)

    def human_done(self, left: Mapping[str, Any]) -> Turn:
        """End the human's part of an escalation with the fields of ``human.*``; on_human_complete runs (09 §7).

        ValueError when no human has the conversation.
        """
        self._require_start()
        if not self.with_human:
            raise ValueError("no human has the conversation")
        return self._run(lambda: turns.human_done(self._engine, left))

    def set(self, name: str, value: Any) -> Turn:
        """Assign as the system does, between two turns; the left side is what SET takes."""
        self._require_start()
        thread = self._engine.active

        def run() -> None:
            self._engine.turn.delivered, self._engine.turn.outbox = [], []
            self._engine.enter(thread)
            assign(self._engine, thread, name, value, cause="system")

        return self._run(run)

    def advance(self, duration: str) -> Turn:
        """Move the clock forward: ``90s``, ``5m``, ``2h``, ``1d``. ValueError for any other text."""
        seconds = ttl_seconds(duration)
        if seconds is None:
            raise ValueError(f"{duration!r} is not a duration like 2h (units s m h d)")
        engine = self._engine

        def run() -> None:
            engine.turn.delivered, engine.turn.outbox = [], []
            engine.clock.advance(seconds)
            engine.state.offset_seconds += seconds
            engine.recorder.emit(
                "log", {"text": f"the clock moves {duration} forward", "level": "info", "seconds": seconds}
            )

        return self._run(run)

    def end(self) -> Turn:
        """End the session from outside, as closing the conversation does."""
        self._require_start()
        engine = self._engine

        def run() -> None:
            engine.turn.delivered, engine.turn.outbox = [], []
            if not engine.state.ended:
                engine.state.ended = True
                turns.finish_session(engine)

        return self._run(run)

    def _require_start(self) -> None:
        if not self._engine.state.started:
            raise ValueError("the session has not been started; call start() first")

    def _run(self, work: Callable[[], None], memory_policy: Policy | None = None) -> Turn:
        engine = self._engine
        engine.memories.start_turn(memory_policy)
        engine.budget = engine.budget.fresh()
        with engine.budget:
            return self._run_within(work)

    def _run_within(self, work: Callable[[], None]) -> Turn:
        """The turn, with its budget entered."""
        engine = self._engine
        try:
            engine.start_turn()
            if engine.guarded:
                with engine.recorder.held():  # a secret in the message is only known after extraction
                    work()
            else:
                work()
            engine.budget.require()
            writes = engine.facts.commit()
            engine.memories.commit()
        except BaseException as problem:
            engine.memories.drop()
            if isinstance(problem, BudgetExceeded):
                engine.report_budget(problem)
            raise
        thread = engine.active if engine.state.stack else None
        return Turn(
            replies=list(engine.turn.delivered),
            events=engine.recorder.events,
            state=self._variables(),
            waiting=turns.waiting_reason(engine) if thread is not None else None,
            ended=engine.state.ended,
            step=thread.flow.step if thread is not None else None,
            agent=thread.agent if thread is not None else engine.state.entry,
            fact_writes=writes,
        )

    def _variables(self) -> dict[str, Any]:
        state = self._engine.state
        return dict(self._engine.active.variables) if state.stack else {}

    # Looking in ---------------------------------------------------------------------------------------------------

    def value(self, path: str) -> Any:
        """Value of a name or path as an expression of the active agent sees it, unmasked."""
        with self._engine.facts.looking():
            return self._engine.context(self._engine.active).value(path)

    def fact(self, path: str) -> Any:
        """Value of the live fact behind a path, None without one; DEFAULT and CLEAR do not count."""
        engine = self._engine
        scope, owner, _ = engine.scope_of(path, engine.active)
        found = engine.facts.peek(scope, owner, path)
        return found.value if found is not None else None

    @property
    def memories(self) -> Memories:
        """The memory systems behind the session."""
        return self._engine.memories

    @property
    def port_memory(self) -> dict[str, dict[str, Any]]:
        """What the tool and model ports keep in the session, for a session that follows with the same ports."""
        return {"tools": self._engine.state.tool_memory, "model": self._engine.state.model_memory}

    @property
    def with_human(self) -> bool:
        """Whether a human has the conversation."""
        return self._engine.state.escalated

    @property
    def agent(self) -> str:
        """Name of the agent that has control."""
        return self._engine.active.agent

    @property
    def turn_number(self) -> int:
        """Number of the last turn."""
        return self._engine.state.turn

    def shown(self, value: Any, name: str = "") -> Any:
        """The value as it may be shown: what this session knows to be sensitive is masked (docs/spec 07 §10).

        With ``name`` it is the value of that variable or path, which may be declared sensitive.
        """
        engine = self._engine
        masker = engine.masker(engine.active)
        if name and masker.reads_sensitive([name]):
            value = masker.shown(name, value)
        return engine.recorder.shown(value)

    def rehearsal(self) -> Engine:
        """A copy in which something can be tried: it shares the ports, but writes and records nothing here."""
        engine = self._engine
        return Engine(
            load_state(engine.state.dump()),
            engine.programs,
            facts=engine.facts.store,
            tools=engine.tools,
            model=engine.model,
            clock=engine.clock,
            settings=engine.settings,
            kept=dict(engine.kept),
            on_event=None,
            timer=engine.recorder.timer,
            carry_out=carry_out,
            profiles=engine.profiles,
            memories=engine.memories.copy(),
            budget=engine.budget.fresh(),
        )

    def snapshot(self) -> dict[str, Any]:
        """JSON from which :meth:`restore` continues; take it between turns. Raises SizeExceeded (docs/spec 02 §8)."""
        state = self._engine.state.dump()
        size = written_size(state, "the snapshot")
        if size > MAX_SNAPSHOT:
            raise SizeExceeded("snapshot", "the conversation", size, MAX_SNAPSHOT)
        return {"version": 1, "now": iso_millis(self._engine.now()), "state": state}
