"""The facts page: what it shows, whole and in parts."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from memory.facts.purge import purge_expired
from memory.models import Fact, FactChange

HTMX = {"HX-Request": "true"}


@pytest.fixture
def facts_url(project):
    return reverse("memory:facts", args=["kiln"])


@pytest.fixture
def html_of(as_role, facts_url):
    """Text of the page for an editor; ``part`` asks as htmx does for the element with that id."""

    def get(address="", part="", role="editor", **query):
        headers = {**HTMX, "HX-Target": part} if part else {}
        response = as_role(role).get(address or facts_url, query, headers=headers)
        assert response.status_code == 200, response.content
        return response.content.decode()

    return get


def rows(html):
    return re.findall(r'id="fact-\d+"[^>]*>([^<]+)</a>', html)


def test_it_lists_paths_values_types_and_time_left(put, html_of):
    put(value={"order": "KH-1", "amount": 170}, ttl="90d")
    put(path="user.name", value="Ines")
    html = html_of()
    assert rows(html) == ["user.name", "user.tier"]
    assert "{order: &quot;KH-1&quot;, amount: 170}" in html
    assert "No expiry" in html
    assert re.search(r"data-expires-at=\"[^\"]+\+00:00\"", html)
    assert "<span>89d 23h</span>" in html or "<span>90d 0h</span>" in html


def test_an_empty_project_says_how_facts_come_about(html_of):
    html = html_of()
    assert "No facts yet" in html
    assert "Run a conversation" in html
    assert "Write a fact" in html
    assert "Write a fact" not in html_of(role="viewer")


def test_filters_that_fit_nothing_offer_to_show_all(put, html_of):
    put()
    html = html_of(prefix="user.zzz")
    assert "No matching facts" in html
    assert "Show all facts" in html


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({}, ["project.rates", "user.late", "user.soon", "user.tier"]),
        ({"scope": "project"}, ["project.rates"]),
        ({"scope": "user", "owner": "u2"}, ["user.late"]),
        ({"prefix": "user.s"}, ["user.soon"]),
        ({"state": "forever"}, ["project.rates", "user.tier"]),
        ({"state": "expiring"}, ["user.soon"]),
        ({"state": "live", "scope": "user"}, ["user.late", "user.soon", "user.tier"]),
        ({"sort": "time"}, ["user.soon", "user.late", "project.rates", "user.tier"]),
        ({"sort": "-path", "scope": "user"}, ["user.tier", "user.soon", "user.late"]),
    ],
)
def test_filters_are_in_the_address(put, html_of, query, shown):
    put()
    put(path="user.soon", ttl="30m")
    put(path="user.late", ttl="9d", owner="u2")
    put(scope="project", owner="", path="project.rates")
    assert rows(html_of(**query)) == shown


@pytest.mark.parametrize(
    "query", [{"scope": "planet"}, {"state": "odd"}, {"sort": "value"}, {"cursor": "x"}, {"prefix": "\x00"}]
)
def test_a_filter_that_there_is_not_is_named(as_role, facts_url, query):
    response = as_role("editor").get(facts_url, query)
    assert response.status_code == 400
    assert next(iter(query)) in response.content.decode()


def test_a_page_of_fifty_has_the_next_one_beside_it(put, html_of):
    for number in range(53):
        put(path=f"user.f{number:02}")
    html = html_of()
    assert len(rows(html)) == 50
    address = re.search(r'rel="next" href="([^"]+)"', html)[1].replace("&amp;", "&")
    html = html_of(address)
    assert rows(html) == ["user.f50", "user.f51", "user.f52"]
    assert 'rel="prev"' in html
    assert 'rel="next"' not in html


def test_the_tree_opens_scope_then_owner_then_segments(put, html_of):
    put(path="user.address.city")
    put(path="user.address.street")
    put(owner="u2")
    tree = re.search(r'<ul class="tree".*?</ul>', html_of(scope="user", owner="u1"), re.S)[0]
    labels = [re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", row)).strip() for row in re.findall("<li>.*?</li>", tree)]
    assert labels == ["User 3", "u1 2", "user.address 2", "u2 1", "Project 0", "Execution tree 0"]


def test_owners_are_found_by_the_start_of_their_id(put, html_of):
    for owner in ("ann", "bob", "bo2"):
        put(owner=owner)
    tree = re.search(r'<ul class="tree".*?</ul>', html_of(find="bo"), re.S)[0]
    assert "bob" in tree
    assert "bo2" in tree
    assert "ann" not in tree


def test_htmx_gets_the_list_and_the_parts_that_follow_it(put, html_of):
    put()
    html = html_of(part="facts-list")
    assert html.strip().startswith('<div id="facts-list"')
    beside = set(re.findall(r'id="([a-z-]+)"[^>]* hx-swap-oob="true"', html))
    assert beside == {"facts-tree", "facts-filters", "facts-foot", "facts-status"}
    assert "<html" not in html


def test_htmx_gets_the_detail_alone(put, html_of):
    fact = put(ttl="90d")
    html = html_of(reverse("memory:fact", args=["kiln", fact.pk]), part="facts-detail")
    assert html.strip().startswith("<aside")
    assert "version 1" in html


def test_a_page_restored_from_history_is_whole(put, as_role, facts_url):
    headers = {**HTMX, "HX-Target": "facts-list", "HX-History-Restore-Request": "true"}
    assert b"<html" in as_role("editor").get(facts_url, headers=headers).content


def test_asking_for_what_is_new_costs_one_answer_without_content(put, as_role, facts_url):
    put()
    client = as_role("viewer")
    seen = re.search(r'data-seen="(\d+)"', client.get(facts_url).content.decode())[1]
    assert client.get(facts_url, {"seen": seen}).status_code == 204
    put(path="user.name")
    response = client.get(facts_url, {"seen": seen}, headers={**HTMX, "HX-Target": "facts-list"})
    assert b"user.name" in response.content


def test_an_expired_fact_shows_since_when_but_never_its_value(put, html_of):
    put(value="the secret", ttl="1h", now=timezone.now() - timedelta(hours=4))
    html = html_of()
    assert "the secret" not in html
    assert "Expired 3h ago" in html
    assert "Not readable since" in html


def test_a_tombstone_says_when_and_by_whom(put, html_of):
    source = {"agent": "Ship_Desk", "conversation": 318, "turn": 3, "event": 83, "cause": "remember#1"}
    fact = put(value="the secret", ttl="1h", now=timezone.now() - timedelta(hours=4), source=source)
    Fact.objects.update(virtual_clock=False)
    purge_expired()
    html = html_of(reverse("memory:fact", args=["kiln", fact.pk]))
    assert "the secret" not in html
    assert "Purged, tombstone kept" in html
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", "", html))
    assert "Expired 3h ago, written by Ship_Desk" in text


def test_the_detail_leads_to_the_event_and_the_line_that_wrote(put, html_of):
    source = {
        "agent": "Desk", "conversation": 318, "turn": 3, "event": 83, "cause": "remember#1",
        "document": "desk.agent.abl", "line": 56, "column": 5, "end_line": 58, "end_column": 20, "revision": 19,
    }  # fmt: skip
    fact = put(source=source)
    html = html_of(reverse("memory:fact", args=["kiln", fact.pk]))
    assert 'href="/p/kiln/test/318/events/83/"' in html
    assert 'href="/p/kiln/edit/desk.agent.abl?line=56&amp;column=5&amp;end_line=58&amp;end_column=20"' in html
    assert "revision 19" in html


def test_the_detail_shows_what_each_version_changed(put, html_of):
    put(value={"amount": 60})
    fact = put(value={"amount": 170})
    html = html_of(reverse("memory:fact", args=["kiln", fact.pk]))
    assert '<span class="minus">&quot;amount&quot;: 60</span><span class="plus">&quot;amount&quot;: 170</span>' in html


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_a_sensitive_value_is_masked_for_everyone(put, html_of, role):
    fact = put(value="rye 4155 4471", sensitive=True)
    for address in ("", reverse("memory:fact", args=["kiln", fact.pk])):
        html = html_of(address, role=role)
        assert "rye 4155" not in html
        assert "masked" in html
    assert ("Reveal and log" in html) == (role == "owner")


def test_a_revealed_value_is_shown_once_and_not_kept(put, as_role, people):
    fact = put(value="rye 4155 4471", sensitive=True)
    client = as_role("editor")
    response = client.post(reverse("memory:reveal", args=["kiln", fact.pk]), {"reason": "ticket 7"})
    assert b"rye 4155 4471" in response.content
    assert "no-store" in response["Cache-Control"]
    assert FactChange.objects.get(kind="reveal").actor == people["editor"].username
    assert b"rye 4155" not in client.get(reverse("memory:fact", args=["kiln", fact.pk])).content


def test_values_cannot_break_out_of_the_page(put, html_of):
    text = "<script>alert(1)</script>\"'"
    fact = put(value={text: text}, owner=text)
    html = html_of(reverse("memory:fact", args=["kiln", fact.pk]), scope="user", owner=text, prefix=text)
    assert "<script>alert" not in html


def test_the_question_before_deleting_names_what_and_how_many(put, html_of):
    first, second = put(), put(path="user.name")
    html = html_of(reverse("memory:delete", args=["kiln"]), fact=[f"{first.pk}:1", f"{second.pk}:1"])
    assert "Delete 2 facts" in html
    assert "user.tier" in html
    assert "user.name" in html
    assert "u1, version 1" in html


def test_deleting_from_the_page_tells_it_to_refresh(put, as_role):
    fact = put()
    address = reverse("memory:delete", args=["kiln"])
    response = as_role("editor").post(address, {"fact": f"{fact.pk}:1"}, headers=HTMX)
    assert response.status_code == 204
    assert response["HX-Trigger"] == '{"facts:changed": {"words": "1 fact deleted"}}'
    assert not Fact.objects.exists()


def test_deleting_a_version_that_was_replaced_is_refused(put, as_role):
    fact = put()
    put(value="silver")
    response = as_role("editor").post(reverse("memory:delete", args=["kiln"]), {"fact": f"{fact.pk}:1"}, headers=HTMX)
    assert response.status_code == 409
    assert b"has version 2" in response.content
    assert Fact.objects.exists()


@pytest.mark.parametrize("chosen", [[], ["x"], ["1:x"], [str(n) for n in range(501)]])
def test_a_choice_that_cannot_be_is_refused(as_role, project, chosen):
    response = as_role("editor").post(reverse("memory:delete", args=["kiln"]), {"fact": chosen})
    assert response.status_code == 400


def test_a_fact_is_written_by_the_form(as_role, project):
    form = {"scope": "user", "owner": "u1", "path": "user.tier", "value": '{"a": 1}', "ttl": "90d", "sensitive": "1"}
    response = as_role("editor").post(reverse("memory:write", args=["kiln"]), form)
    fact = Fact.objects.get()
    assert response.url == reverse("memory:fact", args=["kiln", fact.pk])
    assert (fact.value, fact.ttl, fact.sensitive) == ({"a": 1}, "90d", True)


def test_the_form_of_a_fact_holds_what_it_is(put, html_of):
    fact = put(value={"a": 1}, ttl="90d")
    html = html_of(reverse("memory:write", args=["kiln"]), fact=fact.pk)
    assert 'name="version" value="1"' in html
    assert "&quot;a&quot;: 1" in html
    assert 'value="90d"' in html


def test_the_form_of_a_sensitive_fact_does_not_show_it(put, html_of):
    fact = put(value="rye 4155", sensitive=True)
    assert "rye 4155" not in html_of(reverse("memory:write", args=["kiln"]), fact=fact.pk)


@pytest.mark.parametrize("value", ["gold", "", "{", "[" * 100_000])
def test_a_value_that_is_not_json_is_refused_by_name(as_role, project, value):
    form = {"scope": "user", "owner": "u1", "path": "user.tier", "value": value}
    response = as_role("editor").post(reverse("memory:write", args=["kiln"]), form, headers=HTMX)
    assert response.status_code == 400
    assert b"<code>value</code>" in response.content


def test_saving_an_old_version_says_what_is_there_now(put, as_role):
    put()
    put(value="silver")
    form = {"scope": "user", "owner": "u1", "path": "user.tier", "value": '"bronze"', "version": "1"}
    response = as_role("editor").post(reverse("memory:write", args=["kiln"]), form, headers=HTMX)
    assert response.status_code == 409
    assert b"version 2 is there" in response.content


def test_the_log_is_shown_newest_first_in_pages(put, as_role, monkeypatch):
    monkeypatch.setattr("memory.log.views.LOG_SIZE", 2)
    for value in ("gold", "silver", "bronze"):
        put(value=value)
    client, address = as_role("viewer"), reverse("memory:changes", args=["kiln"])
    html = client.get(address).content.decode()
    assert re.findall(r'<td class="num phone-off">(\d+)</td><td[^>]*>written', html) == ["3", "2"]
    assert "?before=2" in html
    assert re.findall(
        r'<td class="num phone-off">(\d+)</td><td[^>]*>written', client.get(address, {"before": 2}).content.decode()
    ) == ["1"]
    assert client.get(address, {"before": "x"}).status_code == 400
