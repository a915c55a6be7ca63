"""Pages of the facts inspector. Each address gives a whole page, or to htmx the part that it asks for."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.facts import selectors, services
from memory.facts.inspector import Inspector, Query
from memory.facts.revising import fact_write, version_reveal
from memory.facts.saved_views import view_list
from memory.lists.query import chosen_facts
from memory.models import Fact, Scope
from memory.pages import asked_again, by_person, entry_in, part_for, user_of, version_in
from memory.values import storable_text
from web.api.parsers import json_problem, json_value
from web.errors import AppError, Invalid, NotFound
from web.problems import status_of


@project_view()
@require_GET
def facts(request: HttpRequest, project: Project) -> HttpResponse:
    """The list. ``?seen=<entry of the log>`` answers 204 while nothing was written since."""
    if request.GET.get("seen") == str(selectors.log_head(project=project)):
        return HttpResponse(status=204)
    return inspect(request, project)


@project_view()
@require_GET
def fact(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """The list with one fact open beside it. ``?seen=<stamp>`` answers 204 while that fact's details are the same."""
    chosen = selectors.fact_get(project=project, pk=pk)
    if part_for(request) == "facts-detail" and request.GET.get("seen") == stamp_of(chosen, timezone.now()):
        return HttpResponse(status=204)
    return inspect(request, project, chosen)


def inspect(
    request: HttpRequest,
    project: Project,
    chosen: Fact | None = None,
    *,
    query: Query | None = None,
    revealed: bool = False,
    error: AppError | None = None,
    **more: Any,
) -> HttpResponse:
    """The page, its list or its detail, whichever was asked for.

    :param query: the filters; those of the address unless given. :param error: what the answer's status comes from.
    :param more: what else the templates get, such as the form that ``error`` is shown at and what was typed into it.
    """
    part = part_for(request)
    query = query or Query.read(request.GET)
    may = selectors.may_write(user=user_of(request), project=project)
    context: dict[str, Any] = {"section": "memory", "can_write": may, **more}
    status = status_of(error) if error else 200
    if chosen is not None:
        context |= detail_of(chosen, revealed=revealed)
    if part == "facts-detail":
        context |= {"project": project, "query_text": query.text(cursor=query.cursor), "fragment": True}
        return render(request, "memory/_detail.html", context, status=status)
    inspector = Inspector(project, query, timezone.now(), picked=chosen.pk if chosen else None)
    context |= inspector.context()
    if part:
        return render(request, "memory/_list.html", {**context, "fragment": True}, status=status)
    context["saved_views"] = view_list(project=project, user=user_of(request))
    return render(request, "memory/facts.html", context, status=status)


def detail_of(chosen: Fact, *, revealed: bool = False) -> dict[str, Any]:
    """What the detail of a fact needs."""
    now, history = timezone.now(), selectors.fact_history(fact=chosen)
    return {
        "now": now,
        "shown": selectors.shown(chosen, now, revealed=revealed),
        "stamp": stamp_of(chosen, now),
        "history": history,
        "hidden_versions": [step.change for step in history if step.change.hidden],
    }


def stamp_of(fact: Fact, now: datetime) -> str:
    """A text that changes whenever the details of a fact do: with its version, when it expires, when it is purged."""
    return f"{fact.version}-{'purged' if fact.purged_at else 'expired' if fact.state(now) == 'expired' else 'readable'}"


def reveal_again(request: HttpRequest, project: Project, error: AppError, pk: int) -> HttpResponse:
    """The detail with the value still masked, and why."""
    masked, reason = selectors.fact_get(project=project, pk=pk), str(request.POST.get("reason", ""))
    query = Query.read(request.GET)
    return inspect(request, project, masked, query=query, error=error, reveal_error=error, reveal_reason=reason)


@project_view("project.edit")
@require_POST
@asked_again(reveal_again, when=by_person)
def reveal(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """The detail with the value of a sensitive fact, or an earlier one (``seq``), once; the log keeps who and why."""
    query, actor, reason = Query.read(request.GET), user_of(request), str(request.POST.get("reason", ""))
    if request.POST.get("seq"):
        looked = version_reveal(project=project, pk=pk, seq=entry_in(request), actor=actor, reason=reason)
        chosen = selectors.fact_get(project=project, pk=pk)
        more: dict[str, Any] = {"looked": selectors.shown(looked, timezone.now(), revealed=True)}
    else:
        chosen, more = services.fact_reveal(project=project, pk=pk, actor=actor, reason=reason), {"revealed": True}
    response = inspect(request, project, chosen, query=query, **more)
    response["Cache-Control"] = "no-store"
    return response


def fact_again(request: HttpRequest, project: Project, error: AppError, pk: int) -> HttpResponse:
    """The page of a fact with why it was not changed."""
    return inspect(request, project, selectors.fact_get(project=project, pk=pk), error=error, detail_error=error)


@project_view("project.edit")
@require_POST
@asked_again(fact_again)
def expire(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """End a fact now."""
    ended = services.fact_expire(project=project, pk=pk, expected_version=version_in(request), actor=user_of(request))
    return done(request, f"{ended.path} expired", reverse("memory:fact", args=[project.slug, pk]))


def ask_delete(request: HttpRequest, project: Project, error: AppError | None = None) -> HttpResponse:
    """The question with the facts as they are now, and why nothing was deleted before."""
    found = selectors.facts_chosen(project=project, pks=chosen_in(request))
    if not found:
        raise NotFound("These facts were already deleted.")
    return dialog(request, "memory/_delete.html", {"project": project, "facts": found}, "Delete facts", error=error)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
@asked_again(ask_delete)
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask, naming what and how many; then delete. ``fact=<id>:<version>`` names each."""
    if request.method != "POST":
        return ask_delete(request, project)
    chosen = chosen_in(request)
    number = services.facts_delete(project=project, chosen=chosen, actor=user_of(request), reason=reason_in(request))
    gone = len(chosen) - number
    words = f"{numbered(number)} deleted" + (f"; {numbered(gone)} had already been deleted" if gone else "")
    return done(request, words, reverse("memory:facts", args=[project.slug]))


def ask_write(request: HttpRequest, project: Project, error: AppError | None = None) -> HttpResponse:
    """The form, holding what it began with or what was typed."""
    given = request.POST.dict() if error else form_of(request, project)
    context = {"project": project, "scopes": Scope.choices, "given": given}
    return dialog(request, "memory/_write.html", context, "Write a fact", error=error)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
@asked_again(ask_write)
def write(request: HttpRequest, project: Project) -> HttpResponse:
    """A form for a new fact, or with ``?fact=<id>`` for a new version of one."""
    if request.method != "POST":
        return ask_write(request, project)
    saved = fact_write(project=project, actor=user_of(request), **fields_of(request))
    words = f"{saved.path} saved as version {saved.version}"
    return done(request, words, reverse("memory:fact", args=[project.slug, saved.pk]))


def form_of(request: HttpRequest, project: Project) -> dict[str, Any]:
    """What the form begins with: nothing, or the live fact that ``fact=<id>`` names."""
    if not request.GET.get("fact"):
        return {}
    pk = next(iter(chosen_facts([str(request.GET["fact"])])))
    edited = selectors.fact_live(project=project, pk=pk, now=timezone.now())
    value = "" if edited.sensitive else json.dumps(edited.value, ensure_ascii=False, indent=2)
    kept = {name: getattr(edited, name) for name in ("scope", "owner", "path", "version", "ttl")}
    return {**kept, "value": value}


def dialog(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    title: str,
    *,
    status: int = 200,
    error: AppError | None = None,
) -> HttpResponse:
    """A form in the dialog of the facts page, or as a page of its own.

    With an error the form says it, has what was typed (``given``), and the status is that of the error.
    """
    context = {"section": "memory", "given": request.POST.dict(), **context}
    if error:
        status = status_of(error)
        context |= {"error": error, "status": status, "fields": getattr(error, "fields", {})}
    if part_for(request):
        return render(request, template, context, status=status)
    return render(request, "memory/dialog.html", {**context, "form": template, "title": title}, status=status)


def done(request: HttpRequest, words: str, address: str) -> HttpResponse:
    """After a change: on to ``address``; the facts page stays and gets an event that refreshes what it shows.

    ``alone`` comes from a form that is a page of its own: nothing beside it could be refreshed.
    """
    by_htmx = getattr(request, "htmx", None)
    if by_htmx and not request.POST.get("alone"):
        return HttpResponse(status=204, headers={"HX-Trigger": json.dumps({"facts:changed": {"words": words}})})
    messages.success(request, f"{words}.")
    return HttpResponse(status=204, headers={"HX-Redirect": address}) if by_htmx else redirect(address)


def numbered(number: int) -> str:
    """How many facts, in words."""
    return f"{number:,} fact{'' if number == 1 else 's'}"


def chosen_in(request: HttpRequest) -> dict[int, int | None]:
    """The facts that ``fact=<id>:<version>`` names, as id and version. Raises ``Invalid`` for none and too many."""
    given = request.POST if request.method == "POST" else request.GET
    return chosen_facts(given.getlist("fact"))


def reason_in(request: HttpRequest) -> str:
    """The reason that the log keeps. Raises ``Invalid``."""
    reason = str(request.POST.get("reason", "")).strip()
    if len(reason) > services.REASON_LENGTH or not storable_text(reason):
        raise Invalid(fields={"reason": f"is longer than {services.REASON_LENGTH} characters, or has a NUL"})
    return reason


def fields_of(request: HttpRequest) -> dict[str, Any]:
    """What the form of a fact holds, for ``fact_put``."""
    given = request.POST
    try:
        value = json_value(given.get("value", ""))
    except ValueError as error:
        raise Invalid(fields={"value": f'{json_problem(error)}. Put text in double quotes: "gold"'}) from None
    kept = {name: str(given.get(name, "")).strip() for name in ("scope", "owner", "path", "reason")}
    version = version_in(request)
    kind: bool | None = True if given.get("sensitive") else (None if version else False)
    return {
        **kept,
        "value": value,
        "ttl": str(given.get("ttl", "")).strip() or None,
        "expected_version": version,
        "sensitive": kind,
    }
