"""While a fact is sensitive its earlier values are masked too: over HTTP, on pages, in the admin (docs/spec 03 §3)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.facts.selectors import fact_history
from memory.models import Fact, FactChange
from tests.factories import UserFactory
from tests.memory.routes import JSON

CLEAR = "rye 4155 4471"


@pytest.fixture
def fact(put):
    """A fact whose first value was not sensitive."""
    put(value={"card": CLEAR})
    return put(value={"card": "9"}, sensitive=True)


@pytest.fixture
def first(fact):
    """The log's entry about the first value."""
    return FactChange.objects.get(path=fact.path, version=1)


@pytest.fixture
def api(as_role):
    """The JSON of an answer, and its status."""

    def call(method, name, *args, body=None, role="editor"):
        address = reverse(name, args=["kiln", *args])
        client = as_role(role)
        response = client.get(address) if method == "get" else client.post(address, body, content_type=JSON)
        return response.status_code, response.json()

    return call


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_the_history_over_http_masks_every_version(fact, api, role):
    status, found = api("get", "api-fact-history", fact.pk, role=role)
    assert status == 200
    assert [(e["version"], e["value"], e["sensitive"], e["masked"]) for e in found["results"]] == [
        (2, "[REDACTED]", True, True),
        (1, "[REDACTED]", False, True),
    ]


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_no_page_and_no_file_tells_an_earlier_value(fact, as_role, at, role):
    for address in (at("fact", fact.pk), at("facts"), at("changes"), at("export") + "?as=json"):
        response = as_role(role).get(address)
        text = b"".join(response.streaming_content) if response.streaming else response.content
        assert response.status_code == 200
        assert CLEAR.encode() not in text


def test_the_admin_masks_it_too(first):
    client = Client()
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    found = client.get(reverse("admin:memory_factchange_change", args=[first.pk])).content.decode()
    assert CLEAR not in found
    assert "[REDACTED]" in found


def test_it_is_shown_as_the_fact_is(put, fact):
    Fact.objects.filter(pk=fact.pk).update(masking={"how": "mask", "show_last": 2})
    put(value="12345678", sensitive=False)
    Fact.objects.filter(pk=fact.pk).update(sensitive=True, masking={"how": "mask", "show_last": 2})
    assert fact_history(fact=Fact.objects.get())[0].change.value == '"******78"'


def test_once_it_is_no_longer_sensitive_the_history_is_as_it_was(put, fact):
    now = put(value="open", sensitive=False)
    shown = [(step.change.version, step.change.value, step.change.hidden) for step in fact_history(fact=now)]
    assert shown == [(3, '"open"', False), (2, '"[REDACTED]"', False), (1, f'{{"card":"{CLEAR}"}}', False)]


def test_an_earlier_value_is_revealed_to_who_says_why_and_the_log_keeps_that(fact, first, api, log, whole):
    status, seen = api("post", "api-fact-reveal", fact.pk, body={"reason": "ticket 7", "seq": first.seq})
    assert status == 200
    assert (seen["value"], seen["version"], seen["masked"]) == ({"card": CLEAR}, 1, False)
    entry = FactChange.objects.get(kind="reveal")
    assert (entry.version, entry.reason, entry.actor) == (1, "ticket 7", "editor")
    assert Fact.objects.get().version == 2
    assert whole()


@pytest.mark.parametrize(
    ("given", "status", "field"),
    [
        ({"seq": 1, "reason": " "}, 400, "reason"),
        ({"seq": 2, "reason": "ticket 7"}, 400, "seq"),
        ({"seq": 99, "reason": "ticket 7"}, 404, None),
    ],
)
def test_what_cannot_be_revealed_says_so_and_leaves_no_entry(fact, api, given, status, field):
    answer, found = api("post", "api-fact-reveal", fact.pk, body=given)
    assert answer == status, found
    assert field is None or field in found["fields"]
    assert not FactChange.objects.filter(kind="reveal").exists()


def test_a_viewer_reveals_none(fact, first, api):
    assert api("post", "api-fact-reveal", fact.pk, body={"reason": "x", "seq": first.seq}, role="viewer")[0] == 403


def test_restored_it_stays_sensitive_and_masked(fact, first, api):
    status, found = api("post", "api-fact-restore", fact.pk, body={"seq": first.seq})
    assert (status, found["value"], found["sensitive"]) == (200, "[REDACTED]", True)
    assert Fact.objects.get().value == {"card": CLEAR}
    assert CLEAR not in FactChange.objects.order_by("-seq")[0].value


def test_an_expired_one_shows_none_at_all(put, fact, hour):
    put(value="x", ttl="1h")
    history = fact_history(fact=Fact.objects.get(), now=timezone.now() + 2 * hour)
    assert [step.change.value for step in history] == [None] * 3


def test_the_page_reveals_the_version_that_is_chosen(fact, first, see, as_role, at):
    assert f'<option value="{first.seq}">Version 1</option>' in see("fact", fact.pk)
    asked = as_role("editor").post(at("reveal", fact.pk), {"reason": "ticket 7", "seq": first.seq})
    assert CLEAR in asked.content.decode()
    assert "no-store" in asked["Cache-Control"]
    assert FactChange.objects.get(kind="reveal").version == 1
    assert CLEAR not in see("fact", fact.pk)


def test_a_version_that_there_is_not_is_refused_on_the_page(fact, as_role, at):
    asked = as_role("editor").post(at("reveal", fact.pk), {"reason": "ticket 7", "seq": "x"})
    assert asked.status_code == 400
    assert "is not the number of an entry of the log" in asked.content.decode()


def test_a_fact_that_was_always_sensitive_offers_no_choice(put, see):
    put(value="w", sensitive=True)
    assert 'name="seq"><option' not in see("fact", put(value="x").pk)
