"""Pages of stores: the list, the editor of a definition with its preview, files of definitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from editor.models import Project
from editor.requests import project_view
from memory.models import StoreDefinition
from memory.selectors import may_write
from memory.stores import selectors, services
from memory.stores.forms import content_of, form_of
from memory.stores.samples import examples_of
from memory.stores.schema import problems_of, schema_of
from memory.stores.validation import errors_of
from memory.views import user_of
from web.errors import Invalid
from web.parsers import json_value

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


def asked_by_htmx(request: HttpRequest) -> bool:
    """Whether a part of a page asks, not a person who goes to an address."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx and not htmx.history_restore_request)


def go(request: HttpRequest, address: str) -> HttpResponse:
    """On to another page after a change, by htmx or by itself."""
    if asked_by_htmx(request):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect(address)


def frame(request: HttpRequest, project: Project, tab: str) -> dict[str, Any]:
    """What every page of stores needs."""
    return {
        "project": project,
        "section": "memory",
        "memory_tab": tab,
        "can_write": may_write(user=user_of(request), project=project),
    }


@project_view()
@require_GET
def stores(request: HttpRequest, project: Project) -> HttpResponse:
    """The stores of a project with their numbers of records."""
    counts = selectors.record_counts(project=project)
    rows = [(store, *counts.get(store.pk, (0, 0))) for store in selectors.store_list(project=project)]
    return render(request, "memory/stores/stores.html", {**frame(request, project, "stores"), "rows": rows})


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
def store_new(request: HttpRequest, project: Project) -> HttpResponse:
    """The editor with an example to begin from; POST defines the store."""
    if request.method == "POST":
        given = fields_of(request)
        store = services.store_create(project=project, technical_name=text(request, "technical_name"), **given)
        return go(request, reverse("memory:store", args=[project.slug, store.technical_name]))
    store = StoreDefinition(access="user", retention="1_month", schema=EXAMPLE)
    return render(request, "memory/stores/store.html", {**frame(request, project, "stores"), **editor_of(store)})


@project_view()
@require_GET
def store(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """A definition: its fields, its schema, and what the schema allows."""
    found = selectors.store_get(project=project, name=name)
    context = {**frame(request, project, "stores"), **editor_of(found), "records": selectors.record_count(store=found)}
    return render(request, "memory/stores/store.html", context)


@project_view("project.edit")
@require_POST
def store_edit(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Save a definition over the version that was read."""
    version = text(request, "version")
    if version and not (version.isascii() and version.isdigit() and len(version) < 10):
        raise Invalid(fields={"version": f"{version[:20]!r} is not a version"})
    saved = services.store_update(
        project=project, technical_name=name, changes=fields_of(request),
        expected_version=int(version) if version else None,
    )  # fmt: skip
    return go(request, reverse("memory:store", args=[project.slug, saved.technical_name]))


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
def store_delete(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Ask, naming how many records go; then delete."""
    found = selectors.store_get(project=project, name=name)
    if request.method == "POST":
        told = text(request, "records")
        expected = int(told) if told.isascii() and told.isdigit() and len(told) < 12 else None
        services.store_delete(
            project=project, technical_name=name, expected_records=expected, actor=user_of(request),
            reason=text(request, "reason"),
        )  # fmt: skip
        return go(request, reverse("memory:stores", args=[project.slug]))
    context = {**frame(request, project, "stores"), "store": found, "records": selectors.record_count(store=found)}
    return render(request, "memory/stores/delete.html", context)


@project_view()
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
@require_GET
def stores_export(request: HttpRequest, project: Project) -> HttpResponse:
    """All definitions as a file, without data."""
    body = json.dumps(selectors.definitions_export(project=project), ensure_ascii=False, indent=2)
    name = f"{project.slug}-stores.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body + "\n", content_type="application/json", headers=headers)


@project_view("project.edit")
@require_http_methods(["GET", "POST"])
def stores_import(request: HttpRequest, project: Project) -> HttpResponse:
    """Take over the definitions of a file that was exported."""
    if request.method == "GET":
        return render(request, "memory/stores/import.html", frame(request, project, "stores"))
    file = request.FILES.get("file")
    if file is None:
        raise Invalid(fields={"file": "choose the file of an export"})
    if (file.size or 0) > LARGEST_FILE:
        raise Invalid(fields={"file": f"has {file.size:,} bytes; at most {LARGEST_FILE:,} are read"})
    try:
        data = json_value(file.read())
    except ValueError as error:
        raise Invalid(fields={"file": f"is no JSON: {error}"}) from None
    done = services.definitions_import(project=project, data=data, replace=bool(request.POST.get("replace")))
    context = {**frame(request, project, "stores"), "done": done}
    return render(request, "memory/stores/import.html", context)


def text(request: HttpRequest, name: str) -> str:
    """A field of the form without space around it."""
    return str(request.POST.get(name, "")).strip()


def fields_of(request: HttpRequest) -> dict[str, Any]:
    """What the form of a definition holds. Raises ``Invalid`` for a schema that is no JSON."""
    try:
        schema = schema_of(str(request.POST.get("schema", "")))
    except ValueError as error:
        raise Invalid(fields={"schema": f"is no JSON: {error}"}) from None
    named = {name: text(request, name) for name in ("name", "description", "access", "retention")}
    return {**named, "schema": schema, "strict": bool(request.POST.get("strict"))}


def editor_of(store: StoreDefinition) -> dict[str, Any]:
    """What the editor of a definition needs."""
    written = json.dumps(store.schema, ensure_ascii=False, indent=2)
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
        return {"problems": [{"path": "", "message": f"is no JSON: {error}"}]}
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
