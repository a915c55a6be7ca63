"""Access to sensitive values, and whether the chain of the log holds, on the page of the log."""

from __future__ import annotations

import pytest

from memory.facts.services import fact_reveal
from memory.log import verification
from memory.models import FactChange

HTMX = {"HX-Request": "true"}


def test_who_looked_at_a_sensitive_value_is_one_link_away(put, see, people, project):
    fact, other = put(value="rye 4155", sensitive=True), put(path="user.code", value="4711", sensitive=True)
    assert f'/facts/changes/?kind=reveal&fact={fact.pk}"' in see("fact", fact.pk)
    assert "No access logged" in see("changes", kind="reveal", fact=fact.pk)
    fact_reveal(project=project, pk=fact.pk, actor=people["owner"], reason="ticket 7")
    fact_reveal(project=project, pk=other.pk, actor=people["editor"], reason="ticket 8")
    text = see("changes", kind="reveal", fact=fact.pk, role="viewer")
    assert people["owner"].username in text
    assert "ticket 7" in text
    assert "ticket 8" not in text
    assert text.count(">revealed</td>") == 1
    assert see("changes", kind="reveal").count(">revealed</td>") == 2
    assert "?kind=reveal" in see("changes")
    assert "rye 4155" not in text


def test_further_pages_of_the_log_keep_what_it_is_narrowed_to(put, see, people, project, monkeypatch):
    monkeypatch.setattr("memory.log.views.LOG_SIZE", 1)
    fact = put(value="rye 4155", sensitive=True)
    for _ in range(2):
        fact_reveal(project=project, pk=fact.pk, actor=people["owner"], reason="ticket 7")
    text = see("changes", kind="reveal", fact=fact.pk)
    assert f'rel="next" href="?kind=reveal&fact={fact.pk}&before=3"' in text
    assert 'rel="next"' not in see("changes", kind="reveal", fact=fact.pk, before=3)


@pytest.mark.parametrize("query", [{"kind": "odd"}, {"fact": "x"}, {"before": "-1"}])
def test_a_log_that_there_is_not_is_refused(see, query):
    assert next(iter(query)) in see("changes", status=400, **query)


def test_the_chain_is_verified_step_by_step_from_the_page(put, see, send, monkeypatch):
    monkeypatch.setattr("memory.log.verification.STEP", 2)
    monkeypatch.setitem(verification.verify_some.__kwdefaults__, "limit", 2)
    for value in ("gold", "silver", "bronze"):
        put(value=value)
    assert "Verified up to entry 0 of 3" in see("changes")
    assert "Verified up to entry 2 of 3" in send("verify", role="viewer")
    text = send("verify", role="viewer")
    assert "Verified up to entry 3, the newest" in text
    assert "Verify again from the start" in text


def test_a_broken_chain_is_shown_until_it_is_looked_at_again(put, see, send):
    put()
    entry = FactChange.objects.get()
    FactChange.objects.update(reason="forged")
    assert "The chain is broken at entry 1" in send("verify")
    assert "The chain is broken at entry 1" in see("changes")
    FactChange.objects.update(reason=entry.reason)
    assert "The chain is broken" in send("verify")
    assert ", the newest" in send("verify", again=1)


def test_htmx_goes_on_by_itself_until_the_end(put, as_role, at, monkeypatch):
    monkeypatch.setitem(verification.verify_some.__kwdefaults__, "limit", 1)
    put()
    put(value="silver")
    client, headers = as_role("viewer"), {**HTMX, "HX-Target": "chain"}
    first = client.post(at("verify"), headers=headers).content.decode()
    assert 'hx-trigger="load"' in first
    assert "Stop" in first
    second = client.post(at("verify"), headers=headers).content.decode()
    assert 'hx-trigger="load"' not in second
    assert ", the newest" in second
