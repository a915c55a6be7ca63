"""Pages for erasing everything about one user, and for the receipts. Owners of the project alone see them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from editor.models import Project
from editor.requests import project_view
from memory.erasure import services as erasure
from memory.pages import asked_again, by_person, frame, user_of
from memory.values import OWNER_LENGTH, storable_text
from web.errors import AppError, Invalid
from web.problems import status_of

SHOWN = 200


@project_view("project.manage")
@require_GET
def erasures(request: HttpRequest, project: Project) -> HttpResponse:
    """The receipts, newest first, and the way to erase somebody else."""
    rows = [(receipt, erasure.counted(receipt.counts)) for receipt in erasure.receipts(project=project)[:SHOWN]]
    return render(request, "memory/erasures.html", context_of(request, project) | {"rows": rows})


def ask_erase(request: HttpRequest, project: Project, error: AppError | None = None) -> HttpResponse:
    """The page with what would go, and why nothing went, or not all."""
    given = request.POST if request.method == "POST" else request.GET
    owner = owner_in(str(given.get("owner", "")))
    return confirmation(request, project, owner, reason=str(request.POST.get("reason", "")), error=error)


@project_view("project.manage")
@require_http_methods(["GET", "POST"])
@asked_again(ask_erase, when=by_person)
def erase(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what there is about the user ``owner`` and ask for the id once more; then erase it."""
    if request.method != "POST":
        return ask_erase(request, project)
    owner = owner_in(str(request.POST.get("owner", "")))
    if request.POST.get("typed") != owner:
        raise Invalid(fields={"typed": "The ID doesn't match"})
    receipt = erasure.erase_owner(
        project=project,
        owner=owner,
        actor=user_of(request),
        reason=str(request.POST.get("reason", "")),
        seconds=erasure.PATIENCE,
    )
    return redirect("memory:erasure", project.slug, receipt.number)


@project_view("project.manage")
@require_GET
def receipt(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """A receipt: what was erased, how many, when and by whom."""
    found = erasure.receipt_get(project=project, number=number)
    context = {"receipt": found, "counted": erasure.counted(found.counts)}
    return render(request, "memory/erasure.html", context_of(request, project) | context)


def confirmation(
    request: HttpRequest, project: Project, owner: str, *, reason: str = "", error: AppError | None = None
) -> HttpResponse:
    """The page with what would go, and why nothing went, or not all."""
    before = list(erasure.receipts_about(project=project, owner=owner)[:SHOWN])
    context = {
        "owner": owner,
        "counted": erasure.counted(erasure.erasable(project=project, owner=owner)),
        "before": before,
        "begun": next((each for each in before if each.finished_at is None), None),
        "reason": reason,
        "error": error,
        "fields": getattr(error, "fields", {}),
    }
    status = status_of(error) if error else 200
    return render(request, "memory/erasure_new.html", context_of(request, project) | context, status=status)


def context_of(request: HttpRequest, project: Project) -> dict[str, Any]:
    """What each of the pages needs."""
    return frame(request, project, "erasures") | {"now": timezone.now(), "longest": OWNER_LENGTH}


def owner_in(text: str) -> str:
    """The id of the user. Raises ``Invalid``."""
    if not 0 < len(text) <= OWNER_LENGTH or not storable_text(text):
        raise Invalid(fields={"owner": f"enter a user ID of 1 to {OWNER_LENGTH} characters"})
    return text
