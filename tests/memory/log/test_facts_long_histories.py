"""Values of a fact that was written very often go bit by bit, each looked at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.facts import purge
from memory.facts.purge import purge_expired
from memory.log.comparison import differences
from memory.log.tombstones import wipe_before
from memory.models import Fact, FactChange


@pytest.fixture
def often(put, monkeypatch):
    """Two facts that were written often and one that was not, all expired by now."""
    monkeypatch.setattr(purge, "WIPED", 4)
    ago = timezone.now() - timedelta(days=10)
    for path, times in (("user.few", 1), ("user.many", 9), ("user.more", 8)):
        for value in range(times):
            put(path=path, value=value, ttl="1d", now=ago)
    Fact.objects.update(virtual_clock=False)
    return ago


def test_all_values_go_in_rounds_and_the_log_holds(often, whole):
    assert purge_expired() == 3
    assert not FactChange.objects.filter(value__isnull=False).exists()
    assert {fact.value for fact in Fact.objects.filter(purged_at__isnull=False)} == {None}
    assert FactChange.objects.filter(kind="expire").count() == 3
    assert whole()


def test_each_entry_is_looked_at_once(often, django_assert_max_num_queries):
    fact = Fact.objects.get(path="user.many")
    before, rounds = None, 0
    with django_assert_max_num_queries(6):
        while True:
            before, rounds = wipe_before(fact, before=before, limit=4), rounds + 1
            if before is None:
                break
    assert rounds == 3
    assert not FactChange.objects.filter(path="user.many", value__isnull=False).exists()
    assert FactChange.objects.filter(path="user.more", value__isnull=False).count() == 8


def test_a_fact_that_is_written_anew_meanwhile_stays(often, put, monkeypatch, project):
    rounds = []

    def once(fact, **more):
        if fact.path == "user.many" and not rounds:
            rounds.append(1)
            put(path="user.many", value="new")
        return wipe_before(fact, **more)

    monkeypatch.setattr(purge, "wipe_before", once)
    monkeypatch.setattr(purge, "_give_way", rounds.append)
    purge_expired()
    fact = Fact.objects.get(path="user.many")
    assert (fact.value, fact.purged_at) == ("new", None)
    assert Fact.objects.filter(purged_at__isnull=False).count() == 2


def test_half_a_wiped_history_is_no_difference(often, project):
    fact = Fact.objects.get(path="user.many")
    wipe_before(fact, before=None, limit=4)
    assert list(differences(project)) == []
