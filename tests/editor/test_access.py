"""Every address against every kind of person, and every method that it does not have."""

from __future__ import annotations

import json

import pytest
from django.urls import URLPattern, get_resolver, reverse

from editor import api_urls, services, urls
from tests.editor.conftest import PEOPLE
from tests.emptying import undone
from tests.every import each

pytestmark = [pytest.mark.slow, pytest.mark.everybody]

DOC = {"slug": "library", "path": "desk.agent.abl"}
API_DOC = {"slug": "library", "name": "desk.agent.abl"}
READERS = {"owner", "editor", "reviewer", "viewer"}
EDITORS = {"owner", "editor"}
OWNERS = {"owner"}
SIGNED_IN = READERS | {"stranger"}

# name, method, arguments, body, who may
PAGES = [
    ("home", "get", {}, None, SIGNED_IN),
    ("project_new", "get", {}, None, SIGNED_IN),
    ("project_new", "post", {}, {"name": "Mine"}, SIGNED_IN),
    ("diagnostic", "get", {"code": "ABL346"}, None, SIGNED_IN),
    ("project", "get", {"slug": "library"}, None, READERS),
    ("document_new", "get", {"slug": "library"}, None, EDITORS),
    ("document_new", "post", {"slug": "library"}, {"path": "n.agent.abl", "starter": "agent"}, EDITORS),
    ("settings", "get", {"slug": "library"}, None, READERS),
    ("settings", "post", {"slug": "library"}, {"name": "Other"}, OWNERS),
    ("member_set", "post", {"slug": "library"}, {"username": "stranger", "role": "viewer"}, OWNERS),
    ("trials_set", "post", {"slug": "library"}, {"entry": "", "mocks": ""}, EDITORS),
    ("member_remove", "post", {"slug": "library", "username": "viewer"}, {}, OWNERS),
    ("token_new", "post", {"slug": "library"}, {"name": "x"}, READERS),
    ("token_revoke", "post", {"slug": "library", "pk": 0}, {}, OWNERS),
    ("document", "get", DOC, None, READERS),
    ("document", "post", DOC, {"text": "AGENT: New\n", "base_revision": "1"}, EDITORS),
    ("analyse", "post", DOC, {"text": "AGENT: New\n", "version": 1}, READERS),
    ("complete", "post", DOC, {"text": "AG", "line": 1, "column": 3}, READERS),
    ("hover", "post", DOC, {"text": "AG", "line": 1, "column": 1}, READERS),
    ("format", "post", DOC, {"text": "AGENT: New\n"}, READERS),
    ("bulk_fixes", "post", DOC, {"text": "AGENT: New\n"}, EDITORS),
    ("places", "post", DOC, {"text": "AGENT: New\n", "line": 1, "column": 8}, READERS),
    ("rules", "post", DOC, {"text": "AGENT: New\n"}, READERS),
    ("rename_name", "post", DOC, {"text": "AGENT: New\n", "line": 1, "column": 8}, EDITORS),
    ("draft", "post", DOC, {"text": "AGENT: New\n", "base_revision": 1}, EDITORS),
    ("draft", "delete", DOC, {}, EDITORS),
    ("draft_discard", "post", DOC, {}, EDITORS),
    ("current", "get", DOC, None, READERS),
    ("document_rename", "post", DOC, {"path": "other.agent.abl"}, EDITORS),
    ("document_delete", "post", DOC, {}, EDITORS),
    ("revisions", "get", DOC, None, READERS),
    ("revision", "get", {**DOC, "number": 1}, None, READERS),
]
SCRIPTS = {"analyse", "complete", "hover", "format", "bulk_fixes", "places", "rules", "rename_name", "draft", "current"}

API = [
    ("api-projects", "get", {}, None, SIGNED_IN),
    ("api-projects", "post", {}, {"name": "Mine"}, SIGNED_IN),
    ("api-project", "get", {"slug": "library"}, None, READERS),
    ("api-project", "patch", {"slug": "library"}, {"name": "Other"}, OWNERS),
    ("api-members", "get", {"slug": "library"}, None, READERS),
    ("api-members", "post", {"slug": "library"}, {"user": "stranger", "role": "viewer"}, OWNERS),
    ("api-member", "delete", {"slug": "library", "user": "viewer"}, None, OWNERS),
    ("api-documents", "get", {"slug": "library"}, None, READERS),
    ("api-documents", "post", {"slug": "library"}, {"name": "n.agent.abl"}, EDITORS),
    ("api-document", "get", API_DOC, None, READERS),
    ("api-document", "put", API_DOC, {"text": "x", "base_revision": 1}, EDITORS),
    ("api-document", "delete", API_DOC, None, EDITORS),
    ("api-revisions", "get", API_DOC, None, READERS),
    ("api-revision", "get", {**API_DOC, "number": 1}, None, READERS),
    ("api-diff", "get", API_DOC, None, READERS),
    ("api-check", "post", {}, {"files": {"a.agent.abl": "AGENT: A\n"}}, SIGNED_IN),
    ("api-format", "post", {}, {"text": "AGENT: A\n"}, SIGNED_IN),
    (
        "api-complete",
        "post",
        {},
        {"files": {"a.agent.abl": "AG"}, "path": "a.agent.abl", "line": 1, "column": 3},
        SIGNED_IN,
    ),
    ("api-evaluate", "post", {}, {"expression": "1 + 1"}, SIGNED_IN),
]


def ask(client, row, *, script):
    name, method, arguments, body, _ = row
    if name == "token_revoke":
        arguments = {**arguments, "pk": client.own_token}
    address = reverse(name if name.startswith("api-") else f"editor:{name}", kwargs=arguments)
    if script:
        return (
            getattr(client, method)(
                address,
                json.dumps(body) if body is not None else None,
                content_type="application/json",
                headers={"accept": "application/json"},
            )
            if method != "get"
            else client.get(address, headers={"accept": "application/json"})
        )
    return getattr(client, method)(address, body)


@pytest.fixture
def visitor(as_, people, project, document):
    def signed_in(person):
        client = as_(person)
        user = people["owner"] if person in ("owner", "anonymous") else people[person]
        # A person of lesser rights tries to revoke the owner's token.
        token, _ = services.token_create(project=project, user=people["owner"] if person != "owner" else user)
        client.own_token = token.pk
        return client

    return signed_in


@pytest.mark.parametrize("row", PAGES, ids=[f"{row[1]} {row[0]}" for row in PAGES])
def test_pages_answer_who_may_and_refuse_the_others(visitor, row):
    each(((person, (visitor, person, row)) for person in PEOPLE), page_answers_or_refuses)


@undone()
def page_answers_or_refuses(visitor, person, row):
    name, *_, allowed = row
    response = ask(visitor(person), row, script=name in SCRIPTS)
    if person in allowed:
        assert response.status_code in (200, 302), response.content[:500]
    elif person == "anonymous":
        if name in SCRIPTS:
            assert response.json()["code"] == "signed-out"
        else:
            assert response.status_code == 302
            assert response["Location"].startswith("/login/?next=")
    elif person == "stranger" or name == "token_revoke":
        assert response.status_code == 404
    else:
        assert response.status_code == 403


@pytest.mark.parametrize("row", API, ids=[f"{row[1]} {row[0]}" for row in API])
def test_the_api_answers_who_may_and_refuses_the_others(visitor, row):
    each(((person, (visitor, person, row)) for person in PEOPLE), api_answers_or_refuses)


@undone()
def api_answers_or_refuses(visitor, person, row):
    allowed = row[-1]
    response = ask(visitor(person), row, script=True)
    if person in allowed:
        assert response.status_code in (200, 201, 204), response.content[:500]
        return
    expected = {"anonymous": 401, "stranger": 404}.get(person, 403)
    assert response.status_code == expected
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == expected


def names_in(patterns):
    return {pattern.name for pattern in patterns if isinstance(pattern, URLPattern)}


def test_no_address_is_missing_in_these_tables():
    assert names_in(urls.urlpatterns) == {page[0] for page in PAGES}
    assert names_in(api_urls.urlpatterns) == {page[0] for page in API}
    assert get_resolver()


def test_pages_refuse_methods_that_they_do_not_have(visitor):
    owner = visitor("owner")
    pages = sorted({(p[0], tuple(p[2].items())) for p in PAGES if p[0] != "token_revoke"})
    each(((name, (owner, name, arguments)) for name, arguments in pages), refuses_put)


def refuses_put(owner, name, arguments):
    assert owner.put(reverse(f"editor:{name}", kwargs=dict(arguments))).status_code == 405


@pytest.mark.parametrize("name", ["document", "draft", "settings", "member_set", "token_new"])
def test_writes_need_the_csrf_token(people, document, name):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(people["owner"])
    arguments = DOC if name in ("document", "draft") else {"slug": "library"}
    assert client.post(reverse(f"editor:{name}", kwargs=arguments), {"text": "x"}).status_code == 403


@pytest.mark.parametrize(
    "address",
    [
        "/p/library/edit/none.agent.abl",
        "/p/none/",
        "/p/library/edit/desk.agent.abl/revisions/99/",
        "/diagnostics/ABL000/",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(as_, document, address):
    response = as_("owner").get(address)
    assert response.status_code == 404
    assert b"<main" in response.content
