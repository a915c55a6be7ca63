"""Records at their end and under an admin's hands: expiry, purge, sessions, editing, deleting, erasing."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from memory.facts.services import TOMBSTONES_KEPT, VIRTUAL_KEPT
from memory.models import FactChange, SessionMeta, StoreRecord
from memory.stores import selectors, services
from memory.stores.selectors import RecordFilters, Subject
from tests.factories import ProjectFactory
from tests.memory.stores.kit import content_put, content_read, session_of, store_of
from web.errors import Conflict, Invalid, NotFound

FULL = {"preferences": {"language": "en", "notifications": True}, "recentOrders": ["a", "b"]}


@pytest.fixture
def store(project):
    return store_of(project)


@pytest.fixture
def put(project, store):
    """Set content in the store, by default of the user ines."""
    return partial(content_put, project)


@pytest.fixture
def read(project):
    """Get content, at this moment unless told otherwise."""
    return partial(content_read, project)


@pytest.mark.parametrize(
    ("retention", "lifetime"),
    [("1_day", timedelta(hours=24)), ("1_week", timedelta(days=7)), ("1_month", timedelta(days=30))],
)
def test_a_record_expires_exactly_its_time_after_the_last_write(project, put, read, now, *, retention, lifetime):
    store_of(project, "kept", retention=retention, schema={"type": "object"})
    put({"a": 1}, name="kept", now=now - timedelta(hours=5))
    put({"b": 2}, name="kept", now=now)
    end = now + lifetime
    assert read(name="kept", now=end - timedelta(microseconds=1)) == {"a": 1, "b": 2}
    assert read(name="kept", now=end) is None


def test_an_expired_record_is_not_merged_into(put, read, now, log, whole):
    put({"recentOrders": ["old"]}, now=now)
    later = now + timedelta(days=31)
    record = put({"lastVisit": "2026-04-03T09:00:00Z"}, now=later)
    assert read(now=later) == {"lastVisit": "2026-04-03T09:00:00Z"}
    assert record.version == 2
    assert log() == [("write", 1), ("expire", 1), ("write", 2)]
    assert whole()


def test_an_expired_record_is_no_record_for_a_writer_that_expects_none(put, now):
    put({"recentOrders": ["old"]}, now=now)
    assert put({}, now=now + timedelta(days=31), expected_version=None).version == 2


def test_a_new_retention_counts_from_the_next_write_on(project, put, read, now):
    put({"recentOrders": ["a"]}, now=now)
    services.store_update(project=project, technical_name="userPrefs", changes={"retention": "1_day"})
    day = now + timedelta(days=2)
    assert read(now=day) == {"recentOrders": ["a"]}
    put({"recentOrders": ["b"]}, now=day)
    assert read(now=day + timedelta(days=1)) is None


def test_the_purge_takes_the_content_and_leaves_a_tombstone(project, put, log, whole):
    real = timezone.now()
    put(FULL)
    assert services.purge(now=real + timedelta(days=29)) == 0
    assert services.purge(now=real + timedelta(days=31)) == 1
    record = StoreRecord.objects.get()
    assert (record.content, record.state(real)) == (None, "expired")
    assert record.purged_at is not None
    assert log() == [("write", 1), ("expire", 1)]
    assert not FactChange.objects.filter(value__isnull=False, system="record").exists()
    services.purge(now=record.purged_at + TOMBSTONES_KEPT)
    assert not StoreRecord.objects.exists()
    assert whole()


def test_a_tombstone_stays_as_long_as_the_project_says(project, put):
    project.settings = {"tombstone_days": 3}
    project.save()
    put(FULL)
    elsewhere = ProjectFactory()
    store_of(elsewhere)
    content_put(elsewhere, FULL)
    end = timezone.now() + timedelta(days=31)
    assert services.purge(now=end) == 2
    services.purge(now=end + timedelta(days=2, hours=23))
    assert StoreRecord.objects.count() == 2
    services.purge(now=end + timedelta(days=3))
    assert StoreRecord.objects.get().project == elsewhere


def test_the_purge_goes_on_in_batches(project, put):
    for n in range(7):
        put({}, subject=Subject(f"u{n}"))
    later = timezone.now() + timedelta(days=31)
    assert services.purge(now=later, limit=2, batches=2) == 4
    assert services.purge(now=later, limit=2, batches=5) == 3


def test_a_record_on_a_clock_of_its_own_is_purged_when_it_is_old(put, now):
    record = put(FULL, now=now - timedelta(days=400))
    assert record.virtual_clock
    assert services.purge() == 0
    assert services.purge(now=timezone.now() + VIRTUAL_KEPT) == 1


def test_the_end_of_a_session_ends_its_records(project, put, read, now, *, whole):
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    store_of(project, "draft", retention="session", schema={"type": "object"})
    store_of(project, "notes", access="session", retention="1_week", schema={"type": "object"})
    session_of(project)
    here = Subject("ines", "s-1")
    for name in ("cart", "draft", "notes"):
        put({"a": 1}, name=name, subject=here)
    assert read(name="cart", subject=here) == {"a": 1}
    assert services.session_end(project=project, session="s-1", now=now) == 2
    assert [read(name=name, subject=here) for name in ("cart", "draft")] == [None, None]
    assert read(name="notes", subject=here) == {"a": 1}
    ends = FactChange.objects.filter(kind="expire")
    assert set(ends.values_list("path", "reason")) == {("cart", "the session ended"), ("draft", "the session ended")}
    assert SessionMeta.objects.get().ended_at is not None
    assert whole()


def test_a_session_that_has_ended_takes_nothing_more(project, put, now):
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    session_of(project)
    services.session_end(project=project, session="s-1", now=now)
    with pytest.raises(Conflict) as refused:
        put({}, name="cart", subject=Subject("ines", "s-1"))
    assert refused.value.code == "session-ended"


def test_what_is_kept_for_a_session_needs_one_to_be_written(project, put):
    store_of(project, "draft", retention="session", schema={"type": "object"})
    with pytest.raises(Invalid) as refused:
        put({}, name="draft")
    assert "session_id" in refused.value.fields
    with pytest.raises(NotFound):
        put({}, name="draft", subject=Subject("ines", "nowhere"))


def test_a_record_goes_with_the_session_that_wrote_it_last(project, put, read, now):
    store_of(project, "draft", retention="session", schema={"type": "object"})
    for session in ("s-1", "s-2"):
        session_of(project, session)
        put({session: 1}, name="draft", subject=Subject("ines", session))
    services.session_end(project=project, session="s-1", now=now)
    assert read(name="draft") == {"s-1": 1, "s-2": 1}
    services.session_end(project=project, session="s-2", now=now)
    assert read(name="draft") is None


def test_a_record_is_edited_by_hand_with_a_reason(project, people, put, read):
    record = put(FULL)
    edited = services.record_edit(
        project=project,
        pk=record.pk,
        content={"recentOrders": []},
        expected_version=1,
        actor=people["editor"],
        reason="wrong orders",
    )
    assert (edited.version, edited.source) == (2, {"cause": "manual", "by": people["editor"].username})
    assert read() == {"recentOrders": []}
    assert FactChange.objects.order_by("seq").last().reason == "wrong orders"
    with pytest.raises(Conflict):
        services.record_edit(project=project, pk=record.pk, content={}, expected_version=1)
    with pytest.raises(Invalid, match="reason"):
        services.record_edit(project=project, pk=record.pk, content={}, expected_version=2, reason="x" * 301)


def test_a_record_of_a_session_that_is_edited_by_hand_still_ends_with_it(project, put, read, now):
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    session_of(project)
    record = put({"a": 1}, name="cart", subject=Subject("ines", "s-1"))
    services.record_edit(project=project, pk=record.pk, content={"b": 2}, expected_version=1)
    assert services.session_end(project=project, session="s-1", now=now) == 1


def test_an_expired_record_is_not_edited(project, put, now):
    record = put(FULL, now=now - timedelta(days=400))
    with pytest.raises(NotFound, match="has expired"):
        services.record_edit(project=project, pk=record.pk, content={}, expected_version=1)


def test_chosen_records_are_deleted_all_or_none(project, put, log):
    first, second = put(FULL), put(FULL, subject=Subject("noor"))
    with pytest.raises(Conflict, match="Nothing was deleted"):
        services.records_delete(project=project, chosen={first.pk: None, second.pk: 2})
    assert StoreRecord.objects.count() == 2
    assert services.records_delete(project=project, chosen={first.pk: 1, second.pk: None, 999: None}) == 2
    assert [kind for kind, _ in log()] == ["write", "write", "delete", "delete"]


def test_records_are_listed_by_store_owner_state_and_flag(project, put, now):
    store_of(project, "other", schema={"type": "object"})
    put(FULL)
    put({"recentOrders": 5}, subject=Subject("noor"))
    put({}, name="other")
    put({}, name="other", subject=Subject("old"), now=now - timedelta(days=400))

    def owners(**filters):
        found = selectors.record_list(project=project, filters=RecordFilters(**filters), now=timezone.now())
        return [record.owner for record in found]

    assert owners() == ["old", "ines", "noor", "ines"]
    assert owners(store="userPrefs") == ["noor", "ines"]
    assert owners(owner="ines", store="other") == ["ines"]
    assert owners(flagged=True) == ["noor"]
    assert owners(state="expired") == ["old"]
    assert owners(state="live") == ["ines", "noor", "ines"]
    with pytest.raises(Invalid):
        owners(state="forever")


def test_everything_about_a_user_is_erased_with_a_count(project, people, put, read, whole):
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    session_of(project, "s-1", "ines", metadata={"email": "ines@example.org"}, user_reference="crm-7")
    session_of(project, "s-2", "noor", metadata={"email": "noor@example.org"})
    put(FULL)
    put(FULL, subject=Subject("noor"))
    put({"a": 1}, name="cart", subject=Subject("ines", "s-1"))
    erased = services.owner_erase(project=project, user="ines", actor=people["owner"], reason="request 12")
    assert erased == {"records": 2, "artifacts": 0, "sessions": 1}
    assert read() is None
    assert read(Subject("noor")) == FULL
    assert [meta.session for meta in SessionMeta.objects.all()] == ["s-2"]
    left = FactChange.objects.filter(value__isnull=False).exclude(system="store").values_list("owner", flat=True)
    assert set(left) == {"noor", "s-2"}
    assert whole()
