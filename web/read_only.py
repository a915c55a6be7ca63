"""Pages of Django's admin that show and change nothing."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A model whose rows nobody adds, changes or deletes in the admin."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class LargeReadOnlyAdmin(ReadOnlyAdmin):
    """The same for tables that may be large: counting all of their rows would take long."""

    list_per_page = 50
    show_full_result_count = False
