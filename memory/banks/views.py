"""Pages of memory banks: the texts in all banks, one with its history and a form, and a new text as a seed."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.banks import selectors, services
from memory.banks.texts import CONTENT_LENGTH
from memory.pages import SIZE, address_of, chosen, content_in, frame, go, page_in
from memory.selectors import fact_history
from memory.views import user_of, version_in
from web.errors import Invalid, NotFound

FILTERS = ("bank", "agent")


@project_view()
@require_GET
def banks(request: HttpRequest, project: Project) -> HttpResponse:
    """The texts, in order of bank and agent."""
    filters, page = chosen(request.GET, FILTERS), page_in(request)
    found = selectors.project_entries(project=project, **filters)
    rows = list(found[(page - 1) * SIZE : page * SIZE + 1])
    context = {
        **frame(request, project, "banks"),
        "rows": rows[:SIZE],
        "banks": selectors.bank_list(project=project),
        "filters": filters,
        "now": timezone.now(),
        "newer": address_of(filters, page - 1) if page > 1 else "",
        "older": address_of(filters, page + 1) if len(rows) > SIZE else "",
    }
    return render(request, "memory/banks/banks.html", context)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
def bank_seed(request: HttpRequest, project: Project) -> HttpResponse:
    """A form for the text that an agent finds at its first run; makes the bank where there is none."""
    if request.method == "GET":
        context = {
            **frame(request, project, "banks"), "banks": selectors.bank_list(project=project), "limit": CONTENT_LENGTH
        }  # fmt: skip
        return render(request, "memory/banks/seed.html", context)
    given = chosen(request.POST, ["bank", "agent", "max_lines", "reason"])
    entry = services.bank_seed(
        project=project, name=given["bank"], agent=given["agent"], content=content_in(request),
        max_lines=bound_of(given["max_lines"]), actor=user_of(request), reason=given["reason"],
    )  # fmt: skip
    return go(request, reverse("memory:bank-text", args=[project.slug, entry.pk]))


@project_view()
@require_GET
def bank_text(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """The text of one agent, and what happened to it."""
    entry = selectors.entry_get(project=project, pk=pk)
    context = {
        **frame(request, project, "banks"),
        "entry": entry,
        "lines": entry.content.split("\n") if entry.content else [],
        "history": fact_history(fact=entry),
        "now": timezone.now(),
    }
    return render(request, "memory/banks/text.html", context)


@project_view("project.edit")
@require_POST
def bank_text_edit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Replace the version that was read."""
    services.entry_edit(
        project=project, pk=pk, content=content_in(request), expected_version=seen(request), actor=user_of(request),
        **chosen(request.POST, ["reason"]),
    )  # fmt: skip
    return go(request, reverse("memory:bank-text", args=[project.slug, pk]))


@project_view("project.edit")
@require_POST
def bank_text_delete(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Delete the version that was read."""
    gone = services.entries_delete(
        project=project, chosen={pk: seen(request)}, actor=user_of(request), **chosen(request.POST, ["reason"])
    )
    if not gone:
        raise NotFound("This text is gone already.")
    return go(request, reverse("memory:banks", args=[project.slug]))


def seen(request: HttpRequest) -> int:
    """The version that the form was made from. Raises ``Invalid``."""
    version = version_in(request)
    if version is None:
        raise Invalid(fields={"version": "is missing; send the version that was read"})
    return version


def bound_of(text: str) -> int | None:
    """The most lines that a bank keeps; empty for no bound. Raises ``Invalid``."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(fields={"max_lines": f"{text[:20]!r} is not a number of lines; leave it empty for no limit"})
    return int(text)
