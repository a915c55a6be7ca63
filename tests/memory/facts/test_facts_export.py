"""Facts as files: what is in them, what never is, over HTTP too."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from memory.facts import exporting
from memory.models import FactChange

HTMX = {"HX-Request": "true"}


def test_a_csv_file_has_what_the_filters_find(put, download):
    source = {"agent": "Desk", "conversation": 318, "turn": 3, "cause": "remember#1"}
    put(value={"city": "Graz, Lend"}, path="user.address", ttl="90d", source=source)
    put(owner="u2")
    rows = list(csv.DictReader(io.StringIO(download(scope="user", owner="u1"))))
    assert tuple(rows[0]) == exporting.COLUMNS
    assert [row["path"] for row in rows] == ["user.address"]
    assert json.loads(rows[0]["value"]) == {"city": "Graz, Lend"}
    kept = {"scope": "user", "owner": "u1", "type": "object", "state": "live", "ttl": "90d", "agent": "Desk"}
    assert {name: rows[0][name] for name in kept} == kept
    assert (rows[0]["conversation"], rows[0]["turn"], rows[0]["version"]) == ("318", "3", "1")


def test_a_json_file_has_facts_in_the_shape_of_the_api(put, download, as_role):
    put()
    put(path="user.name", value="Ines")
    file = json.loads(download(as_="json", prefix="user.n"))
    assert (file["project"], file["filters"]) == ("kiln", {"prefix": "user.n"})
    assert (
        file["facts"] == as_role("viewer").get("/api/v1/projects/kiln/facts/", {"prefix": "user.n"}).json()["results"]
    )


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_file_has_no_sensitive_and_no_expired_value(put, download, kind):
    put(value="rye 4155", sensitive=True)
    put(path="user.old", value="the secret", ttl="1h", now=timezone.now() - timedelta(hours=4))
    text = download(role="owner", as_=kind)
    assert "user.old" in text
    assert "user.tier" in text
    assert "rye 4155" not in text
    assert "the secret" not in text
    assert not FactChange.objects.filter(kind="reveal").exists()


def test_a_file_of_many_pieces_is_whole(put, download, monkeypatch):
    monkeypatch.setattr("memory.facts.exporting.AT_ONCE", 2)
    for number in range(5):
        put(path=f"user.f{number}")
    paths = [f"user.f{number}" for number in range(5)]
    assert [fact["path"] for fact in json.loads(download(as_="json"))["facts"]] == paths
    assert [row["path"] for row in csv.DictReader(io.StringIO(download()))] == paths


def test_a_fact_that_expires_while_the_file_is_made_is_without_its_value(put, hour):
    facts = [put(ttl="1h", value="the secret")]
    later = timezone.now() + 2 * hour
    assert b"the secret" not in b"".join(exporting.csv_pieces(facts, lambda: later))


def test_an_empty_list_is_a_file_too(project, download):
    assert json.loads(download(as_="json"))["facts"] == []
    assert download().strip() == ",".join(exporting.COLUMNS)


def test_a_selection_is_a_file(put, download):
    first = put()
    put(path="user.name")
    rows = list(csv.DictReader(io.StringIO(download(fact=f"{first.pk}:1"))))
    assert [row["path"] for row in rows] == ["user.tier"]


def test_who_may_only_read_gets_files_of_a_selection_and_nothing_else(put, see):
    put()
    text = see("facts", role="viewer", scope="user")
    assert 'id="chosen-csv"' in text
    assert "Select user.tier" in text
    for button in ("chosen-delete", "chosen-ttl", "found-delete"):
        assert button not in text
        assert button in see("facts", scope="user")


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-2+3", "'-2+3"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"),
        (" =1", "' =1"), ("\r=1", "'\r=1"), ("\uff1d1", "'\uff1d1"), ("-5", "-5"), ("-5.5e3", "-5.5e3"),
        ("u1", "u1"), (None, ""), (True, "true"), (7, "7"),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula(value, cell):
    assert exporting.cell(value) == cell


def test_owners_and_agents_are_no_formulas(put, download):
    put(owner='=HYPERLINK("http://x")', source={"agent": "@cmd"}, value="=1+1")
    row = next(csv.DictReader(io.StringIO(download())))
    assert row["owner"].startswith("'=")
    assert row["agent"] == "'@cmd"
    assert row["value"] == '"=1+1"'


@pytest.mark.parametrize("query", [{"as": "xml"}, {"format": "csv"}, {"state": "odd"}, {"fact": "x"}])
def test_a_file_that_there_is_not_is_refused(as_role, at, project, query):
    response = as_role("viewer").get(at("export"), query, headers=HTMX)
    assert response.status_code == 400
    assert f"<code>{next(iter(query))}</code>" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_event_loop_gets_a_file_piece_by_piece(put, people, at, monkeypatch):
    monkeypatch.setattr("memory.facts.exporting.AT_ONCE", 1)
    put()
    put(path="user.name")
    client = AsyncClient()
    client.force_login(people["viewer"])

    async def pieces():
        response = await client.get(at("export"), {"as": "csv"})
        found = [piece async for piece in response.streaming_content]
        await sync_to_async(connections.close_all)()  # of the thread that read
        return found

    assert [piece.split(b",")[0] for piece in asyncio.run(pieces())] == [b"scope", b"user", b"user"]


# Over HTTP ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def fetch(as_role):
    """The answer of the API and its whole body."""

    def get(role="viewer", **query):
        response = as_role(role).get(reverse("api-facts-export", args=["kiln"]), query)
        return response, b"".join(response.streaming_content).decode() if response.streaming else ""

    return get


def test_a_program_gets_the_facts_that_the_filters_find(put, fetch):
    put(path="user.tier")
    put(path="user.card", value="4111 1111", sensitive=True)
    put(owner="u2", path="user.tier")
    response, body = fetch(scope="user", owner="u1")
    file = json.loads(body)
    assert response["Content-Type"] == "application/json"
    assert 'filename="kiln-facts.json"' in response["Content-Disposition"]
    assert (file["project"], file["filters"]) == ("kiln", {"scope": "user", "owner": "u1"})
    assert [fact["path"] for fact in file["facts"]] == ["user.card", "user.tier"]
    assert "4111" not in body


def test_a_program_gets_a_csv_file_of_the_facts_that_it_names(put, fetch):
    first, _ = put(path="user.a"), put(path="user.b")
    response, body = fetch(fact=[first.pk], **{"as": "csv"})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert [row["path"] for row in csv.DictReader(io.StringIO(body))] == ["user.a"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"as": "xml"}, "as"),
        ({"format": "csv"}, "format"),
        ({"fact": "x"}, "fact"),
        ({"state": "odd"}, "state"),
        ({"owner": "u1"}, "owner"),
    ],
)
def test_a_program_is_told_which_part_of_its_selection_cannot_be(project, fetch, query, field):
    response, _ = fetch(**query)
    assert (response.status_code, list(response.json()["fields"])) == (400, [field])
