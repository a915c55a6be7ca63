"""What the templates of conversations print, put together from selectors and ``constraints.display``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from constraints import programs, selectors
from constraints.display.condition import condition_of
from constraints.display.rows import EventRow, event_row, event_rows
from constraints.models import Conversation, Turn
from constraints.steps import step
from editor.models import Project

PROBLEMS = 20
"""Errors that are listed beside a form."""
BLOCK = 60
"""Rows of a turn that are drawn together."""
WENT_WRONG = ("failed", "error", "warned")


def start_form(project: Project, given: Mapping[str, Any]) -> dict[str, Any]:
    """Choices of the form for a new conversation, and what was chosen in it, also when that is offered no more."""
    pins = selectors.pins_of(project=project)
    agents = programs.agent_names(pins=pins) if pins else []
    return {
        "agents": agents,
        "left_out": left_out(pins),
        "undecided": bool(agents) and bool(programs.refusal(pins=pins, entry="")),
        "policies": Conversation.Policy.values,
        "entry": given.get("entry", project.settings.get("entry", "")),
        "user": given.get("user", "test-user"),
        "channel": given.get("channel", "web"),
        "policy": given.get("policy", Conversation.Policy.EVALUATE),
        "clock_mode": given.get("clock_mode", Conversation.Clock.REAL),
        "clock_start": given.get("clock_start", ""),
        "seed": given.get("seed", "0"),
    }


def left_out(pins: Mapping[str, int]) -> dict[str, Any]:
    """Errors in the saved texts, of which each leaves out what it stands in when a conversation gets there."""
    return shortened(programs.errors_in(pins) if pins else [])


def shortened(problems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The first problems, and how many more there are."""
    listed, count = problems[:PROBLEMS], len(problems)
    return {"problems": listed, "more_problems": count - len(listed), "count": count}


def conversation(found: Conversation, seq: int | None) -> dict[str, Any]:
    """The page of a conversation; only the turn of the selected step has its rows."""
    turns = list(selectors.turn_list(conversation=found))
    sizes = selectors.event_counts(conversation=found)
    chosen = step(found, seq) if seq is not None else {}
    open_turn = chosen["event"].turn_id if chosen else (turns[-1].pk if turns else None)
    return {
        "conversation": found,
        "turns": turns,
        "trace": [
            turn_rows(turn, around=seq or 0) | {"open": True}
            if turn.pk == open_turn
            else {"turn": turn, "count": sizes.get(turn.pk, 0)}
            for turn in turns
        ],
        **counts(found),
        "clock": clock_of(found, turns),
        "revisions": programs.revision_numbers(found.pins),
        "seq": seq,
        **chosen,
    }


def counts(found: Conversation) -> dict[str, Any]:
    """How many steps and turns there are, for the status bar and the filters."""
    return {"counts": selectors.event_tally(conversation=found), "turn_count": found.turns.count()}


def clock_of(found: Conversation, turns: Iterable[Turn]) -> Any:
    """Where the conversation's clock stands; the real time for one that runs."""
    if found.clock_mode == Conversation.Clock.REAL:
        return timezone.now()
    done = [turn.clock_at for turn in turns if turn.status == Turn.Status.DONE and turn.clock_at]
    return done[-1] if done else found.clock_start


def turn_rows(turn: Turn, *, around: int = 0, only: str = "") -> dict[str, Any]:
    """A turn in blocks of rows, of which those near the step ``around`` are filled; the others keep their height.

    Without ``around`` it is the first failure or the end; of a turn that runs always the end. ``only`` is a group.
    """
    events = selectors.event_list(conversation=turn.conversation, turn=turn, only=only)
    count = events.count()
    landmark = selectors.event_landmark(turn=turn) if turn.finished else None
    around = around or landmark or 0
    place = events.filter(seq__lte=around).count() - 1 if around else count - 1
    chosen = max(min(place, count - 1), 0) // BLOCK
    blocks = [
        {
            "number": n,
            "size": min(BLOCK, count - n * BLOCK),
            "rows": block_rows(turn, n, only=only) if abs(n - chosen) <= 1 else None,
        }
        for n in range(-(-count // BLOCK))
    ]
    return {"turn": turn, "blocks": blocks, "count": count, "landmark": landmark, "only": only}


def block_rows(turn: Turn, number: int, *, only: str = "") -> list[EventRow]:
    """The rows of one block of a turn."""
    events = selectors.event_list(conversation=turn.conversation, turn=turn, only=only)
    found = list(events[number * BLOCK : (number + 1) * BLOCK])
    total = turn.duration_us or max((event.offset_us + event.duration_us for event in found), default=0)
    return event_rows(found, total_us=total)


def panel(
    project: Project, found: Conversation | None, *, may_test: bool, given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The fragment beside the editor; ``given`` is what the form for a new conversation held."""
    context: dict[str, Any] = {"project": project, "may_test": may_test, "conversation": found}
    if found is None:
        return context | {
            "form": start_form(project, given or {}),
            "latest": selectors.conversation_list(project=project).first(),
        }
    turns = list(selectors.turn_list(conversation=found))
    done = [turn for turn in turns if turn.status == Turn.Status.DONE]
    context["live"] = live(found, done[-1]) if done else None
    return context | {
        "turns": turns,
        "clock": clock_of(found, turns),
        "outdated": found.pins != selectors.pins_of(project=project),
    }


def live(found: Conversation, turn: Turn) -> dict[str, Any]:
    """The rules of a turn for the panel; those that failed come with their ruler."""
    return {
        "conversation": found,
        "turn": turn,
        "rules": [
            {
                "row": event_row(event, turn.duration_us),
                "condition": condition_of(event.kind, event.data, {}) if event.status in WENT_WRONG else None,
            }
            for event in selectors.event_rules(turn=turn)
        ],
    }
