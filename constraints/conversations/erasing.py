"""What is erased with a user here (``memory.erasure``): test conversations, and the variables that outlive them."""

from __future__ import annotations

from constraints.conversations.services import conversations_delete
from constraints.models import Conversation, TraceEvent, Turn
from constraints.running.process_values import process_values_forget, process_values_of
from editor.models import Project, User
from memory.erasure.parts import Part, register

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


def values_count(project: Project, owner: str) -> dict[str, int]:
    """Values of ``RESET: never`` variables that conversations with the user wrote; others may have written since."""
    return {"process_values": process_values_of(project=project, user=owner).count()}


def values_erase(project: Project, owner: str, actor: User, note: str) -> dict[str, int]:
    """Delete the values: the next conversation starts with INITIAL."""
    return {"process_values": process_values_forget(project=project, user=owner)}


register(Part("conversations", conversations_count, conversations_erase))
# After the conversations, which write them.
register(Part("process_values", values_count, values_erase))
