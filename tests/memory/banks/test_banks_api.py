"""Memory banks over HTTP: banks, texts, search, bounds, rights (docs/spec 11 §3)."""

from __future__ import annotations

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from editor import services as editing
from memory.models import Bank, BankEntry, FactChange
from tests.factories import MembershipFactory, ProjectFactory

BANKS = "/api/v1/memory/banks"
PROBLEM = "application/problem+json"


class Caller:
    """Requests with a token; ``tail`` is what follows the address of the banks."""

    def __init__(self, project, user):
        _, secret = editing.token_create(project=project, user=user, name="")
        self.headers = {"authorization": f"Bearer {secret}"}
        self.user = user

    def get(self, tail="", **query):
        return Client().get(BANKS + tail, query, headers=self.headers)

    def send(self, method, tail, body=None):
        client = Client()
        return getattr(client, method)(BANKS + tail, body, content_type="application/json", headers=self.headers)


@pytest.fixture
def editor(project, people):
    return Caller(project, people["editor"])


@pytest.fixture
def reader(project, people):
    return Caller(project, people["reviewer"])


@pytest.fixture
def bank(editor):
    editor.send("post", "", {"name": "desk"})
    return Bank.objects.get()


def test_a_bank_is_made_read_bounded_and_deleted(editor, project):
    made = editor.send("post", "", {"name": "desk", "max_lines": 3})
    assert made.status_code == 201
    assert {**made.json(), "created_at": None} == {"name": "desk", "max_lines": 3, "agents": 0, "created_at": None}
    assert editor.get("/desk").json() == made.json()
    assert editor.send("put", "/desk", {"max_lines": None}).json()["max_lines"] is None
    assert editor.send("put", "/desk", {"max_lines": 5}).json()["max_lines"] == 5
    assert [bank["name"] for bank in editor.get().json()["results"]] == ["desk"]
    assert editor.send("delete", "/desk").status_code == 204
    assert editor.get("/desk").status_code == 404


@pytest.mark.parametrize("tail", ["", "/", "/desk", "/desk/", "/desk/entries", "/desk/entries/", "/desk/entries/A/"])
def test_every_address_works_with_and_without_a_final_slash(editor, bank, tail):
    assert editor.get(tail).status_code == 200


def test_a_text_is_written_before_the_first_run_and_replaced_as_a_whole(editor, bank):
    seeded = editor.send("put", "/desk/entries/Fibonacci", {"content": "21|34"})
    assert (seeded.status_code, seeded.json()["content"], seeded.json()["version"]) == (200, "21|34", 1)
    replaced = editor.send("put", "/desk/entries/Fibonacci", {"content": "34|55"}).json()
    assert editor.get("/desk/entries/Fibonacci").json() == replaced
    assert replaced["version"] == 2
    assert [entry["agent"] for entry in editor.get("/desk/entries").json()["results"]] == ["Fibonacci"]
    assert editor.get("/desk").json()["agents"] == 1


def test_an_agent_that_wrote_nothing_has_an_empty_text(editor, bank):
    empty = {"agent": "Nobody", "content": "", "version": 0, "written_at": None}
    assert editor.get("/desk/entries/Nobody").json() == empty
    assert editor.get("/desk/search", agent="Nobody", query="x").json() == {"results": []}


def test_a_text_keeps_the_last_lines_that_the_bank_allows(editor, bank):
    editor.send("put", "/desk", {"max_lines": 3})
    written = editor.send("put", "/desk/entries/a", {"content": "line1\nline2\nline3\nline4\nline5"})
    assert written.json()["content"] == "line3\nline4\nline5"
    editor.send("put", "/desk", {"max_lines": 1})
    assert editor.get("/desk/entries/a").json()["content"] == "line3\nline4\nline5"
    assert editor.send("put", "/desk/entries/a", {"content": "x\ny"}).json()["content"] == "y"


def test_search_finds_lines_ignoring_case(editor, bank):
    editor.send("put", "/desk/entries/a", {"content": "Prefer VAL\nuse data classes\nprefer records"})
    editor.send("put", "/desk/entries/b", {"content": "prefer nothing"})
    found = editor.get("/desk/search", agent="a", query="PREFER").json()["results"]
    assert found == [{"line_number": 1, "content": "Prefer VAL"}, {"line_number": 3, "content": "prefer records"}]
    assert editor.get("/desk/search", agent="a", query="%").json()["results"] == []


def test_a_version_that_was_read_guards_a_write(editor, bank):
    assert editor.send("put", "/desk/entries/a", {"content": "1", "expected_version": 0}).status_code == 200
    refused = editor.send("put", "/desk/entries/a", {"content": "2", "expected_version": 0})
    assert (refused.status_code, refused["Content-Type"]) == (409, PROBLEM)
    assert (refused.json()["current"]["content"], refused.json()["current"]["version"]) == ("1", 1)
    assert editor.send("put", "/desk/entries/a", {"content": "2", "expected_version": 1}).json()["version"] == 2


def test_a_deleted_text_is_erased_from_the_log_and_its_versions_go_on(editor, bank, whole):
    editor.send("put", "/desk/entries/a", {"content": "secret"})
    assert FactChange.objects.get(system="bank").value == '"secret"'
    assert editor.send("delete", "/desk/entries/a").status_code == 204
    assert editor.send("delete", "/desk/entries/a").status_code == 404
    entries = FactChange.objects.filter(system="bank").order_by("seq")
    log = list(entries.values_list("system", "kind", "owner", "path", "value", "actor"))
    who = editor.user.username
    assert log == [("bank", "write", "desk", "a", None, who), ("bank", "delete", "desk", "a", None, who)]
    assert editor.send("put", "/desk/entries/a", {"content": "new"}).json()["version"] == 2
    assert whole()


def test_a_bank_takes_its_texts_along(editor, bank, whole):
    editor.send("put", "/desk/entries/a", {"content": "one"})
    editor.send("put", "/desk/entries/b", {"content": "two"})
    editor.send("delete", "/desk")
    assert not BankEntry.objects.exists()
    assert set(FactChange.objects.filter(system="bank").values_list("value", flat=True)) == {None}
    assert FactChange.objects.filter(kind="delete", system="bank").count() == 2
    assert whole()


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (("post", "", {}), "name"),
        (("post", "", {"name": ""}), "name"),
        (("post", "", {"name": "a/b"}), "name"),
        (("post", "", {"name": "x" * 101}), "name"),
        (("post", "", {"name": 5}), "name"),
        (("post", "", {"name": "é"}), "name"),
        (("post", "", {"name": "a", "max_lines": 0}), "max_lines"),
        (("put", "/desk", {"max_lines": "few"}), "max_lines"),
        (("put", "/desk/entries/a", {}), "content"),
        (("put", "/desk/entries/a", {"content": None}), "content"),
        (("put", "/desk/entries/a", {"content": 5}), "content"),
        (("put", "/desk/entries/a", {"content": "\0"}), "content"),
        (("put", "/desk/entries/a", {"content": "x" * 262_145}), "content"),
        (("put", "/desk/entries/a", {"content": "x", "expected_version": -1}), "expected_version"),
        (("put", "/desk/entries/" + "a" * 201, {"content": "x"}), "agent"),
    ],
)
def test_bad_input_is_named(editor, bank, request_, field):
    refused = editor.send(*request_)
    assert refused.status_code == 400
    assert refused["Content-Type"] == PROBLEM
    assert list(refused.json()["fields"]) == [field]


@pytest.mark.parametrize(
    ("query", "field"),
    [({"query": "x"}, "agent"), ({"agent": "a"}, "query"), ({"agent": "a", "query": ""}, "query"),
     ({"agent": "a\0", "query": "x"}, "agent"), ({"agent": "a", "query": "x" * 2001}, "query")],
)  # fmt: skip
def test_a_search_says_what_is_missing(editor, bank, query, field):
    refused = editor.get("/desk/search", **query)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])


@pytest.mark.parametrize("tail", ["/none", "/none/entries", "/none/entries/a", "/desk%00", "/desk%00/entries/a%00"])
def test_a_bank_that_is_not_there_is_not_found(editor, bank, tail):
    answer = editor.get(tail)
    assert (answer.status_code, answer["Content-Type"]) == (404, PROBLEM)


def test_who_may_not_edit_reads_and_changes_nothing(reader, editor, bank):
    editor.send("put", "/desk/entries/a", {"content": "1"})
    assert reader.get("/desk/entries/a").json()["content"] == "1"
    for method, tail, body in (
        ("post", "", {"name": "more"}),
        ("put", "/desk", {"max_lines": 1}),
        ("delete", "/desk", None),
        ("put", "/desk/entries/a", {"content": "2"}),
        ("delete", "/desk/entries/a", None),
    ):
        assert reader.send(method, tail, body).status_code == 403
    assert BankEntry.objects.get().content == "1"


def test_the_project_of_the_token_alone_is_seen(editor, bank):
    elsewhere = ProjectFactory()
    MembershipFactory(project=elsewhere, user=editor.user)
    there = Caller(elsewhere, editor.user)
    assert there.get("/desk").status_code == 404
    assert there.get().json()["results"] == []


def test_lists_come_in_pages(editor, bank):
    for number in range(5):
        editor.send("put", f"/desk/entries/a{number}", {"content": "x"})
    first = editor.get("/desk/entries", page_size=3).json()
    rest = Client().get(first["next"], headers=editor.headers).json()
    assert [entry["agent"] for entry in first["results"] + rest["results"]] == [f"a{number}" for number in range(5)]
    assert rest["next"] is None


def test_the_description_of_the_api_lists_the_addresses(db):
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    assert {path.removeprefix("/api/v1/memory/"): set(paths[path]) for path in paths if "/memory/banks" in path} == {
        "banks": {"get", "post"},
        "banks/{bank}": {"get", "put", "delete"},
        "banks/{bank}/search": {"get"},
        "banks/{bank}/entries": {"get"},
        "banks/{bank}/entries/{agent}": {"get", "put", "delete"},
    }
