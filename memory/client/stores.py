"""Store records through the client: the calls that code tools know as ``memory.get_content`` (docs/spec 11 §2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.client.http import AsyncConnection, Call, Connection, MemoryNotFound, name_of

NO_RECORD = "no-record"


class StoreConnection(Connection):
    """Records of the token's user; a store of a session needs its ``session_id``."""

    def get_content(
        self, technical_name: str, projections: Mapping[str, int] | None = None, *, session_id: str | None = None
    ) -> Any | None:
        """The content, None without a record. ``projections``: dotted path to 1 (take) or 0 (leave out)."""
        return _content(self.send(_get(technical_name, projections, session_id)))

    def set_content(
        self, technical_name: str, content: Mapping[str, Any], *, session_id: str | None = None
    ) -> dict[str, Any]:
        """Create the record or merge into it; the content after that. Raises ``MemoryRefused`` (code ``schema``)."""
        answer: dict[str, Any] = _content(self.send(_set(technical_name, content, session_id)))
        return answer

    def delete_content(self, technical_name: str, *, session_id: str | None = None) -> bool:
        """Remove the record; False when there was none."""
        try:
            self.send(_delete(technical_name, session_id))
        except MemoryNotFound as missing:
            return _none_there(missing)
        return True

    def session(self, session_id: str) -> SessionMemory:
        """The same calls for one session, as a code tool of that session has them."""
        return SessionMemory(self, session_id)


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """The stores as code of one session sees them, ``sessionMeta`` included."""

    client: StoreConnection
    session_id: str

    def get_content(self, technical_name: str, projections: Mapping[str, int] | None = None) -> Any | None:
        """The content, None without a record."""
        return self.client.get_content(technical_name, projections, session_id=self.session_id)

    def set_content(self, technical_name: str, content: Mapping[str, Any]) -> dict[str, Any]:
        """Create the record or merge into it; the content after that."""
        return self.client.set_content(technical_name, content, session_id=self.session_id)

    def delete_content(self, technical_name: str) -> bool:
        """Remove the record; False when there was none."""
        return self.client.delete_content(technical_name, session_id=self.session_id)


class AsyncStoreConnection(AsyncConnection):
    """``StoreConnection`` for async code: the same calls, awaited."""

    async def get_content(
        self, technical_name: str, projections: Mapping[str, int] | None = None, *, session_id: str | None = None
    ) -> Any | None:
        """The content, None without a record."""
        return _content(await self.send(_get(technical_name, projections, session_id)))

    async def set_content(
        self, technical_name: str, content: Mapping[str, Any], *, session_id: str | None = None
    ) -> dict[str, Any]:
        """Create the record or merge into it; the content after that."""
        answer: dict[str, Any] = _content(await self.send(_set(technical_name, content, session_id)))
        return answer

    async def delete_content(self, technical_name: str, *, session_id: str | None = None) -> bool:
        """Remove the record; False when there was none."""
        try:
            await self.send(_delete(technical_name, session_id))
        except MemoryNotFound as missing:
            return _none_there(missing)
        return True

    def session(self, session_id: str) -> AsyncSessionMemory:
        """The same calls for one session."""
        return AsyncSessionMemory(self, session_id)


@dataclass(frozen=True, slots=True)
class AsyncSessionMemory:
    """``SessionMemory`` for async code."""

    client: AsyncStoreConnection
    session_id: str

    async def get_content(self, technical_name: str, projections: Mapping[str, int] | None = None) -> Any | None:
        """The content, None without a record."""
        return await self.client.get_content(technical_name, projections, session_id=self.session_id)

    async def set_content(self, technical_name: str, content: Mapping[str, Any]) -> dict[str, Any]:
        """Create the record or merge into it; the content after that."""
        return await self.client.set_content(technical_name, content, session_id=self.session_id)

    async def delete_content(self, technical_name: str) -> bool:
        """Remove the record; False when there was none."""
        return await self.client.delete_content(technical_name, session_id=self.session_id)


def _call(method: str, name: str, session_id: str | None, body: Any = None, **query: str | None) -> Call:
    return Call(method, f"stores/{name_of(name, 'technical_name')}", {"session_id": session_id, **query}, body)


def _get(name: str, projections: Mapping[str, int] | None, session_id: str | None) -> Call:
    return _call("GET", name, session_id, projections=json.dumps(dict(projections)) if projections else None)


def _set(name: str, content: Mapping[str, Any], session_id: str | None) -> Call:
    return _call("PATCH", name, session_id, {"content": dict(content)})


def _delete(name: str, session_id: str | None) -> Call:
    return _call("DELETE", name, session_id)


def _content(answer: Mapping[str, Any]) -> Any:
    return answer["content"]


def _none_there(missing: MemoryNotFound) -> bool:
    """False for a record that is not there; a store that is not there stays an error."""
    if missing.code != NO_RECORD:
        raise missing
    return False
