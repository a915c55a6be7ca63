"""The events of an attempt at a turn: written in short batches while it runs, each guarded by the lease."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from constraints.models import TraceEvent, Turn
from constraints.running import presence
from constraints.running.changes import conversation_changed
from constraints.running.leases import Lease
from constraints.running.stops import place_of
from constraints.traces.storing import events_insert

BATCH_SECONDS = 0.05
"""Events of a running turn become visible in batches of this length; most turns are shorter and need none."""
BATCH_EVENTS = 500
MAX_DEPTH = 30
"""Deeper events are drawn at this depth."""

Event = dict[str, Any]


class EventLog:
    """The events of one attempt, on their way into the database.

    The runtime completes an event after handing it over (durations, outcomes of a pass), so the log keeps the
    dictionaries and writes again, at the end, those that changed.
    """

    def __init__(self, *, turn: Turn, lease: Lease) -> None:
        self.turn = turn
        self.lease = lease
        self.tally: Counter[str] = Counter()
        self.size = 0  # bytes that were inserted; an event that was written again counts again
        self._waiting: list[Event] = []
        self._written: list[tuple[Event, TraceEvent]] = []
        self._depths: dict[int, int] = {}
        self._root: int | None = None  # the event of the turn itself; what is right below it is drawn beside it
        self._offsets: dict[int, int] = {}
        self._began = time.perf_counter_ns()
        self._due = time.monotonic() + BATCH_SECONDS

    @property
    def elapsed_us(self) -> int:
        """Microseconds since the attempt began."""
        return (time.perf_counter_ns() - self._began) // 1000

    @property
    def all(self) -> list[Event]:
        """Every event of the attempt so far, in order."""
        return [*(event for event, _ in self._written), *self._waiting]

    def add(self, event: Event) -> None:
        """Take an event from the runtime; raises ``Stopped`` when the turn must not continue."""
        self.lease.check()
        self._offsets[event["seq"]] = self.elapsed_us
        self._waiting.append(event)
        presence.note(turn_id=self.turn.pk, claimed=self.turn.started_at, place=place_of([event]))
        if time.monotonic() >= self._due or len(self._waiting) >= BATCH_EVENTS:
            self.flush()

    def flush(self) -> None:
        """Append what waits, if the lease still holds; renews it on the way."""
        with transaction.atomic():
            self.lease.renew()
            self.lease.check()
            self.write(version=conversation_changed(conversation_id=self.turn.conversation_id))
        self._due = time.monotonic() + BATCH_SECONDS

    def write(self, *, version: int) -> None:
        """Insert what waits, inside the caller's transaction."""
        rows = [self._row(event, version) for event in self._waiting]
        self.size += events_insert(rows)
        self._written += zip(self._waiting, rows, strict=True)
        self._waiting = []

    def complete(self, *, version: int) -> None:
        """Insert the rest and write again what changed since it was written."""
        early = self._written
        changed = []
        for event, row in early:
            fresh = self._row(event, version)
            if (fresh.duration_us, fresh.status, fresh.data) != (row.duration_us, row.status, row.data):
                changed.append(fresh)
        TraceEvent.objects.filter(turn=self.turn, seq__in=[row.seq for row in changed]).delete()
        self.size += events_insert(changed)
        self.write(version=version)
        recalls = {event["seq"] for event, _ in self._written if event["kind"] == "recall"}
        self.tally = Counter(name for event, _ in self._written if (name := counted_as(event, recalls)))

    def _row(self, event: Event, version: int) -> TraceEvent:
        seq, parent = event["seq"], event.get("parent")
        if event["kind"] == "turn.start":
            self._root = seq
        depth = 0 if parent is None or parent == self._root else min(self._depths.get(parent, 0) + 1, MAX_DEPTH)
        self._depths[seq] = depth
        data = dict(event.get("data") or {})
        return TraceEvent(
            conversation_id=self.turn.conversation_id,
            turn=self.turn,
            attempt=self.turn.attempt,
            seq=seq,
            parent=parent,
            depth=depth,
            number=event.get("turn") or 0,
            kind=event["kind"],
            status=event["status"],
            agent=event.get("agent") or "",
            step=event.get("step"),
            at=datetime.fromisoformat(event["at"]),
            offset_us=self._offsets[seq],
            duration_us=event.get("duration_us") or 0,
            span=event.get("span"),
            data=data,
            folds="state" in data or event["kind"] in ("turn.start", "turn.end"),
            version=version,
        )


OUTCOMES = {"gated_when": "gated", "gated_checkpoint": "gated", "skipped_unset": "skipped"}


def counted_as(event: Mapping[str, Any], recalls: Container[int] = ()) -> str | None:
    """Under which name an event counts in the tally of its turn; None for most.

    ``recalls`` are the numbers of the recalls of the turn: a fact that was read for one of them is "recalled".
    """
    data = event.get("data") or {}
    match event["kind"]:
        # A CHECK that fails takes its branch: no rule was broken.
        case "constraint":
            outcome = str(data.get("outcome") or event["status"])
            return OUTCOMES.get(outcome, outcome)
        case "call.end" if data.get("mode", "mock") == "mock":
            return "mocked"
        case "fact.write":
            return None if data.get("cause") == "tree_end" else "stored"
        case "fact.read" if event.get("parent") in recalls:
            return "recalled"
    return None
