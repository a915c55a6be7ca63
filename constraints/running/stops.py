"""Where a turn was when its budget or its time ran out, for ``Turn.error`` (docs/spec 02 §8.1, 12 §5).

The events of such a turn are not kept: the next turn continues from the snapshot before it and counts its events from
there, so theirs would have the same numbers. What they say about the place is copied into the error before they are
deleted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abl.runtime.events.kinds import KINDS

Event = Mapping[str, Any]
LONGEST_TEXT = 300
"""Characters of an expression that are kept."""
LAST_EVENTS = 5


def place_of(events: Sequence[Event], why: str = "") -> dict[str, Any]:
    """``at`` and ``last_events`` for the error of a turn, from what its attempt recorded; empty without any event.

    ``why`` is what the runtime said of what ran out. ``at`` has those of ``agent``, ``step``, ``rule``, ``expression``,
    ``event`` and ``span`` that are known: of the event that records what ran out, else of the last one, which is where
    the turn was when its time was over. Texts are those of the agent's source, never values.
    """
    if not events:
        return {}
    exceeded = next((event for event in reversed(events) if ran_out(event)), None)
    event = exceeded or events[-1]
    data = event.get("data") or {}
    found = {
        "agent": event.get("agent"),
        "step": event.get("step"),
        "rule": data.get("path") if "condition_text" in data else None,
        "expression": expression_of(data, why) if exceeded is not None else None,
        "event": name_of(event),
        "span": event.get("span"),
    }
    return {
        "at": {key: value for key, value in found.items() if value},
        "last_events": [brief(each) for each in events[-LAST_EVENTS:]],
    }


def ran_out(event: Event) -> bool:
    """Whether an event records that a budget of the turn ran out."""
    data = event.get("data") or {}
    return bool(data.get("exceeded")) or (event["kind"] == "error" and data.get("code") == "RUN016")


def expression_of(data: Mapping[str, Any], why: str) -> str:
    """The text that was computed when something ran out; empty where none was."""
    text = data.get("condition_text") or ""
    if not text and why:
        before, found, _ = str(data.get("message") or "").rpartition(f": {why}")
        text = before if found else ""
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def brief(event: Event) -> dict[str, Any]:
    """An event without its data."""
    return {
        "name": name_of(event),
        **{key: event.get(key) for key in ("kind", "status", "agent", "step", "span") if event.get(key)},
    }


def name_of(event: Event) -> str:
    """What a page calls the event."""
    kind = KINDS.get(event["kind"])
    return kind.name if kind is not None else str(event["kind"])


__all__ = ["place_of"]
