"""Events as rows of the trace: icon, kind, what, state word, place in time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from constraints.models import TraceEvent
from constraints.traces.kinds import icon_of, is_mocked, name_of, state_of, word_of
from constraints.traces.summaries import what_of

DEEPEST = 5
"""The design has five steps of indentation."""
NARROWEST = 1.0
"""Per cent of the turn's time that a bar has at least, so that it is seen."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """One row. ``x`` and ``width`` are per cent of the turn's time; ``state`` is a state word or empty."""

    seq: int
    depth: int
    kind: str
    icon: str
    name: str
    is_rule: bool
    what: str
    state: str
    word: str
    mocked: bool
    x: float
    width: float
    time: str

    @property
    def took_part(self) -> bool:
        """Whether it has a place in time: a rule that was not reached has none."""
        return self.state != "not_reached"


def event_rows(events: Iterable[TraceEvent], *, total_us: int) -> list[EventRow]:
    """Rows of one turn's events; ``total_us`` is the length of the turn."""
    return [event_row(event, total_us) for event in events]


def event_row(event: TraceEvent, total_us: int) -> EventRow:
    """One event as a row."""
    status = state_of(event)
    x, width = bar(event, total_us)
    return EventRow(
        seq=event.seq,
        depth=min(event.depth, DEEPEST),
        kind=event.kind,
        icon=icon_of(event, status),
        name=name_of(event),
        is_rule=event.kind in ("constraint", "check") and status != "not_reached",
        what=what_of(event.kind, event.data),
        state=status,
        word=word_of(event, status),
        mocked=is_mocked(event),
        x=x,
        width=width,
        time=microseconds(event.duration_us) if event.duration_us else "",
    )


def bar(event: TraceEvent, total_us: int) -> tuple[float, float]:
    """Where the bar of an event begins and how wide it is, in per cent of the turn.

    A condition is recorded when it has been judged, everything else when it begins.
    """
    began = event.offset_us - (event.duration_us if event.kind in ("constraint", "check") else 0)
    total = max(total_us, event.offset_us + event.duration_us, 1)
    width = max(min(100 * event.duration_us / total, 100.0), NARROWEST)
    x = min(max(100 * began / total, 0.0), 100 - width)
    return round(x, 2), round(width, 2)


def microseconds(us: int) -> str:
    """``34 µs``, ``1.9 ms``, ``2.4 s``."""
    if us < 1000:
        return f"{us} µs"
    if us < 1_000_000:
        return f"{us / 1000:.1f} ms"
    return f"{us / 1_000_000:.1f} s"
