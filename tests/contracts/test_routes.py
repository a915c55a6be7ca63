"""Every address of the workbench has a row in a table that says who may use it, and refuses what no table allows.

The tables of the applications (``tests/*/test_*access.py``) try each page and API address as six people. Here stands
what belongs to none of them, what holds for all of them, and that no address is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.exceptions import NoReverseMatch

from editor.models import User
from memory.token_api import TokenView
from tests.constraints import conftest as constraints_conftest
from tests.constraints.conversations import test_conversation_access as constraints_table
from tests.editor import conftest as editor_conftest
from tests.editor import test_access as editor_table
from tests.emptying import undone
from tests.every import each
from tests.factories import DocumentFactory, ProjectFactory, UserFactory, members_of, sign_in
from tests.memory.facts import test_facts_access as memory_table
from tests.memory.facts import test_facts_revising_api as revising_table
from tests.memory.overview import test_texts_pages as texts_table
from tests.memory.stores import test_stores_access as stores_table
from tests.memory.stores.test_stores_access import BY_LINK

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.everybody]

ROLES = ("owner", "editor", "reviewer", "viewer")
PEOPLE = (*ROLES, "stranger", "anonymous")
JSON = "application/json"

MEMBERS = dict.fromkeys(ROLES, 200)
EVERYBODY = dict.fromkeys(PEOPLE, 200)
TO_SIGN_IN = dict.fromkeys(PEOPLE, 302)
ADMINS_ONLY = {**dict.fromkeys(PEOPLE, 403), "anonymous": 302}
"""The admin is none of these people."""

# name, method, arguments, status by person
OTHERS: list[tuple[str, str, dict[str, Any], dict[str, int]]] = [
    ("login", "get", {}, {**TO_SIGN_IN, "anonymous": 200}),
    ("login", "post", {}, {**TO_SIGN_IN, "anonymous": 200}),  # 200: the form again, with what is wrong
    ("logout", "post", {}, TO_SIGN_IN),
    ("constraints:work", "get", {}, ADMINS_ONLY),
    ("constraints:work-stop", "get", {"pk": 1}, ADMINS_ONLY),
    ("constraints:work-stop", "post", {"pk": 1}, ADMINS_ONLY),
    ("api-unfinished-turns", "get", {}, {**ADMINS_ONLY, "anonymous": 401}),
    ("schema", "get", {}, EVERYBODY),
    ("api-docs", "get", {}, EVERYBODY),
    ("favicon", "get", {}, TO_SIGN_IN),
]
STREAMS = [
    ("constraints:stream", {**MEMBERS, "stranger": 404, "anonymous": 401}),
    ("api-events-stream", {**MEMBERS, "stranger": 404, "anonymous": 401}),
]
ALONE = {"healthz"}
"""Tried against the running product in tests/config: it asks broker and worker."""


class Row(NamedTuple):
    """A request that some table allows: full name of the route, method, what is sent."""

    name: str
    method: str
    body: dict[str, Any] | None

    @property
    def api(self) -> bool:
        return self.name.startswith("api-")

    def ask(self, client: Client, arguments: dict[str, Any]) -> Any:
        """The answer of the route; ``{pk}`` in what is sent is a fact that does not exist."""
        body = {k: v.format(pk=UNKNOWN["pk"]) if isinstance(v, str) else v for k, v in (self.body or {}).items()}
        address = reverse(self.name, kwargs=arguments)
        if self.method == "get":
            return client.get(address, body)
        if self.api or self.name.removeprefix("editor:") in editor_table.SCRIPTS:
            content = {"data": json.dumps(body), "content_type": JSON, "headers": {"accept": JSON}}
            return client.generic(self.method.upper(), address, **content)
        return getattr(client, self.method)(address, body)


def rows() -> list[Row]:
    """The rows of the tables of the applications, in one shape."""
    of_editor = [Row(f"editor:{row[0]}", row[1], row[3]) for row in editor_table.PAGES]
    of_editor += [Row(row[0], row[1], row[3]) for row in editor_table.API]
    of_memory = [Row(route.name, route.method, route.data) for route in (*memory_table.ROUTES, *texts_table.ROUTES)]
    of_memory += [Row(route.name, route.method, route.data) for route in revising_table.ROUTES]
    of_stores = [Row(route.name, route.method, sendable(route.data)) for route in stores_table.ROUTES]
    of_constraints = [
        # Reading from the API takes no parameter that is not known.
        Row(r.name, r.method, {} if (r.method, r.name[:4]) == ("get", "api-") else constraints_table.BODY)
        for r in constraints_table.ROUTES
    ]
    return of_editor + of_memory + of_stores + of_constraints


def sendable(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """What is sent, without files: these are refused before they are looked at. Braces are doubled for ``ask``."""
    kept = {key: value for key, value in (data or {}).items() if value != "FILE"}
    return {key: v.replace("{", "{{").replace("}", "}}") if isinstance(v, str) else v for key, v in kept.items()}


ROWS = rows()
KNOWN = {"slug": "library", "path": "desk.agent.abl", "name": "desk.agent.abl", "number": 1, "pk": 1, "index": 0}
KNOWN |= {"session": "s-1", "token": "x", "block_type": "core", "bank": "notes", "agent": "Desk"}
KNOWN |= {"seq": 1, "username": "viewer", "user": "viewer", "code": "ABL346"}
UNKNOWN = {"path": "none.agent.abl", "name": "none.agent.abl", "number": 999, "pk": 999_999, "index": 99, "seq": 99}
UNKNOWN |= {"session": "nowhere"}
UNKNOWN |= {"username": "nobody", "user": "nobody", "code": "ABL000"}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """(full name, pattern) of everything in the address table but the admin's."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from routes(pattern, f"{pattern.namespace}:" if pattern.namespace else prefix)
        else:
            yield f"{prefix}{pattern.name}" if pattern.name else "", pattern


ROUTES = [(name, pattern) for name, pattern in routes() if name]
ARGUMENTS = {name: tuple(pattern.pattern.converters) for name, pattern in ROUTES}
TOKENS = {name for name, pattern in ROUTES if issubclass(getattr(pattern.callback, "cls", object), TokenView)}
"""Addresses that say for no project whose they are: only a token does. Their tests hold one for each role."""


class People(dict[str, Client]):
    """A client for each person, made and signed in when a test asks for it: it takes longer than most requests."""

    def __missing__(self, person: str) -> Client:
        client = self[person] = Client()
        return client if person == "anonymous" else sign_in(client, User.objects.get(username=person))


@pytest.fixture
def people() -> People:
    """A client for each person; the first four are members of the project ``library``."""
    project = ProjectFactory(slug="library")
    DocumentFactory(project=project, path="desk.agent.abl")
    members_of(project, ROLES)
    UserFactory(username="stranger")
    return People()


def test_every_address_stands_in_a_table() -> None:
    tables = {row.name for row in ROWS} | {name for name, *_ in OTHERS} | {name for name, _ in STREAMS}
    tables |= ALONE | TOKENS | {BY_LINK}
    assert {name for name, _ in ROUTES} == tables


def test_only_what_is_nowhere_in_the_api_has_no_name() -> None:
    assert [str(pattern.pattern) for name, pattern in routes() if not name] == ["api/v1", "^.*$"]


def test_each_table_is_tried_as_all_six_people() -> None:
    assert set(editor_conftest.PEOPLE) == set(PEOPLE)
    assert set(memory_table.EVERYONE) == set(PEOPLE)
    # The stranger and the anonymous have tests of their own there.
    assert set(constraints_conftest.ROLES) == set(ROLES)
    assert all(set(statuses) == set(PEOPLE) for *_, statuses in [*OTHERS, *STREAMS])


@pytest.mark.parametrize("row", OTHERS, ids=[f"{method} {name}" for name, method, *_ in OTHERS])
def test_what_belongs_to_no_application_answers_as_its_table_says(people, row):
    each(((person, (people, person, row)) for person in PEOPLE), answers_as_its_table_says)


@undone()
def answers_as_its_table_says(people, person, row):
    name, method, arguments, statuses = row
    assert getattr(people[person], method)(reverse(name, kwargs=arguments)).status_code == statuses[person]


@pytest.mark.parametrize("name", sorted(TOKENS))
def test_an_address_for_tokens_is_for_nobody_who_has_none(people, name):
    address = reverse(name, kwargs={each: KNOWN[each] for each in ARGUMENTS[name]})
    assert people["anonymous"].get(address).status_code in (401, 405)
    for person in (*ROLES, "stranger"):
        answer = people[person].get(address)
        assert answer.status_code == 405 or answer.json()["code"] == "token-needed"


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(("name", "statuses"), STREAMS)
def test_streams_open_for_members_only(people, person, name, statuses):
    from constraints.models import Conversation
    from editor.models import Project

    Conversation.objects.create(project=Project.objects.get(), number=1, version=1)
    answer = people[person].get(reverse(name, args=["library", 1]))
    assert answer.status_code == statuses[person]
    if person in ROLES:
        assert answer["Content-Type"] == "text/event-stream"
        assert people[person].get(reverse(name, args=["library", 999])).status_code == 404
        assert people[person].get(reverse(name, args=["nowhere", 1])).status_code == 404
    else:
        assert answer["Content-Type"] == "application/problem+json"


def named(rows: Iterable[Row], *given: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Rows as cases: what is given, and the row."""
    return ((f"{row.method} {row.name}", (*given, row)) for row in rows)


def test_what_changes_something_needs_the_token_of_the_form(people):
    client = people["owner"]
    client.handler.enforce_csrf_checks = True
    each(named((row for row in ROWS if row.method != "get"), client), needs_the_token_of_the_form)


@undone()
def needs_the_token_of_the_form(client, row):
    client.cookies.pop(settings.CSRF_COOKIE_NAME, None)  # an answer before this one has set it
    assert row.ask(client, {name: KNOWN[name] for name in ARGUMENTS[row.name]}).status_code == 403


def test_signing_in_and_out_need_the_token_of_the_form_too(people):
    for client, name in ((Client(enforce_csrf_checks=True), "login"), (people["owner"], "logout")):
        client.handler.enforce_csrf_checks = True
        assert client.post(reverse(name)).status_code == 403


def test_a_method_that_no_table_has_is_refused(people):
    owner, anonymous = people["owner"], people["anonymous"]
    # Who is signed in is led away from the sign-in page whatever the method.
    clients = ((name, anonymous if name == "login" else owner) for name in sorted(ARGUMENTS))
    each(((name, (client, name)) for name, client in clients), refuses_to_brew)


@undone()
def refuses_to_brew(client, name):
    address = reverse(name, kwargs={part: KNOWN[part] for part in ARGUMENTS[name]})
    assert client.generic("BREW", address).status_code == 405


def test_a_project_that_does_not_exist_is_not_found(people):
    each(named((row for row in ROWS if "slug" in ARGUMENTS[row.name]), people["owner"]), finds_no_project)


@undone()
def finds_no_project(client, row):
    arguments = {name: KNOWN[name] for name in ARGUMENTS[row.name]} | {"slug": "nowhere"}
    assert row.ask(client, arguments).status_code == 404


def test_an_object_that_does_not_exist_is_not_found(people):
    each(named((row for row in ROWS if set(ARGUMENTS[row.name]) & set(UNKNOWN)), people["owner"]), finds_no_object)


@undone()
def finds_no_object(client, row):
    arguments = {name: UNKNOWN.get(name, KNOWN[name]) for name in ARGUMENTS[row.name]}
    answer = row.ask(client, arguments)
    assert answer.status_code == 404
    if row.api:
        assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("person", PEOPLE)
def test_an_address_of_the_api_that_does_not_exist_is_a_problem_object(people, person):
    answer = people[person].get("/api/v1/nothing/here/")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"


def admin_addresses() -> list[str]:
    """Every page of the admin, with a number where an object is named."""
    admin = next(p for p in get_resolver().url_patterns if getattr(p, "namespace", None) == "admin")
    found = []
    for pattern in flattened(admin):
        if pattern.name is None or pattern.name in ("login", "logout"):
            continue
        arguments = {name: "editor" if name == "app_label" else "1" for name in pattern.pattern.regex.groupindex}
        try:
            found.append(reverse(f"admin:{pattern.name}", kwargs=arguments))
        except NoReverseMatch:
            found.append(reverse(f"admin:{pattern.name}", args=["1"] * pattern.pattern.regex.groups))
    return sorted(set(found))


def flattened(resolver: URLResolver) -> Iterator[URLPattern]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from flattened(pattern)
        else:
            yield pattern


@pytest.mark.parametrize("person", PEOPLE)
def test_the_admin_is_for_staff_only(people, person):
    addresses = admin_addresses()
    assert len(addresses) > 20
    for address in addresses:
        answer = people[person].get(address)
        assert answer.status_code == 302, address
        assert answer["Location"].startswith("/admin/login/"), address
