"""The memory systems beside facts, as ports of one turn, and the commit of what they buffered (docs/spec 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abl.runtime.ports import Clock
from constraints.models import Conversation, Turn
from constraints.running import programs
from editor.models import User
from memory.banks.port import ProjectBank
from memory.banks.services import bank_commit
from memory.blocks.port import ProjectBlocks
from memory.stores import services as stores
from memory.stores.port import SessionRecords


@dataclass(frozen=True)
class TurnMemories:
    """Ports of a turn by the names that ``abl.runtime.Session`` gives them."""

    conversation: Conversation
    records: SessionRecords
    run: str
    blocks: ProjectBlocks
    bank: ProjectBank | None

    @classmethod
    def of(cls, turn: Turn, clock: Clock) -> TurnMemories:
        """The ports of a claimed turn. ``run`` is what ``sessionInfo.runId`` says, also to who asks meanwhile."""
        conversation = turn.conversation
        run = f"{conversation.session_id}-{turn.index}"
        if not stores.run_noted(project=conversation.project, session=conversation.session_id, run=run):
            session_note(conversation, run)
        source = {
            "conversation": conversation.number,
            "session": conversation.session_id,
            "by": starter_of(conversation),
            "revisions": programs.revision_numbers(conversation.pins),
        }
        records = SessionRecords(
            conversation.project,
            user=conversation.user,
            session=conversation.session_id,
            now=clock.now,
            run=run,
            source=source,
        )
        name = conversation.settings.get("bank")
        bank = ProjectBank(conversation.project, name, clock.now, source) if name else None
        return cls(conversation, records, run, ProjectBlocks(conversation.project, source), bank)

    def ports(self) -> dict[str, Any]:
        """Arguments of ``Session`` and ``Session.restore``."""
        policy = self.conversation.settings.get("memory_policy")
        return {"records": self.records, "blocks": self.blocks, "bank": self.bank, "memory_policy": policy}

    def commit(self, *, virtual_clock: bool) -> None:
        """Write what the turn buffered, in the transaction that is open. Raises ``web.errors.AppError``."""
        project = self.conversation.project
        if self.bank is not None:
            bank_commit(project=project, name=self.bank.name, writes=self.bank.take())
        stores.records_commit(
            project=project, writes=self.records.take(), subject=self.records.subject, virtual_clock=virtual_clock
        )


def starter_of(conversation: Conversation) -> str:
    """The name of the person who started a conversation, for the log; "" once the account is gone."""
    return conversation.started_by.get_username() if conversation.started_by is not None else ""


def session_note(conversation: Conversation, run: str = "") -> None:
    """Make sure that the session of a conversation is known; one that started by the API is already."""
    stores.session_begin(
        project=conversation.project,
        session=conversation.session_id,
        user=conversation.user,
        started_by=conversation.started_by,
        run=run,
    )


def metadata_pass(*, conversation: Conversation, metadata: Mapping[str, Any], actor: User) -> None:
    """Merge what a caller passes with a message into the metadata of the session. Raises ``Invalid``."""
    session_note(conversation)
    stores.metadata_set(project=conversation.project, session=conversation.session_id, metadata=metadata, actor=actor)
