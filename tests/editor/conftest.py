"""A project with one user of each role, and one who is no member."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import DocumentFactory, MembershipFactory, ProjectFactory, UserFactory, members_of, sign_in

ROLES = ("owner", "editor", "reviewer", "viewer")
PEOPLE = (*ROLES, "stranger", "anonymous")


@pytest.fixture
def project(db):
    return ProjectFactory(name="Library", slug="library")


@pytest.fixture
def people(project):
    """User by role; the stranger is an owner elsewhere, anonymous is None."""
    users = members_of(project, ROLES)
    users["stranger"] = MembershipFactory(role="owner", user__username="stranger").user
    users["anonymous"] = None
    return users


@pytest.fixture
def owner(people):
    return people["owner"]


@pytest.fixture
def editor(people):
    return people["editor"]


@pytest.fixture
def document(project, owner):
    return DocumentFactory(project=project, path="desk.agent.abl", text__author=owner)


@pytest.fixture
def as_(people):
    """A client signed in as one of the people."""

    def client(name):
        return Client() if people[name] is None else sign_in(Client(), people[name])

    return client


@pytest.fixture
def another_user(db):
    return UserFactory(username="newcomer")
