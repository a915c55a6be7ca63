"""The page of the prompt preview. All choices are in the address, so that a preview can be shared as a link."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from abl.expressions import BudgetExceeded
from abl.runtime.memory.block_policy import MODES, MemoryPolicy
from constraints import selectors
from constraints.conversations.starting import DEFAULT_USER, NotRunnable
from constraints.models import Conversation
from constraints.previews.prompt import Wish, agent_preview, conversation_preview
from constraints.running import programs
from editor.models import Project
from editor.requests import project_view
from web.costly import limited
from web.errors import Invalid
from web.problems import over_budget, status_of

FIELDS = ("agent", "user", "message", "conversation", "archival_mode", "archival_limit", "archival_min_score")
FLAGS = ("include_user_core", "include_agent_core")


@project_view()
@limited
@require_GET
def preview(request: HttpRequest, project: Project) -> HttpResponse:
    """A form; with ``?message=`` also what a model would be given for it."""
    form = form_of(request, project)
    context: dict[str, Any] = {
        "project": project,
        "section": "memory",
        "memory_tab": "preview",
        "form": form,
        "agents": agents_of(project),
        "modes": MODES,
    }
    if not form["message"].strip():
        return render(request, "constraints/preview.html", context)
    try:
        context["shown"] = shown_for(project, form)
    except (Invalid, BudgetExceeded) as caught:
        error = caught if isinstance(caught, Invalid) else over_budget(caught)
        context["error"] = error
        context["problems"] = error.data["problems"] if isinstance(error, NotRunnable) else []
        return render(request, "constraints/preview.html", context, status=status_of(error))
    return render(request, "constraints/preview.html", context)


def form_of(request: HttpRequest, project: Project) -> dict[str, Any]:
    """What the address chooses, completed by the settings of the project."""
    given = request.GET
    usual = MemoryPolicy.read(run_policy(project)).as_dict()
    asked = "message" in given
    form: dict[str, Any] = {name: str(given.get(name, "")).strip() for name in FIELDS}
    form["user"] = form["user"] or DEFAULT_USER
    form["agent"] = form["agent"] or project.settings.get("entry", "")
    for name in FIELDS[4:]:
        if name not in given and usual[name] is not None:
            form[name] = str(usual[name])
    return form | {name: bool(given.get(name)) if asked else usual[name] for name in FLAGS}


def run_policy(project: Project) -> Any:
    """The memory policy in the settings of the project."""
    return (project.settings.get("run") or {}).get("memory_policy")


def agents_of(project: Project) -> list[str]:
    """Agents of the saved documents."""
    pins = selectors.pins_of(project=project)
    return programs.agent_names(pins=pins) if pins else []


def shown_for(project: Project, form: dict[str, Any]) -> dict[str, Any]:
    """The preview for a form. Raises ``Invalid``."""
    wish = Wish(form["message"], form["user"], form["agent"], policy_of(form))
    number = form["conversation"]
    if not number:
        return agent_preview(project=project, wish=wish)
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise Invalid(fields={"conversation": f"{number[:20]!r} is not a conversation number"})
    found: Conversation = selectors.conversation_get(project=project, number=int(number))
    return conversation_preview(conversation=found, wish=wish)


def policy_of(form: dict[str, Any]) -> dict[str, Any]:
    """The memory policy that the form holds. Raises ``Invalid`` for what is no number."""
    limit, score = form["archival_limit"], form["archival_min_score"]
    if not (limit.isascii() and limit.isdigit() and len(limit) < 6):
        raise Invalid(fields={"archival_limit": f"{limit[:20]!r} is not a whole number from 0 to 100"})
    try:
        least = float(score) if score else None
    except ValueError:
        raise Invalid(fields={"archival_min_score": f"{score[:20]!r} is not a number from 0 to 1"}) from None
    policy = {"archival_mode": form["archival_mode"], "archival_limit": int(limit), "archival_min_score": least}
    policy |= {name: form[name] for name in FLAGS}
    try:
        MemoryPolicy.read(policy)
    except ValueError as error:
        raise Invalid(fields={"memory_policy": str(error)}) from None
    return policy
