"""Conversations, turns and traces in Django's admin. What happened is read-only; deleting goes through the service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from constraints import selectors
from constraints.conversations import services
from constraints.models import Conversation, DeletedConversation, ProcessValue, TraceEvent, Turn
from memory.values import type_of
from web.errors import AppError
from web.read_only import LargeReadOnlyAdmin

SHOWN_USERS = 20


@admin.register(Conversation)
class ConversationAdmin(LargeReadOnlyAdmin):
    """Test conversations. One can be deleted as on its own page, unless one of its turns is running."""

    list_display = (
        "number", "project", "user", "state", "turn_count", "policy", "clock_mode", "started_by", "created_at"
    )  # fmt: skip
    list_filter = ("state", "policy", "clock_mode", "project", "created_at")
    list_select_related = ("project", "started_by")
    search_fields = ("=number", "user", "session_id", "project__name", "started_by__username")
    date_hierarchy = "created_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        found: QuerySet[Conversation] = super().get_queryset(request)
        return found.annotate(turn_count=Count("turns"))

    @admin.display(description="turns", ordering="turn_count")
    def turn_count(self, conversation: Conversation) -> int:
        """How many turns it has."""
        return int(conversation.turn_count)  # type: ignore[attr-defined]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.has_perm("constraints.delete_conversation"))

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        """Shows counts instead of the steps themselves: there may be thousands."""
        held = [selectors.contents_of(found) for found in objs]
        lines = [
            f"{each.conversation} of {each.conversation.project}: "
            f"{words(each.turns, 'turn')}, {words(each.events, 'step')}"
            for each in held
        ]
        counts = {
            "conversations": len(held),
            "turns": sum(each.turns for each in held),
            "steps": sum(each.events for each in held),
        }
        return lines, counts, set(), []

    def delete_model(self, request: HttpRequest, obj: Conversation) -> None:
        self._delete(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Conversation]) -> None:
        self._delete(request, queryset.select_related("project"))

    def _delete(self, request: HttpRequest, found: Iterable[Conversation]) -> None:
        actor: Any = request.user
        by_project: dict[Any, list[int]] = defaultdict(list)
        for conversation in found:
            by_project[conversation.project].append(conversation.number)
        for project, numbers in by_project.items():
            try:
                services.conversations_delete(project=project, numbers=numbers, actor=actor)
            except AppError as error:
                self.message_user(request, error.detail, messages.ERROR)


def words(number: int, thing: str) -> str:
    """``1 turn``, ``2 turns``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


@admin.register(DeletedConversation)
class DeletedConversationAdmin(LargeReadOnlyAdmin):
    """Who deleted which conversation, and what went with it."""

    list_display = ("number", "project", "turns", "events", "started_at", "deleted_by", "deleted_at")
    list_filter = ("project", "deleted_at")
    list_select_related = ("project", "deleted_by")
    search_fields = ("=number", "project__name", "deleted_by__username")
    date_hierarchy = "deleted_at"


@admin.register(Turn)
class TurnAdmin(LargeReadOnlyAdmin):
    """Turns; the session that each left behind is not shown."""

    list_display = (
        "index", "conversation", "project", "kind", "status", "attempt", "worker", "queued_at", "finished_at"
    )  # fmt: skip
    list_filter = ("status", "kind", "conversation__project", "queued_at")
    list_select_related = ("conversation__project",)
    search_fields = ("=conversation__number", "message_id", "worker", "agent")
    exclude = ("snapshot",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        return super().get_queryset(request).defer("snapshot")

    @admin.display(ordering="conversation__project")
    def project(self, turn: Turn) -> str:
        """The project of its conversation."""
        return str(turn.conversation.project)


@admin.register(TraceEvent)
class TraceEventAdmin(LargeReadOnlyAdmin):
    """Steps of traces."""

    list_display = ("seq", "conversation", "turn", "kind", "status", "agent", "step", "at")
    list_filter = ("kind", "status", "conversation__project")
    list_select_related = ("conversation", "turn")
    search_fields = ("=conversation__number", "=seq", "kind__startswith", "agent__startswith")


@admin.register(ProcessValue)
class ProcessValueAdmin(LargeReadOnlyAdmin):
    """Values of variables with ``RESET: never``: what kind of value and whose conversations wrote it, not the value."""

    list_display = ("name", "agent", "project", "kind", "updated_at")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("name", "agent", "project__name", "=sources__user")
    fields = ("project", "agent", "name", "kind", "written_by", "updated_at")
    readonly_fields = ("kind", "written_by")

    @admin.display(description="value")
    def kind(self, kept: ProcessValue) -> str:
        """Type of the value."""
        return f"{type_of(kept.value)}, not shown"

    @admin.display(description="written in conversations of")
    def written_by(self, kept: ProcessValue) -> str:
        """The users, the first twenty by name."""
        users = list(kept.sources.order_by("user").values_list("user", flat=True)[: SHOWN_USERS + 1])
        return ", ".join(users[:SHOWN_USERS]) + (", …" if len(users) > SHOWN_USERS else "")
