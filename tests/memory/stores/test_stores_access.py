"""Who may do what on every address of stores: by role, by project, by method, by token."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from editor import services as editing
from memory.models import Artifact, FactChange, StoreDefinition, StoreRecord
from memory.stores import services
from memory.stores.links import download_path
from memory.stores.selectors import Subject
from tests.emptying import undone
from tests.every import each
from tests.factories import ProjectFactory
from tests.memory.routes import EVERYONE, MAY, Route
from tests.memory.stores.kit import session_of, store_of

pytestmark = [pytest.mark.slow, pytest.mark.everybody]

SCHEMA = '{"type": "object"}'
FIELDS = {"name": "N", "description": "", "access": "user", "retention": "1_day", "schema": SCHEMA}
DEFINITION = {"technical_name": "fresh", "access": "user", "retention": "1_day", "schema": {"type": "object"}}


def ask(route, client, places, slug="kiln"):
    """One request on the store, record, session or file of ``places``; a text FILE is sent as a file."""
    address = reverse(route.name, kwargs={"slug": slug, **places[KIND.get(route.name, "project")]})
    sent = {key: upload() if value == "FILE" else value for key, value in (route.data or {}).items()}
    if (route.name, route.method) == ("api-store", "delete"):
        address += "?records=1"  # how many go with it
    if route.name == "api-artifacts":  # a form, of programs too
        return getattr(client, route.method)(address, sent)
    return route.send(client, address, sent)


def upload():
    return SimpleUploadedFile("notes.txt", b'{"version": 1, "stores": []}')


ROUTES = [
    Route("memory:stores", "get", "view", None, 200),
    Route("memory:store-new", "get", "edit", None, 200),
    Route("memory:store-new", "post", "edit", {**FIELDS, "technical_name": "fresh"}, 302),
    Route("memory:store-preview", "post", "view", {"schema": SCHEMA}, 200),
    Route("memory:stores-export", "get", "view", None, 200),
    Route("memory:stores-import", "get", "edit", None, 200),
    Route("memory:stores-import", "post", "edit", {"file": "FILE"}, 200),
    Route("memory:store", "get", "view", None, 200),
    Route("memory:store-edit", "post", "edit", {**FIELDS, "version": "1"}, 302),
    Route("memory:store-delete", "get", "edit", None, 200),
    Route("memory:store-delete", "post", "edit", {"records": "1"}, 302),
    Route("memory:records", "get", "view", None, 200),
    Route("memory:record", "get", "view", None, 200),
    Route("memory:record-edit", "post", "edit", {"content": "{}", "version": "1"}, 302),
    Route("memory:record-delete", "post", "edit", {"version": "1"}, 302),
    Route("memory:session", "get", "view", None, 200),
    Route("memory:artifact-upload", "post", "test", {"file": "FILE"}, 302),
    Route("memory:artifact-toggle", "post", "test", {"active": "0"}, 302),
    Route("memory:artifact-delete", "post", "edit", None, 302),
    Route("api-stores", "get", "view", None, 200),
    Route("api-stores", "post", "edit", DEFINITION, 201),
    Route("api-store", "get", "view", None, 200),
    Route("api-store", "patch", "edit", {"name": "New"}, 200),
    Route("api-store", "delete", "edit", None, 200),
    Route("api-store-check", "post", "view", {"schema": {"type": "object"}}, 200),
    Route("api-store-definitions", "get", "view", None, 200),
    Route("api-store-definitions", "post", "edit", {"stores": []}, 200),
    Route("api-records", "get", "view", None, 200),
    Route("api-record", "get", "view", None, 200),
    Route("api-record", "put", "edit", {"content": {}, "expected_version": 1}, 200),
    Route("api-record", "patch", "edit", {"content": {}, "expected_version": 1}, 200),
    Route("api-record", "delete", "edit", None, 204),
    Route("api-session", "get", "view", None, 200),
    Route("api-session", "patch", "test", {"metadata": {"a": 1}}, 200),
    Route("api-session", "put", "test", {"metadata": {"a": 1}}, 200),
    Route("api-artifacts", "get", "view", None, 200),
    Route("api-artifacts", "post", "test", {"file": "FILE"}, 201),
    Route("api-artifact", "get", "view", None, 200),
    Route("api-artifact", "patch", "test", {"isActive": False}, 200),
    Route("api-artifact", "delete", "edit", None, 204),
]
WITH_TOKEN = ["api-own-stores", "api-own-stores-slash", "api-own-store", "api-own-store-slash"]
"""Addresses that only a token may use; a browser that is signed in says for no project."""
BY_LINK = "memory:artifact-download"
KIND = {
    **dict.fromkeys(("memory:store", "memory:store-edit", "memory:store-delete", "api-store"), "store"),
    **dict.fromkeys(("memory:record", "memory:record-edit", "memory:record-delete", "api-record"), "record"),
    **dict.fromkeys(("memory:session", "memory:artifact-upload", "api-session", "api-artifacts"), "session"),
    **dict.fromkeys(("memory:artifact-toggle", "memory:artifact-delete", "api-artifact"), "artifact"),
}


def places_in(project):
    """A store with a record, a session, a file; what an address needs to name each."""
    store_of(project)
    record = services.content_set(project=project, name="userPrefs", content={"a": 1}, subject=Subject("ines"))
    session_of(project, "s-1")
    artifact = services.artifact_add(project=project, session="s-1", file=SimpleUploadedFile("a.txt", b"words"))
    return {
        "project": {},
        "store": {"name": "userPrefs"},
        "record": {"pk": record.pk},
        "session": {"session": "s-1"},
        "artifact": {"pk": artifact.pk},
    }


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def places(project):
    return places_in(project)


def state():
    """Everything that a refused request may not change."""
    return (
        list(StoreDefinition.objects.order_by("pk").values("pk", "version")),
        list(StoreRecord.objects.order_by("pk").values("pk", "version")),
        list(Artifact.objects.order_by("pk").values("pk", "version")),
        FactChange.objects.count(),
    )


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method}-{route.name}")
def test_each_role_gets_what_it_may(as_role, places, route):
    each(((role, (as_role, places, role, route)) for role in EVERYONE), gets_what_it_may)


@undone()
def gets_what_it_may(as_role, places, role, route):
    before = state()
    route.check(ask(route, as_role(role), places), role)
    if role not in MAY[route.needs]:
        assert state() == before


def test_what_belongs_to_another_project_is_not_there(as_role, project):
    elsewhere = places_in(ProjectFactory())
    named = [route for route in ROUTES if route.name in KIND]
    each(((f"{r.method} {r.name}", (as_role, elsewhere, r)) for r in named), is_not_there)


@undone()
def is_not_there(as_role, elsewhere, route):
    before = state()
    assert ask(route, as_role("owner"), elsewhere).status_code == 404
    assert state() == before


def test_other_methods_are_refused(as_role, places):
    each(((name, (as_role, places, name)) for name in sorted({route.name for route in ROUTES})), has_no_other_method)


@undone()
def has_no_other_method(as_role, places, name):
    allowed = {route.method for route in ROUTES if route.name == name} | {"head", "options"}
    for method in {"get", "post", "put", "patch", "delete"} - allowed:
        assert ask(Route(name, method, "edit", {}, 405), as_role("owner"), places).status_code == 405


def test_names_that_no_database_takes_are_not_found(as_role, places):
    each(((name, (as_role, places, name)) for name in sorted(KIND)), finds_no_impossible_name)


@undone()
def finds_no_impossible_name(as_role, places, name):
    method = next(route for route in ROUTES if route.name == name)
    for given in ({"name": "a\x00b"}, {"session": "a\x00b"}, {"pk": 10**30}):
        (key,) = given
        if key in places[KIND[name]]:
            assert ask(method, as_role("owner"), {KIND[name]: given}).status_code == 404


def token_of(project, user):
    _, secret = editing.token_create(project=project, user=user, name="")
    return {"authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("name", WITH_TOKEN)
def test_the_callers_own_stores_need_a_token(as_role, places, project, people, name):
    address = reverse(name, kwargs={"name": "userPrefs"} if "own-stores" not in name else {})
    assert as_role("anonymous").get(address).status_code == 401
    refused = as_role("owner").get(address)
    assert (refused.status_code, refused.json()["code"]) == (403, "token-needed")
    for role in MAY["view"]:
        assert Client().get(address, headers=token_of(project, people[role])).status_code == 200
    assert Client().generic("BREW", address, headers=token_of(project, people["owner"])).status_code == 405


def test_a_link_to_a_file_needs_no_sign_in(as_role, places):
    link = download_path(Artifact.objects.get())
    for role in EVERYONE:
        assert as_role(role).get(link).content == b"words"
        assert as_role(role).post(link).status_code == 405
