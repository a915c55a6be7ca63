"""Facts and saved views in the admin. Facts change only through services, so that the log stays whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from memory.admin.base import StateFilter, time_left_of
from memory.facts import selectors, services
from memory.models import Fact, SavedView
from memory.templatetags.facts import preview
from web.errors import AppError
from web.read_only import LargeReadOnlyAdmin


@admin.register(Fact)
class FactAdmin(LargeReadOnlyAdmin):
    """Facts, with the time each has left. Deleting goes through the log."""

    list_display = [
        "path",
        "project",
        "scope",
        "owner",
        "shown_value",
        "type",
        "version",
        "time_left",
        "written_at",
    ]
    list_filter = [StateFilter, "scope", "sensitive", "virtual_clock", "project"]
    search_fields = ["path__startswith", "owner__startswith"]
    list_select_related = ["project"]
    ordering = ["project", "scope", "path", "id"]
    fields = (
        "project", "scope", "owner", "path", "shown_value", "type", "version", "time_left", "written_at", "expires_at",
        "ttl", "sensitive", "virtual_clock", "source", "recorded_at", "purged_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="value")
    def shown_value(self, fact: Fact) -> str:
        """Masked when sensitive, nothing when expired."""
        seen = selectors.shown(fact, timezone.now())
        return preview(seen.value) if seen.readable else "not readable"

    @admin.display(description="time left", ordering="expires_at")
    def time_left(self, fact: Fact) -> str | SafeString:
        """Time left in two units."""
        return time_left_of(fact.expires_at, ended=fact.state(timezone.now()) == "expired")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.has_perm("memory.delete_fact"))

    def delete_model(self, request: HttpRequest, obj: Fact) -> None:
        self._delete(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Fact]) -> None:
        self._delete(request, queryset.select_related("project"))

    def _delete(self, request: HttpRequest, facts: Iterable[Fact]) -> None:
        admin_user: Any = request.user
        by_project: dict[Any, dict[int, int | None]] = {}
        for fact in facts:
            by_project.setdefault(fact.project, {})[fact.pk] = fact.version
        for project, chosen in by_project.items():
            try:
                services.facts_delete(project=project, chosen=chosen, actor=admin_user, reason="by the admin")
            except AppError as error:
                self.message_user(request, error.detail, messages.ERROR)


@admin.register(SavedView)
class SavedViewAdmin(LargeReadOnlyAdmin):
    """Filters that members keep; they can be deleted here, and are deleted with their member."""

    list_display = ("name", "user", "project", "query", "saved_at")
    list_filter = ("project",)
    search_fields = ("name__startswith", "user__username")
    list_select_related = ("user", "project")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.has_perm("memory.delete_savedview"))
