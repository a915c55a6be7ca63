"""A project, its people and a clock for the tests of facts."""

from __future__ import annotations

import html
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from memory.facts.services import fact_put
from memory.models import ChangeHead, FactChange
from tests.factories import ProjectFactory, UserFactory, members_of, sign_in

ROLES = ("owner", "editor", "reviewer", "viewer")


@pytest.fixture
def now():
    """A moment that tests reckon from."""
    return datetime(2026, 3, 3, 9, 14, tzinfo=UTC)


@pytest.fixture
def hour():
    return timedelta(hours=1)


@pytest.fixture
def project(db):
    return ProjectFactory(slug="kiln", name="Kiln and Hearth")


@pytest.fixture
def people(project):
    """One user for each role, and a stranger."""
    return {**members_of(project, ROLES), "stranger": UserFactory()}


@pytest.fixture
def as_role(people):
    """A client signed in with a role, or not at all."""

    def client(role):
        return Client() if role == "anonymous" else sign_in(Client(), people[role])

    return client


@pytest.fixture
def put(project):
    """Write a fact of the user u1 unless told otherwise."""
    return partial(
        fact_put, **{"project": project, "scope": "user", "owner": "u1", "path": "user.tier", "value": "gold"}
    )


@pytest.fixture
def log(project):
    """Kinds and versions in the log of the project, oldest first, without the definitions of stores and banks."""
    entries = FactChange.objects.exclude(system__in=("store", "banks")).order_by("seq")
    return lambda: list(entries.filter(project=project).values_list("kind", "version"))


@pytest.fixture
def whole(project):
    """Whether the log of the project holds from its first entry to its head, and the facts are as it says."""
    from memory.log.comparison import differences
    from memory.log.verification import verify

    def check(of=project):
        seq, found = verify(of)
        assert ChangeHead.objects.filter(project=of).exists() == (seq > 0)
        assert list(differences(of)) == []
        return found is None

    return check


@pytest.fixture
def plain_page(browser, live_workbench, admin_cookies):
    """A page of a browser that runs no scripts."""
    context = browser.new_context(base_url=live_workbench.url, java_script_enabled=False)
    context.add_cookies(admin_cookies)
    yield context.new_page()
    context.close()


@pytest.fixture
def at(project):
    """Address of a page of the project."""
    return lambda name, *args: reverse(f"memory:{name}", args=["kiln", *args])


@pytest.fixture
def see(as_role, at):
    """Text of a see, entities read back, for an editor unless told otherwise."""

    def get(name, *args, role="editor", status=200, headers=None, **query):
        response = as_role(role).get(at(name, *args), query, headers=headers or {})
        assert response.status_code == status, response.content
        return html.unescape(response.content.decode())

    return get


@pytest.fixture
def send(as_role, at):
    """Post a form and follow where it leads."""

    def post(to, *args, role="editor", status=200, **data):
        response = as_role(role).post(at(to, *args), data, follow=True)
        assert response.status_code == status, response.content
        return html.unescape(response.content.decode())

    return post


@pytest.fixture
def download(as_role, at):
    """A file as text."""

    def get(role="viewer", **query):
        response = as_role(role).get(at("export"), {name.rstrip("_"): text for name, text in query.items()})
        assert response.status_code == 200, response.content
        return b"".join(response.streaming_content).decode()

    return get
