"""Addresses that are not there: a program always gets a problem object, and no redirect that loses what it sent."""

from __future__ import annotations

import json
from itertools import product

import pytest
from django.test import Client

from tests.every import each
from tests.factories import MembershipFactory, ProjectFactory

pytestmark = pytest.mark.django_db

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
NOWHERE = ["/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/projects/", "/api/v1/nothing", "/api/v1/nothing/",
           "/api/v1/projects//", "/api/v1//projects/", "/api/v1/projects/%2e%2e/", "/api/nothing/here"]  # fmt: skip
WITHOUT_SLASH = ["/api/v1/projects", "/api/v1/projects/library", "/api/v1/projects/library/agents",
                 "/api/v1/projects/library/conversations/1/turns", "/api/v1/check"]  # fmt: skip


@pytest.fixture
def client():
    found = Client(raise_request_exception=False)
    found.force_login(MembershipFactory(project=ProjectFactory(slug="library"), role="owner").user)
    return found


def ask(client, method, path):
    return client.generic(method.upper(), path, json.dumps({"name": "x"}), content_type="application/json")


def test_what_is_not_there_is_a_problem(client):
    asked = product(NOWHERE, METHODS)
    each(((f"{method} {path}", (client, path, method)) for path, method in asked), is_not_there)


def is_not_there(client, path, method):
    answer = ask(client, method, path)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    if method != "head":
        problem = answer.json()
        assert (problem["code"], problem["status"]) == ("not-found", 404)
        assert "nothing at" in problem["detail"] or "no project" in problem["detail"]


def test_an_address_without_its_slash_is_not_redirected_but_named(client):
    asked = product(WITHOUT_SLASH, ("get", "post", "put"))
    each(((f"{method} {path}", (client, path, method)) for path, method in asked), is_named)


def is_named(client, path, method):
    answer = ask(client, method, path)
    assert answer.status_code == 404
    assert f"Did you mean {path}/?" in answer.json()["detail"]


def test_debugging_changes_nothing_about_that(client, settings):
    settings.DEBUG = True
    for path in WITHOUT_SLASH:
        answer = ask(client, "post", path)
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_people_are_led_to_the_slash(client):
    answer = client.get("/p/library/settings")
    assert (answer.status_code, answer["Location"]) == (301, "/p/library/settings/")
    assert client.get("/api/docs")["Location"] == "/api/docs/"
    assert client.get("/api/schema")["Location"] == "/api/schema/"


def test_a_page_that_is_not_there_is_a_page(client):
    answer = client.get("/nothing/here/")
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")
    assert "There is nothing at /nothing/here/" in answer.text


def test_a_word_that_begins_like_the_api_is_a_page(client):
    assert client.get("/apiary/")["Content-Type"].startswith("text/html")


def test_methods_that_an_address_has_not_are_a_problem_that_names_those_it_has(client):
    answer = client.delete("/api/v1/projects/")
    assert answer.status_code == 405
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Allow"] == "GET, POST, HEAD, OPTIONS"
