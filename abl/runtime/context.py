"""Names as an expression sees them (docs/spec 02 §7): a resolver over a thread, facts and runtime values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from abl.expressions.scope import descend
from abl.expressions.values import type_tag
from abl.runtime.memory.systems import ROOT
from abl.runtime.provided import provided

if TYPE_CHECKING:
    from abl.runtime.memory.facts import Facts
    from abl.runtime.memory.systems import Memories
    from abl.runtime.plan.program import Program
    from abl.runtime.privacy.masking import Masker
    from abl.runtime.state import SessionState, Thread, TurnState

_UNKNOWN: Final = object()


class Names(Protocol):
    """Where names get their values; an engine is one."""

    @property
    def state(self) -> SessionState: ...
    @property
    def turn(self) -> TurnState: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def memories(self) -> Memories: ...
    def program(self, thread: Thread) -> Program: ...


class Context:
    """Lookup order: item variable, exact key with dots, record, session variable, runtime value, field of
    ``call_result``.

    Facts are read when they are asked for, so an expiry or a write of another agent shows at once (docs/spec 03 §3).
    """

    __slots__ = ("_engine", "_local", "_memo", "_short", "_thread")

    def __init__(self, engine: Names, thread: Thread, local: Mapping[str, Any] | None = None) -> None:
        self._engine = engine
        self._thread = thread
        self._local = local
        self._short = engine.program(thread).short_paths
        self._memo: dict[tuple[str, ...], Any] | None = None

    @contextmanager
    def unchanging(self) -> Iterator[None]:
        """Cache lookups inside the block, in which nothing but ``match`` changes."""
        self._memo = {}
        try:
            yield
        finally:
            self._memo = None

    def changed(self) -> None:
        """Something changed inside an ``unchanging`` block after all."""
        if self._memo:
            self._memo.clear()

    def resolve(self, parts: tuple[str, ...]) -> Any:
        """Value of a path, None when there is none; see ``abl.expressions.scope.Resolver``."""
        memo = self._memo
        if memo is None or parts[0] == "match":
            return self._look_up(parts)
        found = memo.get(parts, _UNKNOWN)
        if found is _UNKNOWN:
            found = memo[parts] = self._look_up(parts)
        return found

    def _look_up(self, parts: tuple[str, ...]) -> Any:
        root = parts[0]
        if self._local is not None and root in self._local:
            return descend(self._local[root], parts[1:])
        if (len(parts) > 1 or root in self._short) and self._engine.facts.concerns(self._thread, root):
            own = root in self._short and self._thread.variables.get(root) is not None  # gathered, or bound to a result
            for size in range(len(parts), 1 if own else 0, -1):
                known, value = self._engine.facts.read(self._thread, ".".join(parts[:size]))
                if known:
                    return descend(value, parts[size:])
        if root == ROOT and self._reads_records():
            return self._engine.memories.read(parts)
        variables = self._thread.variables
        value = variables[root] if root in variables else self._provided(root)
        return value if len(parts) == 1 else descend(value, parts[1:])

    def _provided(self, name: str) -> Any:
        return provided(self._engine.state, self._engine.turn, self._thread, name)

    def _reads_records(self) -> bool:
        """True when ``memory`` is the memory stores and no variable of the agent (docs/spec 11 §2)."""
        declared = self._engine.program(self._thread).variables
        return self._engine.memories.records is not None and ROOT not in self._thread.variables and ROOT not in declared

    def value(self, path: str) -> Any:
        """Value of a dotted path."""
        return self.resolve(tuple(path.split(".")))

    def with_local(self, local: Mapping[str, Any]) -> Context:
        """The same names with item variables in front."""
        return Context(self._engine, self._thread, local)

    def origin(self, path: str) -> str:
        """Where the value of a path is from (docs/spec 04 §10, ``refs``)."""
        parts = path.split(".")
        if self._local is not None and parts[0] in self._local:
            return "session"
        own = parts[0] in self._short and self._thread.variables.get(parts[0]) is not None
        for size in range(len(parts), 1 if own else 0, -1):
            found = self._engine.facts.origin(self._thread, ".".join(parts[:size]))
            if found is not None:
                return found
        if parts[0] == ROOT and self._reads_records():
            return "unset" if self._engine.memories.read(tuple(parts)) is None else "record"
        if parts[0] in self._thread.variables:
            return self._thread.origins.get(parts[0], "session")
        return "unset" if self._provided(parts[0]) is None else "system"


def ref(context: Context, masker: Masker, name: str) -> dict[str, Any]:
    """One entry of ``refs``."""
    value = context.value(name)
    shown = masker.shown(name, value)
    return {
        "path": name,
        "value": shown,
        "type": type_tag(value),
        "origin": "unset" if value is None else context.origin(name),
        "set": value is not None,
        "masked": shown is not value and masker.display(name) is not None,
    }
