"""Another time to live, an earlier value, and deleting all that is found, from the facts page."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from memory.models import Fact, FactChange
from tests.factories import ProjectFactory

HTMX = {"HX-Request": "true"}


def test_a_fact_gets_another_time_to_live_and_the_log_says_why(put, see, send):
    fact = put(ttl="1h")
    form = see("ttl", fact=f"{fact.pk}:1")
    assert "Time to live of user.tier" in form
    assert 'value="1h"' in form
    text = send("ttl", fact=f"{fact.pk}:1", life="ttl", ttl="90d", reason="kept for the audit")
    assert "1 fact changed." in text
    fact.refresh_from_db()
    assert (fact.ttl, fact.version, fact.value) == ("90d", 2, "gold")
    assert fact.expires_at - fact.written_at == timedelta(days=90)
    assert "kept for the audit" in see("fact", fact.pk)


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


def test_an_expired_fact_has_no_time_to_change(put, see, as_role, at):
    fact = put(ttl="1h", now=timezone.now() - timedelta(hours=4))
    see("ttl", fact=f"{fact.pk}:1", status=404)
    assert as_role("editor").post(at("ttl"), {"fact": f"{fact.pk}:1", "life": "none"}).status_code == 404
    assert "Time to live" not in see("fact", fact.pk).split('class="verdicts"')[1]


def test_an_earlier_value_is_restored_as_the_next_version(put, see, send):
    put(value={"amount": 60})
    fact = put(value={"amount": 170})
    text = see("fact", fact.pk)
    assert re.findall(r'aria-label="(Restore [^"]+)"', text) == ["Restore the value of version 1"]
    seq = re.search(r'name="seq" value="(\d+)"', text)[1]
    assert "user.tier restored as version 3." in send("restore", fact.pk, seq=seq, version=2)
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


def test_nothing_is_offered_that_cannot_be_restored(put, see):
    put(value="rye 4155", sensitive=True)
    fact = put(value="rye 4156", sensitive=True)
    assert "Restore" not in see("fact", fact.pk)
    put(path="user.name", value="Ines")
    other = put(path="user.name", value="Ana")
    assert "Restore" in see("fact", other.pk)
    assert "Restore" not in see("fact", other.pk, role="viewer")


def test_everything_below_a_node_is_deleted_after_the_exact_number_was_named(put, see, send):
    for path in ("user.address.city", "user.address.street", "user.address", "user.addressee", "user.name"):
        put(path=path)
    put(path="user.address.old", ttl="1h", now=timezone.now() - timedelta(hours=4))
    assert "Delete all matching" in see("facts", scope="user", below="user.address")
    question = see("delete-found", scope="user", below="user.address")
    assert "Delete user.address and everything below it" in question
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
    assert "You confirmed 1 fact, but 2 match now" in text
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


def test_a_whole_project_is_not_deleted_from_the_list(put, see, as_role, at):
    put()
    see("delete-found", status=400)
    assert as_role("editor").post(at("delete-found"), {"number": 1}).status_code == 400
    assert "Delete all matching" not in see("facts")
    assert "Delete all matching" not in see("facts", role="viewer", scope="user")
    assert Fact.objects.exists()


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 11])
def test_a_number_that_is_none_deletes_nothing(put, as_role, at, number):
    put()
    response = as_role("editor").post(at("delete-found"), {"scope": "user", "number": number}, headers=HTMX)
    assert response.status_code == 400
    assert b"<code>number</code>" in response.content
    assert Fact.objects.exists()


def test_more_than_can_be_deleted_at_once_is_said(put, see, as_role, at, monkeypatch):
    monkeypatch.setattr("memory.facts.revising.MOST_DELETED", 1)
    put()
    put(path="user.name")
    question = see("delete-found", scope="user")
    assert "More than 1 fact" in question
    assert "btn--danger" not in question
    assert as_role("editor").post(at("delete-found"), {"scope": "user", "number": 1}).status_code == 409
    assert Fact.objects.count() == 2


def test_the_reason_for_deleting_a_selection_is_kept(put, send):
    fact = put()
    assert "1 fact deleted; 1 fact had already been deleted." in send(
        "delete", fact=[f"{fact.pk}:1", "99:1"], reason="wrong user"
    )
    assert FactChange.objects.get(kind="delete").reason == "wrong user"
