"""Looking for a text in rows that no index finds, page by page, each within a bound (docs/architecture.md §8)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from memory.overview.rows import LOOKED, PATIENCE
from memory.pages import SIZE, address_of, page_in
from web.api.fields import whole

FURTHEST = 100_000_000


@dataclass(frozen=True, slots=True)
class Looked:
    """Rows of a page in order. ``newer`` and ``older`` are the addresses of the pages beside it, "" without one.

    ``searched``: the page ended after looking at so many rows, before it was full; 0 for one that is complete.
    """

    rows: list[Any]
    newer: str
    older: str
    searched: int = 0

    def context(self) -> dict[str, Any]:
        """What ``memory/_pages.html`` needs."""
        return {"newer": self.newer, "older": self.older, "searched": self.searched}


def page_of(request: HttpRequest, found: QuerySet[Any], filters: dict[str, str]) -> Looked:
    """A page of rows that have a ``content``, narrowed to those with ``filters["text"]`` in it, in any case.

    ``?page=`` counts pages; of a search ``?from=`` counts the rows that were looked at before. Raises ``Invalid``.
    """
    text = filters.get("text", "")
    if not text:
        page = page_in(request)
        rows = list(found[(page - 1) * SIZE : page * SIZE + 1])
        newer = address_of(filters, page - 1) if page > 1 else ""
        return Looked(rows[:SIZE], newer, address_of(filters, page + 1) if len(rows) > SIZE else "")
    begin = whole(str(request.GET.get("from", "")), "from", 0, FURTHEST) or 0
    rows, number, more = _with_text(found[begin : begin + LOOKED + 1], text)
    older = f"{address_of(filters, 1)}&from={begin + number}" if more else ""
    return Looked(rows, address_of(filters, 1) if begin else "", older, number if more and len(rows) < SIZE else 0)


def _with_text(found: QuerySet[Any], text: str) -> tuple[list[Any], int, bool]:
    """Rows with a text, how many were looked at for them, and whether there are more to look at."""
    until, wanted, number = time.monotonic() + PATIENCE, text.casefold(), 0
    rows: list[Any] = []
    for row in found.iterator(100):
        if len(rows) == SIZE or number == LOOKED or (number and time.monotonic() > until):
            return rows, number, True
        number += 1
        if wanted in row.content.casefold():
            rows.append(row)
    return rows, number, False
