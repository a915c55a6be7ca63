"""A project, its people and a clock for the tests of facts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.test import Client

from memory.models import ChangeHead, FactChange
from memory.services import fact_put
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
    """Kinds and versions in the log of the project, oldest first."""
    return lambda: list(FactChange.objects.filter(project=project).order_by("seq").values_list("kind", "version"))


@pytest.fixture
def whole(project):
    """Whether the log of the project holds from its first entry to its head."""
    from memory.management.commands.verify_facts import verify

    def check(of=project):
        seq, found = verify(of)
        assert ChangeHead.objects.filter(project=of).exists() == (seq > 0)
        return found is None

    return check
