"""The page on which an admin of the installation sees what the workers do and what waits, and stops a turn."""

from __future__ import annotations

from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from constraints import selectors
from constraints.running import turns
from constraints.running.sweeping import GRACE_SECONDS
from editor.models import User
from editor.requests import View, signed_in
from web.errors import Conflict, Forbidden

WAITING_SHOWN = 100


def installation_view(view: View) -> View:
    """A view for admins of the installation; 403 for everybody else."""

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user = request.user
        refuse_others(user if isinstance(user, User) else None)
        return view(request, *args, **kwargs)

    return signed_in(inner)


def refuse_others(user: User | None) -> None:
    """Raise ``Forbidden`` for whoever is no admin of the installation."""
    if user is None or not (user.is_active and user.is_superuser):
        raise Forbidden("Only administrators can see the turns of all projects.")


def age(since: datetime | None) -> str:
    """The time since then in at most two units, down to seconds."""
    if since is None:
        return ""
    seconds = max(0, int((timezone.now() - since).total_seconds()))
    minutes, hours = seconds // 60, seconds // 3600
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


@require_GET
@installation_view
def work(request: HttpRequest) -> HttpResponse:
    """Running and waiting turns of the installation; htmx asks for the tables alone."""
    waiting = selectors.turns_waiting()
    context = {
        "section": "turns",
        "running": [(turn, age(turn.started_at)) for turn in selectors.turns_running()],
        "waiting": [(turn, age(turn.queued_at)) for turn in waiting[:WAITING_SHOWN]],
        "waiting_count": waiting.count(),
        "grace": int(GRACE_SECONDS),
    }
    part = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    return render(request, "constraints/_work.html" if part else "constraints/work.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@installation_view
def work_stop(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, naming the turn; then stop it."""
    turn = selectors.turn_anywhere(pk=pk)
    if request.method != "POST" or turn.finished:
        status = 409 if request.method == "POST" else 200
        context = {"section": "turns", "turn": turn, "grace": int(GRACE_SECONDS)}
        return render(request, "constraints/work_stop.html", context, status=status)
    try:
        turns.turn_cancel(turn=turn)
    except Conflict as error:
        messages.error(request, error.detail)
    else:
        number, name = turn.conversation.number, turn.conversation.project.name
        messages.success(request, f"Turn {turn.index} of conversation {number} in {name} is being stopped.")
    return redirect("constraints:work")
