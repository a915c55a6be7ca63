"""The prompt for a message that is not sent: what memory would put into it, and what it would leave out and why.

Nothing is kept: no turn, no event, no write (docs/spec 11 §1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abl.runtime.memory.in_memory import SystemClock
from abl.runtime.plan.program import Program, programs_of
from abl.runtime.turn.preview import prompt_preview
from constraints import selectors
from constraints.conversations.starting import refuse_problems
from constraints.models import Conversation, Turn
from constraints.running import programs
from constraints.running.run_settings import run_settings
from constraints.running.runner import Task, open_session
from editor.models import Project
from memory.banks.port import ProjectBank
from memory.blocks.port import ProjectBlocks
from memory.facts.port import ProjectFacts
from memory.stores.port import SessionRecords
from memory.values import storable_text
from web.errors import Invalid

LONGEST = 20_000
USER_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """What a preview is asked for. ``user`` talks to ``agent``; an empty agent is the one that begins."""

    message: str
    user: str = ""
    agent: str = ""
    memory_policy: Mapping[str, Any] | None = None

    def check(self) -> None:
        """Raise ``Invalid`` for texts that no conversation takes."""
        problems = {}
        if not self.message.strip() or len(self.message) > LONGEST:
            problems["message"] = f"enter a user message of 1 to {LONGEST:,} characters"
        if len(self.user) > USER_LENGTH:
            problems["user"] = f"has {len(self.user)} characters; {USER_LENGTH} are allowed"
        for name, text in (("message", self.message), ("user", self.user), ("agent", self.agent)):
            if not storable_text(text):
                problems[name] = "has a character that cannot be stored (NUL or half a surrogate pair)"
        if problems:
            raise Invalid(fields=problems)


def agent_preview(*, project: Project, wish: Wish) -> dict[str, Any]:
    """The prompt of an agent of the saved documents, as in the first message of a conversation with it.

    ``{"request", "memory", "sections"}`` as ``abl.runtime.turn.preview.prompt_preview`` gives it. Raises ``Invalid``,
    also for documents with errors (``NotRunnable``).
    """
    wish.check()
    pins = selectors.pins_of(project=project)
    refuse_problems(project=project, pins=pins, entry=wish.agent or str(project.settings.get("entry") or ""))
    settings = run_settings(project=project, given={})
    program = program_of(programs.texts_of(pins), wish.agent or str(project.settings.get("entry") or ""))
    clock = SystemClock()
    bank = settings.get("bank")
    shown = {**settings.get("memory_policy", {}), **(wish.memory_policy or {})}
    return prompt_preview(
        program,
        wish.message,
        shown,
        user=wish.user or None,
        clock=clock,
        facts=ProjectFacts(project, buffered=True),
        blocks=ProjectBlocks(project),
        records=SessionRecords(project, user=wish.user, session="preview", now=clock.now),
        bank=ProjectBank(project, bank) if bank else None,
    )


def conversation_preview(*, conversation: Conversation, wish: Wish) -> dict[str, Any]:
    """The prompt of the agent that has control in a conversation, for its next message.

    The user is that of the conversation. Raises ``Invalid``, also for a conversation that has not started.
    """
    wish.check()
    last = conversation.turns.order_by("-index").first()
    nobody = Turn(conversation=conversation, index=last.index + 1 if last is not None else 1, kind=Turn.Kind.SAY)
    if selectors.turn_before(turn=nobody) is None:
        raise Invalid(fields={"conversation": f"Conversation {conversation.number} has not started yet."})
    task = Task.of(nobody, on_event=lambda event: None)
    return prompt_preview(open_session(task, dict(task.kept)), wish.message, wish.memory_policy)


def program_of(files: Mapping[str, str], agent: str) -> Program:
    """The program of an agent, of the only one where none is named. Raises ``Invalid``."""
    found = {program.name: program for path in files for program in programs_of(path, files[path])}
    if agent in found:
        return found[agent]
    if not agent and len(found) == 1:
        return next(iter(found.values()))
    if not agent:
        raise Invalid(fields={"agent": f"say which agent: {', '.join(found) or 'the project has none'}"})
    raise Invalid(fields={"agent": f"{agent[:80]!r} is not one of {', '.join(found) or 'none'}"})
