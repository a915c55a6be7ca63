"""What the admin's pages of memory share: changes need a log entry, and each row shows its time left."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memory.facts import selectors
from memory.lists.query import STATES
from memory.models import NEAR
from memory.templatetags.facts import ago, time_left


class StateFilter(admin.SimpleListFilter):
    """Live, expiring, expired, no expiry."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("live", "live"), ("expiring", "expiring"), ("expired", "expired"), ("forever", "no expiry")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        return queryset.filter(selectors.in_state(value, timezone.now())) if value in STATES else queryset


def time_left_of(expires_at: datetime | None, *, ended: bool, endless: str = "No expiry") -> str | SafeString:
    """Time left in two units with the exact time on hover; a word when it expires soon or has expired."""
    now = timezone.now()
    if expires_at is None:
        return "Ended" if ended else endless
    if ended or expires_at <= now:
        words = f"Expired {ago(expires_at, now)}"
    else:
        near = " (soon)" if expires_at <= now + NEAR else ""
        words = f"{time_left(expires_at, now)}{near}"
    return format_html('<time title="{}">{}</time>', f"{expires_at:%Y-%m-%d %H:%M:%S} UTC", words)
