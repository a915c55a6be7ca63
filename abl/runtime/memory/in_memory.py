"""The ports in memory: for tests, scenarios and the command line (docs/spec 08 §10, 12 §1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from abl.limits import MAX_TTL_DAYS
from abl.runtime.evaluation import condition_holds
from abl.runtime.ports import Fact, FactWrite, ToolContext, ToolError, ToolResult
from abl.syntax.nodes import TypeRef

LATEST_YEAR = 8999
LONGEST_SECONDS = MAX_TTL_DAYS * 86_400
"""A longer time to live is cut to this, a thousand years: dates end with the year 9999."""


class FixedClock:
    """A clock that stands still until it is advanced."""

    def __init__(self, at: datetime | str = "2026-03-01T09:00:00Z") -> None:
        self._at = parse_time(at) if isinstance(at, str) else at.astimezone(UTC)

    def now(self) -> datetime:
        """The time it stands at."""
        return self._at

    def advance(self, seconds: float) -> None:
        """Move forward. ValueError beyond the year ``LATEST_YEAR``, behind which no time to live fits."""
        try:
            at = self._at + timedelta(seconds=seconds)
        except OverflowError:
            at = datetime.max.replace(tzinfo=UTC)
        if at.year > LATEST_YEAR:
            raise ValueError(f"the clock stands at {self._at:%Y-%m-%d} and cannot go beyond the year {LATEST_YEAR}")
        self._at = at


class SystemClock:
    """The computer's clock, shifted by what it was advanced."""

    def __init__(self, offset_seconds: float = 0.0) -> None:
        self._offset = timedelta(seconds=offset_seconds)

    def now(self) -> datetime:
        """The current time plus the shift."""
        return datetime.now(UTC) + self._offset

    def advance(self, seconds: float) -> None:
        """Shift forward. ValueError beyond the year ``LATEST_YEAR``."""
        moved = FixedClock(self.now())
        moved.advance(seconds)
        self._offset += timedelta(seconds=seconds)


def parse_time(text: str) -> datetime:
    """An aware UTC datetime from ISO text; without a zone it is UTC. Raises ValueError for anything else."""
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


class MemoryFacts:
    """A fact store in a dictionary."""

    def __init__(self) -> None:
        self._facts: dict[tuple[str, str, str], Fact] = {}

    def get(self, scope: str, owner: str, path: str, now: datetime) -> Fact | None:
        """The live fact; an expired one is dropped on the way."""
        fact = self._facts.get((scope, owner, path))
        if fact is None or fact.is_live(now):
            return fact
        del self._facts[scope, owner, path]
        return None

    def list(self, scope: str, owner: str, now: datetime) -> list[Fact]:
        """Live facts ordered by path."""
        found = [f for (s, o, _), f in self._facts.items() if s == scope and o == owner and f.is_live(now)]
        return sorted(found, key=lambda f: f.path)

    def commit(self, writes: Sequence[FactWrite], now: datetime) -> None:
        """Apply the writes in order."""
        for write in writes:
            key = (write.scope, write.owner, write.path)
            old = self._facts.get(key)
            if write.delete:
                self._facts.pop(key, None)
                continue
            self._facts[key] = Fact(
                write.scope,
                write.owner,
                write.path,
                write.value,
                write.type,
                old.version + 1 if old else 1,
                write.written_at,
                write.expires_at,
                write.ttl,
                write.source,
            )

    def put(self, scope: str, owner: str, path: str, value: Any, *, at: datetime, ttl: str | None = None) -> None:
        """Seed one fact, as the ``facts`` of a scenario do."""
        seconds = ttl_seconds(ttl) if ttl else None
        expires = at + timedelta(seconds=seconds) if seconds else None
        source = {"cause": "seed_data"}
        self.commit([FactWrite(scope, owner, path, value, type_tag(value), seconds, ttl, at, expires, source)], at)


MOCK_KEYS = frozenset({"when", "result", "error", "delay_ms", "times", "default"})


@dataclass(slots=True)
class MockCase:
    """One mock of a tool (docs/spec 08 §10). ``when`` is a condition over the arguments; ``times`` None = always."""

    when: str | None = None
    result: Any = None
    error: ToolError | None = None
    delay_ms: int = 0
    times: int | None = None
    default: bool = False
    has_result: bool = True

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> MockCase:
        """A case from its scenario form; ``error`` may be a mapping or a subtype. ``ValueError`` names a wrong key."""
        unknown = sorted(set(data) - MOCK_KEYS)
        if unknown:
            raise ValueError(f"unknown key {unknown[0]!r}; a case has {', '.join(sorted(MOCK_KEYS))}")
        error = data.get("error")
        if error is not None:
            error = ToolError(subtype=error, message=error) if isinstance(error, str) else _read_error(error)
        return cls(
            when=data.get("when"),
            result=data.get("result"),
            error=error,
            delay_ms=int(data.get("delay_ms", 0)),
            times=data.get("times"),
            default=bool(data.get("default", False)),
        )


def _read_error(data: Mapping[str, Any]) -> ToolError:
    status = data.get("status", data.get("http_status"))
    subtype = data.get("subtype")
    if subtype is None:
        subtype = ("http_5xx" if int(status) >= 500 else "http_4xx") if status else "network_error"
    return ToolError(
        type=str(data.get("type", "tool_error")),
        subtype=str(subtype),
        code=str(data.get("code", status or subtype)),
        message=str(data.get("message", subtype)),
        retryable=bool(data.get("retryable", subtype in {"network_error", "tool_timeout", "rate_limit", "http_5xx"})),
    )


class MockTools:
    """Tools answered by mock cases: first that matches and has times left, then the default, then a sample."""

    def __init__(self, cases: Mapping[str, Iterable[MockCase | Mapping[str, Any]]] | None = None) -> None:
        self._cases = {
            tool: [case if isinstance(case, MockCase) else MockCase.read(case) for case in listed]
            for tool, listed in (cases or {}).items()
        }

    def call(self, name: str, args: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """The answer of the case that applies; never raises."""
        used = context.memory
        for number, case in enumerate(self._cases.get(name, ())):
            key = f"{name}#{number}"
            spent = case.times is not None and used.get(key, 0) >= case.times
            if case.default or spent or (case.when is not None and not condition_holds(case.when, args, context.now)):
                continue
            used[key] = used.get(key, 0) + 1
            return _answer(case)
        default = next((case for case in self._cases.get(name, ()) if case.default), None)
        if default is not None:
            return _answer(default)
        return ToolResult(sample(context.returns, context.now), generated=True)


def _answer(case: MockCase) -> ToolResult:
    return ToolResult(None if case.error else case.result, case.error, case.delay_ms)


def sample(returns: TypeRef | None, now: datetime, field: str = "value", depth: int = 0) -> Any:
    """A value of a return type: string "<field>", number 1, true, today, arrays of one, objects by their fields."""
    if returns is None or depth > 8:
        return {}
    if returns.options:
        return returns.options[0]
    scalars: dict[str, Any] = {
        "string": f"<{field}>",
        "number": 1,
        "boolean": True,
        "date": now.date().isoformat(),
        "datetime": now.isoformat(),
        "any": None,
    }
    if returns.name in scalars:
        return scalars[returns.name]
    if returns.name == "array" or (returns.item is not None and returns.name not in {"nullable", "union"}):
        return [sample(returns.item, now, field, depth + 1)] if returns.item else []
    if returns.fields:
        return {name: sample(kind, now, name, depth + 1) for name, _, kind in returns.fields}
    return sample(returns.item, now, field, depth + 1) if returns.item else {}


TTL_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def ttl_seconds(text: str) -> int | None:
    """Seconds of a TTL such as ``90d`` (docs/spec 03 §4), None when it is malformed."""
    text = text.strip().strip("\"'")
    number, unit = text[:-1], text[-1:]
    if unit not in TTL_UNITS or not (number.isascii() and number.isdigit()) or number[0] == "0":
        return None
    if len(number) > 12:
        return LONGEST_SECONDS
    return min(int(number) * TTL_UNITS[unit], LONGEST_SECONDS)


def type_tag(value: Any) -> str:
    """The run-time type of a value (docs/spec 02 §2), without looking into strings."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"
