"""Deleting conversations: turns and traces go, facts stay and keep the number (docs/architecture.md §2)."""

from __future__ import annotations

from collections.abc import Collection

import structlog
from django.db import transaction
from django.db.models.deletion import ProtectedError, RestrictedError
from django.utils import timezone

from constraints import selectors
from constraints.models import Conversation, DeletedConversation, Turn
from constraints.selectors import Contents
from editor.models import Project, User
from memory.stores import services as stores
from web.errors import Conflict, NotFound
from web.streams import announce

log = structlog.get_logger("abl_workbench.turns")


@transaction.atomic
def conversations_delete(*, project: Project, numbers: Collection[int], actor: User) -> list[Contents]:
    """Delete conversations by number, all or none, and return what went with each, in order of number.

    Queued turns are deleted too. Raises ``NotFound`` for an unknown number, and ``Conflict`` (turn-running) while a
    turn of
    one runs: it has to be cancelled first.
    """
    found = selectors.conversation_contents(project=project, numbers=numbers)
    for number in sorted(set(numbers) - {each.conversation.number for each in found}):
        selectors.conversation_get(project=project, number=number)
    hold_still([each.conversation for each in found])
    DeletedConversation.objects.bulk_create(
        DeletedConversation(
            project=project,
            number=each.conversation.number,
            turns=each.turns,
            events=each.events,
            started_at=each.conversation.created_at,
            deleted_by=actor,
        )
        for each in found
    )
    for each in found:
        remove(each.conversation)
        log.warning(
            "conversation deleted", project=project.slug, number=each.conversation.number, by=actor.get_username()
        )
    announce()
    return found


def hold_still(conversations: Collection[Conversation]) -> None:
    """Lock the conversations so that no turn can start; ``Conflict`` if one is running."""
    # Turns before conversations, as workers lock them.
    turns = Turn.objects.select_for_update().filter(conversation__in=conversations, status__in=Turn.UNFINISHED)
    waiting = list(turns.order_by("pk").select_related(None).only("pk", "status", "index", "conversation"))
    locked = list(Conversation.objects.select_for_update().filter(pk__in=[c.pk for c in conversations]).order_by("pk"))
    if len(locked) < len(conversations):
        raise NotFound("Someone else deleted one of these conversations in the meantime. Nothing was deleted.")
    unfinished = Turn.objects.filter(conversation__in=locked, status__in=Turn.UNFINISHED)
    late = unfinished.exclude(pk__in=[turn.pk for turn in waiting])
    for turn in [*(turn for turn in waiting if turn.status == Turn.Status.RUNNING), *late]:
        number = next(c.number for c in locked if c.pk == turn.conversation_id)
        raise Conflict(
            f"Turn {turn.index} of conversation {number} is still running. Cancel it or wait until it finishes, "
            "then delete again. Nothing was deleted.",
            code="turn-running",
            conversation=number,
            turn=turn.index,
        )


def remove(conversation: Conversation) -> None:
    """Delete a conversation without a running turn, and end its session in the memory stores."""
    stores.session_end(project=conversation.project, session=conversation.session_id, now=timezone.now())
    try:
        conversation.delete()
    except (ProtectedError, RestrictedError) as error:
        held = {str(each._meta.verbose_name_plural) for each in getattr(error, "protected_objects", ())}
        raise Conflict(
            f"Conversation {conversation.number} is needed by {', '.join(sorted(held)) or 'something else'}. Delete "
            "that first. Nothing was deleted.",
            code="conversation-needed",
        ) from None
