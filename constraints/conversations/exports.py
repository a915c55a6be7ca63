"""A test conversation as one JSON document: what was pinned, what was said, and every step (docs/spec 12 §4)."""

from __future__ import annotations

from typing import Any

from constraints import selectors
from constraints.models import Conversation, Turn
from constraints.running import programs

SETTINGS = (
    "number", "user", "entry", "channel", "policy", "seed", "clock_mode", "clock_start", "mocks", "settings", "state",
    "session_id", "created_at",
)  # fmt: skip
OF_A_TURN = (
    "index", "number", "kind", "status", "attempt", "replies", "tally", "waiting", "step", "agent", "ended", "error",
    "clock_at", "queued_at", "started_at", "finished_at", "duration_us",
)  # fmt: skip


def conversation_document(found: Conversation) -> dict[str, Any]:
    """``{"version", "conversation", "turns", "events"}``; sensitive values are masked as they are on the pages."""
    settings = {name: getattr(found, name) for name in SETTINGS}
    return {
        "version": 1,
        "conversation": {
            "project": found.project.slug,
            **settings,
            "revisions": dict(programs.revision_numbers(found.pins)),
        },
        "turns": [turn_record(found, turn) for turn in selectors.turn_list(conversation=found)],
        "events": [event.as_json() for event in selectors.event_list(conversation=found)],
    }


def turn_record(found: Conversation, turn: Turn) -> dict[str, Any]:
    """One turn: what was asked and what came of it."""
    return {"input": programs.shown_input(turn, found)} | {name: getattr(turn, name) for name in OF_A_TURN}
