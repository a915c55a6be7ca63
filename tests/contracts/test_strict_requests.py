"""Every operation of the API takes what its description names and nothing else (docs/spec 12 §5)."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from constraints.models import Conversation
from editor import services as editing
from editor.models import Document, Membership, Project
from tests.factories import DocumentFactory, ProjectFactory, members_of

pytestmark = pytest.mark.django_db
METHODS = ("get", "post", "put", "patch", "delete")
PARTS = {"slug": "kiln", "name": "desk.agent.abl", "number": "1", "index": "0", "id": "1", "user": "editor"}
AGENT = 'AGENT: Desk\nGOAL: "Serve"\n'
API = "/api/v1/"
FILES = {"a.agent.abl": AGENT}


@pytest.fixture(scope="module")
def description():
    return SchemaGenerator().get_schema(public=True)


def operations(description):
    """Method, address with parts filled in, and description of each operation."""
    return [
        (method, re.sub(r"\{(\w+)\}", lambda part: PARTS.get(part[1], "x1"), path), operation)
        for path, each in description["paths"].items()
        for method, operation in each.items()
        if method in METHODS
    ]


@pytest.fixture
def project():
    found = ProjectFactory(slug="kiln")
    DocumentFactory(project=found, path="desk.agent.abl", text=AGENT)
    return found


@pytest.fixture
def people(project):
    return members_of(project, ("owner", "editor"))


@pytest.fixture
def ask(project, people):
    """A request of the owner, by a token or signed in: status and body."""
    _, token = editing.token_create(project=project, user=people["owner"], name="")

    def send(method, address, body=None, *, signed_in=False):
        client = Client()
        headers = {} if signed_in else {"authorization": f"Bearer {token}"}
        if signed_in:
            client.force_login(people["owner"])
        content = json.dumps(body) if body is not None else ""
        answer = client.generic(method.upper(), address, content, "application/json", headers=headers)
        return answer.status_code, answer.json() if answer.content else None

    return send


@pytest.mark.slow
def test_no_operation_takes_a_parameter_that_is_not_known(description, ask):
    found = {(method, path): ask(method, f"{path}?nope=1") for method, path, _ in operations(description)}
    assert len(found) > 60
    wrong = {key: answer for key, answer in found.items() if answer[0] != 400 or set(answer[1]["fields"]) != {"nope"}}
    assert not wrong, "\n".join(map(str, wrong.items()))


def test_every_body_is_described_as_closed(description):
    schemas = description["components"]["schemas"]
    open_ones = set()
    for method, path, operation in operations(description):
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            name = content["schema"].get("$ref", "").rsplit("/", 1)[-1]
            if kind == "application/json" and schemas.get(name, {}).get("additionalProperties") is not False:
                open_ones.add((method, path, name))
    assert open_ones == set()


BODIES = [
    ("post", "projects/", {"name": "New"}),
    ("patch", "projects/kiln/", {"name": "New"}),
    ("post", "projects/kiln/members/", {"user": "editor", "role": "viewer"}),
    ("post", "projects/kiln/agents/", {"name": "new.agent.abl", "text": AGENT}),
    ("put", "projects/kiln/agents/desk.agent.abl/", {"text": "", "base_revision": 1}),
    ("post", "check/", {"files": FILES}),
    ("post", "format/", {"text": AGENT}),
    ("post", "complete/", {"files": FILES, "path": "a.agent.abl", "line": 1, "column": 1}),
    ("post", "evaluate/", {"expression": "1 + 1"}),
    ("post", "projects/kiln/conversations/", {"user": "ines"}),
    ("post", "projects/kiln/conversations/", {"memory_policy": {"archival_mode": "off"}}),
    ("post", "projects/kiln/conversations/1/turns/", {"text": "hello"}),
]
"""Requests that are right but for the field that is added to each."""


@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_no_body_has_a_field_that_is_not_known(ask, project, method, path, body):
    if "turns" in path:
        assert ask("post", API + "projects/kiln/conversations/", {})[0] == 201
    before = state(project)
    status, answer = ask(method, API + path, {**body, "polcy": 1}, signed_in=True)
    assert status == 400, answer
    assert set(answer["fields"]) == {"polcy"}
    assert answer["fields"]["polcy"].startswith("is not known; ")
    assert state(project) == before


def state(project):
    """What the requests above would change."""
    return (
        list(Project.objects.values_list("name")),
        list(Membership.objects.order_by("pk").values_list("user", "role")),
        list(Document.objects.values_list("path", "head")),
        list(Conversation.objects.values_list("number", "version", "turns__index")),
    )


@pytest.mark.parametrize(
    ("method", "path", "body", "fields"),
    [
        ("post", "projects/kiln/conversations/", {"polcy": "x"}, {"polcy": "is not known; did you mean policy?"}),
        ("post", "projects/kiln/conversations/", {"user": 5}, {"user": "5 is a number; give a text."}),
        ("post", "projects/kiln/conversations/", {"seed": "1"}, {"seed": '"1" is a text; give a whole number.'}),
        ("post", "evaluate/", {"expression": "1", "explain": "yes"},
         {"explain": '"yes" is a text; give true or false.'}),
        ("put", "projects/kiln/agents/desk.agent.abl/", {"text": "", "base_revision": "1"},
         {"base_revision": '"1" is a text; give a whole number.'}),
        ("get", "projects/kiln/conversations/1/events/?aftr=1", None, {"aftr": "is not known; did you mean after?"}),
        ("get", "projects/kiln/conversations/1/events/?after=x", None,
         {"after": "'x' is not a whole number from 0 to 2,147,483,647"}),
    ],
)  # fmt: skip
def test_what_was_meant_is_named(ask, method, path, body, fields):
    assert ask("post", API + "projects/kiln/conversations/", {})[0] == 201
    status, answer = ask(method, API + path, body)
    assert (status, answer["fields"]) == (400, fields)


def test_lists_are_paged_as_they_are_described(ask):
    for path in ("projects/", "projects/kiln/members/", "projects/kiln/agents/", "projects/kiln/conversations/"):
        assert ask("get", f"{API}{path}?page_size=1")[0] == 200
