"""Pages of stores: the list, the editor of a definition with its preview, files of definitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.facts.selectors import fact_history
from memory.models import StoreDefinition
from memory.pages import asked_again, by_person, frame, go, refused, text_in, user_of, version_in
from memory.stores import selectors, services
from memory.stores.forms import content_of, form_of
from memory.stores.samples import examples_of
from memory.stores.schema import problems_of, schema_of
from memory.stores.validation import errors_of
from web.api.fields import WHOLE_LARGEST, whole
from web.api.parsers import json_problem, json_value
from web.costly import limited, while_typing
from web.errors import AppError, Invalid

EXAMPLE = {
    "type": "object",
    "properties": {
        "preferences": {
            "type": "object",
            "properties": {
                "language": {"type": "string", "enum": ["en", "de", "fr"], "default": "en"},
                "notifications": {"type": "boolean"},
            },
        },
        "recentOrders": {"type": "array", "items": {"type": "string"}},
        "lastVisit": {"type": "string", "format": "date-time"},
    },
}
"""What a new store begins with."""
LARGEST_FILE = 5_000_000
FIELD = "field:"
"""Before the names of the fields of a form that is made from a schema."""


@project_view()
@require_GET
def stores(request: HttpRequest, project: Project) -> HttpResponse:
    """The stores of a project with their numbers of records."""
    counts = selectors.record_counts(project=project)
    rows = [(store, *counts.get(store.pk, (0, 0))) for store in selectors.store_list(project=project)]
    return render(request, "memory/stores/stores.html", {**frame(request, project, "stores"), "rows": rows})


def ask_store(request: HttpRequest, project: Project, error: AppError | None = None, name: str = "") -> HttpResponse:
    """The editor of a definition, or of a new one, with what was typed and why that was not saved."""
    if name:
        found = selectors.store_get(project=project, name=name)
    else:
        found = StoreDefinition(access="user", retention="1_month", schema=EXAMPLE)
    there = schema_text(selectors.definition_dict(found)) if name else None
    written = schema_text(found.schema)
    if request.method == "POST":
        written = str(request.POST.get("schema", ""))
        named = {"technical_name": name or text_in(request, "technical_name")}
        for field, value in {**named, **plain_fields(request)}.items():
            setattr(found, field, value)
    context = {
        **frame(request, project, "stores"),
        **editor_of(found, written),
        "seen": ("version", found.version),
        "single": True,  # no form for deleting beside it
        "records": selectors.record_count(store=found) if name else 0,
        "history": fact_history(fact=services.definition_of(found)) if name else [],
        "now": timezone.now(),
    }
    return refused(request, "memory/stores/store.html", context, error, there=there)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
@asked_again(ask_store, when=by_person)
def store_new(request: HttpRequest, project: Project) -> HttpResponse:
    """The editor with an example to begin from; POST defines the store."""
    if request.method != "POST":
        return ask_store(request, project)
    given = fields_of(request)
    store = services.store_create(
        project=project, technical_name=text_in(request, "technical_name"), actor=user_of(request), **given
    )
    return go(request, reverse("memory:store", args=[project.slug, store.technical_name]))


@project_view()
@require_GET
def store(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """A definition: its fields, its schema, and what the schema allows."""
    return ask_store(request, project, name=name)


@project_view("project.edit")
@require_POST
@asked_again(ask_store, when=by_person)
def store_edit(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Save a definition over the version that was read."""
    saved = services.store_update(
        project=project,
        technical_name=name,
        changes=fields_of(request),
        expected_version=version_in(request),
        actor=user_of(request),
    )
    return go(request, reverse("memory:store", args=[project.slug, saved.technical_name]))


def ask_delete(request: HttpRequest, project: Project, error: AppError | None = None, name: str = "") -> HttpResponse:
    """The question, naming how many records go, and why nothing went before."""
    found = selectors.store_get(project=project, name=name)
    context = {**frame(request, project, "stores"), "store": found, "records": selectors.record_count(store=found)}
    return refused(request, "memory/stores/delete.html", {**context, "given": request.POST.dict()}, error)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
@asked_again(ask_delete)
def store_delete(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Ask, naming how many records go; then delete."""
    if request.method != "POST":
        return ask_delete(request, project, name=name)
    expected = whole(text_in(request, "records"), "records", 0, WHOLE_LARGEST)
    services.store_delete(
        project=project,
        technical_name=name,
        expected_records=expected,
        actor=user_of(request),
        reason=text_in(request, "reason"),
    )
    return go(request, reverse("memory:stores", args=[project.slug]))


@project_view()
@while_typing
@require_POST
def store_preview(request: HttpRequest, project: Project) -> HttpResponse:
    """What is wrong with a schema that is being written, or the form and the examples that it makes.

    With ``try=1`` only whether the filled form fits.
    """
    context = preview_of(str(request.POST.get("schema", "")))
    if request.GET.get("try") and "form" in context:
        given = {key.removeprefix(FIELD): str(value) for key, value in request.POST.items() if key.startswith(FIELD)}
        return render(request, "memory/stores/_tried.html", tried(context["schema"], context["form"], given))
    return render(request, "memory/stores/_preview.html", {**context, "project": project})


@project_view()
@limited
@require_GET
def stores_export(request: HttpRequest, project: Project) -> HttpResponse:
    """All definitions as a file, without data."""
    body = json.dumps(selectors.definitions_export(project=project), ensure_ascii=False, indent=2)
    name = f"{project.slug}-stores.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body + "\n", content_type="application/json", headers=headers)


def ask_import(request: HttpRequest, project: Project, error: AppError | None = None) -> HttpResponse:
    """The form, and why nothing was taken over."""
    return refused(request, "memory/stores/import.html", frame(request, project, "stores"), error)


@project_view("project.edit")
@limited
@require_http_methods(["GET", "POST"])
@asked_again(ask_import)
def stores_import(request: HttpRequest, project: Project) -> HttpResponse:
    """Take over the definitions of a file that was exported."""
    if request.method == "GET":
        return ask_import(request, project)
    file = request.FILES.get("file")
    if file is None:
        raise Invalid(fields={"file": "choose an exported file"})
    if (file.size or 0) > LARGEST_FILE:
        raise Invalid(fields={"file": f"has {file.size:,} bytes; at most {LARGEST_FILE:,} are read"})
    try:
        data = json_value(file.read())
    except ValueError as error:
        raise Invalid(fields={"file": json_problem(error)}) from None
    replace = bool(request.POST.get("replace"))
    done = services.definitions_import(project=project, data=data, replace=replace, actor=user_of(request))
    context = {**frame(request, project, "stores"), "done": done}
    return render(request, "memory/stores/import.html", context)


def fields_of(request: HttpRequest) -> dict[str, Any]:
    """What the form of a definition holds. Raises ``Invalid`` for a schema that is no JSON."""
    try:
        schema = schema_of(str(request.POST.get("schema", "")))
    except ValueError as error:
        raise Invalid(fields={"schema": json_problem(error)}) from None
    return {**plain_fields(request), "schema": schema}


def plain_fields(request: HttpRequest) -> dict[str, Any]:
    """The fields of that form but for the schema, as they were typed."""
    named = {name: text_in(request, name) for name in ("name", "description", "access", "retention")}
    return {**named, "strict": bool(request.POST.get("strict"))}


def schema_text(schema: Any) -> str:
    """A schema as the editor shows it."""
    return json.dumps(schema, ensure_ascii=False, indent=2)


def editor_of(store: StoreDefinition, written: str) -> dict[str, Any]:
    """What the editor of a definition needs; ``written`` is the schema as it is in the field."""
    return {
        "store": store,
        "schema_text": written,
        "accesses": StoreDefinition.Access.choices,
        "retentions": StoreDefinition.Retention.choices,
        **preview_of(written),
    }


def preview_of(written: str) -> dict[str, Any]:
    """Problems of a text as a schema; without any, the form and the examples that it makes."""
    try:
        schema = schema_of(written)
    except ValueError as error:
        return {"problems": [{"path": "", "message": json_problem(error)}]}
    problems = problems_of(schema)
    if problems:
        return {"problems": problems}
    return {"problems": [], "schema": schema, "form": form_of(schema), "examples": examples_of(schema)}


def tried(schema: Mapping[str, Any], form: Any, given: Mapping[str, str]) -> dict[str, Any]:
    """The content of a filled form and what in it breaks the schema."""
    try:
        content = content_of(form, given)
    except ValueError as error:
        return {"errors": [{"path": "", "message": str(error)}]}
    return {"content": content, "errors": errors_of(schema, content)}
