"""The room that test conversations take on the disk: counted with each turn, and bounded (docs/reference/limits.md).

A conversation counts what it starts with, each message when it is posted, and what a turn leaves: snapshot, replies and
events. The numbers are sums of what is written, so they are those of the database without its indexes.
"""

from __future__ import annotations

from typing import Any

from django.db.models import F, Sum

from constraints.models import Conversation
from constraints.traces.storing import json_text
from editor.models import Project, User
from web.quotas import Quota

CONVERSATION_BYTES = 8192
"""What a conversation counts before its first turn, with its session in memory."""
TURN_BYTES = 1024
"""What a turn counts beside its texts."""
OF_PROJECT = Quota("conversation", "conversations", "ABL_PROJECT_CONVERSATIONS_MB")
OF_USER = Quota("conversation", "conversations", "ABL_USER_CONVERSATIONS_MB")


def size_at_start(*values: Any) -> int:
    """Bytes of a new conversation with its first turn, which waits."""
    return CONVERSATION_BYTES + TURN_BYTES + sum(len(json_text(value)) for value in values)


def refuse_over_quota(*, project: Project, started_by: User | None, new: int = 0) -> None:
    """Raise ``TooLarge`` if the conversations of the project, or of who started them, have no room for so many bytes.

    ``started_by`` None: of somebody who is gone.
    """
    OF_PROJECT.refuse(new=new, used=_taken(Conversation.objects.filter(project=project)), whose="the project")
    if started_by is not None:
        used = _taken(Conversation.objects.filter(started_by=started_by))
        OF_USER.refuse(new=new, used=used, whose=f"{started_by.get_username()}, in all projects")


def take(*, conversation_id: int, size: int) -> None:
    """Count bytes that the running transaction adds to a conversation."""
    Conversation.objects.filter(pk=conversation_id).update(stored_bytes=F("stored_bytes") + size)


def _taken(conversations: Any) -> int:
    return int(conversations.order_by().aggregate(used=Sum("stored_bytes"))["used"] or 0)
