"""The page of everything that a project remembers: facts, blocks, records, sessions and bank texts in one place."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from editor.models import Project
from editor.requests import project_view
from memory.overview.page import Overview, Wanted
from memory.pages import frame, part_for


@project_view()
@require_GET
def memory(request: HttpRequest, project: Project) -> HttpResponse:
    """The tree over all systems and some rows of each; to htmx the part that changes."""
    overview = Overview(project, Wanted.read(request.GET), timezone.now())
    context = {**frame(request, project, "all"), **overview.context()}
    return render(request, "memory/_memory.html" if part_for(request) else "memory/memory.html", context)
