"""What the templates of conversations print, put together from selectors and ``constraints.traces``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from constraints import selectors
from constraints.models import Conversation, Turn
from constraints.running import programs
from constraints.running.run_settings import run_defaults
from constraints.traces.condition import condition_of
from constraints.traces.rows import EventRow, event_row, event_rows
from constraints.traces.steps import step
from editor.models import Project

PROBLEMS = 20
"""Errors that are listed beside a form."""
BLOCK = 60
"""Rows of a turn that are drawn together."""
SHOWN_TURNS = 50
"""Turns that a page of a conversation shows together."""
SHOWN_CHARS = 200_000
"""Characters of messages and replies that it shows together, or one turn, however long."""
WENT_WRONG = ("failed", "error", "warned")


def start_form(project: Project, given: Mapping[str, Any]) -> dict[str, Any]:
    """Choices of the form for a new conversation, and the chosen values, even if they are no longer offered."""
    pins = selectors.pins_of(project=project)
    agents = programs.agent_names(pins=pins) if pins else []
    usual = run_defaults(project)
    return {
        "agents": agents,
        "left_out": left_out(pins),
        "undecided": bool(agents) and bool(programs.refusal(pins=pins, entry="")),
        "policies": Conversation.Policy.values,
        "entry": given.get("entry", project.settings.get("entry", "")),
        "user": given.get("user", "test-user"),
        "channel": given.get("channel", "web"),
        "policy": given.get("policy", usual.policy),
        "clock_mode": given.get("clock_mode", usual.clock_mode),
        "clock_start": given.get("clock_start", f"{usual.clock_start:%Y-%m-%dT%H:%M}" if usual.clock_start else ""),
        "seed": given.get("seed", "0"),
    }


def left_out(pins: Mapping[str, int]) -> dict[str, Any]:
    """Errors in the saved texts. A conversation that reaches a part with an error skips that part."""
    return shortened(programs.errors_in(pins) if pins else [])


def shortened(problems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The first problems, and how many more there are."""
    listed, count = problems[:PROBLEMS], len(problems)
    return {"problems": listed, "more_problems": count - len(listed), "count": count}


def conversation(found: Conversation, seq: int | None, index: int | None = None) -> dict[str, Any]:
    """The page of a conversation, at a step or at the turn of an index; only the turn of the step has its rows."""
    sizes = selectors.event_counts(conversation=found)
    chosen = step(found, seq) if seq is not None else {}
    shown = shown_turns(found, chosen["event"].turn.index if chosen else index)
    turns = shown["turns"]
    open_turn = chosen["event"].turn_id if chosen else (turns[-1].pk if turns else None)
    return {
        "conversation": found,
        **shown,
        "trace": [
            turn_rows(turn, around=seq or 0) | {"open": True}
            if turn.pk == open_turn
            else {"turn": turn, "count": sizes.get(turn.pk, 0)}
            for turn in turns
        ],
        **counts(found),
        "clock": clock_of(found),
        "revisions": programs.revision_numbers(found.pins),
        "seq": seq,
        **chosen,
    }


def counts(found: Conversation) -> dict[str, Any]:
    """How many steps and turns there are, for the status bar and the filters."""
    return {"counts": selectors.event_tally(conversation=found), "turn_count": found.turns.count()}


def shown_turns(found: Conversation, index: int | None = None) -> dict[str, Any]:
    """The last turns, or those up to the one of an index that is not among them.

    ``earlier`` is the index of the turn before them, ``later`` whether there are some behind; for links to these.
    """
    every = selectors.turn_list(conversation=found).order_by("-index")
    latest = window(every)
    if index is None or not latest or index >= latest[0].index:
        turns, later = latest, False
    else:
        turns, later = window(every.filter(index__lte=index)), True
    before = every.filter(index__lt=turns[0].index).values_list("index", flat=True).first() if turns else None
    return {"turns": turns, "earlier": before, "later": later}


def first_shown(found: Conversation) -> int:
    """Index of the first of the last turns, which a page shows by itself."""
    turns = shown_turns(found)["turns"]
    return turns[0].index if turns else 0


def window(backwards: QuerySet[Turn]) -> list[Turn]:
    """As many turns as are shown together, in order; of those that are not shown no more than a few are read."""
    found: list[Turn] = []
    size = 0
    for turn in backwards[:SHOWN_TURNS].iterator(chunk_size=5):
        size += len(str(turn.input)) + sum(map(len, turn.replies))
        if found and size > SHOWN_CHARS:
            break
        found.append(turn)
    return found[::-1]


def clock_of(found: Conversation) -> Any:
    """The time on the conversation's clock; the real time unless its clock is fixed."""
    if found.clock_mode == Conversation.Clock.REAL:
        return timezone.now()
    done = found.turns.filter(status=Turn.Status.DONE, clock_at__isnull=False).order_by("-index")
    return done.values_list("clock_at", flat=True).first() or found.clock_start


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
    shown = shown_turns(found)
    turns = shown["turns"]
    done = [turn for turn in turns if turn.status == Turn.Status.DONE]
    context["live"] = live(found, done[-1]) if done else None
    return context | {
        **shown,
        "clock": clock_of(found),
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
