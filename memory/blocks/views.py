"""Pages of memory blocks: the blocks of everybody in a project, and one with its history and a form."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.blocks import selectors, services
from memory.blocks.selectors import Filters
from memory.blocks.texts import CHARACTERS, entries, read_stamp, stamp
from memory.facts.selectors import fact_history
from memory.models import Block
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
)
from memory.text_search import page_of
from web.errors import AppError, NotFound

FILTERS = ("owner", "agent", "block_type", "scope", "text")


@project_view()
@require_GET
def blocks(request: HttpRequest, project: Project) -> HttpResponse:
    """Blocks, newest first."""
    filters = chosen(request.GET, FILTERS)
    narrowed = Filters(**{name: value for name, value in filters.items() if name != "text"})
    found = page_of(request, selectors.block_list(project=project, filters=narrowed), filters)
    context = {
        **frame(request, project, "blocks"),
        "rows": [(block, sum(1 for _ in entries(block.content))) for block in found.rows],
        "filters": filters,
        "types": Block.Type.choices,
        "now": timezone.now(),
        **found.context(),
    }
    return render(request, "memory/blocks/blocks.html", context)


@project_view()
@require_GET
def block(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """One block, how much of its limit it takes, and what happened to it."""
    return block_page(request, project, None, pk)


def block_page(request: HttpRequest, project: Project, error: AppError | None, pk: int) -> HttpResponse:
    """The page of a block, with what was typed into its form and why that was not saved."""
    found = selectors.block_get(project=project, pk=pk)
    context = {
        **frame(request, project, "blocks"),
        "memo": found,
        "seen": ("expected_updated_at", stamp(found.updated_at)),
        "typed": typed(request, found.content),
        "lines": list(entries(found.content)),
        "limit": CHARACTERS[Block.Type(found.block_type)],
        "history": fact_history(fact=found),
        "now": timezone.now(),
    }
    return refused(request, "memory/blocks/block.html", context, error, there=found.content)


@project_view("project.edit")
@require_POST
@asked_again(block_page, when=by_person)
def block_edit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Replace the text that was read."""
    services.block_edit(
        project=project,
        pk=pk,
        content=content_in(request),
        expected=seen(request),
        actor=user_of(request),
        **chosen(request.POST, ["reason"]),
    )
    return go(request, reverse("memory:block", args=[project.slug, pk]))


@project_view("project.edit")
@require_POST
@asked_again(block_page, when=by_person)
def block_delete(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Delete the text that was read."""
    gone = services.blocks_delete(
        project=project, chosen={pk: seen(request)}, actor=user_of(request), **chosen(request.POST, ["reason"])
    )
    if not gone:
        raise NotFound("This block was already deleted.")
    return go(request, reverse("memory:blocks", args=[project.slug]))


def seen(request: HttpRequest) -> datetime:
    """The stamp of the block that the form was made from. Raises ``Invalid``."""
    return read_stamp(str(request.POST.get("expected_updated_at", "")))
