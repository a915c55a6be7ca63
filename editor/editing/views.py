"""The editing page and what it asks while somebody types (docs/architecture.md §2)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from editor import selectors, services
from editor.changes import changed_lines
from editor.editing import fixes, language, names
from editor.editing.last_rules import rule_words
from editor.models import Document, Draft, Revision
from editor.requests import document_view, json_body, number_in, pair_in, text_in, wants_json
from editor.texts import with_line_ends_of
from editor.views import posted, user_of
from web.costly import limited, while_typing
from web.errors import Conflict, Forbidden, Invalid

OPEN_FILES = 5


@document_view()
@require_http_methods(["GET", "HEAD", "POST"])
def document(request: HttpRequest, document: Document) -> HttpResponse:
    """The editing page; POST saves, as a form or as JSON ``{text, base_revision, message}``."""
    if request.method != "POST":
        return editing_page(request, document)
    selectors.project_get(user=user_of(request), slug=document.project.slug, permission="project.edit")
    return save_json(request, document) if wants_json(request) else save_form(request, document)


def editing_page(request: HttpRequest, document: Document) -> HttpResponse:
    """The page, with the user's draft if there is one and with the saved text otherwise."""
    user = user_of(request)
    draft = selectors.draft_get(document=document, user=user)
    return render(
        request,
        "editor/document.html",
        {
            "project": document.project,
            "document": document,
            "section": "edit",
            "draft": draft,
            "text": draft.text if draft else head_text(document),
            "base": base_of(document, draft),
            "head": document.head,
            "behind": bool(draft and document.head_id != draft.base_id),
            "documents": selectors.document_list(project=document.project),
            "open_files": open_files(request, document),
            "can_edit": user.has_perm("project.edit", document.project),
            "csrf_cookie": settings.CSRF_COOKIE_NAME,
        },
    )


def head_text(document: Document) -> str:
    """Text of the newest revision, empty before the first."""
    return document.head.text if document.head else ""


def base_of(document: Document, draft: Draft | None) -> Revision | None:
    """The revision on which the shown text is based."""
    return draft.base if draft else document.head


def open_files(request: HttpRequest, document: Document) -> list[str]:
    """Paths last opened in this session and project, this one among them, in a steady order."""
    key = f"open-files-{document.project_id}"
    known = set(selectors.document_list(project=document.project).values_list("path", flat=True))
    paths = [path for path in request.session.get(key, []) if path in known]
    if document.path not in paths:
        paths = [*paths[1 - OPEN_FILES :], document.path]
    if paths != request.session.get(key):
        request.session[key] = paths
    return paths


def save_json(request: HttpRequest, document: Document) -> HttpResponse:
    """Saves what the page sent and answers with the new revision; 409 with the newest one if somebody saved in
    between.
    """
    data = json_body(request)
    revision = services.document_save(
        document=document,
        user=user_of(request),
        text=with_line_ends_of(text_in(data, "text"), head_text(document)),
        base_revision=number_in(data, "base_revision"),
        message=text_in(data, "message", ""),
    )
    return JsonResponse({"revision": revision.number, "saved_at": revision.created_at.isoformat()})


def save_form(request: HttpRequest, document: Document) -> HttpResponse:
    """Saves without a script. After a conflict both texts are shown, and either can be saved."""
    form = posted(request, "text", "base_revision", "message")
    text = with_line_ends_of(form["text"], head_text(document))
    try:
        services.document_save(
            document=document,
            user=user_of(request),
            text=text,
            base_revision=number_in(dict(form), "base_revision"),
            message=form["message"],
        )
    except Conflict as error:
        context = {
            "project": document.project,
            "document": document,
            "section": "edit",
            "error": error,
            "text": text,
            "changes": changed_lines(error.current["text"], text),
        }
        return render(request, "editor/conflict.html", context, status=409)
    return redirect("editor:document", document.project.slug, document.path)


@document_view()
@while_typing
@require_POST
def analyse(request: HttpRequest, document: Document) -> HttpResponse:
    """Tokens, problems, outline of the text sent (``editor.editing.language.analyse``)."""
    data = json_body(request)
    version = number_in(data, "version")
    if version is None:
        raise Invalid(fields={"version": "is missing; number the texts you send."})
    answer = language.analyse(
        document=document,
        text=text_in(data, "text"),
        version=version,
        page=(user_of(request).pk, text_in(data, "page", "")[:64]),
        base=number_in(data, "base"),
        touched=pair_in(data, "touched"),
    )
    return JsonResponse(answer)


@document_view()
@while_typing
@require_POST
def complete(request: HttpRequest, document: Document) -> HttpResponse:
    """What may be written at a place of the text sent: ``{text, line, column}``."""
    return JsonResponse({"items": language.completions(document=document, **place_in(json_body(request)))})


@document_view()
@while_typing
@require_POST
def hover(request: HttpRequest, document: Document) -> HttpResponse:
    """What stands at a place of the text sent: ``{text, line, column}``."""
    return JsonResponse({"about": language.explanation(document=document, **place_in(json_body(request)))})


@document_view()
@limited
@require_POST
def formatted(request: HttpRequest, document: Document) -> HttpResponse:
    """Changes that lay out the text sent: ``{text}``."""
    return JsonResponse({"edits": names.formatting(document=document, text=text_in(json_body(request), "text"))})


@document_view("project.edit")
@limited
@require_POST
def bulk_fixes(request: HttpRequest, document: Document) -> HttpResponse:
    """The fixes over the whole of the text sent, ``{text}``, each with what it would change."""
    return JsonResponse({"fixes": fixes.bulk_fixes(document=document, text=text_in(json_body(request), "text"))})


@document_view()
@limited
@require_POST
def places(request: HttpRequest, document: Document) -> HttpResponse:
    """Where a name is declared, or with ``everywhere`` each place of it: ``{text, line, column, everywhere}``."""
    data = json_body(request)
    found = names.places(document=document, **place_in(data), everywhere=data.get("everywhere") is True)
    return JsonResponse({"places": addressed(found, document)})


@document_view()
@while_typing
@require_POST
def rules(request: HttpRequest, document: Document) -> HttpResponse:
    """How each rule of ``{text}`` went in the last test conversation."""
    return JsonResponse({"rules": rule_words(document=document, text=text_in(json_body(request), "text"))})


def addressed(places: list[dict[str, Any]], document: Document) -> list[dict[str, Any]]:
    """Places of a project with the address that shows each."""
    for place in places:
        address = reverse("editor:document", args=[document.project.slug, place["path"]])
        end = place["end_column"]
        query = {"line": place["line"], "column": place["column"], "end_line": place["line"], "end_column": end}
        place["address"] = f"{address}?{urlencode(query)}"
    return places


@document_view("project.edit")
@limited
@require_POST
def rename(request: HttpRequest, document: Document) -> HttpResponse:
    """What can be renamed at a place, ``{text, line, column}``; with ``name`` the changes, with ``apply`` those of
    other documents are saved."""
    data = json_body(request)
    place = place_in(data)
    if data.get("name") is None:
        return JsonResponse(names.named(document=document, **place))
    name, apply = text_in(data, "name"), data.get("apply") is True
    answer = names.renaming(document=document, **place, name=name, user=user_of(request), apply=apply)
    return JsonResponse({**answer, "left": addressed(answer["left"], document)})


def place_in(data: dict[str, Any]) -> dict[str, Any]:
    """The text of a question and the place in it."""
    line, column = number_in(data, "line"), number_in(data, "column")
    if not line or not column:
        raise Invalid(fields={"line, column": "are missing; both count from 1."})
    return {"text": text_in(data, "text"), "line": line, "column": column}


@document_view("project.edit")
@require_http_methods(["POST", "DELETE"])
def draft(request: HttpRequest, document: Document) -> HttpResponse:
    """POST ``{text, base_revision}`` keeps a draft, DELETE discards it. Answers when it was kept, or null."""
    user = user_of(request)
    if request.method == "DELETE":
        services.draft_discard(document=document, user=user)
        return JsonResponse({"kept_at": None})
    data = json_body(request)
    text = with_line_ends_of(text_in(data, "text"), head_text(document))
    kept = services.draft_save(document=document, user=user, text=text, base_revision=number_in(data, "base_revision"))
    return JsonResponse({"kept_at": kept.updated_at.isoformat() if kept else None, "now": timezone.now().isoformat()})


@document_view("project.edit")
@require_POST
def draft_discard(request: HttpRequest, document: Document) -> HttpResponse:
    """Discards the draft, as a form."""
    services.draft_discard(document=document, user=user_of(request))
    return redirect("editor:document", document.project.slug, document.path)


@document_view()
@require_GET
def current(request: HttpRequest, document: Document) -> HttpResponse:
    """The newest revision as JSON, to compare a draft with it."""
    if document.head is None:
        raise Forbidden("The document has no revision yet.")
    answer: dict[str, Any] = selectors.revision_dict(document.head)
    return JsonResponse(answer)
