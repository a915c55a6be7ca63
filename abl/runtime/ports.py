"""What a session needs from outside (docs/spec 12 §1): facts, tools, a model and a clock.

Each is a small protocol, so that the web application, the command line and the tests can bring their own. In-memory
implementations are in :mod:`abl.runtime.memory.in_memory`.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from abl.runtime.memory.ports import (
    BankPort,
    BlockMatch,
    BlockPort,
    BlockRefused,
    BlockView,
    RecordPort,
    RecordRefused,
    TurnBuffered,
)

__all__ = [
    "SCOPES",
    "BankPort",
    "BlockMatch",
    "BlockPort",
    "BlockRefused",
    "BlockView",
    "Clock",
    "Fact",
    "FactStore",
    "FactWrite",
    "ModelPort",
    "ModelReply",
    "RecordPort",
    "RecordRefused",
    "Scope",
    "ToolContext",
    "ToolError",
    "ToolPort",
    "ToolResult",
    "TurnBuffered",
]

Scope = Literal["user", "project", "execution_tree"]
SCOPES: tuple[Scope, ...] = ("user", "project", "execution_tree")


@dataclass(frozen=True, slots=True)
class Fact:
    """A live fact (docs/spec 03 §1). ``value`` is JSON-like, times are aware and in UTC.

    In ``source``, ``sensitive`` says that sessions must not show the value; ``masking`` has the fields of ``Display``.
    """

    scope: str
    owner: str
    path: str
    value: Any
    type: str
    version: int
    written_at: datetime
    expires_at: datetime | None = None
    ttl: str | None = None
    source: Mapping[str, Any] = field(default_factory=dict)

    def is_live(self, now: datetime) -> bool:
        """False from the moment of expiry on (docs/spec 03 §4)."""
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True, slots=True)
class FactWrite:
    """One buffered change of a fact, committed at T18. ``source`` holds agent, session, turn, event, cause, span.

    It also says ``sensitive`` and ``masking``, as in ``Fact``, when the value must not be shown.
    """

    scope: str
    owner: str
    path: str
    value: Any
    type: str
    ttl_seconds: int | None
    ttl: str | None
    written_at: datetime
    expires_at: datetime | None
    source: Mapping[str, Any]
    delete: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON shape; times as ISO text."""
        data = asdict(self)
        data["written_at"] = self.written_at.isoformat()
        data["expires_at"] = self.expires_at.isoformat() if self.expires_at else None
        return data


class FactStore(Protocol):
    """Facts across sessions. ``owner``: user id for ``user``, "" for ``project``, tree id for ``execution_tree``."""

    def get(self, scope: str, owner: str, path: str, now: datetime) -> Fact | None:
        """The live fact, or None when it is absent or expired at ``now``."""
        ...

    def list(self, scope: str, owner: str, now: datetime) -> list[Fact]:
        """All live facts of an owner, ordered by path."""
        ...

    def commit(self, writes: Sequence[FactWrite], now: datetime) -> None:
        """Apply the writes of one turn in order, all or none."""
        ...


class Clock(Protocol):
    """Time as an aware UTC datetime; ``advance`` moves it forward by seconds."""

    def now(self) -> datetime: ...

    def advance(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class ToolError:
    """A failed call: one of the canonical types of docs/spec 09 §8 with its subtype."""

    type: str = "tool_error"
    subtype: str = "network_error"
    code: str = ""
    message: str = ""
    retryable: bool = False

    def envelope(self) -> dict[str, Any]:
        """The failure envelope of docs/spec 08 §7."""
        return {"success": False, "error": asdict(self)}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave. ``delay_ms`` is virtual time; ``generated`` marks a sample made from the return type."""

    value: Any = None
    error: ToolError | None = None
    delay_ms: int = 0
    generated: bool = False
    mode: str = "mock"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool port may look at. ``memory`` belongs to the session, is JSON and survives a snapshot."""

    session_id: str
    turn: int
    now: datetime
    returns: Any = None  # abl.syntax.nodes.TypeRef or None
    memory: MutableMapping[str, Any] = field(default_factory=dict)


class ToolPort(Protocol):
    """Runs a tool with its resolved arguments; never raises for a failed call."""

    def call(self, name: str, args: Mapping[str, Any], context: ToolContext) -> ToolResult: ...


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One step of a model: a text, or the call of a tool with arguments."""

    reply: str | None = None
    call: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)


class ModelPort(Protocol):
    """A language model behind reasoning. ``memory`` belongs to the session, is JSON and survives a snapshot."""

    def next(self, request: Mapping[str, Any], memory: MutableMapping[str, Any]) -> ModelReply | None: ...
