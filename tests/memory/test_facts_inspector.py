"""What the facts page does beyond one value: time to live, earlier values, all found, files, kept views, readers."""

from __future__ import annotations

import asyncio
import csv
import html as html_module
import io
import json
import re
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from constraints.models import Conversation
from editor.services import document_create
from memory import exporting, saved
from memory.models import Fact, FactChange, SavedView
from memory.query import FactQuery
from memory.services import fact_reveal
from memory.stores.services import session_begin
from tests.factories import ProjectFactory

HTMX = {"HX-Request": "true"}
AGENT = """AGENT: Desk
MEMORY:
  persistent:
    - PATH: user.tier
      ACCESS: readwrite
    - PATH: user.address
      ACCESS: read
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.tier]
FLOW:
  hello:
    RESPOND: "Hello, {{user.tier}}"
"""


@pytest.fixture
def at(project):
    """Address of a page of the project."""
    return lambda name, *args: reverse(f"memory:{name}", args=["kiln", *args])


@pytest.fixture
def page(as_role, at):
    """Text of a page, entities read back, for an editor unless told otherwise."""

    def get(name, *args, role="editor", status=200, headers=None, **query):
        response = as_role(role).get(at(name, *args), query, headers=headers or {})
        assert response.status_code == status, response.content
        return html_module.unescape(response.content.decode())

    return get


@pytest.fixture
def send(as_role, at):
    """Post a form and follow where it leads."""

    def post(to, *args, role="editor", status=200, **data):
        response = as_role(role).post(at(to, *args), data, follow=True)
        assert response.status_code == status, response.content
        return html_module.unescape(response.content.decode())

    return post


@pytest.fixture
def download(as_role, at):
    """A file as text."""

    def get(role="viewer", **query):
        response = as_role(role).get(at("export"), query)
        assert response.status_code == 200, response.content
        return b"".join(response.streaming_content).decode()

    return get


# Time to live -----------------------------------------------------------------------------------------------------


def test_a_fact_gets_another_time_to_live_and_the_log_says_why(put, page, send):
    fact = put(ttl="1h")
    form = page("ttl", fact=f"{fact.pk}:1")
    assert "Time to live of user.tier" in form
    assert 'value="1h"' in form
    text = send("ttl", fact=f"{fact.pk}:1", life="ttl", ttl="90d", reason="kept for the audit")
    assert "1 fact changed." in text
    fact.refresh_from_db()
    assert (fact.ttl, fact.version, fact.value) == ("90d", 2, "gold")
    assert fact.expires_at - fact.written_at == timedelta(days=90)
    assert "kept for the audit" in page("fact", fact.pk)


def test_a_time_to_live_is_dropped(put, send):
    fact = put(ttl="1h")
    send("ttl", fact=f"{fact.pk}:1", life="none")
    fact.refresh_from_db()
    assert (fact.ttl, fact.expires_at) == ("", None)


def test_a_sensitive_fact_stays_sensitive_with_another_time_to_live(put, send):
    fact = put(value="rye 4155", sensitive=True, ttl="1h")
    send("ttl", fact=f"{fact.pk}:1", life="ttl", ttl="2h")
    fact.refresh_from_db()
    assert (fact.sensitive, fact.value) == (True, "rye 4155")
    assert "rye" not in str(list(FactChange.objects.values_list("value", "reason")))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"life": "ttl", "ttl": "90 days"}, "ttl"),
        ({"life": "ttl", "ttl": ""}, "ttl"),
        ({"life": "ttl"}, "ttl"),
        ({"life": "odd"}, "life"),
        ({}, "life"),
        ({"life": "none", "reason": "x" * 301}, "reason"),
        ({"life": "none", "reason": "a\x00b"}, "reason"),
    ],
)
def test_what_is_no_time_to_live_is_named(put, as_role, at, given, field):
    fact = put(ttl="1h")
    response = as_role("editor").post(at("ttl"), {"fact": f"{fact.pk}:1", **given}, headers=HTMX)
    assert response.status_code == 400
    assert f"<code>{field}</code>" in response.content.decode()
    assert Fact.objects.get().version == 1


def test_the_time_of_a_version_that_was_replaced_is_refused(put, as_role, at):
    fact = put(ttl="1h")
    put(value="silver", ttl="1h")
    response = as_role("editor").post(at("ttl"), {"fact": f"{fact.pk}:1", "life": "none"}, headers=HTMX)
    assert response.status_code == 409
    assert b"version 2 is there" in response.content
    assert Fact.objects.get().ttl == "1h"


def test_a_selection_gets_a_time_to_live_together_or_not_at_all(put, as_role, at, send):
    first, second = put(), put(path="user.name")
    put(path="user.name", value="Ines")
    chosen = [f"{first.pk}:1", f"{second.pk}:1"]
    assert as_role("editor").post(at("ttl"), {"fact": chosen, "life": "ttl", "ttl": "1d"}).status_code == 409
    assert not Fact.objects.exclude(ttl="").exists()
    assert "2 facts changed." in send("ttl", fact=[f"{first.pk}:1", f"{second.pk}:2"], life="ttl", ttl="1d")
    assert set(Fact.objects.values_list("ttl", flat=True)) == {"1d"}


def test_an_expired_fact_has_no_time_to_change(put, page, as_role, at):
    fact = put(ttl="1h", now=timezone.now() - timedelta(hours=4))
    page("ttl", fact=f"{fact.pk}:1", status=404)
    assert as_role("editor").post(at("ttl"), {"fact": f"{fact.pk}:1", "life": "none"}).status_code == 404
    assert "Time to live" not in page("fact", fact.pk).split('class="verdicts"')[1]


# Earlier values ---------------------------------------------------------------------------------------------------


def test_an_earlier_value_is_restored_as_the_next_version(put, page, send):
    put(value={"amount": 60})
    fact = put(value={"amount": 170})
    text = page("fact", fact.pk)
    assert re.findall(r'aria-label="(Restore [^"]+)"', text) == ["Restore the value of version 1"]
    seq = re.search(r'name="seq" value="(\d+)"', text)[1]
    assert "user.tier has its earlier value again, as version 3." in send("restore", fact.pk, seq=seq, version=2)
    fact.refresh_from_db()
    assert (fact.value, fact.version) == ({"amount": 60}, 3)


def test_restoring_over_a_version_that_was_not_seen_is_refused(put, as_role, at):
    fact = put()
    put(value="silver")
    put(value="bronze")
    response = as_role("editor").post(at("restore", fact.pk), {"seq": 1, "version": 2}, headers=HTMX)
    assert response.status_code == 409
    assert Fact.objects.get().value == "bronze"


@pytest.mark.parametrize(("seq", "status"), [("x", 400), ("", 400), ("9" * 19, 400), ("99", 404)])
def test_what_is_no_entry_is_not_restored(put, as_role, at, seq, status):
    fact = put()
    assert as_role("editor").post(at("restore", fact.pk), {"seq": seq, "version": 1}).status_code == status


def test_nothing_is_offered_that_cannot_be_restored(put, page):
    put(value="rye 4155", sensitive=True)
    fact = put(value="rye 4156", sensitive=True)
    assert "Restore" not in page("fact", fact.pk)
    put(path="user.name", value="Ines")
    other = put(path="user.name", value="Ana")
    assert "Restore" in page("fact", other.pk)
    assert "Restore" not in page("fact", other.pk, role="viewer")


# All that is found ------------------------------------------------------------------------------------------------


def test_everything_below_a_node_is_deleted_after_the_exact_number_was_named(put, page, send):
    for path in ("user.address.city", "user.address.street", "user.address", "user.addressee", "user.name"):
        put(path=path)
    put(path="user.address.old", ttl="1h", now=timezone.now() - timedelta(hours=4))
    assert "Delete all found" in page("facts", scope="user", below="user.address")
    question = page("delete-found", scope="user", below="user.address")
    assert "Delete everything at and below user.address" in question
    assert "4 facts</strong>, 1 of them no longer readable" in question
    assert "Delete 4 facts" in question
    assert "4 facts deleted." in send("delete-found", scope="user", below="user.address", number=4, reason="moved")
    assert sorted(Fact.objects.values_list("path", flat=True)) == ["user.addressee", "user.name"]
    assert set(FactChange.objects.filter(kind="delete").values_list("reason", flat=True)) == {"moved"}


def test_what_changed_since_the_number_was_named_is_told_and_nothing_is_deleted(put, as_role, at):
    put()
    put(path="user.name")
    response = as_role("editor").post(at("delete-found"), {"scope": "user", "number": 1})
    assert response.status_code == 409
    text = response.content.decode()
    assert "it was about 1 fact, and meanwhile there are 2" in text
    assert 'name="number" value="2"' in text
    assert Fact.objects.count() == 2
    asked = {**HTMX, "HX-Target": "facts-problem"}
    response = as_role("editor").post(at("delete-found"), {"scope": "user", "number": 3}, headers=asked)
    assert response["HX-Retarget"] == "#facts-dialog"
    assert response.content.decode().startswith("<form")


def test_facts_of_others_and_of_other_projects_are_not_among_those_found(put, send):
    put()
    put(owner="u2")
    elsewhere = put(project=ProjectFactory())
    send("delete-found", scope="user", owner="u1", number=1)
    assert set(Fact.objects.values_list("owner", "project")) == {
        ("u2", Fact.objects.get(owner="u2").project_id),
        ("u1", elsewhere.project_id),
    }


def test_a_whole_project_is_not_deleted_from_the_list(put, page, as_role, at):
    put()
    page("delete-found", status=400)
    assert as_role("editor").post(at("delete-found"), {"number": 1}).status_code == 400
    assert "Delete all found" not in page("facts")
    assert "Delete all found" not in page("facts", role="viewer", scope="user")
    assert Fact.objects.exists()


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 11])
def test_a_number_that_is_none_deletes_nothing(put, as_role, at, number):
    put()
    response = as_role("editor").post(at("delete-found"), {"scope": "user", "number": number}, headers=HTMX)
    assert response.status_code == 400
    assert b"<code>number</code>" in response.content
    assert Fact.objects.exists()


def test_more_than_can_be_deleted_at_once_is_said(put, page, as_role, at, monkeypatch):
    monkeypatch.setattr("memory.revising.MOST_DELETED", 1)
    put()
    put(path="user.name")
    question = page("delete-found", scope="user")
    assert "more than 1 fact" in question
    assert "btn--danger" not in question
    assert as_role("editor").post(at("delete-found"), {"scope": "user", "number": 1}).status_code == 409
    assert Fact.objects.count() == 2


def test_the_reason_for_deleting_a_selection_is_kept(put, send):
    fact = put()
    assert "1 fact deleted; 1 fact had gone already." in send(
        "delete", fact=[f"{fact.pk}:1", "99:1"], reason="wrong user"
    )
    assert FactChange.objects.get(kind="delete").reason == "wrong user"


# Files ------------------------------------------------------------------------------------------------------------


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
    file = json.loads(download(format="json", prefix="user.n"))
    assert (file["project"], file["filters"]) == ("kiln", {"prefix": "user.n"})
    assert (
        file["facts"] == as_role("viewer").get("/api/v1/projects/kiln/facts/", {"prefix": "user.n"}).json()["results"]
    )


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_file_has_no_sensitive_and_no_expired_value(put, download, kind):
    put(value="rye 4155", sensitive=True)
    put(path="user.old", value="the secret", ttl="1h", now=timezone.now() - timedelta(hours=4))
    text = download(role="owner", format=kind)
    assert "user.old" in text
    assert "user.tier" in text
    assert "rye 4155" not in text
    assert "the secret" not in text
    assert not FactChange.objects.filter(kind="reveal").exists()


def test_a_file_of_many_pieces_is_whole(put, download, monkeypatch):
    monkeypatch.setattr("memory.exporting.AT_ONCE", 2)
    for number in range(5):
        put(path=f"user.f{number}")
    paths = [f"user.f{number}" for number in range(5)]
    assert [fact["path"] for fact in json.loads(download(format="json"))["facts"]] == paths
    assert [row["path"] for row in csv.DictReader(io.StringIO(download()))] == paths


def test_a_fact_that_expires_while_the_file_is_made_is_without_its_value(put, hour):
    facts = [put(ttl="1h", value="the secret")]
    later = timezone.now() + 2 * hour
    assert b"the secret" not in b"".join(exporting.csv_pieces(facts, lambda: later))


def test_an_empty_list_is_a_file_too(project, download):
    assert json.loads(download(format="json"))["facts"] == []
    assert download().strip() == ",".join(exporting.COLUMNS)


def test_a_selection_is_a_file(put, download):
    first = put()
    put(path="user.name")
    rows = list(csv.DictReader(io.StringIO(download(fact=f"{first.pk}:1"))))
    assert [row["path"] for row in rows] == ["user.tier"]


def test_who_may_only_read_gets_files_of_a_selection_and_nothing_else(put, page):
    put()
    text = page("facts", role="viewer", scope="user")
    assert 'id="chosen-csv"' in text
    assert "Select user.tier" in text
    for button in ("chosen-delete", "chosen-ttl", "found-delete"):
        assert button not in text
        assert button in page("facts", scope="user")


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


@pytest.mark.parametrize("query", [{"format": "xml"}, {"state": "odd"}, {"fact": "x"}])
def test_a_file_that_there_is_not_is_refused(as_role, at, project, query):
    response = as_role("viewer").get(at("export"), query, headers=HTMX)
    assert response.status_code == 400
    assert f"<code>{next(iter(query))}</code>" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_event_loop_gets_a_file_piece_by_piece(put, people, at, monkeypatch):
    monkeypatch.setattr("memory.exporting.AT_ONCE", 1)
    put()
    put(path="user.name")
    client = AsyncClient()
    client.force_login(people["viewer"])

    async def pieces():
        response = await client.get(at("export"), {"format": "csv"})
        found = [piece async for piece in response.streaming_content]
        await sync_to_async(connections.close_all)()  # of the thread that read
        return found

    assert [piece.split(b",")[0] for piece in asyncio.run(pieces())] == [b"scope", b"user", b"user"]


# Kept views -------------------------------------------------------------------------------------------------------


def test_filters_are_kept_under_a_name_and_opened(put, page, send):
    put(owner="u2", ttl="30m")
    text = send("view-save", name=" Ending soon ", scope="user", owner="u2", state="expiring")
    assert ">Ending soon</a>" in text
    address = re.search(r'href="[^"?]*(\?[^"]+)">Ending soon</a>', text)[1]
    assert address == "?scope=user&owner=u2&state=expiring"
    assert SavedView.objects.get().name == "Ending soon"
    send("view-save", name="Ending soon", scope="project")
    assert SavedView.objects.get().query == "scope=project"


def test_htmx_keeps_the_filters_of_the_address(put, as_role, at):
    headers = {
        **HTMX,
        "HX-Target": "facts-saved",
        "HX-Current-URL": "http://testserver/p/kiln/facts/?scope=user&search=a%26b",
    }
    response = as_role("viewer").post(at("view-save"), {"name": "mine", "scope": "project"}, headers=headers)
    assert response.content.decode().startswith('<section class="saved"')
    assert FactQuery.read({"scope": "user", "search": "a&b"}).text() == f"?{SavedView.objects.get().query}"


def test_a_view_is_of_one_member_and_one_project(people, project, page, as_role, at):
    view = saved.view_save(project=project, user=people["viewer"], name="mine", query=FactQuery(scope="user"))
    saved.view_save(project=ProjectFactory(), user=people["owner"], name="elsewhere", query=FactQuery())
    assert ">mine</a>" in page("facts", role="viewer")
    for_owner = page("facts", role="owner")
    assert "mine</a>" not in for_owner
    assert "elsewhere</a>" not in for_owner
    assert as_role("owner").post(at("view-delete", view.pk)).status_code == 404
    assert as_role("viewer").post(at("view-delete", view.pk), {"scope": "user"}).url.endswith("/facts/?scope=user")
    assert not SavedView.objects.filter(project=project).exists()


@pytest.mark.parametrize("given", [{"name": ""}, {"name": " "}, {"name": "x" * 101}, {"name": "a\x00"}])
def test_a_name_that_cannot_be_is_refused(as_role, at, project, given):
    response = as_role("viewer").post(at("view-save"), given, headers=HTMX)
    assert response.status_code == 400
    assert b"<code>name</code>" in response.content
    assert not SavedView.objects.exists()


def test_no_more_views_are_kept_than_fit(as_role, at, project, monkeypatch):
    monkeypatch.setattr("memory.saved.MOST_VIEWS", 1)
    client = as_role("viewer")
    assert client.post(at("view-save"), {"name": "one"}).status_code == 302
    assert client.post(at("view-save"), {"name": "two"}).status_code == 400
    assert client.post(at("view-save"), {"name": "one", "scope": "user"}).status_code == 302


def test_views_of_an_owner_are_forgotten_with_everything_else(project, people):
    for name, query in {
        "of them": FactQuery(scope="user", owner="u1"),
        "looks for them": FactQuery(search="tell u1 that"),
        "of another": FactQuery(scope="user", owner="u11"),
    }.items():
        saved.view_save(project=project, user=people["viewer"], name=name, query=query)
    assert saved.views_forget(project=project, owner="u1") == 2
    assert SavedView.objects.get().name == "of another"


# Filters ----------------------------------------------------------------------------------------------------------


def test_every_filter_has_a_field_that_shows_it(put, page):
    put(path="user.crm.tier", value="gold plate", source={"agent": "Desk"})
    put(path="user.crm.name")
    text = page("facts", search="GOLD", domain="crm", agent="Desk", since="24h", prefix="user.", below="user.crm")
    assert re.findall(r'id="fact-\d+"[^>]*>([^<]+)</a>', text) == ["user.crm.tier"]
    for field in (
        'name="search" id="facts-search" value="GOLD"',
        'name="domain" value="crm"',
        'name="agent" value="Desk"',
    ):
        assert field in text
    assert '<option value="24h" selected>' in text
    assert '<details class="more" open>' in text
    assert '<input type="hidden" name="below" value="user.crm">' in text
    assert '<option value="2026-03-03" selected>since 2026-03-03</option>' in page("facts", since="2026-03-03")


def test_the_tree_opens_the_way_to_the_chosen_node_by_last_segments(put, page):
    for path in ("user.crm.tier.name", "user.crm.tier.since", "user.crm.owner", "user.crm", "user.name"):
        put(path=path)
    tree = re.search(r'<ul class="tree".*?</ul>', page("facts", scope="user", owner="u1", below="user.crm.tier"), re.S)[
        0
    ]
    rows = [re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", row)).strip() for row in re.findall("<li>.*?</li>", tree)]
    assert rows[1:8] == ["u1 5", "user.crm 4", "owner 1", "tier 2", "name 1", "since 1", "user.name 1"]
    assert re.findall(r'aria-current="true"[^>]*title="([^"]+)"|title="([^"]+)" aria-current="true"', tree) == [
        ("", "user.crm.tier")
    ]


def test_agents_and_domains_that_are_there_are_offered(put, page):
    put(path="user.crm.tier", source={"agent": "Desk <1>"})
    put(path="user.name")
    assert re.findall('value="([^"]+)"', page("names", of="agent")) == ["Desk <1>"]
    assert re.findall('value="([^"]+)"', page("names", of="domain")) == ["crm", "name"]
    assert "odd" in page("names", of="odd", status=400)


# Who looked, and the chain ----------------------------------------------------------------------------------------


def test_who_looked_at_a_sensitive_value_is_one_link_away(put, page, people, project):
    fact, other = put(value="rye 4155", sensitive=True), put(path="user.code", value="4711", sensitive=True)
    assert f'/facts/changes/?kind=reveal&fact={fact.pk}"' in page("fact", fact.pk)
    assert "Nobody has looked" in page("changes", kind="reveal", fact=fact.pk)
    fact_reveal(project=project, pk=fact.pk, actor=people["owner"], reason="ticket 7")
    fact_reveal(project=project, pk=other.pk, actor=people["editor"], reason="ticket 8")
    text = page("changes", kind="reveal", fact=fact.pk, role="viewer")
    assert people["owner"].username in text
    assert "ticket 7" in text
    assert "ticket 8" not in text
    assert text.count(">revealed</td>") == 1
    assert page("changes", kind="reveal").count(">revealed</td>") == 2
    assert "?kind=reveal" in page("changes")
    assert "rye 4155" not in text


def test_further_pages_of_the_log_keep_what_it_is_narrowed_to(put, page, people, project, monkeypatch):
    monkeypatch.setattr("memory.log_views.LOG_SIZE", 1)
    fact = put(value="rye 4155", sensitive=True)
    for _ in range(2):
        fact_reveal(project=project, pk=fact.pk, actor=people["owner"], reason="ticket 7")
    text = page("changes", kind="reveal", fact=fact.pk)
    assert f'rel="next" href="?kind=reveal&fact={fact.pk}&before=3"' in text
    assert 'rel="next"' not in page("changes", kind="reveal", fact=fact.pk, before=3)


@pytest.mark.parametrize("query", [{"kind": "odd"}, {"fact": "x"}, {"before": "-1"}])
def test_a_log_that_there_is_not_is_refused(page, query):
    assert next(iter(query)) in page("changes", status=400, **query)


def test_the_chain_is_verified_step_by_step_from_the_page(put, page, send, monkeypatch):
    monkeypatch.setattr("memory.verification.STEP", 2)
    monkeypatch.setattr("memory.verification.verify_some.__kwdefaults__", {"limit": 2, "restart": False})
    for value in ("gold", "silver", "bronze"):
        put(value=value)
    assert "Verified up to entry 0 of 3" in page("changes")
    assert "Verified up to entry 2 of 3" in send("verify", role="viewer")
    text = send("verify", role="viewer")
    assert "The chain holds up to entry 3" in text
    assert "Verify again from the first entry" in text


def test_a_broken_chain_is_shown_until_it_is_looked_at_again(put, page, send):
    put()
    entry = FactChange.objects.get()
    FactChange.objects.update(reason="forged")
    assert "The chain is broken at entry 1" in send("verify")
    assert "The chain is broken at entry 1" in page("changes")
    FactChange.objects.update(reason=entry.reason)
    assert "The chain is broken" in send("verify")
    assert "The chain holds" in send("verify", again=1)


def test_htmx_goes_on_by_itself_until_the_end(put, as_role, at, monkeypatch):
    monkeypatch.setattr("memory.verification.verify_some.__kwdefaults__", {"limit": 1, "restart": False})
    put()
    put(value="silver")
    client, headers = as_role("viewer"), {**HTMX, "HX-Target": "chain"}
    first = client.post(at("verify"), headers=headers).content.decode()
    assert 'hx-trigger="load"' in first
    assert "Stop" in first
    second = client.post(at("verify"), headers=headers).content.decode()
    assert 'hx-trigger="load"' not in second
    assert "The chain holds" in second


# Links to agents and sessions -------------------------------------------------------------------------------------


def test_the_places_that_read_a_fact_link_into_the_agents(put, page, project, people):
    document_create(project=project, user=people["owner"], path="desk.agent.abl", text=AGENT, message="first")
    text = page("readers", put().pk)
    assert re.findall(r"line=(\d+)&column=\d+&end_line=\d+&end_column=\d+\">([^<]+)</a> <span[^>]*>([^<]+)<", text) == [
        ("4", "Desk, line 4", "declaration"),
        ("11", "Desk, line 11", "recall"),
        ("14", "Desk, line 14", "placeholder"),
    ]
    assert "line 6" in page("readers", put(path="user.address.city").pk)
    assert "No saved agent" in page("readers", put(path="user.nobody").pk)
    assert "<html" not in page("readers", put().pk, headers={**HTMX, "HX-Target": "fact-readers"})
    assert 'id="fact-readers"' in page("fact", put().pk)


def test_a_value_that_does_not_fit_its_declaration_is_told_where_it_is_declared(put, page, project, people, hour):
    text = AGENT.replace("      ACCESS: readwrite", "      TYPE: number\n      ACCESS: readwrite")
    document_create(project=project, user=people["owner"], path="desk.agent.abl", text=text, message="first")
    assert "declared number, the value is string" in page("readers", put().pk)
    assert page("readers", put().pk).count("declared number") == 1
    assert "declared number" not in page("readers", put(value=7).pk)
    assert "declared number" not in page("readers", put(value="x", ttl="1h", now=timezone.now() - 4 * hour).pk)


def test_a_conversation_links_to_its_session_if_there_is_one(project, as_role):
    conversation = Conversation.objects.create(project=project, number=1, version=1)
    address = reverse("constraints:conversation", args=["kiln", 1])
    link = reverse("memory:session", args=["kiln", conversation.session_id])
    assert link not in as_role("viewer").get(address).content.decode()
    session_begin(project=project, session=conversation.session_id, user="ines")
    assert link in as_role("viewer").get(address).content.decode()
