"""Posting and cancelling turns."""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from abl.runtime.memory.in_memory import ttl_seconds
from constraints.models import Conversation, TraceEvent, Turn
from constraints.running import room
from constraints.running.changes import conversation_changed, turn_enqueue
from constraints.running.memories import metadata_pass
from constraints.running.programs import shown_input
from constraints.running.queue import share_of
from constraints.running.run_settings import memory_policy
from editor.models import User
from memory.values import VALUE_BYTES
from web.errors import Conflict, Invalid
from web.limits import MAX_DIGITS

MAX_TEXT = 20_000
MAX_QUEUED = 50
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def turn_post(
    *,
    conversation: Conversation,
    author: User,
    kind: str,
    data: Mapping[str, Any],
    message_id: str = "",
    metadata: Mapping[str, Any] | None = None,
) -> tuple[Turn, bool]:
    """Queue a turn and return it with whether it is new: the same ``message_id`` again gives the turn it made.

    ``data`` by kind: say ``{"text", "memory_policy"?}``, act ``{"id", "value"}``, set ``{"name", "value"}``, advance
    ``{"by": "2h"}``.
    ``metadata`` is merged into that of the session (docs/spec 11 §2).
    Raises ``Invalid`` for bad input, ``TooLarge`` (``quota-exceeded``) when the conversations of the project or of who
    started this one have no room left, and ``Conflict`` when the conversation has ended.
    """
    message_id = storable(message_id.strip()) or uuid.uuid4().hex
    if len(message_id) > 64:
        raise Invalid(fields={"message_id": f"It has {len(message_id)} characters; 64 are allowed."})
    cleaned = clean_input(conversation=conversation, kind=kind, data=data)
    with transaction.atomic():
        locked = Conversation.objects.select_for_update().get(pk=conversation.pk)
        known = Turn.objects.filter(conversation=locked, message_id=message_id).first()
        if known is not None:
            return known, False
        refuse_if_closed(locked)
        size = room.TURN_BYTES + len(json.dumps(cleaned))
        room.refuse_over_quota(project=locked.project, started_by=locked.started_by, new=size)
        room.take(conversation_id=locked.pk, size=size)
        turn = Turn.objects.create(
            conversation=locked,
            share=share_of(locked),
            index=(Turn.objects.filter(conversation=locked).aggregate(last=Max("index"))["last"] or 0) + 1,
            message_id=message_id,
            kind=kind,
            input=cleaned,
            author=author,
            version=conversation_changed(conversation_id=locked.pk),
        )
        if metadata:
            metadata_pass(conversation=locked, metadata=metadata, actor=author)
        turn_enqueue(turn_id=turn.pk)
    return turn, True


def refuse_if_closed(conversation: Conversation) -> None:
    """Raise ``Conflict`` when the session ended or too much waits already."""
    if conversation.state == Conversation.State.ENDED:
        raise Conflict("This conversation has ended. Start a new one.", code="conversation-ended")
    waiting = Turn.objects.filter(conversation=conversation, status__in=Turn.UNFINISHED).count()
    if waiting >= MAX_QUEUED:
        raise Conflict(f"{waiting} turns are waiting already; {MAX_QUEUED} are allowed.", code="queue-full")


def clean_input(*, conversation: Conversation, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a turn, checked; ``Invalid`` names the field."""
    cleaners: dict[str, Callable[[], dict[str, Any]]] = {
        Turn.Kind.SAY: lambda: {"text": text_field(data, "text"), **policy_field(data)},
        Turn.Kind.ACT: lambda: {"id": text_field(data, "id"), "value": value_field(data)},
        Turn.Kind.SET: lambda: {"name": text_field(data, "name"), "value": value_field(data)},
        Turn.Kind.ADVANCE: lambda: {"by": duration_field(conversation, data)},
    }
    if kind not in cleaners:
        raise Invalid(fields={"kind": f"{kind!r} is not one of {', '.join(cleaners)}."})
    return cleaners[kind]()


def text_field(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Invalid(fields={name: "Enter a message."})
    if len(value) > MAX_TEXT:
        raise Invalid(fields={name: f"It has {len(value):,} characters; {MAX_TEXT:,} are allowed."})
    return storable(value).strip()


def policy_field(data: Mapping[str, Any]) -> dict[str, Any]:
    """The memory policy of one message, where there is one (docs/spec 11 §1)."""
    given = data.get("memory_policy")
    return {} if given is None else {"memory_policy": memory_policy(given)}


def value_field(data: Mapping[str, Any]) -> Any:
    """The value of the field ``value``, no larger than a fact may be."""
    value = plain(data.get("value"), "value")
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > VALUE_BYTES:
        raise Invalid(fields={"value": f"It has {size:,} bytes as JSON; {VALUE_BYTES:,} are allowed."})
    return value


def plain(value: Any, name: str) -> Any:
    """A JSON value without numbers that JSON lacks."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid(fields={name: f"{value} is not a finite number."})
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        raise Invalid(fields={name: f"It has more than {MAX_DIGITS} digits; give a number with fewer."})
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise Invalid(fields={name: f"It has {len(value):,} characters; {MAX_TEXT:,} are allowed."})
        return storable(value)
    if isinstance(value, list):
        return [plain(item, f"{name}[{n}]") for n, item in enumerate(value)]
    if isinstance(value, dict):
        return {storable(str(key)): plain(item, f"{name}.{key}") for key, item in value.items()}
    return value


def storable(text: str) -> str:
    """The text without what no database keeps: nobody types a NUL or half of a surrogate pair."""
    return UNSTORABLE.sub(lambda found: "" if found[0] == "\0" else "\ufffd", text)


def duration_field(conversation: Conversation, data: Mapping[str, Any]) -> str:
    if conversation.clock_mode != Conversation.Clock.FIXED:
        raise Invalid(fields={"by": "This conversation runs in real time. Start one with a frozen clock."})
    text = text_field(data, "by")
    if ttl_seconds(text) is None:
        raise Invalid(fields={"by": f"{text!r} is not a duration such as 2h or 1d (units s m h d)."})
    return text


def turn_cancel(*, turn: Turn) -> Turn:
    """Cancel at once what is queued; ask the worker to stop what runs. Nothing of a cancelled turn is kept.

    Raises ``Conflict`` when the turn has finished.
    """
    with transaction.atomic():
        rows = Turn.objects.filter(pk=turn.pk)
        shown = shown_input(turn)
        ended = {"status": Turn.Status.CANCELLED, "finished_at": timezone.now(), "input": shown}
        if rows.filter(status=Turn.Status.QUEUED).update(**ended):
            turn_release(turn=turn)
        elif not rows.filter(status=Turn.Status.RUNNING).update(cancel_requested=True, deadline_at=timezone.now()):
            raise Conflict(f"Turn {turn.index} has already finished.", code="turn-finished")
        rows.update(version=conversation_changed(conversation_id=turn.conversation_id))
    turn.refresh_from_db()
    return turn


def turn_release(*, turn: Turn) -> None:
    """After a turn that kept nothing: drop its events and let the next one of the conversation run."""
    TraceEvent.objects.filter(turn=turn).delete()
    turn_enqueue_next(conversation_id=turn.conversation_id)


def turn_enqueue_next(*, conversation_id: int) -> None:
    """Send the first queued turn of the conversation, if any, when the transaction commits."""
    following = (
        Turn.objects.filter(conversation_id=conversation_id, status=Turn.Status.QUEUED).order_by("index").first()
    )
    if following is not None:
        turn_enqueue(turn_id=following.pk)
