"""Changes by hand to facts that are there: earlier values, another time to live, many deleted at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.facts.revising import fact_restore, fact_retime, facts_delete_found, facts_retime
from memory.facts.selectors import fact_history
from memory.facts.services import facts_delete
from memory.lists.query import FactQuery
from memory.models import Fact, FactChange
from tests.factories import ProjectFactory
from web.errors import Conflict, Invalid, NotFound


@pytest.fixture
def restore(project, people):
    def call(fact, seq, **more):
        return fact_restore(project=project, pk=fact.pk, seq=seq, actor=people["editor"], **more)

    return call


@pytest.fixture
def retime(project, people):
    def call(fact, ttl, **more):
        return fact_retime(project=project, pk=fact.pk, ttl=ttl, actor=people["editor"], **more)

    return call


def test_an_earlier_value_becomes_the_next_version_with_its_time_to_live(put, restore, whole):
    put(value={"a": 1}, ttl="2h")
    fact = put(value="silver")
    before = timezone.now()
    restored = restore(fact, 1)
    assert (restored.value, restored.version, restored.ttl) == ({"a": 1}, 3, "2h")
    assert restored.expires_at >= before + timedelta(hours=2)
    step = fact_history(fact=restored)[0].change
    assert (step.actor, step.reason, step.source["cause"]) == ("editor", "version 1 again", "restore")
    assert whole()


def test_the_reason_that_is_given_is_kept(put, restore):
    put()
    fact = restore(put(value="silver"), 1, reason="was a mistake")
    assert fact_history(fact=fact)[0].change.reason == "was a mistake"


def test_a_value_that_was_kept_masked_cannot_come_back(put, restore):
    put(value="4711", sensitive=True)
    fact = put(value="4712")
    with pytest.raises(Invalid, match="masked"):
        restore(fact, 1)
    fact.refresh_from_db()
    assert (fact.value, fact.version) == ("4712", 2)


def test_a_value_that_was_erased_cannot_come_back(put, restore, project):
    facts_delete(project=project, chosen={put().pk: None})
    fact = put(value="silver")
    with pytest.raises(Invalid, match="erased"):
        restore(fact, 1)


def test_only_a_write_of_the_same_place_can_be_restored(put, restore, project):
    other = put(path="user.other", value="x")
    fact = put()
    elsewhere = put(project=ProjectFactory())
    for seq in (1, 3, 99):
        with pytest.raises(NotFound, match="no write of"):
            restore(fact, seq)
    with pytest.raises(NotFound):
        restore(elsewhere, 1)
    assert Fact.objects.get(pk=other.pk).version == 1


def test_somebody_who_was_faster_is_not_overwritten(put, restore, retime):
    put()
    fact = put(value="silver")
    put(value="bronze")
    for call, what in ((restore, 1), (retime, "1h")):
        with pytest.raises(Conflict) as refused:
            call(fact, what, expected_version=2)
        assert refused.value.current["value"] == "bronze"


def test_an_expired_fact_is_neither_restored_nor_prolonged(put, restore, retime, hour):
    fact = put(ttl="1h", now=timezone.now() - 2 * hour)
    with pytest.raises(NotFound, match="expired"):
        restore(fact, 1)
    with pytest.raises(NotFound, match="expired"):
        retime(fact, "1h")


@pytest.mark.parametrize("ttl", ["3d", None])
def test_a_time_to_live_is_set_or_dropped_and_the_value_stays(put, retime, whole, ttl):
    fact = put(value={"b": 1, "a": 2}, ttl="1h", source={"agent": "Desk", "cause": "remember"})
    before = timezone.now()
    timed = retime(fact, ttl)
    timed.refresh_from_db()
    assert (timed.value, list(timed.value), timed.version, timed.ttl) == ({"b": 1, "a": 2}, ["b", "a"], 2, ttl or "")
    assert (timed.expires_at is None) if ttl is None else (timed.expires_at >= before + timedelta(days=3))
    assert timed.source == {"cause": "ttl", "by": "editor"}
    assert fact_history(fact=timed)[1].change.source["agent"] == "Desk"
    assert fact_history(fact=timed)[0].change.reason == ("expires in 3d" if ttl else "no longer expires")
    assert whole()


def test_a_sensitive_fact_stays_sensitive_when_its_time_changes(put, retime):
    timed = retime(put(value="4711", sensitive=True), "1h")
    assert (timed.sensitive, timed.value) == (True, "4711")
    assert "4711" not in FactChange.objects.order_by("-seq").first().value


def test_a_time_to_live_that_is_none_is_named(put, retime):
    with pytest.raises(Invalid) as refused:
        retime(put(), "soon")
    assert "90d" in refused.value.fields["ttl"]


def test_many_get_another_time_to_live_all_or_none(put, project, people):
    facts = [put(path=f"user.f{number}") for number in range(3)]
    chosen = {fact.pk: 1 for fact in facts}
    with pytest.raises(Conflict):
        facts_retime(project=project, chosen={**chosen, facts[2].pk: 7}, ttl="1h", actor=people["editor"])
    assert set(Fact.objects.values_list("ttl", flat=True)) == {""}
    assert facts_retime(project=project, chosen={**chosen, 999: None}, ttl="1h", actor=people["editor"]) == 3
    assert set(Fact.objects.values_list("ttl", "version")) == {("1h", 2)}


def test_all_that_pass_the_filters_are_deleted_and_their_values_erased(put, project, people, monkeypatch, *, whole):
    monkeypatch.setattr("memory.facts.revising.BATCH", 2)
    for number in range(5):
        put(path=f"user.old.f{number}", value="amber")
    put(path="user.olden")
    put(owner="u2", path="user.old.f1")
    query = FactQuery(scope="user", owner="u1", below="user.old")
    assert facts_delete_found(project=project, query=query, expected=5, actor=people["editor"], reason="tidy") == 5
    assert sorted(Fact.objects.values_list("owner", "path")) == [("u1", "user.olden"), ("u2", "user.old.f1")]
    assert not FactChange.objects.filter(value__contains="amber").exists()
    gone = FactChange.objects.filter(kind="delete")
    assert set(gone.values_list("actor", "reason")) == {("editor", "tidy")}
    assert whole()


def test_more_than_the_limit_are_refused_and_nothing_is_deleted(put, project):
    for number in range(4):
        put(path=f"user.f{number}")
    with pytest.raises(Invalid, match="more than 3 facts"):
        facts_delete_found(project=project, query=FactQuery(scope="user"), limit=3)
    assert Fact.objects.count() == 4
    assert facts_delete_found(project=project, query=FactQuery(scope="user"), limit=4) == 4


def test_another_number_than_was_named_is_refused_and_nothing_is_deleted(put, project):
    put()
    with pytest.raises(Conflict) as refused:
        facts_delete_found(project=project, query=FactQuery(scope="user"), expected=2)
    assert refused.value.current == {"count": 1}
    assert Fact.objects.count() == 1


def test_everything_at_once_is_refused(put, project):
    put()
    with pytest.raises(Invalid, match="every fact"):
        facts_delete_found(project=project, query=FactQuery(sort="path"))
    assert Fact.objects.count() == 1


@pytest.mark.parametrize("reason", ["r" * 301, "\x00", "\ud800"])
def test_a_reason_that_the_log_cannot_keep_is_refused(put, project, reason):
    put()
    with pytest.raises(Invalid) as refused:
        facts_delete_found(project=project, query=FactQuery(scope="user"), reason=reason)
    assert set(refused.value.fields) == {"reason"}
    assert Fact.objects.count() == 1


def test_facts_of_another_project_are_out_of_reach(put, project):
    put(project=ProjectFactory())
    assert facts_delete_found(project=project, query=FactQuery(scope="user")) == 0
    assert Fact.objects.count() == 1
