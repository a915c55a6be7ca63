"""Test conversations with a user whose data is erased (``memory.erasure``): they hold what was said and stored."""

from __future__ import annotations

from constraints.models import Conversation, TraceEvent, Turn
from constraints.services import conversations_delete
from editor.models import Project, User
from memory.erasure_parts import Part, register

AT_ONCE = 20


def conversations_count(project: Project, owner: str) -> dict[str, int]:
    """Conversations with the user, their turns and steps."""
    theirs = {"conversation__project": project, "conversation__user": owner}
    return {
        "conversations": Conversation.objects.filter(project=project, user=owner).count(),
        "turns": Turn.objects.filter(**theirs).count(),
        "events": TraceEvent.objects.filter(**theirs).count(),
    }


def conversations_erase(project: Project, owner: str, actor: User, note: str) -> dict[str, int]:
    """Delete some of them. Raises ``Conflict`` while a turn of one runs."""
    theirs = Conversation.objects.filter(project=project, user=owner).order_by("number")
    numbers = list(theirs.values_list("number", flat=True)[:AT_ONCE])
    gone = conversations_delete(project=project, numbers=numbers, actor=actor) if numbers else []
    return {
        "conversations": len(gone),
        "turns": sum(each.turns for each in gone),
        "events": sum(each.events for each in gone),
    }


register(Part("conversations", conversations_count, conversations_erase))
