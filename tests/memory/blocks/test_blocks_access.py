"""Who may do what at the addresses of blocks, recall and banks, which ask for a token."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.test import Client
from django.urls import resolve, reverse

from editor import services as editing
from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put
from memory.models import Bank, BankEntry, Block
from tests.factories import MembershipFactory, ProjectFactory

pytestmark = [pytest.mark.slow, pytest.mark.everybody]

MEMBERS = ["owner", "editor", "reviewer", "viewer"]
EDITORS = ["owner", "editor"]
EVERYONE = [*MEMBERS, "stranger", "anonymous"]
JSON = "application/json"
WRITE = {"content": "x", "expected_updated_at": None}


class Route(NamedTuple):
    """A route and method: who may, what is sent, the status when it works."""

    name: str
    method: str
    may: list[str]
    data: dict[str, Any] | None
    works: int

    def ask(self, client, token=""):
        """One request at the bank "desk", the agent "Desk", the core block."""
        places = {name: PLACES[name] for name in KINDS.get(self.name, ())}
        headers = {"authorization": f"Bearer {token}"} if token else {}
        body = [self.data or {}] if self.method == "get" else [json.dumps(self.data or {}), JSON]
        sent = client.get if self.method == "get" else client.generic
        arguments = [reverse(self.name, kwargs=places), *body]
        return sent(*arguments if self.method == "get" else (self.method.upper(), *arguments), headers=headers)


PLACES = {"block_type": "core", "bank": "desk", "agent": "Desk"}
KINDS = {
    "api-block": ("block_type",),
    "api-bank": ("bank",),
    "api-bank-search": ("bank",),
    "api-bank-entries": ("bank",),
    "api-bank-entry": ("bank", "agent"),
}
ROUTES = [
    Route("api-blocks", "get", MEMBERS, None, 200),
    Route("api-block", "get", MEMBERS, None, 200),
    Route("api-block", "put", MEMBERS, WRITE, 409),
    Route("api-block", "delete", MEMBERS, None, 204),
    Route("api-recall", "post", MEMBERS, {"query": "x"}, 200),
    Route("api-banks", "get", MEMBERS, None, 200),
    Route("api-banks", "post", EDITORS, {"name": "more"}, 201),
    Route("api-bank", "get", MEMBERS, None, 200),
    Route("api-bank", "put", EDITORS, {"max_lines": 3}, 200),
    Route("api-bank", "delete", EDITORS, None, 204),
    Route("api-bank-search", "get", MEMBERS, {"agent": "Desk", "query": "x"}, 200),
    Route("api-bank-entries", "get", MEMBERS, None, 200),
    Route("api-bank-entry", "get", MEMBERS, None, 200),
    Route("api-bank-entry", "put", EDITORS, {"content": "y"}, 200),
    Route("api-bank-entry", "delete", EDITORS, None, 204),
]
OTHER_METHODS = {
    "api-blocks": "post", "api-block": "post", "api-recall": "get", "api-banks": "put", "api-bank": "post",
    "api-bank-search": "post", "api-bank-entries": "put", "api-bank-entry": "post",
}  # fmt: skip


def fill(project, owners):
    """A core block of each owner and a bank with one text."""
    for owner in owners:
        block_put(project=project, owner=owner, block_type="core", content="kept", expected=None)
    bank_put(project=project, name="desk")
    bank_write(project=project, name="desk", agent="Desk", content="kept")


@pytest.fixture
def tokens(project, people):
    """A token of each person in the project; that of the stranger was made before the stranger left."""
    MembershipFactory(project=project, user=people["stranger"])
    made = {role: editing.token_create(project=project, user=user, name="")[1] for role, user in people.items()}
    project.memberships.filter(user=people["stranger"]).delete()
    return {**made, "anonymous": "abl_unknown"}


@pytest.fixture
def filled(project, people):
    fill(project, [user.username for user in people.values()])
    return project


def undone(ask):
    """The answer to a request whose changes are taken back, so that the next person finds what this one found."""
    with transaction.atomic():
        answer = ask()
        stored = [list(model.objects.order_by("pk").values()) for model in (Block, Bank, BankEntry)]
        transaction.set_rollback(True)
    return answer, stored


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.name}")
def test_each_person_gets_what_their_token_allows_and_else_changes_nothing(filled, tokens, route):
    _, before = undone(lambda: None)
    for person in EVERYONE:
        answer, after = undone(lambda person=person: route.ask(Client(), tokens[person]))
        if person in MEMBERS:
            assert answer.status_code == (route.works if person in route.may else 403), person
        else:
            assert answer.status_code in ((401,) if person == "anonymous" else (401, 404)), person
        reads = route.method == "get" or route.name == "api-recall"
        assert (after == before) == (reads or answer.status_code >= 400), person


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.name}")
def test_a_session_alone_is_not_enough(filled, as_role, route):
    for person in EVERYONE:
        answer = route.ask(as_role(person))
        assert answer.status_code == (401 if person == "anonymous" else 403), person
        assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.name}")
def test_with_a_final_slash_it_is_the_same_address(route):
    places = {name: PLACES[name] for name in KINDS.get(route.name, ())}
    plain, slash = (reverse(name, kwargs=places) for name in (route.name, f"{route.name}-slash"))
    assert slash == f"{plain}/"
    assert resolve(slash).func.cls is resolve(plain).func.cls


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.name}")
def test_the_token_of_another_project_reaches_nothing_here(filled, people, route):
    elsewhere = ProjectFactory()
    MembershipFactory(project=elsewhere, user=people["owner"], role="owner")
    _, token = editing.token_create(project=elsewhere, user=people["owner"], name="")
    answer = route.ask(Client(), token)
    assert answer.status_code in (200, 201, 404)
    assert Block.objects.filter(project=filled, content="kept").count() == len(people)
    assert BankEntry.objects.get(bank__project=filled).content == "kept"
    assert "kept" not in answer.content.decode()


@pytest.mark.parametrize(("name", "method"), OTHER_METHODS.items())
def test_other_methods_are_refused(filled, tokens, name, method):
    assert Route(name, method, [], {}, 405).ask(Client(), tokens["owner"]).status_code == 405
