"""Who may do what on every route: by role, by project, by method."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from django.urls import reverse

from memory.models import Fact
from tests.factories import ProjectFactory
from tests.memory.factories import FactFactory

pytestmark = [pytest.mark.slow, pytest.mark.everybody]

READERS = {"owner", "editor", "reviewer", "viewer"}
WRITERS = {"owner", "editor"}
EVERYONE = ["owner", "editor", "reviewer", "viewer", "stranger", "anonymous"]
JSON = "application/json"


class Route(NamedTuple):
    """A route and method: whether it writes, what is sent, the status when it works."""

    name: str
    method: str
    writes: bool
    data: dict[str, Any] | None
    works: int

    def ask(self, client, fact, slug="kiln"):
        """One request; ``{pk}`` in the data is the fact."""
        address = reverse(self.name, args=[slug, fact.pk] if self.name in WITH_FACT else [slug])
        data = {key: v.format(pk=fact.pk) if isinstance(v, str) else v for key, v in (self.data or {}).items()}
        if self.name.startswith("api-"):
            body = [] if self.method == "get" else [json.dumps(data), JSON]
            return client.generic(self.method.upper(), address, *body)
        return getattr(client, self.method)(address, data)


PAGES = [
    ("memory:facts", "get", False, None, 200),
    ("memory:fact", "get", False, None, 200),
    ("memory:changes", "get", False, None, 200),
    ("memory:write", "get", True, None, 200),
    ("memory:write", "post", True, {"scope": "user", "owner": "u9", "path": "user.x", "value": "1"}, 302),
    ("memory:delete", "get", True, {"fact": "{pk}:1"}, 200),
    ("memory:delete", "post", True, {"fact": "{pk}:1"}, 302),
    ("memory:reveal", "post", True, {"reason": "ticket 7"}, 200),
    ("memory:expire", "post", True, {"version": "1"}, 302),
    ("memory:ttl", "get", True, {"fact": "{pk}:1"}, 200),
    ("memory:ttl", "post", True, {"fact": "{pk}:1", "life": "none"}, 302),
    ("memory:restore", "post", True, {"seq": "1", "version": "1"}, 400),  # kept masked, so there is nothing to restore
    ("memory:readers", "get", False, None, 200),
    ("memory:delete-found", "get", True, {"scope": "user"}, 200),
    ("memory:delete-found", "post", True, {"scope": "user", "number": "1"}, 302),
    ("memory:export", "get", False, None, 200),
    ("memory:names", "get", False, None, 200),
    ("memory:view-save", "post", False, {"name": "mine", "scope": "user"}, 302),
    ("memory:view-delete", "post", False, None, 404),  # nobody has kept a view yet
    ("memory:verify", "post", False, None, 302),
]
API = [
    ("api-facts", "get", False, None, 200),
    ("api-facts", "put", True, {"scope": "user", "owner": "u9", "path": "user.x", "value": 1}, 201),
    ("api-fact", "get", False, None, 200),
    ("api-fact", "put", True, {"value": 2, "expected_version": 1}, 200),
    ("api-fact", "delete", True, None, 204),
    ("api-fact-history", "get", False, None, 200),
    ("api-fact-reveal", "post", True, {"reason": "ticket 7"}, 200),
]
WITH_FACT = {"memory:fact", "memory:reveal", "memory:expire", "api-fact", "api-fact-history", "api-fact-reveal"}
WITH_FACT |= {"memory:restore", "memory:readers", "memory:view-delete"}


ROUTES = [Route(*row) for row in PAGES + API]


@pytest.fixture
def fact(project):
    return FactFactory(project=project, sensitive=True)


@pytest.mark.parametrize("role", EVERYONE)
@pytest.mark.parametrize("route", ROUTES)
def test_each_role_gets_what_it_may(as_role, fact, role, route):
    response = route.ask(as_role(role), fact)
    api = route.name.startswith("api-")
    if role == "anonymous":
        assert response.status_code == (401 if api else 302)
        assert api or response.url.startswith("/login/")
    elif role == "stranger":
        assert response.status_code == 404
    else:
        assert response.status_code == (route.works if role in (WRITERS if route.writes else READERS) else 403)


@pytest.mark.parametrize("role", ["reviewer", "viewer", "stranger", "anonymous"])
@pytest.mark.parametrize("route", [route for route in ROUTES if route.writes])
def test_who_may_not_write_changes_nothing(as_role, fact, log, role, route):
    route.ask(as_role(role), fact)
    assert log() == [("write", 1)]
    assert Fact.objects.get().value == "gold"


@pytest.mark.parametrize("route", [route for route in ROUTES if route.name in WITH_FACT])
def test_a_fact_of_another_project_is_not_there(as_role, project, route):
    elsewhere = FactFactory(project=ProjectFactory())
    assert route.ask(as_role("owner"), elsewhere).status_code == 404
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
    assert Route(name, method, False, {}, 405).ask(as_role("owner"), fact).status_code == 405


@pytest.mark.parametrize("name", ["memory:fact", "api-fact", "api-fact-history"])
def test_numbers_beyond_the_database_are_not_found(as_role, project, name):
    fact = Fact(pk=10**30)
    assert Route(name, "get", False, None, 404).ask(as_role("owner"), fact).status_code == 404
