"""Cursor pages for the API: keyset, so page 1,000 costs what page 1 does."""

from typing import Any

from django.db import DataError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from web.api.fields import whole


class KeysetPagination(CursorPagination):
    """``results``, ``next``, ``previous`` (docs/spec 12 §5); ``page_size`` up to 200."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
    ordering = "-id"

    def get_page_size(self, request: Request) -> int | None:
        """The size that is asked for. Raises ``Invalid`` for one that is none."""
        text = request.query_params.get(self.page_size_query_param, "")
        return whole(text, self.page_size_query_param, 1, self.max_page_size) or self.page_size

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """The rows of a page; 404 for a cursor that is not one of ours."""
        try:
            rows: list[Any] | None = super().paginate_queryset(queryset, request, view)
        except (ValueError, OverflowError, DataError):
            if self.cursor_query_param not in request.query_params:
                raise
            raise NotFound(self.invalid_cursor_message) from None
        return rows
