"""Sleep-time memory: what a conversation stored goes into its user's memory once it is idle (docs/spec 11 §1).

A conversation that changed carries the time of its last change in ``unsettled_since``. Clearing it is the claim, in
one transaction with the write of the block: a task that is delivered twice or runs in parallel finds nothing to do,
and one that crashes changes nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from constraints.models import Conversation, TraceEvent, Turn
from memory.blocks.notes import Note, noted
from memory.blocks.selectors import block_find
from memory.blocks.services import block_put
from memory.facts.selectors import fact_now
from memory.models import Block, Fact, Scope
from web.errors import Conflict

log = structlog.get_logger("abl_workbench.memory")

AT_ONCE = 20
TRIES = 10
CAUSE = "sleep_time"
SCOPES = (Scope.USER, Scope.PROJECT)
"""Facts of these scopes outlive the conversation."""
_WORKING = Turn.objects.filter(conversation=OuterRef("pk"), status__in=Turn.UNFINISHED)


def conversations_settle(*, limit: int = AT_ONCE) -> int:
    """Settle conversations that are due, those that wait longest first. Returns how many."""
    written = 0
    for pk in due(timezone.now()).order_by("unsettled_since").values_list("pk", flat=True)[:limit]:
        try:
            written += conversation_settle(conversation_id=pk)
        except Exception:
            log.exception("memory of an idle conversation not written", conversation=pk)
            Conversation.objects.filter(pk=pk).update(unsettled_since=timezone.now())  # it is tried again later
    return written


@transaction.atomic
def conversation_settle(*, conversation_id: int) -> bool:
    """Write what an idle conversation stored into the memory of its user; False when that is not to be done."""
    now = timezone.now()
    if not due(now).filter(pk=conversation_id).update(unsettled_since=None):
        return False
    conversation = Conversation.objects.select_related("project").get(pk=conversation_id)
    notes, secret = notes_of(conversation, now)
    if notes or secret:
        remember(conversation, notes, now, secret)
    return True


def due(now: datetime) -> QuerySet[Conversation]:
    """Conversations in which nothing has happened for the set time and nothing is under way."""
    since = now - timedelta(seconds=settings.MEMORY_SETTLE_SECONDS)
    return Conversation.objects.filter(~Exists(_WORKING), unsettled_since__lte=since)


def notes_of(conversation: Conversation, now: datetime) -> tuple[list[Note], list[str]]:
    """A note for each fact that remember triggers stored in the conversation and that still lives, and the paths of
    those that are sensitive.

    They get none: a block is no place for them. The time left is measured on the conversation's clock.
    """
    notes, secret = [], []
    last = conversation.turns.filter(clock_at__isnull=False).order_by("-index").first()
    fixed = conversation.clock_mode == Conversation.Clock.FIXED
    clock = last.clock_at if fixed and last is not None and last.clock_at is not None else now
    for scope, owner, path in places_of(conversation):
        fact = fact_now(project=conversation.project, place={"scope": scope, "owner": owner, "path": path}, now=clock)
        if fact is not None and fact.sensitive:
            secret.append(path)
        elif fact is not None:
            notes.append(Note(path, fact.value, until(fact, clock, now)))
    return notes, secret


def places_of(conversation: Conversation) -> list[tuple[str, str, str]]:
    """Scope, owner and path of what remember triggers stored, in the order of the last time."""
    events = TraceEvent.objects.filter(
        conversation=conversation, kind="fact.write", status="ok", data__cause__startswith="remember"
    )
    found: dict[tuple[str, str, str], None] = {}
    for data in events.order_by("seq").values_list("data", flat=True):
        place = (str(data.get("scope")), str(data.get("owner") or ""), str(data.get("path")))
        found.pop(place, None)
        if place[0] in SCOPES:
            found[place] = None
    return list(found)


def until(fact: Fact, clock: datetime, now: datetime) -> datetime | None:
    """When a fact ends by the real clock."""
    return now + (fact.expires_at - clock) if fact.expires_at is not None else None


def remember(conversation: Conversation, notes: list[Note], now: datetime, secret: list[str]) -> None:
    """Add the notes to the user's archival block, by compare-and-set. Raises ``Conflict`` when others never stop.

    A line about what is sensitive by now goes.
    """
    place: dict[str, Any] = {
        "project": conversation.project,
        "owner": conversation.user,
        "block_type": Block.Type.ARCHIVAL,
    }
    last = conversation.turns.order_by("-index").values_list("number", flat=True).first()
    source = {"cause": CAUSE, "conversation": conversation.number, "turn": last, "session": conversation.session_id}
    for attempt in range(1, TRIES + 1):
        block = block_find(**place)
        before = block.content if block is not None else ""
        content, dropped = noted(before, notes, now, secret)
        if content == before:
            return
        fitted = f"; {dropped} oldest line{'s were' if dropped > 1 else ' was'} dropped to fit" if dropped else ""
        try:
            block_put(
                **place,
                content=content,
                expected=block.updated_at if block is not None else None,
                source=source,
                reason=f"sleep-time memory of conversation {conversation.number}{fitted}",
            )
            return
        except Conflict:
            if attempt == TRIES:
                raise
