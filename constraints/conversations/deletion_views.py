"""The page that asks for confirmation before conversations are deleted, and the deletion."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from constraints import selectors
from constraints.conversations import services
from editor.models import Project, User
from editor.requests import project_view
from web.errors import Conflict, Invalid

AT_ONCE = 200
"""Conversations that are deleted together."""


@require_http_methods(["GET", "HEAD", "POST"])
@project_view("project.edit")
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask, naming what and how much goes; then delete. ``number=`` names each conversation."""
    numbers = numbers_in(request)
    for number in numbers:
        selectors.conversation_get(project=project, number=number)
    if request.method != "POST":
        return confirmation(request, project, numbers)
    actor = request.user
    if not isinstance(actor, User):
        raise TypeError("This view is not behind project_view.")
    try:
        gone = services.conversations_delete(project=project, numbers=numbers, actor=actor)
    except Conflict as error:
        return confirmation(request, project, numbers, error=error)
    messages.success(request, f"Deleted {counted(gone)}.")
    return redirect("constraints:conversations", project.slug)


def confirmation(
    request: HttpRequest, project: Project, numbers: list[int], error: Conflict | None = None
) -> HttpResponse:
    """The page that lists what would be deleted, and why an earlier attempt deleted nothing."""
    found = selectors.conversation_contents(project=project, numbers=numbers)
    context = {
        "project": project,
        "section": "test",
        "found": found,
        "total": counted(found),
        "running": [each for each in found if each.running is not None],
        "error": error,
    }
    return render(request, "constraints/delete.html", context, status=409 if error else 200)


def numbers_in(request: HttpRequest) -> list[int]:
    """The numbers of the request, each once."""
    given = (request.POST if request.method == "POST" else request.GET).getlist("number")
    for text in given:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise Invalid(fields={"number": f"{text[:20]!r} is not a conversation number."})
    numbers = sorted(set(map(int, given)))
    if not 0 < len(numbers) <= AT_ONCE:
        raise Invalid(fields={"number": f"{len(numbers)} conversations are named; name 1 to {AT_ONCE}."})
    return numbers


def counted(found: list[selectors.Contents]) -> str:
    """``2 conversations with 7 turns and 310 steps``."""
    turns, events = (sum(getattr(each, name) for each in found) for name in ("turns", "events"))
    words = [f"{turns:,} turn{'' if turns == 1 else 's'}", f"{events:,} step{'' if events == 1 else 's'}"]
    which = f"conversation {found[0].conversation.number}" if len(found) == 1 else f"{len(found)} conversations"
    return f"{which} with {' and '.join(words)}"
