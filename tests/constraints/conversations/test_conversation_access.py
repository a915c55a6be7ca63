"""Every route against every kind of person, in the right and in the wrong project, with right and wrong methods."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from django.test import Client
from django.urls import reverse

from constraints.conversations import services
from editor.models import ApiToken
from editor.selectors import digest_of
from tests.constraints.conftest import ROLES, TESTERS, Runner
from tests.emptying import undone
from tests.every import each
from tests.factories import ProjectFactory, sign_in

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.everybody]

C = {"slug": "library", "number": 7}
T = {**C, "index": 1}
E = {**C, "seq": 1}
P = "constraints:"
EDITORS = ("owner", "editor")


class Route(NamedTuple):
    """An address, a method, the roles that may use it, and what they then get."""

    name: str
    arguments: dict
    method: str
    may: tuple
    status: int


ROUTES = [
    Route(P + "conversations", {"slug": "library"}, "get", ROLES, 200),
    Route(P + "conversations", {"slug": "library"}, "post", TESTERS, 302),
    Route(P + "panel", {"slug": "library"}, "get", ROLES, 200),
    Route(P + "preview", {"slug": "library"}, "get", ROLES, 200),
    Route(P + "conversation", C, "get", ROLES, 200),
    Route(P + "export", C, "get", ROLES, 200),
    Route(P + "event", E, "get", ROLES, 200),
    Route(P + "turn-create", C, "post", TESTERS, 302),
    Route(P + "turn-chat", T, "get", ROLES, 200),
    Route(P + "turn-events", T, "get", ROLES, 200),
    Route(P + "turn-rules", T, "get", ROLES, 200),
    Route(P + "turn-cancel", T, "post", TESTERS, 302),
    Route("api-conversations", {"slug": "library"}, "get", ROLES, 200),
    Route("api-conversations", {"slug": "library"}, "post", TESTERS, 201),
    Route("api-conversation", C, "get", ROLES, 200),
    Route("api-turns", C, "get", ROLES, 200),
    Route("api-turns", C, "post", TESTERS, 202),
    Route("api-turn", T, "get", ROLES, 200),
    Route("api-turn-cancel", T, "post", TESTERS, 202),
    Route("api-events", C, "get", ROLES, 200),
    Route("api-conversation", C, "delete", EDITORS, 204),
    Route(P + "delete", {"slug": "library"}, "get", EDITORS, 200),
    Route(P + "delete", {"slug": "library"}, "post", EDITORS, 302),
]
NAMED = [(f"{route.method} {route.name}", route) for route in ROUTES]
BODY = {"kind": "say", "text": "5", "number": 7}
FIELDS = {"api-conversations": (), "api-turns": ("kind", "text")}
"""What of the body the API takes there; it refuses what it does not know."""


@pytest.fixture(autouse=True)
def history(start, say):
    """Turn 0 is done, turn 1 waits."""
    services.turn_run(turn_id=start.pk, runner=Runner())
    say()


def call(user, route):
    client = Client() if user is None else sign_in(Client(), user)
    url = reverse(route.name, kwargs=route.arguments)
    if not route.name.startswith("api-"):
        return getattr(client, route.method)(url, BODY)
    if route.method == "get":
        return client.get(url)
    body = {name: BODY[name] for name in FIELDS.get(route.name, BODY)}
    return getattr(client, route.method)(url, body, content_type="application/json")


@pytest.mark.parametrize("role", ROLES)
def test_members_do_what_their_role_allows(people, role):
    each(((name, (people, role, route)) for name, route in NAMED), is_allowed_or_refused)


@undone()
def is_allowed_or_refused(people, role, route):
    assert call(people[role], route).status_code == (route.status if role in route.may else 403)


def test_strangers_learn_nothing(people):
    each(((name, (people, route)) for name, route in NAMED), is_not_there_for_strangers)


@undone()
def is_not_there_for_strangers(people, route):
    assert call(people["stranger"], route).status_code == 404


def test_the_anonymous_are_asked_to_sign_in():
    each(((name, (route,)) for name, route in NAMED), asks_to_sign_in)


@undone()
def asks_to_sign_in(route):
    answer = call(None, route)
    if route.name.startswith("api-"):
        assert answer.status_code == 401
    else:
        assert answer.status_code == 302
        assert "/login/" in answer["Location"]


def test_a_conversation_is_not_found_through_another_project(owner):
    other = ProjectFactory(slug="other")
    other.memberships.create(user=owner, role="owner")
    named = [(name, route) for name, route in NAMED if "number" in route.arguments]
    each(((name, (owner, route)) for name, route in named), is_not_found_in_another_project)


@undone()
def is_not_found_in_another_project(owner, route):
    assert call(owner, route._replace(arguments={**route.arguments, "slug": "other"})).status_code == 404


def test_other_methods_are_refused(owner):
    each(((name, (owner, route)) for name, route in NAMED), has_no_other_method)


@undone()
def has_no_other_method(owner, route):
    client = sign_in(Client(), owner)
    known = {each.method for each in ROUTES if each.name == route.name}
    for method in {"put", "delete"} - known:
        assert getattr(client, method)(reverse(route.name, kwargs=route.arguments)).status_code == 405


def test_a_token_works_in_its_own_project_only(owner, project):
    other = ProjectFactory(slug="other")
    other.memberships.create(user=owner, role="owner")
    ApiToken.objects.create(user=owner, project=other, digest=digest_of("secret"), prefix="secr")
    with_token = {"Authorization": "Bearer secret"}
    assert Client().get(reverse("api-conversations", args=["other"]), headers=with_token).status_code == 200
    assert Client().get(reverse("api-conversations", args=["library"]), headers=with_token).status_code == 404


@pytest.mark.parametrize("name", ["constraints:turn-create", "constraints:conversations"])
def test_a_form_without_its_token_is_refused(owner, name):
    client = sign_in(Client(enforce_csrf_checks=True), owner)
    arguments = C if name.endswith("create") else {"slug": "library"}
    assert client.post(reverse(name, kwargs=arguments), BODY).status_code == 403
