"""Pages of records: the list, and one with its errors, its history and a form for new content."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.facts.selectors import fact_history
from memory.pages import (
    SIZE,
    asked_again,
    by_person,
    content_in,
    frame,
    go,
    refused,
    text_in,
    typed,
    user_of,
    version_seen,
)
from memory.stores import selectors, services
from memory.stores.selectors import STATES, RecordFilters
from memory.values import storable_text
from web.api.parsers import json_problem, json_value
from web.errors import AppError, Invalid


@project_view()
@require_GET
def records(request: HttpRequest, project: Project) -> HttpResponse:
    """Records, newest first; ``?before=<id>`` continues."""
    now = timezone.now()
    filters = filters_of(request)
    found = selectors.record_list(project=project, filters=filters, now=now)
    before = str(request.GET.get("before", ""))
    if before:
        if not (before.isascii() and before.isdigit() and len(before) < 19):
            raise Invalid(fields={"before": f"{before[:20]!r} is not the number of a record"})
        found = found.filter(pk__lt=int(before))
    rows = list(found[: SIZE + 1])
    chosen = {name: str(value) for name, value in request.GET.items() if value and name != "before"}
    context = {
        **frame(request, project, "stores"),
        "rows": [(record, record.state(now)) for record in rows[:SIZE]],
        "now": now,
        "filters": filters,
        "states": STATES,
        "stores": selectors.store_list(project=project),
        "older": f"?{urlencode({**chosen, 'before': rows[SIZE - 1].pk})}" if len(rows) > SIZE else "",
    }
    return render(request, "memory/stores/records.html", context)


def filters_of(request: HttpRequest) -> RecordFilters:
    """The filters of the address. Raises ``Invalid`` or, for a store that there is not, ``NotFound``."""
    given = {name: str(request.GET.get(name, "")).strip() for name in ("store", "owner", "session", "state")}
    for name, value in given.items():
        if not storable_text(value):
            raise Invalid(fields={name: "has a character that cannot be stored"})
    return RecordFilters(**given, flagged=True if request.GET.get("flagged") else None)


@project_view()
@require_GET
def record(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """One record; without its content when it has expired."""
    return record_page(request, project, None, pk)


def record_page(request: HttpRequest, project: Project, error: AppError | None, pk: int) -> HttpResponse:
    """The page of a record, with what was typed into its form and why that was not saved."""
    now = timezone.now()
    found = selectors.record_get(project=project, pk=pk)
    shown = selectors.record_dict(found, now)
    written = json.dumps(shown["content"], ensure_ascii=False, indent=2)
    readable = shown["state"] != "expired"
    context: dict[str, Any] = {
        **frame(request, project, "stores"),
        "record": found,
        "shown": shown,
        "readable": readable,
        "seen": ("version", found.version),
        "typed": typed(request, written),
        "history": fact_history(fact=found),
        "now": now,
    }
    return refused(request, "memory/stores/record.html", context, error, there=written if readable else None)


@project_view("project.edit")
@require_POST
@asked_again(record_page, when=by_person)
def record_edit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Replace the content of the version that was read."""
    try:
        content = json_value(content_in(request))
    except ValueError as error:
        raise Invalid(fields={"content": json_problem(error)}) from None
    services.record_edit(
        project=project,
        pk=pk,
        content=content,
        expected_version=version_seen(request),
        actor=user_of(request),
        reason=text_in(request, "reason"),
    )
    return go(request, reverse("memory:record", args=[project.slug, pk]))


@project_view("project.edit")
@require_POST
@asked_again(record_page, when=by_person)
def record_delete(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Delete the version that was read."""
    found = selectors.record_get(project=project, pk=pk)
    services.records_delete(
        project=project, chosen={pk: version_seen(request)}, actor=user_of(request), reason=text_in(request, "reason")
    )
    return go(request, f"{reverse('memory:records', args=[project.slug])}?{urlencode({'store': found.path})}")
