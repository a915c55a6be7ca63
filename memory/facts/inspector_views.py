"""Actions beyond writing a value: change the time to live, restore an earlier value, delete all matches, export, save
a view.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.facts import exporting, revising, selectors
from memory.facts import saved_views as saved
from memory.facts.inspector import Query
from memory.facts.readers import places_reading
from memory.facts.views import chosen_in, dialog, done, fact_again, inspect, numbered, reason_in
from memory.lists import tree
from memory.lists.paging import facts_matching
from memory.lists.query import FactQuery
from memory.lists.tree import Count
from memory.pages import asked_again, by_person, entry_in, part_for, user_of, version_in
from web.costly import limited, while_typing
from web.errors import AppError, Invalid, NotFound
from web.problems import status_of

OFFERED = 50
TTLS = ("1h", "1d", "7d", "30d", "90d", "365d")


def ask_ttl(request: HttpRequest, project: Project, error: AppError | None = None) -> HttpResponse:
    """The form with the current facts, and why the last attempt changed nothing."""
    now = timezone.now()
    chosen = selectors.facts_chosen(project=project, pks=chosen_in(request))
    found = [fact for fact in chosen if fact.state(now) != "expired"]
    if not found:
        raise NotFound("These facts have expired or were deleted. Their time to live can't be changed.")
    context: dict[str, Any] = {"project": project, "facts": found, "first": found[0], "now": now, "ttls": TTLS}
    if error is None:
        context["given"] = {"ttl": found[0].ttl}
    return dialog(request, "memory/_ttl.html", context, "Time to live", error=error)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
@asked_again(ask_ttl)
def ttl(request: HttpRequest, project: Project) -> HttpResponse:
    """Give the facts that ``fact=<id>:<version>`` names another time to live, or none."""
    if request.method != "POST":
        return ask_ttl(request, project)
    chosen = chosen_in(request)
    number = revising.facts_retime(
        project=project, chosen=chosen, ttl=life_in(request), actor=user_of(request), reason=reason_in(request)
    )
    if not number:
        raise NotFound("These facts have expired or were deleted. Their time to live can't be changed.")
    passed = len(chosen) - number
    words = f"{numbered(number)} changed" + (f"; {numbered(passed)} had expired or been deleted" if passed else "")
    back = reverse("memory:fact", args=[project.slug, next(iter(chosen))])
    return done(request, words, back if len(chosen) == 1 else facts_address(project))


def life_in(request: HttpRequest) -> str | None:
    """The time to live of the form, None for none."""
    life, text = (str(request.POST.get(name, "")).strip() for name in ("life", "ttl"))
    if life not in ("ttl", "none"):
        raise Invalid(fields={"life": f"{life[:20]!r} is not ttl (with a time) or none (no expiry)"})
    if life == "ttl" and not text:
        raise Invalid(fields={"ttl": "is empty; give a time to live such as 90d, or choose no expiry"})
    return text if life == "ttl" else None


@project_view("project.edit")
@require_POST
@asked_again(fact_again)
def restore(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Make the value of an earlier entry (``seq``) the next version, if ``version`` is still there."""
    fact = revising.fact_restore(
        project=project,
        pk=pk,
        seq=entry_in(request),
        expected_version=version_in(request),
        actor=user_of(request),
        reason=reason_in(request),
    )
    words = f"{fact.path} restored as version {fact.version}"
    return done(request, words, reverse("memory:fact", args=[project.slug, pk]))


def found_in(request: HttpRequest, project: Project) -> tuple[FactQuery, Count]:
    """The filters, and how many facts pass them. Raises ``Invalid`` for filters that leave all facts in."""
    query = Query.read(request.POST if request.method == "POST" else request.GET).filters
    if not query.narrowed:
        raise Invalid(fields={"query": "would delete every fact of the project; narrow the filters first"})
    return query, selectors.facts_count(project=project, query=query, now=timezone.now(), upto=revising.MOST_DELETED)


def found_again(request: HttpRequest, project: Project, error: AppError) -> HttpResponse:
    """The question once more, and why nothing was deleted."""
    return ask_found(request, project, *found_in(request, project), error=error)


@project_view("project.edit")
@limited
@require_http_methods(["GET", "POST"])
@asked_again(found_again)
def delete_found(request: HttpRequest, project: Project) -> HttpResponse:
    """Name how many facts the filters find; then, if it is still that ``number``, delete them."""
    query, count = found_in(request, project)
    if request.method == "GET":
        return ask_found(request, project, query, count)
    named = named_in(request)
    if named != count.number or count.more:
        return ask_found(request, project, query, count, named=named)
    number = revising.facts_delete_found(
        project=project, query=query, actor=user_of(request), reason=reason_in(request)
    )
    words = f"{numbered(number)} deleted" + (f"; you confirmed {numbered(named)}" if number != named else "")
    return done(request, words, facts_address(project))


def named_in(request: HttpRequest) -> int:
    """The number of facts that was named when it was asked."""
    text = str(request.POST.get("number", ""))
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(fields={"number": f"{text[:20]!r} is not the number of facts to delete"})
    return int(text)


def ask_found(
    request: HttpRequest,
    project: Project,
    query: FactQuery,
    count: Count,
    *,
    named: int | None = None,
    error: AppError | None = None,
) -> HttpResponse:
    """The confirmation with the exact number of facts and how many of them are expired; 409 when the number has
    changed.
    """
    expired = selectors.facts_count(
        project=project, query=replace(query, state="expired"), now=timezone.now(), upto=revising.MOST_DELETED
    )
    examples = facts_matching(project=project, query=query, now=timezone.now(), limit=8)
    context = {
        "project": project,
        "query": query,
        "hidden": query.params(),
        "number": count.number,
        "too_many": revising.MOST_DELETED if count.more else 0,
        "expired": "" if query.state in ("expired", "live", "expiring") else expired.number,
        "facts": list(examples),
        "rest": max(0, count.number - 8),
        "named": named,
        "back": facts_address(project) + query.text(),
    }
    status = 200 if named is None else 409
    response = dialog(request, "memory/_delete_found.html", context, "Delete facts", status=status, error=error)
    if named is not None:
        response["HX-Retarget"] = "#facts-dialog"
    return response


@project_view()
@limited
@require_GET
def export(request: HttpRequest, project: Project) -> Any:
    """The facts that the filters find, or those that ``fact=`` names, as a file: ``?as=csv`` or ``json``."""
    kind = exporting.kind_asked(request.GET, "csv")
    chosen = chosen_in(request) if "fact" in request.GET else None
    query = Query.read(request.GET).filters
    return exporting.facts_file(request, project=project, kind=kind, query=query, chosen=chosen)


def view_again(request: HttpRequest, project: Project, error: AppError) -> HttpResponse:
    """The saved views, with the name that was typed and why it was refused."""
    name = str(request.POST.get("name", ""))
    return views_answer(request, project, filters_of_page(request), error, view_error=error, view_name=name)


@project_view()
@require_POST
@asked_again(view_again, when=by_person)
def view_save(request: HttpRequest, project: Project) -> HttpResponse:
    """Keep the filters under a name: those of the page that htmx asks from, or those that the form holds."""
    query, name = filters_of_page(request), str(request.POST.get("name", ""))
    saved.view_save(project=project, user=user_of(request), name=name, query=query)
    return views_answer(request, project, query)


@project_view()
@require_POST
def view_delete(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Delete one of the member's own views."""
    saved.view_delete(project=project, user=user_of(request), pk=pk)
    return views_answer(request, project, filters_of_page(request))


def filters_of_page(request: HttpRequest) -> FactQuery:
    """The filters of the page from which a form was sent: of its address, or in hidden fields."""
    htmx: Any = getattr(request, "htmx", None)
    given = QueryDict(urlsplit(htmx.current_url).query) if htmx and htmx.current_url else request.POST
    return Query.read(given).filters


def views_answer(
    request: HttpRequest, project: Project, query: FactQuery, error: AppError | None = None, **more: Any
) -> HttpResponse:
    """The saved views for htmx, or the page with the current filters; ``more`` says why a view was not saved."""
    if not part_for(request):
        if error:
            return inspect(request, project, query=Query(query), error=error, **more)
        return redirect(facts_address(project) + query.text())
    own = saved.view_list(project=project, user=user_of(request))
    context = {"project": project, "saved_views": own, "hidden": query.params(), **more}
    return render(request, "memory/_saved.html", context, status=status_of(error) if error else 200)


@project_view()
@require_GET
def readers(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Where the saved agents read a fact, with links into them."""
    fact = selectors.fact_get(project=project, pk=pk)
    places, more = places_reading(project=project, fact=fact, now=timezone.now())
    context = {"project": project, "section": "memory", "fact": fact, "places": places, "more": more}
    return render(request, "memory/_readers.html" if part_for(request) else "memory/readers.html", context)


@project_view()
@while_typing
@require_GET
def names(request: HttpRequest, project: Project) -> HttpResponse:
    """What a field of the filters may hold, for its list of offers: ``?of=agent`` or ``?of=domain``."""
    there = {"agent": tree.agents, "domain": tree.domains}
    of = str(request.GET.get("of", "agent"))
    if of not in there:
        raise Invalid(fields={"of": f"{of[:20]!r} is not one of {', '.join(there)}"})
    level = there[of](project=project, limit=OFFERED)
    offers = [branch.name for branch in level.branches if branch.name]
    return render(request, "memory/_names.html", {"names": offers})


def facts_address(project: Project) -> str:
    """The facts page of a project."""
    return reverse("memory:facts", args=[project.slug])
