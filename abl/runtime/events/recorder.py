"""Trace events (docs/spec 12 §4): numbered, with parents, and masked before anything else sees them.

The recorder is on the path of every turn, so events are plain dict literals and values are shared, never copied:
see :mod:`abl.runtime.state` for why that is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from time import perf_counter_ns
from typing import Any

from abl.expressions.budget import found as found_budget
from abl.expressions.sizes import SizeExceeded, whole_size
from abl.expressions.values import json_text
from abl.limits import MAX_EVENT_CHARS, MAX_EVENTS
from abl.runtime.ports import Clock
from abl.runtime.privacy.secrets import Secrets, scalars_of
from abl.runtime.state import SessionState

Event = dict[str, Any]
EVENT_WEIGHT = MAX_VALUE = 2048
"""Characters of a value in an event; above it the value is cut (docs/spec 12 §4). Most events hold less in all."""
PREVIEW = 200
"""Characters that are shown of a value that is cut."""
MEASURED_WEIGHT = 2_000_000
"""Characters that the events since the last measurement may have at most, before they are measured."""


def monotonic_ns() -> int:
    """The timer behind ``duration_us``; a port, so that comparisons of two runs may leave it out."""
    return perf_counter_ns()


class Recorder:
    """Collects the events of a session and hands each to ``sink`` in order of ``seq``."""

    def __init__(
        self, state: SessionState, clock: Clock, sink: Callable[[Event], None] | None, timer: Callable[[], int]
    ) -> None:
        self._state = state
        self._clock = clock
        self._sink = sink
        self.timer = timer
        self.events: list[Event] = []
        self.full = False
        """The turn has reached its maximum of events and is ending; only what ends it may still be recorded."""
        self.agent: str | None = None
        self.step: str | None = None
        self._parents: list[int] = []
        self._held = 0
        self._sent = 0
        self._at: datetime | None = None
        self._at_text = ""
        self._waiting_weight = 0
        self._measured = self._size = 0
        self.secrets = Secrets(state)

    def emit(
        self, kind: str, data: dict[str, Any], *, status: str = "ok", span: Any = None, parent: int | None = None
    ) -> Event:
        """Record one event and return it; ``data`` must be masked."""
        state = self._state
        self._count()
        state.seq += 1
        event: Event = {
            "seq": state.seq,
            "parent": parent if parent is not None else (self._parents[-1] if self._parents else None),
            "turn": state.turn,
            "kind": kind,
            "at": self._now_text(),
            "duration_us": 0,
            "agent": self.agent,
            "step": self.step,
            "span": span,
            "status": status,
            "data": self.secrets.shown(data) if state.secrets or state.twins else data,
        }
        self.events.append(event)
        if not self._held:
            self._deliver()
        return event

    def _count(self) -> None:
        """Count the coming event: one step of the turn's budget, and its place among those that a turn may have."""
        budget = found_budget()
        if budget is not None:
            budget.step()
        if len(self.events) >= MAX_EVENTS and not self.full:
            self.full = True
            raise SizeExceeded("events", "the turn", len(self.events) + 1, MAX_EVENTS, "events")
        self._waiting_weight += EVENT_WEIGHT
        if self._waiting_weight > MEASURED_WEIGHT:
            self._measure()

    def expect(self, weight: int) -> None:
        """Say that the next event holds so many characters more than most do."""
        self._waiting_weight += weight

    def _measure(self) -> None:
        """Measure the events since the last time: rarely, since it takes as long as to make them."""
        self._waiting_weight = 0
        for event in self.events[self._measured :]:
            self._size += measure(event["data"], MAX_EVENT_CHARS)
        self._measured = len(self.events)
        if self._size > MAX_EVENT_CHARS and not self.full:
            self.full = True
            raise SizeExceeded("events", "the turn with all its events", self._size, MAX_EVENT_CHARS)

    @contextmanager
    def inside(self, event: Event) -> Iterator[Event]:
        """Events recorded here have ``event`` as their parent; its duration is measured."""
        started = self.timer()
        self._parents.append(event["seq"])
        try:
            yield event
        finally:
            self._parents.pop()
            event["duration_us"] = self.since(started)

    def since(self, started: int) -> int:
        """Microseconds since the timer gave ``started``."""
        return (self.timer() - started) // 1000

    @contextmanager
    def held(self) -> Iterator[None]:
        """Deliver nothing before the end of the block: what is recorded here may still be completed or masked."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            if not self._held:
                self._deliver()

    def start_turn(self) -> None:
        """Forget the events of the turn before."""
        self.events = []
        self._sent = 0
        self._parents = []
        self._waiting_weight = self._measured = self._size = 0
        self.full = False

    def open(self, event: Event) -> None:
        """Make ``event`` the parent of what follows until :meth:`close`."""
        self._parents.append(event["seq"])

    def close(self) -> None:
        """End the innermost :meth:`open`."""
        self._parents.pop()

    def not_executed(self, construct: str, why: str, span: Any, **more: Any) -> Event:
        """An authored construct that this runner does not carry out (docs/spec 09 §16)."""
        message = f"{construct} is not executed: {why}"
        note = {"code": "RUN011", "name": f"{construct}.not_executed", "level": "info", "message": message}
        data = {"construct": construct, "why": why, **more, "notes": [note]}
        return self.emit("not_executed", data, status="not_executed", span=span)

    def error(
        self, code: str, name: str, message: str, span: Any = None, *, handled: bool = True, **more: Any
    ) -> Event:
        """A run-time finding of level error (docs/spec 10 §7); an error that nobody handles is told as RUN012, too."""
        notes = [note(code, name, message, "error")]
        if not handled:
            notes.append(note("RUN012", "no_handler", "no handler of ON_ERROR takes it; error_default is said"))
        data = {"code": code, "name": name, "message": message, **more, "notes": notes}
        return self.emit("error", data, status="error", span=span)

    def add_secret_of(self, value: Any, display: Any) -> None:
        """Hide a sensitive value: every scalar in it becomes its shown form."""
        for scalar in scalars_of(value):
            self.add_secret(scalar, str(display.show(scalar)))

    def add_secret(self, raw: Any, display: str) -> None:
        """Replace this text by ``display`` in every later event, and in those of this turn not yet delivered."""
        known = len(self._state.secrets)
        try:
            self.secrets.add(raw, display)
        finally:  # also where it is one too many: the last events of the turn must not show it
            if len(self._state.secrets) > known:
                for event in self.events[self._sent :]:
                    event["data"] = self.secrets.shown(event["data"])

    def add_twin(self, text: str, shown: str) -> None:
        """Show a whole text as ``shown`` in every later event, and in those of this turn not yet delivered."""
        self.secrets.add_twin(text, shown)
        for event in self.events[self._sent :]:
            event["data"] = self.secrets.shown(event["data"])

    def add_derived(self, value: Any) -> None:
        """Hide a value computed from sensitive ones wherever it still holds a piece of one of them."""
        for scalar in scalars_of(value):
            if self.secrets.reveals(scalar, short=False):
                self.add_secret(scalar, "[REDACTED]")

    def shown(self, value: Any) -> Any:
        """The value with every secret in it replaced by its shown form."""
        return self.secrets.shown(value)

    def text(self, text: str) -> str:
        """A message for an event: without secrets, cut above 2 kB."""
        return cut_text(self.shown(text))

    def complete(self, event: Event, **more: Any) -> None:
        """Add to the data of an event that is there already."""
        event["data"].update(self.shown(more))

    def _deliver(self) -> None:
        if self._sink is None:
            self._sent = len(self.events)
            return
        while self._sent < len(self.events):
            self._sent += 1
            self._sink(self.events[self._sent - 1])

    def _now_text(self) -> str:
        now = self._clock.now()
        if now is not self._at:
            self._at = now
            self._at_text = iso_millis(now)
        return self._at_text


def note(code: str, name: str, message: str, level: str = "warn") -> dict[str, str]:
    """A run-time finding for ``data.notes`` (docs/spec 10 §7)."""
    return {"code": code, "name": name, "level": level, "message": message}


def iso_millis(at: datetime) -> str:
    """``2026-03-01T09:00:00.000Z``."""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def cut(value: Any, scrub: Callable[[Any], Any] = lambda value: value) -> Any:
    """The value for an event; above 2 kB a marker with its size and beginning. ``scrub`` hides what is sensitive."""
    size = measure(value, MAX_VALUE)
    if size <= MAX_VALUE:
        return value
    shown = scrub(value)
    text = shown if isinstance(shown, str) else json_text(shown, PREVIEW)
    whole = len(value) if isinstance(value, str) else whole_size(value)
    return {"truncated": True, "size": whole, "preview": text[:PREVIEW]}


def cut_text(text: str) -> str:
    """A message for an event; above 2 kB its beginning and its size (docs/spec 12 §4)."""
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}… ({len(text):,} characters)"


def shortened(value: Any) -> Any:
    """The value with every text in it cut, at any depth."""
    if isinstance(value, str):
        return cut_text(value)
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(item) for item in value]
    return value


def measure(value: Any, limit: int) -> int:
    """Characters of a value, roughly as JSON; stops counting soon after ``limit``."""
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, dict | list | tuple):
        return 8
    size = 2
    for item in value.items() if isinstance(value, dict) else value:
        size += measure(item, limit - size) + 2
        if size > limit:
            break
    return size
