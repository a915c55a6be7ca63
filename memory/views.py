"""Pages of the facts inspector. Each address gives a whole page, or to htmx the part that it asks for."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from editor.models import Project, User
from editor.requests import project_view
from memory import selectors, services
from memory.inspector import Inspector, Query
from memory.models import Fact, Scope
from memory.saved import view_list
from memory.values import storable_text
from web.errors import Invalid, NotFound

CHOSEN = 500


def user_of(request: HttpRequest) -> User:
    """The signed-in user; the views here are behind ``project_view``."""
    user = request.user
    if not isinstance(user, User):
        raise TypeError("This view is not behind signed_in.")
    return user


def part_for(request: HttpRequest) -> str:
    """Id of the element that htmx asks for, or "" for a whole page."""
    htmx: Any = getattr(request, "htmx", None)
    if not htmx or htmx.history_restore_request:
        return ""
    return str(htmx.target or "")


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
    """The list with one fact open beside it."""
    return inspect(request, project, selectors.fact_get(project=project, pk=pk))


def inspect(request: HttpRequest, project: Project, chosen: Fact | None = None) -> HttpResponse:
    """The page, its list or its detail, whichever was asked for."""
    part = part_for(request)
    query = Query.read(request.GET)
    context: dict[str, Any] = {
        "section": "memory",
        "can_write": selectors.may_write(user=user_of(request), project=project),
    }
    if chosen is not None:
        context |= detail_of(chosen)
    if part == "facts-detail":
        context |= {"project": project, "query_text": query.text(cursor=query.cursor), "fragment": True}
        return render(request, "memory/_detail.html", context)
    inspector = Inspector(project, query, timezone.now(), picked=chosen.pk if chosen else None)
    context |= inspector.context()
    if part:
        return render(request, "memory/_list.html", {**context, "fragment": True})
    context["saved_views"] = view_list(project=project, user=user_of(request))
    return render(request, "memory/facts.html", context)


def detail_of(chosen: Fact, *, revealed: bool = False) -> dict[str, Any]:
    """What the detail of a fact needs."""
    now = timezone.now()
    return {
        "now": now,
        "shown": selectors.shown(chosen, now, revealed=revealed),
        "history": selectors.fact_history(fact=chosen),
    }


@project_view("project.edit")
@require_POST
def reveal(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """The detail with the value of a sensitive fact, once; the log keeps who looked and why."""
    chosen = services.fact_reveal(
        project=project, pk=pk, actor=user_of(request), reason=str(request.POST.get("reason", ""))
    )
    context = {**detail_of(chosen, revealed=True), "project": project, "can_write": True, "section": "memory"}
    template = "memory/_detail.html" if part_for(request) else "memory/fact.html"
    response = render(request, template, {**context, "fragment": True})
    response["Cache-Control"] = "no-store"
    return response


@project_view("project.edit")
@require_POST
def expire(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """End a fact now."""
    ended = services.fact_expire(project=project, pk=pk, expected_version=version_in(request), actor=user_of(request))
    return done(request, f"{ended.path} is expired now", reverse("memory:fact", args=[project.slug, pk]))


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask, naming what and how many; then delete. ``fact=<id>:<version>`` names each."""
    chosen = chosen_in(request)
    if request.method == "POST":
        number = services.facts_delete(
            project=project, chosen=chosen, actor=user_of(request), reason=reason_in(request)
        )
        gone = len(chosen) - number
        words = f"{numbered(number)} deleted" + (f"; {numbered(gone)} had gone already" if gone else "")
        return done(request, words, reverse("memory:facts", args=[project.slug]))
    found = selectors.facts_chosen(project=project, pks=chosen)
    if not found:
        raise NotFound("These facts are gone already.")
    context = {"project": project, "facts": found, "section": "memory"}
    return render(request, "memory/_delete.html" if part_for(request) else "memory/delete.html", context)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
def write(request: HttpRequest, project: Project) -> HttpResponse:
    """A form for a new fact, or with ``?fact=<id>`` for a new version of one."""
    if request.method == "POST":
        saved = services.fact_put(project=project, actor=user_of(request), **fields_of(request))
        return done(
            request,
            f"{saved.path} saved as version {saved.version}",
            reverse("memory:fact", args=[project.slug, saved.pk]),
        )
    context: dict[str, Any] = {"project": project, "scopes": Scope.choices, "section": "memory"}
    if request.GET.get("fact"):
        pk, _ = chosen_fact(str(request.GET["fact"]))
        edited = selectors.fact_live(project=project, pk=pk, now=timezone.now())
        value = "" if edited.sensitive else json.dumps(edited.value, ensure_ascii=False, indent=2)
        context |= {"edited": edited, "value": value}
    return render(request, "memory/_write.html" if part_for(request) else "memory/write.html", context)


def done(request: HttpRequest, words: str, address: str) -> HttpResponse:
    """After a change: htmx gets an event that refreshes what is shown, a plain form goes on to ``address``."""
    if getattr(request, "htmx", None):
        return HttpResponse(status=204, headers={"HX-Trigger": json.dumps({"facts:changed": {"words": words}})})
    messages.success(request, f"{words}.")
    return redirect(address)


def numbered(number: int) -> str:
    """How many facts, in words."""
    return f"{number:,} fact{'' if number == 1 else 's'}"


def chosen_in(request: HttpRequest) -> dict[int, int | None]:
    """The facts that ``fact=<id>:<version>`` names, as id and version. Raises ``Invalid`` for none and too many."""
    given = request.POST if request.method == "POST" else request.GET
    chosen = dict(chosen_fact(text) for text in given.getlist("fact")[: CHOSEN + 1])
    if not 0 < len(chosen) <= CHOSEN:
        raise Invalid(fields={"fact": f"choose 1 to {CHOSEN} facts"})
    return chosen


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
        value = json.loads(given.get("value", ""))
    except (ValueError, RecursionError) as error:
        why = f": {error}" if isinstance(error, ValueError) else ""
        raise Invalid(fields={"value": f'is not JSON{why}. A text stands in double quotes: "gold"'}) from None
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


def version_in(request: HttpRequest) -> int | None:
    """The version that was seen, or None."""
    text = str(request.POST.get("version", ""))
    if text and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(fields={"version": f"{text[:20]!r} is not a version"})
    return int(text) if text else None


def chosen_fact(text: str) -> tuple[int, int | None]:
    """Id and seen version of ``<id>`` or ``<id>:<version>``."""
    pk, _, version = text.partition(":")
    if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in (pk, version or "0")):
        raise Invalid(fields={"fact": f"{text[:40]!r} is not <id> or <id>:<version>"})
    return int(pk), int(version) if version else None
