"""Facts and their log in Django's admin. Facts change only through services, so that the log stays whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memory import selectors, services
from memory.models import NEAR, ChangeHead, Fact, FactChange
from memory.query import STATES
from memory.templatetags.facts import ago, preview, time_left
from web.errors import AppError


class StateFilter(admin.SimpleListFilter):
    """Live, expiring, expired, no expiry."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("live", "live"), ("expiring", "expiring"), ("expired", "expired"), ("forever", "no expiry")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Fact]) -> QuerySet[Fact]:
        value = self.value()
        return queryset.filter(selectors.in_state(value, timezone.now())) if value in STATES else queryset


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shown, never changed here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Fact)
class FactAdmin(ReadOnlyAdmin):
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
    list_per_page = 50
    show_full_result_count = False
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
        """Two units, the moment on hover; a word when it is near or over."""
        now = timezone.now()
        if fact.expires_at is None:
            return "No expiry"
        if fact.state(now) == "expired":
            words = f"Expired {ago(fact.expires_at, now)}"
        else:
            near = " (soon)" if fact.expires_at <= now + NEAR else ""
            words = f"{time_left(fact.expires_at, now)}{near}"
        return format_html('<time title="{}">{}</time>', f"{fact.expires_at:%Y-%m-%d %H:%M:%S} UTC", words)

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


@admin.register(FactChange)
class FactChangeAdmin(ReadOnlyAdmin):
    """The change log."""

    list_display = [
        "seq",
        "project",
        "kind",
        "path",
        "scope",
        "owner",
        "version",
        "actor",
        "reason",
        "recorded_at",
    ]
    list_filter = ["kind", "scope", "project"]
    search_fields = ["path__startswith", "owner__startswith", "actor__startswith"]
    list_select_related = ["project"]
    list_per_page = 50
    show_full_result_count = False


@admin.register(ChangeHead)
class ChangeHeadAdmin(ReadOnlyAdmin):
    """Where each log ends."""

    list_display = ["project", "seq", "digest"]
