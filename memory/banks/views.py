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
from memory.facts.selectors import fact_history
from memory.pages import (
    asked_again,
    by_person,
    chosen,
    content_in,
    frame,
    go,
    refused,
    typed,
    user_of,
    version_seen,
)
from memory.text_search import page_of
from web.errors import AppError, Invalid, NotFound

FILTERS = ("bank", "agent", "text")


@project_view()
@require_GET
def banks(request: HttpRequest, project: Project) -> HttpResponse:
    """The texts, in order of bank and agent."""
    filters = chosen(request.GET, FILTERS)
    narrowed = {name: value for name, value in filters.items() if name != "text"}
    found = page_of(request, selectors.project_entries(project=project, **narrowed), filters)
    context = {
        **frame(request, project, "banks"),
        "rows": found.rows,
        "banks": selectors.bank_list(project=project),
        "filters": filters,
        "now": timezone.now(),
        **found.context(),
    }
    return render(request, "memory/banks/banks.html", context)


def ask_seed(request: HttpRequest, project: Project, error: AppError | None = None) -> HttpResponse:
    """The form, with what was typed and why nothing was made."""
    context = {
        **frame(request, project, "banks"),
        "banks": selectors.bank_list(project=project),
        "limit": CONTENT_LENGTH,
        "given": request.POST.dict(),
        "typed": typed(request, ""),
    }
    return refused(request, "memory/banks/seed.html", context, error)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
@asked_again(ask_seed, when=by_person)
def bank_seed(request: HttpRequest, project: Project) -> HttpResponse:
    """A form for the text that an agent finds at its first run; makes the bank where there is none."""
    if request.method == "GET":
        return ask_seed(request, project)
    given = chosen(request.POST, ["bank", "agent", "max_lines", "reason"])
    entry = services.bank_seed(
        project=project,
        name=given["bank"],
        agent=given["agent"],
        content=content_in(request),
        max_lines=bound_of(given["max_lines"]),
        actor=user_of(request),
        reason=given["reason"],
    )
    return go(request, reverse("memory:bank-text", args=[project.slug, entry.pk]))


@project_view()
@require_GET
def bank_text(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """The text of one agent, and what happened to it."""
    return text_page(request, project, None, pk)


def text_page(request: HttpRequest, project: Project, error: AppError | None, pk: int) -> HttpResponse:
    """The page of a text, with what was typed into its form and why that was not saved."""
    entry = selectors.entry_get(project=project, pk=pk)
    context = {
        **frame(request, project, "banks"),
        "entry": entry,
        "seen": ("version", entry.version),
        "typed": typed(request, entry.content),
        "lines": entry.content.split("\n") if entry.content else [],
        "history": fact_history(fact=entry),
        "bank_history": fact_history(fact=services.definition_of(entry.bank)),
        "now": timezone.now(),
    }
    return refused(request, "memory/banks/text.html", context, error, there=entry.content)


@project_view("project.edit")
@require_POST
@asked_again(text_page, when=by_person)
def bank_text_edit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Replace the version that was read."""
    services.entry_edit(
        project=project,
        pk=pk,
        content=content_in(request),
        expected_version=version_seen(request),
        actor=user_of(request),
        **chosen(request.POST, ["reason"]),
    )
    return go(request, reverse("memory:bank-text", args=[project.slug, pk]))


@project_view("project.edit")
@require_POST
@asked_again(text_page, when=by_person)
def bank_text_delete(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Delete the version that was read."""
    gone = services.entries_delete(
        project=project,
        chosen={pk: version_seen(request)},
        actor=user_of(request),
        **chosen(request.POST, ["reason"]),
    )
    if not gone:
        raise NotFound("This text was already deleted.")
    return go(request, reverse("memory:banks", args=[project.slug]))


def bound_of(text: str) -> int | None:
    """The most lines that a bank keeps; empty for no bound. Raises ``Invalid``."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(fields={"max_lines": f"{text[:20]!r} is not a number of lines; leave it empty for no limit"})
    return int(text)
