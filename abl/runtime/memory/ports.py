"""The memory systems beside facts, as ports of a session (docs/spec 11): blocks, stores and the bank.

Each is bound to one project by whoever makes it; blocks and records also know nothing of other users. In-memory
implementations are in :mod:`abl.runtime.memory.systems_in_memory`. Times are ISO 8601 texts with microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

BlockType = Literal["core", "archival"]
BlockScope = Literal["user", "agent"]
BlockRefusal = Literal["conflict", "over-limit", "invalid", "unavailable"]
RecordRefusal = Literal["unknown", "read-only", "schema", "invalid", "unavailable"]
BLOCK_TYPES: tuple[BlockType, ...] = ("core", "archival")
BLOCK_SCOPES: tuple[BlockScope, ...] = ("user", "agent")
CORE_CHARACTERS, CORE_ENTRIES, ARCHIVAL_CHARACTERS = 4000, 20, 8000
"""Limits of a block (docs/spec 11 §1); an entry is a line that is not blank."""
SESSION_META = "sessionMeta"
"""The record that every session has and that agents only read (docs/spec 11 §2)."""


@dataclass(frozen=True, slots=True)
class BlockView:
    """One block as it stands. ``agent_id`` is None for scope user."""

    id: str
    block_type: BlockType
    content: str
    scope: BlockScope
    agent_id: str | None
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class BlockMatch:
    """One archival line that was found. ``score`` is 0..1, ``line_number`` counts from 1."""

    content: str
    score: float
    block_type: BlockType
    scope: BlockScope
    agent_id: str | None
    line_number: int
    updated_at: str


class BlockRefused(Exception):
    """A block was not written. ``current`` is the block as it stands, None when there is none."""

    def __init__(self, code: BlockRefusal, message: str, current: BlockView | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.current = current


class BlockPort(Protocol):
    """Memory blocks. ``owner`` is the user id, ``agent`` the agent's name."""

    def core(self, owner: str, agent: str | None) -> list[BlockView]:
        """The core blocks that exist: the user's first, then the agent's. ``agent`` None: the user's only."""
        ...

    def recall(
        self, owner: str, query: str, *, agent: str | None, limit: int, min_score: float | None
    ) -> list[BlockMatch]:
        """Archival lines of the user and of this agent, best first, ties by newest block, then line number."""
        ...

    def update(
        self,
        owner: str,
        *,
        block_type: str,
        content: str,
        scope: str,
        agent: str | None,
        expected_updated_at: str | None,
    ) -> BlockView:
        """Replace a block at once, if it still is as it was read (None: if there is none).

        Raises :class:`BlockRefused`; the block is unchanged then.
        """
        ...


class RecordRefused(Exception):
    """A record was not read or changed. ``errors`` are those of the schema: ``{"path", "message"}``."""

    def __init__(self, code: RecordRefusal, message: str, errors: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.errors = list(errors)


class RecordPort(Protocol):
    """The records of one session and its user; ``sessionMeta`` is one of them and is only read.

    Everything may raise :class:`RecordRefused`, for a store that is not defined (``unknown``) as well.
    """

    def get_content(self, name: str, projections: Mapping[str, int] | None = None) -> Any | None:
        """The content, None without a record. ``projections``: dotted path to 1 (take) or 0 (leave out)."""
        ...

    def set_content(self, name: str, content: Mapping[str, Any]) -> Any:
        """Create the record or merge into it; gives the content after that."""
        ...

    def delete_content(self, name: str) -> bool:
        """Remove the record; False when there was none."""
        ...

    def names(self) -> list[str]:
        """Technical names of the stores, ``sessionMeta`` included."""
        ...


class BankPort(Protocol):
    """Text of each agent. Several agents may share a bank; each works under its own name."""

    def read(self, key: str) -> str:
        """The text, "" for an unknown key."""
        ...

    def write(self, key: str, content: str) -> None:
        """Replace the text; a bank with ``max_lines`` keeps the last of them."""
        ...

    def entries(self) -> dict[str, str]:
        """All texts by key, as they are at this moment."""
        ...


@runtime_checkable
class TurnBuffered(Protocol):
    """What a memory port may have besides: then its writes belong to the turn, else they count at once.

    The session calls ``commit_turn`` with the commit of the turn (docs/spec 09 T18) and ``drop_turn`` when it failed.
    A port that is asked for its writes by whoever commits the turn needs neither.
    """

    def commit_turn(self) -> None: ...

    def drop_turn(self) -> None: ...


@runtime_checkable
class Attributed(Protocol):
    """What a memory port may have besides: before a tool uses it, it learns who does, for its log.

    ``source``: agent, session, turn, event (``seq`` of the call) and span, as facts have them.
    """

    def attribute(self, source: Mapping[str, Any]) -> None: ...


def search(bank: BankPort, key: str, query: str) -> str:
    """The lines of a key that contain the query, ignoring case, joined by newlines (docs/spec 11 §3)."""
    wanted = query.casefold()
    return "\n".join(line for line in bank.read(key).split("\n") if wanted in line.casefold())
