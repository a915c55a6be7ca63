"""The page of a session, its files, and the address from which a file is fetched."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_POST, require_safe

from editor.models import Project
from editor.requests import project_view
from memory.models import Artifact
from memory.pages import asked_again, frame, go, refused, user_of
from memory.stores import selectors, services
from memory.stores.filetypes import ALLOWED
from memory.stores.links import download_path, read_token
from memory.stores.selectors import RecordFilters
from web.errors import AppError, NotFound
from web.views import error_page

RECORDS = 50
FOREIGN = "default-src 'none'; sandbox; frame-ancestors 'none'"
"""Policy of a file that somebody uploaded: wherever a browser shows it, nothing in it runs or reaches this site."""


def session_in(project: Project, session: str) -> str:
    """The name of a session of the project. Raises ``NotFound``."""
    return selectors.session_get(project=project, session=session).session


@project_view()
@require_GET
def session(request: HttpRequest, project: Project, session: str) -> HttpResponse:
    """What a session carries: metadata, information, files, and its records."""
    return session_page(request, project, None, session)


def session_page(request: HttpRequest, project: Project, error: AppError | None, session: str) -> HttpResponse:
    """The page of a session, and why a file was not kept."""
    now = timezone.now()
    meta = selectors.session_get(project=project, session=session_in(project, session))
    files = selectors.artifact_list(project=project, session=meta.session, now=now)
    records = selectors.record_list(project=project, filters=RecordFilters(owner=meta.session), now=now)
    context = {
        **frame(request, project, "stores"),
        "meta": meta,
        "content": selectors.meta_dict(meta, now=now),
        "files": [(file, download_path(file)) for file in files],
        "records": [(record, record.state(now)) for record in records[:RECORDS]],
        "now": now,
        "allowed": ALLOWED,
        "upload_bytes": settings.UPLOAD_BYTES,
        "can_use": user_of(request).has_perm("project.test", project),
    }
    return refused(request, "memory/stores/session.html", context, error)


@project_view("project.test")
@require_POST
@asked_again(session_page)
def artifact_upload(request: HttpRequest, project: Project, session: str) -> HttpResponse:
    """Keep a file of a session."""
    found = session_in(project, session)
    services.artifact_add(
        project=project, session=found, file=services.only_file(request.FILES), actor=user_of(request)
    )
    return go(request, reverse("memory:session", args=[project.slug, found]))


@project_view("project.test")
@require_POST
def artifact_toggle(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Take a file into the context (``active=1``) or out of it."""
    active = request.POST.get("active") == "1"
    artifact = services.artifact_set_active(project=project, pk=pk, active=active, actor=user_of(request))
    return go(request, reverse("memory:session", args=[project.slug, artifact.session]))


@project_view("project.edit")
@require_POST
def artifact_delete(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Delete a file."""
    artifact = selectors.artifact_get(project=project, pk=pk, now=timezone.now())
    services.artifact_delete(project=project, pk=pk, actor=user_of(request))
    return go(request, reverse("memory:session", args=[project.slug, artifact.session]))


@require_safe
def artifact_download(request: HttpRequest, token: str) -> HttpResponse:
    """A file by its signed link, for whoever holds it: 404 for a link of others, 410 when its time is over."""
    read = read_token(token)
    if read is None:
        raise NotFound("This link is not valid.")
    pk, until = read
    artifact = Artifact.objects.filter(pk=pk).first() if timezone.now() < until else None
    data = services.content_of(artifact) if artifact is not None else None
    if artifact is None or data is None:
        gone = NotFound("This link has expired, or the file was deleted.", code="gone")
        return error_page(request, gone, 410)
    return HttpResponse(
        data,
        content_type=artifact.mimetype,
        headers={
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=artifact.filename) or "",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": FOREIGN,
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "private, no-store",
        },
    )
