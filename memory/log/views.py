"""The page of the change log: everything, or who looked at sensitive values; and whether its chain holds."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.facts import selectors
from memory.log import verification
from memory.models import Fact, FactChange
from memory.pages import part_for
from web.errors import Invalid

LOG_SIZE = 100
KINDS = (FactChange.Kind.REVEAL.value,)
"""What the log can be narrowed to: that which an index of its own finds."""


@project_view()
@require_GET
def changes(request: HttpRequest, project: Project) -> HttpResponse:
    """The log, newest first: ``?before=<entry>`` older ones, ``?kind=reveal`` who looked, ``?fact=<id>`` one place."""
    kind, before, about = kind_in(request), number_in(request, "before"), number_in(request, "fact")
    fact = selectors.fact_get(project=project, pk=about) if about is not None else None
    entries = selectors.log_entries(project=project)
    if kind:
        entries = entries.filter(kind=kind)
    if fact is not None:
        entries = entries.filter(system=fact.system, scope=fact.scope, owner=fact.owner, path=fact.path)
    if before is not None:
        entries = entries.filter(seq__lt=before)
    rows = list(entries[: LOG_SIZE + 1])
    more = rows[LOG_SIZE - 1].seq if len(rows) > LOG_SIZE else None
    context = {
        **chain(project),
        "section": "memory",
        "now": timezone.now(),
        "kind": kind,
        "fact": fact,
        "rows": rows[:LOG_SIZE],
        "older": further(kind, fact, more) if more else "",
        "head": selectors.log_head(project=project),
    }
    return render(request, "memory/changes.html", context)


@project_view()
@require_POST
def verify(request: HttpRequest, project: Project) -> HttpResponse:
    """Walk the chain of the log a step further, then compare the facts with it; ``again=1``: from the first entry.

    htmx gets the state, which asks for the next step by itself until the end is reached or the page is left.
    """
    verification.verify_some(
        project=project, restart=request.POST.get("again") == "1", afresh=request.POST.get("on") != "1"
    )
    if part_for(request):
        return render(request, "memory/_chain.html", {**chain(project), "goes_on": True})
    return redirect(reverse("memory:changes", args=[project.slug]))


def chain(project: Project) -> dict[str, Any]:
    """What ``memory/_chain.html`` needs."""
    state = verification.chain_state(project=project)
    return {"project": project, "chain": state, "differing": differing(project, state)}


def differing(project: Project, state: verification.ChainState) -> list[dict[str, Any]]:
    """What differs from the log, with what can be shown of it now: the fact, or the entry that wrote it."""
    facts = Fact.objects.filter(project=project, pk__in=[each.fact for each in state.differences if each.fact])
    there = {fact.pk: fact for fact in facts.defer("value")}
    seqs = [each.seq or 0 for each in state.differences if each.fact is None]
    entries = {entry.seq: entry for entry in FactChange.objects.filter(project=project, seq__in=seqs).defer("value")}
    return [
        {"why": each.why, "seq": each.seq, "fact": there.get(each.fact or 0), "entry": entries.get(each.seq or 0)}
        for each in state.differences
    ]


def further(kind: str, fact: Fact | None, before: int) -> str:
    """The query string of the entries before one."""
    parts = {"kind": kind, "fact": str(fact.pk) if fact is not None else "", "before": str(before)}
    return f"?{urlencode({name: value for name, value in parts.items() if value})}"


def kind_in(request: HttpRequest) -> str:
    """The kind of entries asked for, or "" for all."""
    kind = str(request.GET.get("kind", ""))
    if kind and kind not in KINDS:
        raise Invalid(fields={"kind": f"{kind[:40]!r} is not one of {', '.join(KINDS)}"})
    return kind


def number_in(request: HttpRequest, name: str) -> int | None:
    """A number of the query string, or None."""
    text = str(request.GET.get(name, ""))
    if text and not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Invalid(fields={name: f"{text[:20]!r} is not a number such as 12"})
    return int(text) if text else None
