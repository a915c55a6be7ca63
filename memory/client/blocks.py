"""Memory blocks through the client (docs/spec 11 §1)."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import httpx

from memory.client.http import Call, MemoryConflict, name_of
from memory.client.stores import AsyncStoreConnection, StoreConnection


@dataclass(frozen=True, slots=True)
class Block:
    """A memory block; ``agent_id`` is None in scope user. ``updated_at`` is what an update sends back."""

    id: str
    block_type: str
    content: str
    scope: str
    agent_id: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """A block of the API."""
        return cls(**{name: _value(name, data[name]) for name in cls.__slots__})


@dataclass(frozen=True, slots=True)
class Match:
    """An archival line that was found. ``score`` is 0..1, ``line_number`` counts from 1."""

    content: str
    score: float
    block_type: str
    scope: str
    agent_id: str | None
    line_number: int
    updated_at: datetime

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """A match of the API."""
        return cls(**{name: _value(name, data[name]) for name in cls.__slots__})


class MemoryClient(StoreConnection):
    """The blocks of the user of a token, in its project. Raises ``MemoryRefused`` for what the server refuses."""

    def list(self, scope: str | None = None, agent_id: str | None = None) -> builtins.list[Block]:
        """The user's own blocks; with ``scope`` agent those with agents, with all both."""
        call: Call | None = _list(scope, agent_id)
        found: builtins.list[Block] = []
        while call is not None:
            blocks, call = _page(self.send(call))
            found += blocks
        return found

    def get(self, block_type: str, scope: str | None = None, agent_id: str | None = None) -> Block:
        """One block. Raises ``MemoryNotFound``."""
        return Block.read(self.send(_block("GET", block_type, scope, agent_id)))

    def update(
        self,
        block_type: str,
        content: str,
        expected_updated_at: datetime | str | None,
        *,
        scope: str | None = None,
        agent_id: str | None = None,
    ) -> Block:
        """Replace a block that still has this stamp; None creates it. Raises ``MemoryConflict`` with ``current``."""
        try:
            return Block.read(self.send(_update(block_type, content, expected_updated_at, scope, agent_id)))
        except MemoryConflict as conflict:
            raise _with_current(conflict) from None

    def recall(
        self, query: str, agent_id: str | None = None, limit: int = 10, min_score: float | None = None
    ) -> builtins.list[Match]:
        """Archival lines for a query, the best first."""
        return _matches(self.send(_recall(query, agent_id, limit, min_score)))

    def delete(self, block_type: str, scope: str | None = None, agent_id: str | None = None) -> None:
        """Delete a block. Raises ``MemoryNotFound``."""
        self.send(_block("DELETE", block_type, scope, agent_id))


class AsyncMemoryClient(AsyncStoreConnection):
    """``MemoryClient`` for async code: the same calls, awaited."""

    async def list(self, scope: str | None = None, agent_id: str | None = None) -> builtins.list[Block]:
        """The user's own blocks; with ``scope`` agent those with agents, with all both."""
        call: Call | None = _list(scope, agent_id)
        found: builtins.list[Block] = []
        while call is not None:
            blocks, call = _page(await self.send(call))
            found += blocks
        return found

    async def get(self, block_type: str, scope: str | None = None, agent_id: str | None = None) -> Block:
        """One block. Raises ``MemoryNotFound``."""
        return Block.read(await self.send(_block("GET", block_type, scope, agent_id)))

    async def update(
        self,
        block_type: str,
        content: str,
        expected_updated_at: datetime | str | None,
        *,
        scope: str | None = None,
        agent_id: str | None = None,
    ) -> Block:
        """Replace a block that still has this stamp; None creates it. Raises ``MemoryConflict`` with ``current``."""
        try:
            return Block.read(await self.send(_update(block_type, content, expected_updated_at, scope, agent_id)))
        except MemoryConflict as conflict:
            raise _with_current(conflict) from None

    async def recall(
        self, query: str, agent_id: str | None = None, limit: int = 10, min_score: float | None = None
    ) -> builtins.list[Match]:
        """Archival lines for a query, the best first."""
        return _matches(await self.send(_recall(query, agent_id, limit, min_score)))

    async def delete(self, block_type: str, scope: str | None = None, agent_id: str | None = None) -> None:
        """Delete a block. Raises ``MemoryNotFound``."""
        await self.send(_block("DELETE", block_type, scope, agent_id))


def _value(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name.endswith("_at") else value


def _list(scope: str | None, agent_id: str | None) -> Call:
    return Call("GET", "blocks", {"scope": scope, "agent_id": agent_id})


def _page(data: Mapping[str, Any]) -> tuple[list[Block], Call | None]:
    # Only what follows the question mark: behind a proxy the server may know itself by another address.
    following = Call("GET", "blocks", dict(httpx.URL(data["next"]).params)) if data["next"] else None
    return [Block.read(block) for block in data["results"]], following


def _block(method: str, block_type: str, scope: str | None, agent_id: str | None, body: Any = None) -> Call:
    return Call(method, f"blocks/{name_of(block_type, 'block_type')}", {"scope": scope, "agent_id": agent_id}, body)


def _update(
    block_type: str, content: str, expected: datetime | str | None, scope: str | None, agent_id: str | None
) -> Call:
    stamp = expected.isoformat() if isinstance(expected, datetime) else expected
    return _block("PUT", block_type, scope, agent_id, {"content": content, "expected_updated_at": stamp})


def _recall(query: str, agent_id: str | None, limit: int, min_score: float | None) -> Call:
    body = {"query": query, "agent_id": agent_id, "limit": limit, "min_score": min_score}
    return Call("POST", "recall", body={name: value for name, value in body.items() if value is not None})


def _matches(data: Mapping[str, Any]) -> list[Match]:
    return [Match.read(match) for match in data["results"]]


def _with_current(conflict: MemoryConflict) -> MemoryConflict:
    current = conflict.problem.get("current")
    conflict.current = Block.read(current) if current is not None else None
    return conflict
