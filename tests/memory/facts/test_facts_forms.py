"""What the forms of facts answer: on in the dialog, on from a page of their own, and again with what was typed."""

from __future__ import annotations

import html as html_module
import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from memory.facts.purge import purge_expired
from memory.models import Fact, FactChange, SavedView

HTMX = {"HX-Request": "true"}
NEW = {"scope": "user", "owner": "u1", "path": "user.tier", "value": '"gold"', "ttl": "90d", "reason": "ticket 7"}


@pytest.fixture
def refused(as_role, at):
    """The page that answers a plain form which cannot be taken, entities read back, in the frame of the project."""

    def post(to, *args, status=400, role="editor", query="", **data):
        response = as_role(role).post(at(to, *args) + query, data)
        assert response.status_code == status, response.content
        text = html_module.unescape(response.content.decode())
        assert f'href="{at("facts")}" aria-current="page"' in text
        assert 'role="alert"' in text
        return text

    return post


@pytest.fixture
def shown(as_role, at):
    """What htmx gets when it asks for the details of a fact."""

    def get(fact, role="editor", **query):
        headers = {**HTMX, "HX-Target": "facts-detail"}
        return as_role(role).get(at("fact", fact.pk), query, headers=headers)

    return get


def stamp(response):
    """The stamp of the details in an answer."""
    return re.search(r'data-stamp="([^"]+)"', response.content.decode())[1]


# A form as a page of its own --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["write", "ttl", "delete", "delete-found"])
def test_a_form_on_a_page_of_its_own_says_so_and_in_the_dialog_it_does_not(put, as_role, at, form):
    fact = put()
    query = {"fact": f"{fact.pk}:1"} if form != "delete-found" else {"scope": "user"}
    query = query if form != "write" else {}
    alone = as_role("editor").get(at(form), query).content.decode()
    assert """id="facts-dialog" hx-vals='{"alone": "1"}'>""" in alone
    beside = as_role("editor").get(at(form), query, headers={**HTMX, "HX-Target": "facts-dialog"}).content.decode()
    assert beside.startswith("<form")
    assert "alone" not in beside


def test_writing_from_a_page_of_its_own_goes_on_to_the_fact(project, as_role, at):
    client = as_role("editor")
    response = client.post(at("write"), {**NEW, "alone": "1"}, headers=HTMX)
    address = at("fact", Fact.objects.get().pk)
    assert (response.status_code, response["HX-Redirect"]) == (204, address)
    assert "HX-Trigger" not in response
    assert "user.tier saved as version 1." in client.get(address).content.decode()


def test_writing_in_the_dialog_leaves_the_page_and_tells_it(project, as_role, at):
    response = as_role("editor").post(at("write"), NEW, headers=HTMX)
    assert json.loads(response["HX-Trigger"]) == {"facts:changed": {"words": "user.tier saved as version 1"}}
    assert "HX-Redirect" not in response


def test_every_other_form_goes_on_from_a_page_of_its_own(put, as_role, at):
    first, second = put(), put(path="user.name")
    client, chosen = as_role("editor"), f"{first.pk}:1"

    def goes(form, **data):
        return client.post(at(form), {**data, "alone": "1"}, headers=HTMX)["HX-Redirect"]

    assert goes("ttl", fact=chosen, life="ttl", ttl="9d") == at("fact", first.pk)
    assert goes("ttl", fact=[f"{first.pk}:2", f"{second.pk}:1"], life="none") == at("facts")
    assert goes("delete", fact=f"{first.pk}:3") == at("facts")
    assert goes("delete-found", scope="user", number=1) == at("facts")
    assert not Fact.objects.exists()


# Again with what was typed ----------------------------------------------------------------------------------------


def test_a_value_that_is_no_json_comes_back_in_the_form_with_the_message_at_it(project, refused):
    text = refused("write", **{**NEW, "value": "gold", "sensitive": "1"})
    assert 'aria-invalid="true" aria-describedby="wrong-value" autofocus>\ngold</textarea>' in text
    assert re.search(r'id="wrong-value".*Put text in double quotes: "gold"', text)
    for kept in ('value="user.tier"', 'value="u1"', 'value="90d"', 'value="ticket 7"', 'value="1" checked'):
        assert kept in text
    assert '<option value="user" selected>' in text
    assert not Fact.objects.exists()


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("path", "tier"),
        ("owner", ""),
        ("ttl", "a while"),
        ("reason", "x" * 301),
        ("scope", "planet"),
        ("value", "<b>"),
    ],
)
def test_each_field_of_a_fact_has_its_own_message(project, refused, field, typed):
    text = refused("write", **{**NEW, field: typed})
    assert re.findall(r'aria-describedby="wrong-(\w+)"', text) == [field]
    assert re.findall(r'id="wrong-(\w+)"', text) == [field]


def test_what_was_typed_cannot_break_out_of_the_form(project, as_role, at):
    evil = "</textarea><script>alert(1)</script>\"'"
    response = as_role("editor").post(at("write"), dict.fromkeys(NEW, evil))
    assert response.status_code == 400
    assert b"<script>alert" not in response.content


def test_a_version_that_was_replaced_comes_back_with_the_way_to_what_is_there(put, refused, at):
    put()
    fact = put(value="silver")
    text = refused("write", status=409, **{**NEW, "value": '"bronze"', "version": "1"})
    assert "version 2 is there" in text
    assert f'href="{at("fact", fact.pk)}">Show the current fact' in text
    assert '\n"bronze"</textarea>' in text
    assert 'name="version" value="1"' in text
    assert "User u1, replaces version 1" in text


def test_a_time_to_live_comes_back_with_what_was_typed(put, refused):
    fact = put()
    text = refused("ttl", fact=f"{fact.pk}:1", life="ttl", ttl="a while", reason="ticket 7")
    assert 'value="a while"' in text
    assert "'a while' is not a time to live" in text
    assert 'value="ticket 7"' in text
    assert 'aria-describedby="wrong-ttl"' in text
    text = refused("ttl", fact=f"{fact.pk}:1", life="none", ttl="9d", reason="x" * 301)
    assert 'value="none" checked' in text
    assert 'aria-describedby="wrong-reason"' in text


def test_deleting_comes_back_with_the_version_that_is_there(put, refused):
    fact = put()
    put(value="silver")
    text = refused("delete", status=409, fact=f"{fact.pk}:1", reason="ticket 7")
    assert "has version 2 now" in text
    assert f'value="{fact.pk}:2"' in text
    assert 'value="ticket 7"' in text
    assert 'aria-describedby="wrong-reason"' in refused("delete", fact=f"{fact.pk}:2", reason="x" * 301)
    assert Fact.objects.exists()


def test_deleting_what_is_found_comes_back_with_the_reason(put, as_role, at, refused):
    put()
    text = refused("delete-found", scope="user", number=1, reason="x" * 301)
    assert 'aria-describedby="wrong-reason"' in text
    assert "x" * 301 in text
    assert 'value="ticket 7"' in refused("delete-found", scope="user", number=2, reason="ticket 7", status=409)
    assert Fact.objects.exists()


def test_a_change_that_is_refused_is_told_beside_the_fact(put, refused):
    put()
    fact = put(value="silver")
    for form, more in (("expire", {}), ("restore", {"seq": 1})):
        text = refused(form, fact.pk, status=409, query="?scope=user", version=1, **more)
        assert re.search(r'id="detail-problem"><div class="notice".*version 2', text)
        assert 'data-refresh="/p/kiln/facts/?scope=user"' in text


def test_scripts_get_why_a_change_was_refused_for_its_place_in_the_details(put, as_role, at):
    put()
    fact = put(value="silver")
    page = as_role("editor").get(at("fact", fact.pk)).content.decode()
    assert page.count('hx-target="#detail-problem"') == 2
    response = as_role("editor").post(at("expire", fact.pk), {"version": 1}, headers=HTMX)
    assert response.status_code == 409
    assert response.content.startswith(b'<div class="notice"')


def test_a_reveal_without_a_reason_comes_back_still_masked(put, refused, as_role, at):
    fact = put(value="rye 4155", sensitive=True)
    for text in (
        refused("reveal", fact.pk, reason="x" * 301, query="?scope=user"),
        as_role("editor")
        .post(at("reveal", fact.pk), {"reason": "x" * 301}, headers={**HTMX, "HX-Target": "facts-detail"})
        .content.decode(),
    ):
        assert 'aria-describedby="reveal-problem"' in text
        assert "x" * 301 in text
        assert "rye 4155" not in text
    assert not FactChange.objects.filter(kind="reveal").exists()


def test_a_value_that_is_revealed_without_scripts_stands_on_the_facts_page(put, as_role, at):
    fact = put(value="rye 4155", sensitive=True)
    text = as_role("editor").post(at("reveal", fact.pk) + "?scope=user", {"reason": "ticket 7"}).content.decode()
    assert "rye 4155" in text
    assert 'id="facts-modal"' in text
    assert 'data-refresh="/p/kiln/facts/?scope=user"' in text


def test_the_name_of_a_view_that_cannot_be_comes_back_with_the_filters(put, refused, as_role, at):
    put()
    put(owner="u2")
    text = refused("view-save", role="viewer", name="x" * 101, scope="user", owner="u2")
    assert re.search(r'value="x{101}" aria-invalid="true" aria-describedby="view-problem"', text)
    assert 'data-refresh="/p/kiln/facts/?scope=user&owner=u2"' in text
    asked = {**HTMX, "HX-Target": "facts-saved", "HX-Current-URL": "http://testserver/p/kiln/facts/"}
    response = as_role("viewer").post(at("view-save"), {"name": " "}, headers=asked)
    assert response.status_code == 400
    assert response.content.startswith(b'<section class="saved"')
    assert b'id="view-problem"' in response.content
    assert not SavedView.objects.exists()


@pytest.mark.parametrize("form", ["write", "reveal", "view-save"])
def test_a_program_gets_a_problem_object(put, as_role, at, form):
    fact = put(sensitive=True)
    address = at(form, fact.pk) if form == "reveal" else at(form)
    response = as_role("editor").post(address, {"value": "gold"}, headers={"Accept": "application/json"})
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


# The details follow the list --------------------------------------------------------------------------------------


def test_details_that_are_the_same_cost_one_answer_without_content(put, shown):
    fact = put()
    seen = stamp(shown(fact))
    assert shown(fact, seen=seen).status_code == 204
    put(path="user.name")
    assert shown(fact, seen=seen).status_code == 204
    put(value="silver")
    assert b"silver" in shown(fact, seen=seen).content


def test_details_change_when_a_fact_expires_and_when_it_is_purged(put, shown):
    fact = put(ttl="1h", value="the secret")
    live = stamp(shown(fact))
    past = timezone.now() - timedelta(seconds=1)
    Fact.objects.update(expires_at=past)
    expired = shown(fact, seen=live)
    assert b"will be removed" in expired.content
    assert b"the secret" not in expired.content
    assert shown(fact, seen=stamp(expired)).status_code == 204
    purge_expired()
    purged = shown(fact, seen=stamp(expired))
    assert b"The value was removed" in purged.content
    assert b'<strong class="grow">Expired</strong>' in purged.content
    assert shown(fact, seen=stamp(purged)).status_code == 204


def test_a_value_that_was_revealed_is_not_hidden_by_the_next_look(put, as_role, at, shown):
    fact = put(value="rye 4155", sensitive=True)
    revealed = as_role("editor").post(
        at("reveal", fact.pk), {"reason": "ticket 7"}, headers={**HTMX, "HX-Target": "facts-detail"}
    )
    assert b"rye 4155" in revealed.content
    assert shown(fact, seen=stamp(revealed)).status_code == 204


def test_the_page_has_a_place_for_whether_the_server_answers(put, as_role, at):
    text = as_role("viewer").get(at("facts")).content.decode()
    status = re.search(r'<footer class="statusbar".*?</footer>', text, re.S)[0]
    assert '<span class="state" role="status" data-connection></span>' in status
