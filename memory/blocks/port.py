"""Memory blocks for a running session: the runtime's ``BlockPort`` over the database (docs/spec 11 §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl.runtime.memory.ports import BlockMatch, BlockRefused, BlockView
from editor.models import Project
from memory.blocks import selectors, services
from memory.blocks.ranking import LONGEST_QUERY
from memory.blocks.texts import OverLimit, read_stamp
from memory.models import Block
from memory.values import storable
from web.errors import Conflict, Invalid


class ProjectBlocks:
    """The blocks of a project. Writes count at once, whatever becomes of the turn, as docs/spec 11 §1 wants it.

    ``source`` is what the log says of every write: the conversation.
    """

    def __init__(self, project: Project, source: Mapping[str, Any] | None = None) -> None:
        self.project = project
        self._source = dict(source or {})
        self._writer: dict[str, Any] = {}

    def attribute(self, source: Mapping[str, Any]) -> None:
        """The author of the writes that follow: agent, turn, event, span (``abl.runtime.memory.ports.Attributed``)."""
        self._writer = dict(source)

    def core(self, owner: str, agent: str | None) -> list[BlockView]:
        """The user's core block, then the agent's, as far as they exist."""
        agents = ["", agent] if agent else [""]
        blocks = selectors.blocks_of(project=self.project, owner=storable(owner), agents=agents)
        found = blocks.filter(block_type=Block.Type.CORE).order_by("agent_id")
        return [view_of(block) for block in found]

    def recall(
        self, owner: str, query: str, *, agent: str | None, limit: int, min_score: float | None
    ) -> list[BlockMatch]:
        """Archival lines of the user and of this agent, ranked. A query beyond ``LONGEST_QUERY`` is cut."""
        try:
            found = selectors.recall(
                project=self.project,
                owner=storable(owner),
                query=storable(query)[:LONGEST_QUERY],
                agent_id=agent or "",
                limit=limit,
                min_score=min_score,
            )
        except Invalid as error:
            raise BlockRefused("invalid", error.detail) from error
        return [BlockMatch(**match.as_dict()) for match in found]

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
        """Replace a block that still is as it was read. Raises ``BlockRefused``."""
        if scope not in Block.Scope.values or (scope == Block.Scope.AGENT and not agent):
            raise BlockRefused("invalid", f"scope is {scope!r}; it is user, or agent where there is one")
        try:
            block, _ = services.block_put(
                project=self.project,
                owner=storable(owner),
                block_type=block_type,
                content=storable(content),
                agent_id=(agent or "") if scope == Block.Scope.AGENT else "",
                expected=read_stamp(expected_updated_at) if expected_updated_at is not None else None,
                source={"agent": agent, **self._writer, **self._source, "cause": "update_memory"},
            )
        except Conflict as error:
            current = BlockView(**error.current) if error.current is not None else None
            raise BlockRefused("conflict", error.detail, current) from error
        except Invalid as error:
            raise BlockRefused("over-limit" if isinstance(error, OverLimit) else "invalid", error.detail) from error
        return view_of(block)


def view_of(block: Block) -> BlockView:
    """A block as the runtime sees it."""
    return BlockView(**selectors.block_dict(block))
