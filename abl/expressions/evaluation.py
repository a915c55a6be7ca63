"""What one evaluation carries along: its context, one reading of the clock, random numbers, the last `match`."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol, TypeAlias

from .budget import BudgetExceeded
from .dates import read_moment, timestamp_text, to_datetime
from .regex import match_record
from .scope import Context, Scope, descend, read
from .values import Value

Now: TypeAlias = datetime | str | int | float | Callable[[], datetime] | None
"""A clock reading: a datetime (naive = UTC), ISO text, epoch milliseconds, or a function; None asks the system."""


class Random(Protocol):
    """The part of `random.Random` that `UNIQUE_ID` uses."""

    def choice(self, seq: str, /) -> str:
        """One character of the text."""
        ...


class Evaluation:
    """One pass over one expression or template. `match` is the record of its last successful `matches`.

    `exceeded` is what ran out of the budget meanwhile, where that did not end the pass as an exception.
    """

    __slots__ = ("_moment", "_rng", "_source", "context", "exceeded", "match", "notes")

    def __init__(self, context: Context, now: Now = None, rng: Random | None = None) -> None:
        self.context = context
        self.match: dict[str, Any] | None = None
        self.exceeded: BudgetExceeded | None = None
        self.notes: list[dict[str, Any]] = []
        self._source = now
        self._moment: datetime | None = None
        self._rng = rng

    def read(self, parts: tuple[str, ...]) -> Value:
        """The value of a path; `match` of this evaluation hides that of the context."""
        if self.match is not None and parts[0] == "match":
            return descend(self.match, parts[1:])
        return read(self.context, parts)

    def scope(self) -> Context:
        """The context as nested templates see it: with the `match` of this evaluation."""
        if self.match is None:
            return self.context
        return Scope({"match": self.match}, self.context)

    def matched(self, found: Any) -> None:
        """Remember a successful regex search."""
        self.match = match_record(found)

    def now(self) -> datetime:
        """The one clock reading of this evaluation, aware and in UTC."""
        if self._moment is None:
            self._moment = _read_clock(self._source)
        return self._moment

    def now_or_variable(self) -> Value:
        """The bare word `now`: the variable of that name, else the current timestamp (02 §3)."""
        value = read(self.context, ("now",))
        return timestamp_text(self.now()) if value is None else value

    def rng(self) -> Random:
        """The injected random numbers, else those of the system."""
        if self._rng is None:
            self._rng = random.SystemRandom()
        return self._rng

    def note(self, rule: str, **data: Any) -> None:
        """Add something the trace should show, such as an invalid pattern."""
        self.notes.append({"rule": rule, **data})


def _read_clock(source: Now) -> datetime:
    if callable(source):
        source = source()
    if isinstance(source, str):
        moment = read_moment(source)
        source = to_datetime(moment) if moment is not None else None
    elif isinstance(source, (int, float)):
        source = datetime.fromtimestamp(source / 1000, UTC)
    if source is None:
        return datetime.now(UTC)
    return source.replace(tzinfo=UTC) if source.tzinfo is None else source.astimezone(UTC)
