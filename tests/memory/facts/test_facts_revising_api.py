"""Restoring, retiming, deleting what was found, the tree, the log and erasing over HTTP and on pages: roles, shapes."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from constraints.models import Conversation
from editor.services import token_create
from memory.erasure import services as erasure
from memory.log import verification
from memory.models import Erasure, Fact, FactChange
from tests.emptying import undone
from tests.every import each
from tests.factories import ProjectFactory
from tests.memory.factories import FactFactory
from tests.memory.routes import EVERYONE, JSON, MAY, Route

PROBLEM = "application/problem+json"
WHOM = {"owner": "u1", "reason": "request 12"}


WITH_FACT = {"api-fact-restore", "api-fact-ttl"}
WITH_RECEIPT = {"api-erasure", "memory:erasure"}
ROUTES = [
    Route("api-fact-restore", "post", "edit", {"seq": 1}, 200),
    Route("api-fact-ttl", "post", "edit", {"ttl": "1h"}, 200),
    Route("api-facts-found", "post", "edit", {"filters": {"scope": "user"}, "expected_count": 1}, 200),
    Route("api-facts-tree", "get", "view", {"scope": "user"}, 200),
    Route("api-facts-log", "get", "view", None, 200),
    Route("api-facts-log", "post", "edit", None, 200),
    Route("api-erasures", "get", "manage", None, 200),
    Route("api-erasures", "post", "manage", WHOM, 201),
    Route("api-erasure", "get", "manage", None, 200),
    Route("memory:erasures", "get", "manage", None, 200),
    Route("memory:erase", "get", "manage", {"owner": "u1"}, 200),
    Route("memory:erase", "post", "manage", {**WHOM, "typed": "u1"}, 302),
    Route("memory:erasure", "get", "manage", None, 200),
]


def ask(route, client, fact):
    """One request about a fact or the first receipt."""
    last = {"pk": fact.pk} if route.name in WITH_FACT else {"number": 1} if route.name in WITH_RECEIPT else {}
    return route.send(client, reverse(route.name, kwargs={"slug": "kiln", **last}))


@pytest.fixture
def fact(project, people):
    """A fact of u1, beside the receipt for somebody else."""
    FactFactory(project=project, owner="u0")
    erasure.erase_owner(project=project, owner="u0", actor=people["owner"], reason="earlier")
    return FactFactory(project=project, owner="u1", path="user.tier")


@pytest.fixture
def api(as_role):
    """A request of an editor: method, name of the route, arguments, body or query; JSON both ways."""

    def call(method, name, *arguments, body=None, role="editor", **query):
        address = reverse(name, args=["kiln", *arguments])
        if method == "get":
            return as_role(role).get(address, query)
        return getattr(as_role(role), method)(address, body, content_type=JSON, query_params=query)

    return call


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.name}-{route.method}")
def test_each_role_gets_what_it_may(as_role, fact, route):
    each(((role, (as_role, fact, role, route)) for role in EVERYONE), gets_what_it_may)


@undone()
def gets_what_it_may(as_role, fact, role, route):
    if route.name == "api-fact-restore":
        route = route._replace(data={"seq": FactChange.objects.get(owner="u1").seq})
    before = (FactChange.objects.count(), Erasure.objects.count())
    route.check(ask(route, as_role(role), fact), role)
    if role not in MAY[route.needs]:
        assert (FactChange.objects.count(), Erasure.objects.count()) == before
        assert Fact.objects.get(pk=fact.pk).version == 1


@pytest.mark.parametrize("route", [r for r in ROUTES if r.name in WITH_FACT | WITH_RECEIPT], ids=lambda r: r.name)
def test_what_belongs_to_another_project_is_not_there(as_role, project, route):
    other = FactFactory(project=ProjectFactory())
    Erasure.objects.create(project=other.project, number=1, started_at=timezone.now())
    assert ask(route, as_role("owner"), other).status_code == 404
    assert Fact.objects.get().version == 1


def test_an_earlier_value_comes_back(api, put):
    put()
    fact = put(value="silver")
    response = api("post", "api-fact-restore", fact.pk, body={"seq": 1, "expected_version": 2, "reason": "mistake"})
    assert (response.status_code, response.json()["value"], response.json()["version"]) == (200, "gold", 3)
    late = api("post", "api-fact-restore", fact.pk, body={"seq": 1, "expected_version": 2})
    assert (late.status_code, late.json()["current"]["version"]) == (409, 3)
    gone = api("post", "api-fact-restore", fact.pk, body={"seq": 99})
    assert (gone.status_code, gone["Content-Type"]) == (404, PROBLEM)


def test_a_masked_value_does_not_come_back(api, put):
    put(value="4711", sensitive=True)
    response = api("post", "api-fact-restore", put(value="4712").pk, body={"seq": 1})
    assert (response.status_code, list(response.json()["fields"])) == (400, ["seq"])
    assert "4711" not in response.content.decode()


def test_a_time_to_live_is_set_and_dropped(api, put):
    fact = put()
    assert api("post", "api-fact-ttl", fact.pk, body={"ttl": "2d", "expected_version": 1}).json()["ttl"] == "2d"
    dropped = api("post", "api-fact-ttl", fact.pk, body={"ttl": None}).json()
    assert (dropped["ttl"], dropped["expires_at"], dropped["version"]) == (None, None, 3)
    assert api("post", "api-fact-ttl", fact.pk, body={"ttl": "1h", "expected_version": 1}).status_code == 409


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        ("api-fact-ttl", {"ttl": "soon"}, "ttl"),
        ("api-fact-ttl", {}, "ttl"),
        ("api-fact-restore", {}, "seq"),
        ("api-fact-restore", {"seq": 0}, "seq"),
        ("api-fact-restore", {"seq": 2**70}, "seq"),
        ("api-fact-ttl", {"ttl": "1h", "reason": "\x00"}, "reason"),
    ],
)
def test_bad_input_is_named(api, put, name, body, field):
    response = api("post", name, put().pk, body=body)
    assert (response.status_code, list(response.json()["fields"])) == (400, [field])


def test_the_count_is_named_first_and_then_so_many_are_deleted(api, put):
    for number in range(3):
        put(path=f"user.old.f{number}")
    put(path="user.new")
    body = {"filters": {"scope": "user", "owner": "u1", "below": "user.old"}}
    counted = api("post", "api-facts-found", body=body)
    assert (counted.status_code, counted.json()) == (200, {"count": 3, "more": False, "deleted": 0})
    assert Fact.objects.count() == 4
    put(path="user.old.late")
    late = api("post", "api-facts-found", body={**body, "expected_count": 3})
    assert (late.status_code, late.json()["current"]) == (409, {"count": 4})
    done = api("post", "api-facts-found", body={**body, "expected_count": 4, "reason": "tidy"})
    assert done.json() == {"count": 4, "more": False, "deleted": 4}
    assert list(Fact.objects.values_list("path", flat=True)) == ["user.new"]


def test_so_many_at_once_are_too_many(api, put, monkeypatch):
    monkeypatch.setattr("memory.facts.revising_api.MOST_DELETED", 2)
    for number in range(3):
        put(path=f"user.f{number}")
    assert api("post", "api-facts-found", body={"filters": {"scope": "user"}}).json() == {
        "count": 2,
        "more": True,
        "deleted": 0,
    }


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"filters": {}, "expected_count": 1}, "query"),
        ({"filters": {"scope": "planet"}}, "filters"),
        ({"filters": {"owner": "u1"}}, "owner"),
        ({}, "filters"),
        ({"filters": {"since": "soon"}}, "since"),
        ({"filters": {"scope": "user"}, "expected_count": -1}, "expected_count"),
    ],
)
def test_filters_that_are_none_are_named(api, put, body, field):
    put()
    response = api("post", "api-facts-found", body=body)
    assert response.status_code == 400
    assert [name.split(".")[0] for name in response.json()["fields"]] == [field]
    assert Fact.objects.exists()


def test_the_tree_goes_from_scopes_to_owners_to_paths(api, put):
    put()
    put(path="user.address.city")
    put(owner="u2")
    put(scope="project", owner="", path="site.open")
    owners = api("get", "api-facts-tree", scope="user", role="viewer").json()
    assert [(each["name"], each["count"]) for each in owners["results"]] == [("u1", 2), ("u2", 1)]
    assert (owners["more"], owners["results"][0]["more"]) == (False, False)
    assert [each["name"] for each in api("get", "api-facts-tree", scope="user", after="u1").json()["results"]] == ["u2"]
    (top,) = api("get", "api-facts-tree", scope="user", owner="u1").json()["results"]
    assert (top["path"], top["leaf"], top["kids"]) == ("user", False, True)
    below = api("get", "api-facts-tree", scope="user", owner="u1", below="user").json()["results"]
    assert [(each["path"], each["leaf"], each["kids"]) for each in below] == [
        ("user.address", False, True),
        ("user.tier", True, False),
    ]
    assert api("get", "api-facts-tree", scope="project").json()["results"][0]["path"] == "site"


@pytest.mark.parametrize("query", [{}, {"scope": "planet"}, {"scope": "user", "after": "a\x00"}, {"owner": "u1"}])
def test_a_level_that_is_none_is_refused(api, project, query):
    assert api("get", "api-facts-tree", **query).status_code == 400


def test_the_log_is_verified_step_by_step(api, put, monkeypatch):
    for number in range(5):
        put(path=f"user.f{number}")
    monkeypatch.setitem(verification.verify_some.__kwdefaults__, "limit", 3)
    assert api("get", "api-facts-log", role="viewer").json()["verified_seq"] == 0
    first = api("post", "api-facts-log").json()
    assert (first["head_seq"], first["verified_seq"], first["whole"]) == (5, 3, False)
    second = api("post", "api-facts-log").json()
    assert (second["verified_seq"], second["whole"], second["broken_seq"]) == (5, True, None)
    FactChange.objects.filter(seq=2).update(path="user.x")
    assert api("post", "api-facts-log").json()["whole"]
    broken = api("post", "api-facts-log", restart="true").json()
    assert (broken["whole"], broken["broken_seq"]) == (False, 2)
    assert "not the one that was recorded" in api("get", "api-facts-log").json()["broken_why"]


def test_a_user_is_counted_and_then_erased_with_a_receipt(api, put):
    put(value="amber")
    put(path="user.name")
    dry = api("post", "api-erasures", role="owner", body={**WHOM, "dry_run": True})
    assert (dry.status_code, dry.json()["counts"]["facts"]) == (200, 2)
    assert (Fact.objects.count(), Erasure.objects.count()) == (2, 0)
    response = api("post", "api-erasures", role="owner", body=WHOM)
    assert response.status_code == 201
    receipt = response.json()
    assert set(receipt) == {"number", "owner_digest", "counts", "reason", "actor", "started_at", "finished_at", "entry"}
    assert (receipt["number"], receipt["counts"]["facts"], receipt["actor"]) == (1, 2, "owner")
    assert "u1" not in response.content.decode()
    assert api("get", "api-erasure", 1, role="owner").json() == receipt
    assert api("get", "api-erasures", role="owner").json() == {"results": [receipt]}
    assert not Fact.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"owner": "u1"}, "reason"),
        ({"reason": "x"}, "owner"),
        ({**WHOM, "owner": "u9"}, "owner"),
        ({**WHOM, "reason": "u1 asked"}, "reason"),
        ({**WHOM, "owner": "u" * 201}, "owner"),
    ],
)
def test_who_and_why_are_needed(api, put, body, field):
    put()
    response = api("post", "api-erasures", role="owner", body=body)
    assert (response.status_code, list(response.json()["fields"])) == (400, [field])
    assert Fact.objects.exists()


def test_a_token_of_an_owner_erases_in_its_own_project_alone(client, put, project, people):
    put()
    _, secret = token_create(user=people["owner"], project=project, name="desk")
    asked = {"data": WHOM, "content_type": JSON, "headers": {"authorization": f"Bearer {secret}"}}
    other = ProjectFactory(slug="other")
    assert client.post(reverse("api-erasures", args=[other.slug]), **asked).status_code == 404
    assert client.post(reverse("api-erasures", args=["kiln"]), **asked).status_code == 201


def page(client, name="memory:erase", method="get", **data):
    return getattr(client, method)(reverse(name, args=["kiln"]), data)


def test_the_page_shows_what_there_is_and_asks_for_the_id(as_role, put):
    put(value="amber")
    put(path="user.name")
    client = as_role("owner")
    response = page(client, owner="u1")
    text = response.content.decode()
    assert response.context["counted"] == [("facts", 2), ("log entries", 2)]
    assert "Type the user ID to confirm" in text
    assert "amber" not in text
    wrong = page(client, method="post", owner="u1", typed="u2", reason="request 12")
    assert (wrong.status_code, Fact.objects.count()) == (400, 2)
    assert "The ID doesn&#x27;t match" in wrong.content.decode()
    assert 'value="request 12"' in wrong.content.decode()


def test_after_confirming_the_receipt_is_shown(as_role, put):
    put()
    client = as_role("owner")
    response = client.post(reverse("memory:erase", args=["kiln"]), {**WHOM, "typed": "u1"}, follow=True)
    assert response.redirect_chain == [(reverse("memory:erasure", args=["kiln", 1]), 302)]
    text = response.content.decode()
    assert "Everything about one user of Kiln and Hearth was erased." in text
    assert not re.search(r"\bu1\b", text)  # as a word: the letters may be in a token
    assert "request 12" in page(client, "memory:erasures").content.decode()
    again = page(client, owner="u1").content.decode()
    assert "Nothing in Kiln and Hearth belongs to this ID" in again
    assert "receipt 1</a>" in again


def test_an_erasure_that_is_not_finished_says_so_and_goes_on(as_role, put, monkeypatch):
    monkeypatch.setattr("memory.erasure.parts.FACTS", 1)
    monkeypatch.setattr("memory.erasure.services.PATIENCE", 0)
    put()
    put(path="user.name")
    client = as_role("owner")
    ask = {**WHOM, "typed": "u1"}
    first = client.post(reverse("memory:erase", args=["kiln"]), ask, follow=True).content.decode()
    assert "not finished" in first
    assert "is not finished. This erasure will be added to it" in page(client, owner="u1").content.decode()
    monkeypatch.setattr("memory.erasure.services.PATIENCE", 60)
    last = client.post(reverse("memory:erase", args=["kiln"]), ask, follow=True)
    assert "finished" in last.content.decode()
    assert Erasure.objects.get().finished_at is not None


def test_a_turn_at_work_is_named_on_the_page(as_role, put, project):
    put()
    conversation = Conversation.objects.create(project=project, number=7, user="u1", version=1)
    conversation.turns.create(index=3, message_id="m", kind="say", status="running")
    response = page(as_role("owner"), method="post", **WHOM, typed="u1")
    assert response.status_code == 409
    assert "Turn 3 of conversation 7 is still running" in response.content.decode()
    assert Fact.objects.exists()


@pytest.mark.parametrize("owner", ["", "x" * 201, "a\x00"])
def test_an_id_that_cannot_be_one_is_refused_by_the_page(as_role, project, owner):
    assert page(as_role("owner"), owner=owner).status_code == 400


def test_only_owners_are_shown_the_way_there(as_role, project):
    link = reverse("memory:erasures", args=["kiln"])
    assert link in page(as_role("owner"), "memory:facts").content.decode()
    assert link not in page(as_role("editor"), "memory:facts").content.decode()


def test_the_log_says_that_a_user_is_erased_instead_of_a_digest(as_role, put, people, project):
    put(reason="a call", actor=people["editor"])
    put(owner="owner", actor=people["owner"])
    for owner in ("u1", "owner"):
        erasure.erase_owner(project=project, owner=owner, actor=people["owner"], reason="request 12")
    entries = list(FactChange.objects.exclude(owner="").order_by("seq"))
    assert {entry.shown_owner for entry in entries} == {"an erased user"}
    assert (entries[0].shown_actor, entries[0].shown_reason) == ("editor", "erased")
    assert (entries[1].shown_actor, entries[1].shown_reason) == ("an erased user", "")
    closing = FactChange.objects.filter(kind="erase").first()
    assert (closing.shown_owner, closing.shown_actor, closing.shown_reason) == ("", "owner", "request 12")
