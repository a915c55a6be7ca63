"""Starting a conversation: pin what decides its outcome, refuse what cannot run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from abl.runtime.memory.in_memory import LATEST_YEAR, MockTools
from constraints import selectors
from constraints.models import Conversation, Turn
from constraints.running import programs, room
from constraints.running.changes import turn_enqueue
from constraints.running.queue import share_of
from constraints.running.run_settings import run_defaults, run_settings
from editor.models import Project, User
from editor.texts import storable
from memory.stores import services as stores
from web.errors import Invalid

DEFAULT_USER = "test-user"
EARLIEST_YEAR = 1000


class NotRunnable(Invalid):
    """Problems of severity error stop a run; ``data["problems"]`` lists them with path, line, code and message."""

    code = "not-runnable"
    title = "The agents cannot run yet"


def conversation_start(
    *,
    project: Project,
    started_by: User,
    user: str = "",
    entry: str = "",
    channel: str = "web",
    policy: str = "",
    clock_mode: str = "",
    clock_start: datetime | None = None,
    seed: int = 0,
    metadata: Mapping[str, Any] | None = None,
    session_reference: str = "",
    user_reference: str = "",
    **run: Any,
) -> Conversation:
    """Pin the saved documents and queue turn 0.

    :param entry: the agent to begin with; empty: as the project's settings say, without that as docs/spec 09 §3 says.
    :param policy: and ``clock_mode``; empty: as the project's settings say, else evaluate and the real time.
    :param metadata: what ``memory.sessionMeta`` gives agents to read, with the two references (docs/spec 11 §2).
    :param run: ``memory_policy``, ``bank`` and ``model``, as ``run_settings`` takes them.

    Raises ``TooLarge`` (``quota-exceeded``) without room for another, ``Invalid`` for a value that is not offered and
    ``NotRunnable`` when the documents have errors.
    """
    usual = run_defaults(project)
    clock_mode, policy = clock_mode or usual.clock_mode, policy or usual.policy
    clock_start = checked_start(clock_start) or usual.clock_start
    entry = entry or str(project.settings.get("entry") or "")
    user, channel = storable(user, "user").strip() or DEFAULT_USER, storable(channel, "channel").strip() or "web"
    choices = {"entry": entry, "policy": policy, "clock_mode": clock_mode}
    checked = selectors.pins_of(project=project)
    _refuse(project, checked, **choices)  # before the transaction: long agents are read for seconds, and it locks
    with transaction.atomic():
        pins = selectors.pins_of(project=project)
        if pins != checked:
            _refuse(project, pins, **choices)
        conversation = _conversation_insert(
            project=project,
            started_by=started_by,
            pins=pins,
            settings=run_settings(project=project, given=run),
            user=user,
            channel=channel,
            clock_start=_fixed_start(clock_mode, clock_start),
            seed=seed,
            **choices,
        )
        stores.session_begin(
            project=project,
            session=conversation.session_id,
            user=user,
            metadata=metadata,
            session_reference=session_reference,
            user_reference=user_reference,
            started_by=started_by,
        )
        _start_turn_enqueue(conversation)
    return conversation


def _refuse(project: Project, pins: Mapping[str, int], *, entry: str, policy: str, clock_mode: str) -> None:
    """Raise for what cannot run. It is remembered by the texts, so that a second time costs little."""
    refuse_problems(project=project, pins=pins, entry=entry)
    refuse_unknown_choices(entry=entry, policy=policy, clock_mode=clock_mode, agents=programs.agent_names(pins=pins))
    refuse_what_cannot_run(project=project, pins=pins, entry=entry)


def _fixed_start(clock_mode: str, at: datetime | None) -> datetime | None:
    """The start of a fixed clock: the given instant, else now; None for the real clock."""
    return (at or timezone.now().replace(microsecond=0)) if clock_mode == Conversation.Clock.FIXED else None


def _conversation_insert(
    *, project: Project, started_by: User, pins: Mapping[str, int], settings: Mapping[str, Any], **columns: Any
) -> Conversation:
    """The row of a new conversation, with the next number of its project and within the quota."""
    # Do not lock the key: writers of memory hold that lock, and the session waits for them.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    mocks = project.settings.get("mocks", {})
    size = room.size_at_start(pins, mocks, settings)
    room.refuse_over_quota(project=project, started_by=started_by, new=size)
    return Conversation.objects.create(
        project=project,
        number=selectors.conversation_last_number(project=project) + 1,
        pins=pins,
        started_by=started_by,
        mocks=mocks,
        settings=settings,
        stored_bytes=size,
        version=1,
        **columns,
    )


def _start_turn_enqueue(conversation: Conversation) -> None:
    """Queue turn 0, in which the entry agent starts."""
    turn = Turn.objects.create(
        conversation=conversation,
        share=share_of(conversation),
        index=0,
        message_id="start",
        kind=Turn.Kind.START,
        author=conversation.started_by,
        version=1,
    )
    turn_enqueue(turn_id=turn.pk)


def refuse_problems(*, project: Project, pins: Mapping[str, int], entry: str = "") -> None:
    """Raise ``NotRunnable`` for errors that stop a run from beginning with ``entry`` (docs/spec 05 §1).

    Such as those of a document that was meant to be an agent and is none. That ``entry`` is missing is no error here.
    """
    problems = programs.problems_of(pins=pins, entry=entry)
    if problems:
        count = f"{len(problems)} problem{'s stop' if len(problems) > 1 else ' stops'}"
        raise NotRunnable(f"{count} the agents of {project.name} from running.", problems=problems)


def refuse_what_cannot_run(*, project: Project, pins: Mapping[str, int], entry: str) -> None:
    """Raise ``Invalid`` for an entry or mocks that no run can use."""
    refusal = programs.refusal(pins=pins, entry=entry)
    if refusal:
        raise Invalid(fields={"entry": refusal})
    try:
        MockTools(project.settings.get("mocks", {}))
    except (TypeError, ValueError, AttributeError) as error:
        message = f"The mock cases in the settings of {project.name} are not valid. Correct them and save them again."
        raise Invalid(message, fields={"mocks": message}) from error


def checked_start(at: datetime | None) -> datetime | None:
    """The first instant of a clock, if there is room around it for zones and times to live."""
    if at is not None and not EARLIEST_YEAR <= at.year <= LATEST_YEAR:
        raise Invalid(fields={"clock_start": f"{at:%Y-%m-%d} is not in the years {EARLIEST_YEAR} to {LATEST_YEAR}."})
    return at


def refuse_unknown_choices(*, entry: str, policy: str, clock_mode: str, agents: list[str]) -> None:
    """Raise ``Invalid`` naming field, value and what would be right."""
    offered: Mapping[str, tuple[str, list[str]]] = {
        "policy": (policy, list(Conversation.Policy.values)),
        "clock_mode": (clock_mode, list(Conversation.Clock.values)),
        "entry": (entry, ["", *agents]),
    }
    fields: dict[str, Any] = {
        name: f"{value!r} is not one of {', '.join(filter(None, choices))}."
        for name, (value, choices) in offered.items()
        if value not in choices
    }
    if not agents:
        fields["entry"] = "The project has no saved agents. Save one first."
    if fields:
        raise Invalid(fields=fields)
