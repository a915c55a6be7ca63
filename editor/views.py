"""Projects, their settings and their documents as pages."""

from __future__ import annotations

from typing import Any

from django.conf import settings as installation
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from abl.analysis.registry import RULES, lookup
from editor import selectors, services, starters, trials
from editor.changes import changed_lines
from editor.models import Document, Membership, Project, User
from editor.requests import document_view, project_view, signed_in
from web.costly import limited
from web.errors import AppError, Conflict, Invalid, NotFound

FormData = dict[str, str]


def posted(request: HttpRequest, *names: str) -> FormData:
    """The named fields of a form; absent ones are empty."""
    data: MultiValueDict[str, str] = request.POST
    return {name: str(data.get(name, "")) for name in names}


def user_of(request: HttpRequest) -> User:
    """The signed-in user; only for views behind ``signed_in``."""
    user = request.user
    if not isinstance(user, User):
        raise TypeError("This view is not behind signed_in.")
    return user


@signed_in
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The projects that the user may see."""
    page = Paginator(selectors.project_overview(user=user_of(request)), 48).get_page(request.GET.get("page"))
    return render(request, "editor/home.html", {"page": page, "section": "projects"})


@signed_in
@require_http_methods(["GET", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """A form for a new project."""
    form = posted(request, "name", "slug", "description")
    if request.method == "GET":
        return render(request, "editor/project_new.html", {"form": form, "section": "projects"})
    try:
        project = services.project_create(user=user_of(request), **form)
    except Invalid as error:
        context = {"form": form, "error": error, "section": "projects"}
        return render(request, "editor/project_new.html", context, status=400)
    return redirect("editor:project", project.slug)


@project_view()
@require_GET
def project(request: HttpRequest, project: Project) -> HttpResponse:
    """The documents of a project."""
    documents = selectors.document_list(project=project).select_related("head__author").order_by("kind", "path")
    return render(
        request,
        "editor/project.html",
        {
            "project": project,
            "section": "edit",
            "documents": documents,
            "can_edit": user_of(request).has_perm("project.edit", project),
        },
    )


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
def document_new(request: HttpRequest, project: Project) -> HttpResponse:
    """A form for a new document, with texts to begin from."""
    form = posted(request, "path", "starter")
    context = {"project": project, "section": "edit", "form": form, "starters": starters.STARTERS}
    if request.method == "GET":
        form["starter"] = request.GET.get("starter", starters.STARTERS[0].key)
        return render(request, "editor/document_new.html", context)
    try:
        starter = starters.BY_KEY.get(form["starter"])
        if starter is None:
            raise Invalid(
                fields={"starter": f"{form['starter']!r} is not offered; choose {', '.join(starters.BY_KEY)}."}
            )
        path = form["path"].strip()
        if path and "." not in path:
            path += starter.ending
        document = services.document_create(project=project, user=user_of(request), path=path, text=starter.text)
    except Invalid as error:
        return render(request, "editor/document_new.html", {**context, "error": error}, status=400)
    return redirect("editor:document", project.slug, document.path)


@document_view("project.edit")
@require_POST
def document_rename(request: HttpRequest, document: Document) -> HttpResponse:
    """Gives a document another path."""
    try:
        services.document_rename(document=document, path=posted(request, "path")["path"])
    except Invalid as error:
        messages.error(request, str(error))
        return redirect("editor:project", document.project.slug)
    return redirect("editor:document", document.project.slug, document.path)


@document_view("project.edit")
@require_POST
def document_delete(request: HttpRequest, document: Document) -> HttpResponse:
    """Removes a document."""
    try:
        services.document_delete(document=document)
    except Conflict as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{document.path} was deleted.")
    return redirect("editor:project", document.project.slug)


@document_view()
@limited
@require_GET
def revisions(request: HttpRequest, document: Document) -> HttpResponse:
    """The revisions of a document, newest first; a fragment for the editing page."""
    page = Paginator(selectors.revision_list(document=document), 25).get_page(request.GET.get("page"))
    context = {
        "project": document.project,
        "document": document,
        "section": "edit",
        "page": page,
        "draft": selectors.draft_get(document=document, user=user_of(request)),
    }
    template = "editor/_revisions.html" if getattr(request, "htmx", False) else "editor/revisions.html"
    return render(request, template, context)


@document_view()
@limited
@require_GET
def revision(request: HttpRequest, document: Document, number: int) -> HttpResponse:
    """One revision, and what it changed."""
    shown = selectors.revision_get(document=document, number=number)
    before = shown.parent.text if shown.parent else ""
    return render(
        request,
        "editor/revision.html",
        {
            "project": document.project,
            "document": document,
            "section": "edit",
            "revision": shown,
            "changes": changed_lines(before, shown.text),
            "is_head": document.head_id == shown.pk,
            "can_edit": user_of(request).has_perm("project.edit", document.project),
        },
    )


@project_view()
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, project: Project) -> HttpResponse:
    """Name, members and own tokens; owners change the first two."""
    user = user_of(request)
    if request.method == "POST":
        # Authorised again: seeing the page needs less than changing the project.
        selectors.project_get(user=user, slug=project.slug, permission="project.manage")
        try:
            seconds = request.POST.get("turn_seconds")
            limit = services.UNCHANGED if seconds is None else trials.read_seconds(seconds)
            form = posted(request, "name", "description")
            services.project_update(
                project=project, name=form["name"], description=form["description"], turn_seconds=limit
            )
        except Invalid as error:
            return settings_page(request, project, error=error, status=400)
        messages.success(request, "Saved.")
        return redirect("editor:settings", project.slug)
    return settings_page(request, project)


def settings_page(
    request: HttpRequest, project: Project, *, error: AppError | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    """The settings with what just happened: an error, or the secret of a new token."""
    user = user_of(request)
    context = {
        "project": project,
        "section": "settings",
        "members": selectors.member_list(project=project),
        "roles": Membership.Role.values,
        "tokens": selectors.token_list(project=project, user=user),
        "can_manage": user.has_perm("project.manage", project),
        "can_edit": user.has_perm("project.edit", project),
        "trial": {
            "entry": project.settings.get("entry", ""),
            "mocks": trials.mocks_text(project),
            "run": trials.run_text(project),
        },
        "turn_seconds": request.POST.get("turn_seconds", trials.turn_seconds(project) or ""),
        "default_seconds": installation.TURN_SECONDS,
        "most_seconds": trials.MOST_SECONDS,
        "error": error,
        **more,
    }
    return render(request, "editor/settings.html", context, status=status)


@project_view("project.edit")
@limited
@require_POST
def trials_set(request: HttpRequest, project: Project) -> HttpResponse:
    """Keeps what test conversations begin with."""
    form = posted(request, "entry", "mocks", *(["run"] if "run" in request.POST else []))
    try:
        trials.trials_set(project=project, **form)
    except Invalid as error:
        return settings_page(request, project, error=error, status=400, trial=form)
    messages.success(request, "Saved. New conversations will use it.")
    return redirect("editor:settings", project.slug)


@project_view("project.manage")
@require_POST
def member_set(request: HttpRequest, project: Project) -> HttpResponse:
    """Adds a member or changes a role."""
    form = posted(request, "username", "role")
    try:
        services.member_set(project=project, **form)
    except (Invalid, Conflict) as error:
        return settings_page(
            request, project, error=error, status=400 if isinstance(error, Invalid) else 409, form=form
        )
    messages.success(request, f"{form['username'].strip()} is {form['role']} of {project.name}.")
    return redirect("editor:settings", project.slug)


@project_view("project.manage")
@require_POST
def member_remove(request: HttpRequest, project: Project, username: str) -> HttpResponse:
    """Removes a member from the project."""
    try:
        services.member_remove(project=project, username=username)
    except Conflict as error:
        return settings_page(request, project, error=error, status=409)
    messages.success(request, f"{username} is no longer a member of {project.name}.")
    if username == user_of(request).username:
        return redirect("editor:home")
    return redirect("editor:settings", project.slug)


@project_view()
@require_POST
def token_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Makes a token of the user; the only page that ever shows its secret."""
    token, secret = services.token_create(project=project, user=user_of(request), **posted(request, "name"))
    response = settings_page(request, project, new_token=token, secret=secret)
    response["Cache-Control"] = "no-store"
    return response


@project_view()
@require_POST
def token_revoke(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Revokes one of the user's own tokens."""
    token = selectors.own_token_get(project=project, user=user_of(request), pk=pk)
    services.token_revoke(token=token)
    messages.success(request, f"Token {token.prefix}… was revoked.")
    return redirect("editor:settings", project.slug)


@signed_in
@require_GET
def diagnostic(request: HttpRequest, code: str) -> HttpResponse:
    """What a diagnostic means, why it matters, and an example of wrong and right."""
    rule = lookup(code)
    if rule is None:
        raise NotFound(f"There is no diagnostic {code[:40]!r}. There are {len(RULES)}, from ABL100 on.")
    return render(request, "editor/diagnostic.html", {"rule": rule, "doc": rule.page})
