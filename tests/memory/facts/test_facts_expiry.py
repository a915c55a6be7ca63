"""A fact past its expiry is never readable, purged or not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memory import tasks
from memory.facts.port import ProjectFacts
from memory.facts.purge import TOMBSTONE_DAYS, VIRTUAL_KEPT, drop_tombstones, purge_expired, tombstone_days
from memory.facts.selectors import fact_live, fact_now, in_state, shown
from memory.facts.services import ANY
from memory.models import Fact, FactChange
from web.errors import Conflict, NotFound

PLACE = {"scope": "user", "owner": "u1", "path": "user.tier"}
MICROSECOND = timedelta(microseconds=1)


def test_expiry_is_exact_to_the_microsecond(put, project, now, hour):
    fact = put(ttl="1h", now=now)
    assert fact.expires_at == now + hour
    last = now + hour - MICROSECOND
    assert fact_now(project=project, place=PLACE, now=last).value == "gold"
    assert fact_now(project=project, place=PLACE, now=now + hour) is None
    assert fact.state(last) == "expiring"
    assert fact.state(now + hour) == "expired"


def test_no_reader_gives_the_value_of_an_expired_fact(put, project, now, hour):
    fact = put(ttl="1h", now=now)
    over = now + hour
    port = ProjectFacts(project)
    assert port.get(**PLACE, now=over) is None
    assert port.list("user", "u1", over) == []
    assert shown(fact, over).value is None
    assert shown(fact, over, revealed=True).as_dict()["value"] is None
    with pytest.raises(NotFound):
        fact_live(project=project, pk=fact.pk, now=over)


@pytest.mark.parametrize(
    ("ttl", "after", "states"),
    [
        (None, timedelta(0), {"live", "forever"}),
        ("2h", timedelta(0), {"live"}),
        ("2h", timedelta(hours=1), {"live", "expiring"}),
        ("2h", timedelta(hours=2), {"expired"}),
    ],
)
def test_states_agree_between_a_fact_and_a_list(put, now, ttl, after, states):
    fact = put(ttl=ttl, now=now)
    at = now + after
    assert {
        s for s in ("live", "expiring", "expired", "forever") if Fact.objects.filter(in_state(s, at)).exists()
    } == states
    assert fact.state(at) in states


def test_purging_removes_the_value_and_leaves_a_tombstone(put, log, whole):
    moment = timezone.now()
    put(ttl="1h", now=moment - timedelta(hours=4), source={"agent": "Desk", "conversation": 318, "event": 83})
    Fact.objects.update(virtual_clock=False)
    assert purge_expired(now=moment) == 1
    fact = Fact.objects.get()
    assert (fact.value, fact.purged_at) == (None, moment)
    entry = FactChange.objects.get(kind="expire")
    assert entry.at == fact.expires_at == moment - timedelta(hours=3)
    assert entry.source["conversation"] == 318
    assert log() == [("write", 1), ("expire", 1)]
    assert not FactChange.objects.filter(value__isnull=False).exists()
    assert whole()


def test_purging_again_changes_nothing(put, log):
    put(ttl="1s")
    later = timezone.now() + timedelta(minutes=1)
    assert purge_expired(now=later) == 1
    assert purge_expired(now=later) == 0
    assert len(log()) == 2


def test_live_facts_are_not_purged(put):
    put(ttl="1h")
    put(path="user.name")
    assert purge_expired() == 0
    assert Fact.objects.filter(value__isnull=False).count() == 2


def test_purging_goes_on_until_all_batches_are_done(put, whole):
    for number in range(7):
        put(path=f"user.f{number}", ttl="1s")
    later = timezone.now() + timedelta(minutes=1)
    assert purge_expired(now=later, limit=2, batches=2) == 4
    assert purge_expired(now=later, limit=2) == 3
    assert whole()


def test_the_task_purges(put):
    put(ttl="1s", now=timezone.now() - timedelta(hours=1))
    Fact.objects.update(virtual_clock=False)
    assert tasks.purge_expired.name == "memory.purge_expired"
    assert tasks.purge_expired() == 1


@pytest.mark.parametrize(("setting", "days"), [({}, TOMBSTONE_DAYS), ({"tombstone_days": 3}, 3)])
def test_tombstones_stay_as_long_as_the_project_says_and_the_log_for_good(put, project, log, setting, days):
    project.settings = setting
    project.save()
    put(ttl="1s")
    later = timezone.now() + timedelta(minutes=1)
    purge_expired(now=later)
    assert drop_tombstones(now=later + timedelta(days=days) - MICROSECOND) == 0
    assert drop_tombstones(now=later + timedelta(days=days)) == 1
    assert not Fact.objects.exists()
    assert log() == [("write", 1), ("expire", 1)]


@pytest.mark.parametrize("setting", ["30", None, -1, 10**9])
def test_a_setting_that_is_no_number_of_days_is_the_default(project, setting):
    project.settings = {"tombstone_days": setting}
    assert tombstone_days(project) == TOMBSTONE_DAYS


@pytest.mark.parametrize("purged", [True, False])
@pytest.mark.parametrize("expected", [None, ANY])
def test_an_expired_fact_is_no_obstacle_for_a_new_one(put, now, log, expected, purged):
    hour = timedelta(hours=1)
    put(ttl="1h", now=now)
    if purged:
        Fact.objects.update(virtual_clock=False)
        purge_expired(now=now + hour)
    fact = put(value="silver", expected_version=expected, now=now + hour)
    assert (fact.version, Fact.objects.get().purged_at) == (2, None)
    assert log() == [("write", 1), ("expire", 1), ("write", 2)]


def test_an_expired_fact_cannot_be_updated_by_its_version(put, now, hour):
    put(ttl="1h", now=now)
    with pytest.raises(Conflict) as error:
        put(value="silver", expected_version=1, now=now + hour)
    assert error.value.current is None


def test_a_conversation_with_a_past_clock_keeps_its_facts_for_a_day(put, project, now):
    """By the real clock they expired long ago; by the clock of the conversation they are live."""
    put(ttl="1h", now=now)
    assert purge_expired() == 0
    assert ProjectFacts(project).get(**PLACE, now=now).value == "gold"
    assert purge_expired(now=timezone.now() + VIRTUAL_KEPT) == 1
    assert ProjectFacts(project).get(**PLACE, now=now) is None
