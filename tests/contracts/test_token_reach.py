"""A token reaches what its user may reach in its own project, and nothing else, on every address of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from editor import services
from editor.models import Project, User
from tests.contracts.test_routes import ARGUMENTS, KNOWN, PEOPLE, ROLES, ROUTES, ROWS, Row, people  # noqa: F401
from tests.emptying import undone
from tests.every import each
from tests.factories import MembershipFactory, ProjectFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.everybody]

METHODS = ("get", "post", "put", "patch", "delete")


def methods_of(callback: Any) -> list[str]:
    """Methods that a view has."""
    view = getattr(callback, "view_class", None) or getattr(callback, "cls", None)
    return [method for method in METHODS if hasattr(view, method)] if view else ["get"]


API = [
    (name, method)
    for name, pattern in ROUTES
    if name.startswith("api-") and name != "api-docs"
    for method in methods_of(pattern.callback)
]
IN_PROJECT = [(name, method) for name, method in API if "slug" in ARGUMENTS[name]]
PAGES = [name for name, _ in ROUTES if ":" in name]
API_ROWS = [row for row in ROWS if row.api]


def address_of(name: str, **more: str) -> str:
    return reverse(name, kwargs={each: KNOWN[each] for each in ARGUMENTS[name]} | more)


@pytest.fixture
def user(people) -> User:  # noqa: F811
    """The owner of the project ``library``, who owns another one too."""
    owner = User.objects.get(username="owner")
    MembershipFactory(project=ProjectFactory(slug="other"), user=owner, role="owner")
    return owner


def token_of(user: User, slug: str = "library") -> Client:
    """A client with a token of a user in a project."""
    _, secret = services.token_create(project=Project.objects.get(slug=slug), user=user)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def ask(client: Client, method: str, address: str) -> Any:
    return client.generic(method.upper(), address, "{}" if method != "get" else "", content_type="application/json")


def named(requests: list[tuple[str, str]], *given: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Requests as cases: what is given, name and method."""
    return ((f"{method} {name}", (*given, name, method)) for name, method in requests)


def test_there_are_addresses_to_try():
    assert len(IN_PROJECT) > 20
    assert len(API_ROWS) > 20


def test_it_does_not_reach_another_project_of_its_own_user(user):
    each(named(IN_PROJECT, user), does_not_reach_another_project)


@undone()
def does_not_reach_another_project(user, name, method):
    answer = ask(token_of(user), method, address_of(name, slug="other"))
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert "other" in answer.json()["detail"], "it is the project that is not there"


def test_it_ends_with_a_revocation_and_with_its_user(user):
    each(named(API, user), ends_with_a_revocation_and_with_its_user)


@undone()
def ends_with_a_revocation_and_with_its_user(user, name, method):
    revoked, inactive = token_of(user), token_of(User.objects.get(username="editor"))
    services.token_revoke(token=user.api_tokens.get())
    User.objects.filter(username="editor").update(is_active=False)
    for client in (revoked, inactive):
        answer = ask(client, method, address_of(name))
        assert answer.status_code == 401
        assert answer["Content-Type"] == "application/problem+json"
        assert answer["WWW-Authenticate"].startswith("Bearer")


def test_it_ends_with_the_membership(user):
    each(named(IN_PROJECT), ends_with_the_membership)


@undone()
def ends_with_the_membership(name, method):
    client = token_of(User.objects.get(username="viewer"))
    services.member_remove(project=Project.objects.get(slug="library"), username="viewer")
    assert ask(client, method, address_of(name)).status_code in (401, 404)


@pytest.mark.parametrize("person", ROLES)
def test_it_may_do_in_its_project_what_its_user_may(people, person):  # noqa: F811
    client = people[person]
    each(((f"{row.method} {row.name}", (client, person, row)) for row in API_ROWS), may_do_what_its_user_may)


@undone()
def may_do_what_its_user_may(client: Client, person: str, row: Row):
    arguments = {name: KNOWN[name] for name in ARGUMENTS[row.name]}
    with undone():
        signed_in = row.ask(client, arguments).status_code
    with_token = row.ask(token_of(User.objects.get(username=person)), arguments).status_code
    if (row.name, row.method) == ("api-projects", "post"):
        assert with_token == 403, "a token belongs to one project and makes no other"
    else:
        assert with_token == signed_in


def test_it_lists_its_own_project_alone(user):
    listed = token_of(user).get("/api/v1/projects/").json()["results"]
    assert [project["slug"] for project in listed] == ["library"]


def test_it_opens_no_page(user):
    each(((name, (user, name)) for name in PAGES), is_not_opened)


@undone()
def is_not_opened(user, name):
    answer = token_of(user).get(address_of(name))
    assert answer.status_code in (302, 401, 404, 405)
    if answer.status_code == 302:
        assert answer["Location"].startswith("/login/")


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Bearer \u00e9", "Basic b3duZXI6eA==", "Token x", "x" * 5000]
)
def test_a_header_that_is_no_token_opens_nothing(user, header):
    for name, method in API:
        answer = Client(headers={"Authorization": header}).generic(method.upper(), address_of(name))
        assert answer.status_code in (401, 405), (name, method)
