"""Who may do what on every route: by role, by project, by method."""

from __future__ import annotations

import pytest
from django.urls import reverse

from memory.models import Fact
from tests.emptying import undone
from tests.every import each
from tests.factories import ProjectFactory
from tests.memory.factories import FactFactory
from tests.memory.routes import EVERYONE, Route

pytestmark = [pytest.mark.slow, pytest.mark.everybody]

PAGES = [
    ("memory:memory", "get", "view", None, 200),
    ("memory:facts", "get", "view", None, 200),
    ("memory:fact", "get", "view", None, 200),
    ("memory:changes", "get", "view", None, 200),
    ("memory:write", "get", "edit", None, 200),
    ("memory:write", "post", "edit", {"scope": "user", "owner": "u9", "path": "user.x", "value": "1"}, 302),
    ("memory:delete", "get", "edit", {"fact": "{pk}:1"}, 200),
    ("memory:delete", "post", "edit", {"fact": "{pk}:1"}, 302),
    ("memory:reveal", "post", "edit", {"reason": "ticket 7"}, 200),
    ("memory:expire", "post", "edit", {"version": "1"}, 302),
    ("memory:ttl", "get", "edit", {"fact": "{pk}:1"}, 200),
    ("memory:ttl", "post", "edit", {"fact": "{pk}:1", "life": "none"}, 302),
    (
        "memory:restore",
        "post",
        "edit",
        {"seq": "1", "version": "1"},
        400,
    ),  # kept masked: nothing to restore
    ("memory:readers", "get", "view", None, 200),
    ("memory:delete-found", "get", "edit", {"scope": "user"}, 200),
    ("memory:delete-found", "post", "edit", {"scope": "user", "number": "1"}, 302),
    ("memory:export", "get", "view", None, 200),
    ("memory:names", "get", "view", None, 200),
    ("memory:view-save", "post", "view", {"name": "mine", "scope": "user"}, 302),
    ("memory:view-delete", "post", "view", None, 404),  # nobody has kept a view yet
    ("memory:verify", "post", "view", None, 302),
]
API = [
    ("api-facts", "get", "view", None, 200),
    ("api-facts", "put", "edit", {"scope": "user", "owner": "u9", "path": "user.x", "value": 1}, 201),
    ("api-facts-export", "get", "view", None, 200),
    ("api-fact", "get", "view", None, 200),
    ("api-fact", "put", "edit", {"value": 2, "expected_version": 1}, 200),
    ("api-fact", "delete", "edit", None, 204),
    ("api-fact-history", "get", "view", None, 200),
    ("api-fact-reveal", "post", "edit", {"reason": "ticket 7"}, 200),
]
WITH_FACT = {"memory:fact", "memory:reveal", "memory:expire", "api-fact", "api-fact-history", "api-fact-reveal"}
WITH_FACT |= {"memory:restore", "memory:readers", "memory:view-delete"}


ROUTES = [Route(*row) for row in PAGES + API]


def ask(route, client, fact, slug="kiln"):
    """One request; ``{pk}`` in the data is the fact."""
    address = reverse(route.name, args=[slug, fact.pk] if route.name in WITH_FACT else [slug])
    data = {key: v.format(pk=fact.pk) if isinstance(v, str) else v for key, v in (route.data or {}).items()}
    return route.send(client, address, data)


@pytest.fixture
def fact(project):
    return FactFactory(project=project, sensitive=True)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method}-{route.name}")
def test_each_role_gets_what_it_may(as_role, fact, route):
    each(((role, (as_role, fact, role, route)) for role in EVERYONE), gets_what_it_may)


@undone()
def gets_what_it_may(as_role, fact, role, route):
    route.check(ask(route, as_role(role), fact), role)


@pytest.mark.parametrize("role", ["reviewer", "viewer", "stranger", "anonymous"])
def test_who_may_not_write_changes_nothing(as_role, fact, log, role):
    writing = [route for route in ROUTES if route.needs == "edit"]
    each(((f"{route.method} {route.name}", (as_role, fact, log, role, route)) for route in writing), changes_nothing)


@undone()
def changes_nothing(as_role, fact, log, role, route):
    ask(route, as_role(role), fact)
    assert log() == [("write", 1)]
    assert Fact.objects.get().value == "gold"


def test_a_fact_of_another_project_is_not_there(as_role, project):
    elsewhere = FactFactory(project=ProjectFactory())
    named = [route for route in ROUTES if route.name in WITH_FACT]
    each(((f"{route.method} {route.name}", (as_role, elsewhere, route)) for route in named), is_not_there)


@undone()
def is_not_there(as_role, elsewhere, route):
    assert ask(route, as_role("owner"), elsewhere).status_code == 404
    elsewhere.refresh_from_db()
    assert elsewhere.version == 1


def test_facts_of_another_project_cannot_be_chosen_for_deletion(as_role, project):
    elsewhere = FactFactory(project=ProjectFactory())
    client = as_role("owner")
    address = reverse("memory:delete", args=["kiln"])
    assert client.get(address, {"fact": f"{elsewhere.pk}:1"}).status_code == 404
    client.post(address, {"fact": f"{elsewhere.pk}:1"})
    assert Fact.objects.filter(pk=elsewhere.pk).exists()


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("memory:facts", "post"), ("memory:fact", "post"), ("memory:changes", "post"), ("memory:write", "put"),
        ("memory:delete", "put"), ("memory:reveal", "get"), ("memory:expire", "get"), ("api-facts", "post"),
        ("api-fact", "post"), ("api-fact-history", "post"), ("api-fact-reveal", "get"),
    ],
)  # fmt: skip
def test_other_methods_are_refused(as_role, fact, name, method):
    assert ask(Route(name, method, "view", {}, 405), as_role("owner"), fact).status_code == 405


@pytest.mark.parametrize("name", ["memory:fact", "api-fact", "api-fact-history"])
def test_numbers_beyond_the_database_are_not_found(as_role, project, name):
    fact = Fact(pk=10**30)
    assert ask(Route(name, "get", "view", None, 404), as_role("owner"), fact).status_code == 404
