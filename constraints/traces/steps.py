"""What the panes of one step print: its condition and record, the source, the state, the way to its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constraints import selectors
from constraints.models import Conversation, TraceEvent
from constraints.traces.condition import condition_of
from constraints.traces.kinds import shown_outcome
from constraints.traces.pane import notes, pairs
from constraints.traces.rows import event_row, event_rows, microseconds
from constraints.traces.source import source_lines
from constraints.traces.state import last_changes, state_view

NEAR = 500
"""Steps around one whose outcomes are marked beside the source."""
OUTCOME_KINDS = ("constraint", "check")


def step(found: Conversation, seq: int) -> dict[str, Any]:
    """Everything that shows one step: its own pane, the source, the state, the stepper."""
    event = selectors.event_get(conversation=found, seq=seq)
    event.turn.conversation = found
    events = list(selectors.events_for_state(conversation=found, seq=seq))
    return {
        "conversation": found,
        "event": event,
        "seq": seq,
        "row": event_row(event, event.turn.duration_us),
        "steps": selectors.steps_around(conversation=found, seq=seq),
        "counts": selectors.event_tally(conversation=found),
        "turn_count": found.turns.count(),
        "detail": detail(event, last_changes(events, seq)),
        "source": source(event, found),
        "state": state_view(events, seq=seq, turn_begins=selectors.event_first(turn=event.turn) or seq),
    }


def detail(event: TraceEvent, by: Mapping[str, int]) -> dict[str, Any]:
    """The pane of a step; ``by`` is the step that last set a name."""
    children = selectors.event_children(event=event) if event.kind == "pass" else []
    return {
        "condition": condition_of(event.kind, event.data, by),
        "notes": notes(event.kind, event.data),
        "pairs": pairs(event.kind, event.data),
        "children": event_rows(children, total_us=event.turn.duration_us),
        "time": microseconds(event.duration_us) if event.duration_us else "",
    }


def source(event: TraceEvent, found: Conversation) -> dict[str, Any] | None:
    """The pinned text around the step; of a step without a span the nearest one above it that has one."""
    span = event.span or span_above(event)
    if not span:
        return None
    revision = selectors.revision_of(conversation=found, path=span.get("path", ""))
    if revision is None:
        return None
    outcomes = outcomes_by_line(event, span["path"])
    return {
        "path": span["path"],
        "line": span["start"]["line"],
        "span": span,
        "revision": revision.number,
        "own": event.span is not None,
        "lines": source_lines(revision.text, span, outcomes, str(event.data.get("condition_text") or "")),
    }


def span_above(event: TraceEvent) -> Any:
    """The span of the nearest parent that has one."""
    parent = event.parent
    while parent is not None:
        above = TraceEvent.objects.filter(conversation_id=event.conversation_id, seq=parent).first()
        if above is None:
            return None
        if above.span:
            return above.span
        parent = above.parent
    return None


def outcomes_by_line(event: TraceEvent, path: str) -> dict[int, str]:
    """Line to what the rule that begins there came to in the step's turn, the last time it was judged near the step."""
    judged = TraceEvent.objects.filter(turn_id=event.turn_id, kind__in=OUTCOME_KINDS, span__path=path)
    near = judged.filter(seq__gt=event.seq - NEAR, seq__lt=event.seq + NEAR).order_by("seq")
    return {
        span["start"]["line"]: shown_outcome(outcome)
        for span, outcome in near.values_list("span", "data__outcome")
        if span and outcome
    }
