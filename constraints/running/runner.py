"""Between a Turn row and ``abl.runtime``: a ``Task`` is what a session needs, an ``Outcome`` is what it did.

Nothing is written here. Facts are read through the memory application and collected, so that the caller can commit them
in the same transaction as the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from abl.expressions import Budget, BudgetExceeded
from abl.expressions.budget import TURN
from abl.runtime import NotRunnable, Session
from abl.runtime.memory.in_memory import FixedClock, MockTools, SystemClock
from abl.runtime.ports import Clock
from constraints import selectors
from constraints.models import Conversation, ProcessValue, Turn
from constraints.running import programs
from constraints.running.memories import TurnMemories, starter_of
from constraints.running.run_settings import model_of
from memory.facts import services as memory_services
from memory.facts.port import ProjectFacts
from web.errors import AppError, Conflict

Event = dict[str, Any]


class TurnProblem(Exception):
    """A turn that cannot be run, for a reason that its author can understand."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def as_json(self) -> dict[str, Any]:
        """What ``Turn.error`` holds."""
        return {"code": self.code, "message": self.message, **self.data}


class Overtaken(Exception):
    """Somebody changed what the turn had read and writes: it has to begin again, or that change would be lost."""


@dataclass(frozen=True)
class Task:
    """One turn and all that decides what it does."""

    conversation: Conversation
    kind: str
    input: Mapping[str, Any]
    before: Turn | None
    files: Mapping[str, str]
    facts: ProjectFacts
    clock: Clock
    on_event: Callable[[Event], None]
    kept: dict[str, Any] = field(default_factory=dict)
    memories: TurnMemories | None = None
    poll: Callable[[], None] | None = None
    """Called about every 50 ms of computing; what it raises ends the turn and leaves ``run_in_session`` as it is."""

    @classmethod
    def of(cls, turn: Turn, on_event: Callable[[Event], None], poll: Callable[[], None] | None = None) -> Task:
        """The task of a claimed turn; ``TurnProblem`` when the conversation never started."""
        conversation = turn.conversation
        before = selectors.turn_before(turn=turn)
        if before is None and turn.kind != Turn.Kind.START:
            message = "The conversation failed to start. Start a new one."
            raise TurnProblem("not-started", message)
        kept = ProcessValue.objects.filter(project_id=conversation.project_id).values_list("agent", "name", "value")
        fixed = conversation.clock_mode == Conversation.Clock.FIXED
        clock = clock_of(conversation, before)
        return cls(
            conversation=conversation,
            kind=turn.kind,
            input=turn.input,
            before=before,
            files=programs.texts_of(conversation.pins),
            facts=ProjectFacts(
                conversation.project, buffered=True, virtual_clock=fixed, conversation=conversation.number
            ),
            clock=clock,
            on_event=on_event,
            kept={f"{agent}.{name}": value for agent, name, value in kept},
            memories=TurnMemories.of(turn, clock),
            poll=poll,
        )


def clock_of(conversation: Conversation, before: Turn | None) -> Clock:
    """The computer's clock, or one that stands where the turn before left it."""
    if conversation.clock_mode == Conversation.Clock.REAL or conversation.clock_start is None:
        return SystemClock()
    return FixedClock((before and before.clock_at) or conversation.clock_start)


def nothing() -> None:
    """A turn that wrote no facts commits none."""


@dataclass(frozen=True)
class Outcome:
    """What a turn did: the columns of its row, and what is to be committed with it.

    ``replies`` are as people may read them, sensitive values masked. ``commit_facts`` writes inside the caller's
    transaction; ``process_values`` are those that changed, as "agent.name".
    """

    replies: list[str]
    snapshot: dict[str, Any]
    commit_facts: Callable[[], object] = nothing
    number: int = 0
    waiting: str | None = None
    step: str | None = None
    agent: str = ""
    ended: bool = False
    clock_at: datetime | None = None
    process_values: Mapping[str, Any] = field(default_factory=dict)
    input: Mapping[str, Any] | None = None
    """What was said, with sensitive values masked, when that is not what was stored."""

    def columns(self) -> dict[str, Any]:
        """Values of the row's columns."""
        return ({} if self.input is None else {"input": dict(self.input)}) | {
            "replies": self.replies,
            "snapshot": self.snapshot,
            "number": self.number,
            "waiting": self.waiting or "",
            "step": self.step or "",
            "agent": self.agent,
            "ended": self.ended,
            "clock_at": self.clock_at,
            "error": None,
        }


def run_in_session(task: Task) -> Outcome:
    """Run the turn in ``abl.runtime``. Raises ``TurnProblem``; ``Stopped`` passes through."""
    kept = dict(task.kept)
    try:
        session = open_session(task, kept)
        turn = act(session, task)
        snapshot = session.snapshot()
    except NotRunnable as error:
        raise TurnProblem("not-runnable", str(error)) from error
    except BudgetExceeded as error:
        message = f"The turn was stopped: {error}. Its changes were discarded."
        raise TurnProblem("budget-exceeded", message, **error.as_json()) from error
    except ValueError as error:
        raise TurnProblem("invalid-input", str(error)) from error
    return Outcome(
        replies=[session.shown(reply) for reply in turn.replies],
        snapshot=snapshot,
        commit_facts=lambda: commit_facts(task),
        number=session.turn_number,
        waiting="human" if session.with_human else turn.waiting,
        step=turn.step,
        agent=turn.agent or "",
        ended=turn.ended,
        clock_at=task.clock.now(),
        process_values={key: value for key, value in kept.items() if key not in task.kept or task.kept[key] != value},
        input=shown_input(session, task),
    )


def shown_input(session: Session, task: Task) -> dict[str, Any] | None:
    """The input of the turn without what is sensitive in it; None when nothing is to be hidden.

    A value that was set is judged by the name that it was given, all else by what the agent took from it.
    """
    name = task.input.get("name", "")
    shown = {
        field: value if field == "name" else session.shown(value, name if field == "value" else "")
        for field, value in task.input.items()
    }
    return None if shown == task.input else shown


def commit_facts(task: Task) -> None:
    """Write what the turn buffered, in the transaction that is open. Raises ``Overtaken``, then nothing is written."""
    try:
        memory_services.facts_commit(
            project=task.conversation.project,
            writes=task.facts.take(),
            conversation=task.conversation.number,
            started_by=starter_of(task.conversation),
            revisions=programs.revision_numbers(task.conversation.pins),
            virtual_clock=task.facts.virtual_clock,
            sensitive=programs.sensitive_paths(task.conversation.pins),
            domains=programs.domains(task.conversation.pins),
            seen=task.facts.seen,
        )
        if task.memories is not None:
            task.memories.commit(virtual_clock=task.facts.virtual_clock)
    except Conflict as conflict:
        raise Overtaken(conflict.detail) from conflict
    except AppError as error:
        raise TurnProblem(error.code, f"The changes of the turn could not be saved. {error.detail}") from error


def open_session(task: Task, kept: MutableMapping[str, Any]) -> Session:
    """A new session for turn 0, else the one that the turn before left behind. ``kept``: ``RESET: never`` variables."""
    conversation = task.conversation
    ports: dict[str, Any] = {
        "facts": task.facts,
        "tools": MockTools(conversation.mocks),
        "model": model_of(conversation),
        "clock": task.clock,
        "on_event": task.on_event,
        "settings": conversation.settings,
        "kept": kept,
        "budget": Budget.of(TURN, task.poll),
        **(task.memories.ports() if task.memories is not None else {}),
    }
    if task.before is not None:
        return Session.restore(task.before.snapshot or {}, task.files, **ports)
    return Session(
        task.files,
        policy=conversation.policy,
        seed=conversation.seed,
        user=conversation.user,
        channel=conversation.channel,
        session_id=conversation.session_id,
        entry=conversation.entry or None,
        language=conversation.settings.get("language"),
        problems=programs.known_problems(conversation.pins),
        **ports,
    )


def act(session: Session, task: Task) -> Any:
    """Do what the turn asks for; the runtime's ``Turn``."""
    given = task.input
    match task.kind:
        case Turn.Kind.START:
            return session.start()
        case Turn.Kind.SAY:
            return session.say(given["text"], memory_policy=given.get("memory_policy"))
        case Turn.Kind.ACT:
            return session.act(given["id"], given.get("value"))
        case Turn.Kind.SET:
            return session.set(given["name"], given.get("value"))
        case _:
            return session.advance(given["by"])
