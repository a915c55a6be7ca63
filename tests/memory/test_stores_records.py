"""get_content, set_content, delete_content: merging, schemas, owners, time, and the log of it all."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.models import FactChange, SessionMeta, StoreRecord
from memory.services import TOMBSTONES_KEPT, VIRTUAL_KEPT
from memory.stores import selectors, services
from memory.stores.content import SchemaRefused, checked_projections, part_of
from memory.stores.selectors import RecordFilters, Subject
from memory.values import VALUE_BYTES
from tests.memory.stores_kit import nested, session_of, store_of
from web.errors import Conflict, Forbidden, Invalid, NotFound

INES = Subject("ines")
FULL = {"preferences": {"language": "en", "notifications": True}, "recentOrders": ["a", "b"]}


@pytest.fixture
def store(project):
    return store_of(project)


@pytest.fixture
def put(project, store):
    """Set content in the store, by default of the user ines."""

    def write(content, subject=INES, name="userPrefs", **more):
        return services.content_set(project=project, name=name, content=content, subject=subject, **more)

    return write


@pytest.fixture
def read(project):
    """Get content, at this moment unless told otherwise."""

    def get(subject=INES, name="userPrefs", now=None):
        return selectors.content_now(project=project, name=name, subject=subject, now=now or timezone.now())

    return get


def test_there_is_nothing_before_the_first_write(read, store):
    assert read() is None


def test_fields_that_are_not_sent_stay(put, read):
    put(FULL)
    put({"preferences": {"language": "de"}, "lastVisit": "2026-03-01T09:00:00Z"})
    assert read() == {
        "preferences": {"language": "de", "notifications": True}, "recentOrders": ["a", "b"],
        "lastVisit": "2026-03-01T09:00:00Z",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": 5}, {"a": 5}),
        ({"a": 5}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"d": 3}}}, {"a": {"b": {"c": 1, "d": 3}}}),
        ({"a": 1}, {}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}),
    ],
)
def test_objects_merge_deeply_and_all_else_is_replaced(project, put, read, *, old, new, result):
    store_of(project, "any", schema={"type": "object"})
    put(old, name="any")
    put(new, name="any")
    assert read(name="any") == result


def test_the_order_of_fields_and_the_spelling_of_numbers_are_kept(project, put):
    store_of(project, "any", schema={"type": "object"})
    put({"z": 1.0, "a": {"y": 1, "b": 2}}, name="any")
    assert str(StoreRecord.objects.get().content) == "{'z': 1.0, 'a': {'y': 1, 'b': 2}}"


@pytest.mark.parametrize(
    ("projections", "part"),
    [
        (None, FULL),
        ({}, FULL),
        ({"preferences.language": 1}, {"preferences": {"language": "en"}}),
        ({"preferences": 1}, {"preferences": FULL["preferences"]}),
        ({"preferences.language": 0, "recentOrders": 0}, {"preferences": {"notifications": True}}),
        ({"nothing.here": 1}, {}),
        ({"nothing.here": 0}, FULL),
    ],
)
def test_projections_take_or_leave_out_paths(projections, part):
    assert part_of(FULL, checked_projections(projections)) == part


@pytest.mark.parametrize(
    ("projections", "words"),
    [
        ({"a": 1, "b": 0}, "mixes 1 (take) and 0 (leave out)"),
        ({"a": 2}, "'a' is 2; use 1 (take) or 0 (leave out)"),
        ({"a": True}, "'a' is True"),
        ({"a": "1"}, "'a' is '1'"),
        ({"a..b": 1}, "'a..b' is no path"),
        (["a"], "give an object"),
        (dict.fromkeys(map(str, range(201)), 1), "at most 200 paths"),
    ],
)
def test_projections_that_make_no_sense_are_refused(projections, words):
    with pytest.raises(Invalid) as refused:
        checked_projections(projections)
    assert words in refused.value.fields["projections"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([1], "is array; give an object"),
        (None, "is null; give an object"),
        ({"a": float("inf")}, "numbers must be finite"),
        ({"a": "\x00"}, "cannot be stored"),
        ({"a": "\ud800"}, "cannot be stored"),
        (nested(65), "nested deeper than 64 levels"),
        ({"a": "x" * VALUE_BYTES}, "at most 262,144 are stored"),
    ],
)
def test_content_that_cannot_be_stored_is_refused(put, read, content, words):
    with pytest.raises(Invalid) as refused:
        put(content)
    assert words in refused.value.fields["content"]
    assert read() is None


def test_a_record_does_not_grow_beyond_its_bound_by_merging(put, read):
    put({"a": "x" * (VALUE_BYTES - 100)})
    with pytest.raises(Invalid, match="at most 262,144"):
        put({"b": "x" * 200})
    assert "b" not in read()


def test_a_lenient_store_keeps_what_breaks_its_schema_and_flags_it(put, read):
    record = put({"recentOrders": "none", "preferences": {"language": 5}})
    assert read() == {"recentOrders": "none", "preferences": {"language": 5}}
    assert record.flagged
    assert {error["path"] for error in record.errors} == {"/recentOrders", "/preferences/language"}
    record = put({"recentOrders": [], "preferences": {"language": "en"}})
    assert (record.flagged, record.errors) == (False, [])


def test_a_strict_store_refuses_it_and_nothing_changes(project, put, read, log):
    store_of(project, "strict", strict=True)
    put(FULL, name="strict")
    before = log()
    with pytest.raises(SchemaRefused) as refused:
        put({"recentOrders": "none", "lastVisit": "2026-03-01T09:00:00Z"}, name="strict")
    assert refused.value.data["errors"][0]["path"] == "/recentOrders"
    assert "at /recentOrders: " in refused.value.fields["content"]
    assert read(name="strict") == FULL
    assert log() == before


def test_a_strict_store_is_held_against_the_result_not_against_what_is_sent(project, put, read):
    schema = {"type": "object", "properties": {"id": {}, "n": {}}, "required": ["id"]}
    store_of(project, "strict", strict=True, schema=schema)
    with pytest.raises(SchemaRefused, match="the field 'id' is missing"):
        put({"n": 1}, name="strict")
    put({"id": 7}, name="strict")
    put({"n": 1}, name="strict")
    assert read(name="strict") == {"id": 7, "n": 1}


def test_each_user_has_a_record_and_the_application_has_one(project, put, read):
    store_of(project, "flags", access="application", schema={"type": "object"})
    put({"recentOrders": ["a"]})
    put({"recentOrders": ["b"]}, subject=Subject("noor"))
    assert (read(), read(Subject("noor"))) == ({"recentOrders": ["a"]}, {"recentOrders": ["b"]})
    put({"a": 1}, name="flags")
    put({"b": 2}, name="flags", subject=Subject("noor"))
    assert read(name="flags", subject=Subject()) == {"a": 1, "b": 2}


def test_each_session_has_a_record(project, put, read):
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    for session in ("s-1", "s-2"):
        session_of(project, session)
        put({"of": session}, name="cart", subject=Subject("ines", session))
    assert read(name="cart", subject=Subject("ines", "s-1")) == {"of": "s-1"}


def test_whose_record_is_meant_has_to_be_said(project, put, read):
    store_of(project, "cart", access="session", schema={"type": "object"})
    with pytest.raises(Invalid) as refused:
        read(name="cart")
    assert "session_id" in refused.value.fields
    with pytest.raises(Invalid) as refused:
        put({}, subject=Subject())
    assert "user" in refused.value.fields


def test_a_store_of_another_project_is_not_there(read):
    with pytest.raises(NotFound):
        read(name="elsewhere")


def test_session_meta_is_never_written(put, project):
    session_of(project)
    with pytest.raises(Forbidden) as refused:
        put({"metadata": {}}, name="sessionMeta", subject=Subject("ines", "s-1"))
    assert refused.value.code == "read-only"
    with pytest.raises(Forbidden):
        services.content_delete(project=project, name="sessionMeta", subject=Subject("ines", "s-1"))


def test_a_writer_that_names_a_version_writes_over_that_alone(put, read):
    assert put({"recentOrders": ["a"]}, expected_version=None).version == 1
    with pytest.raises(Conflict) as refused:
        put({"recentOrders": ["b"]}, expected_version=None)
    assert refused.value.current["content"] == {"recentOrders": ["a"]}
    assert put({"recentOrders": ["c"]}, expected_version=1).version == 2
    with pytest.raises(Conflict, match="version 1 was expected, version 2 is there"):
        put({"recentOrders": ["d"]}, expected_version=1)
    assert read() == {"recentOrders": ["c"]}


def test_a_version_of_no_record_conflicts_with_nothing_there(put):
    with pytest.raises(Conflict) as refused:
        put({}, expected_version=3)
    assert refused.value.current is None


def test_a_record_that_is_deleted_is_gone_and_its_versions_go_on(project, put, read):
    put(FULL)
    assert services.content_delete(project=project, name="userPrefs", subject=INES)
    assert read() is None
    assert not services.content_delete(project=project, name="userPrefs", subject=INES)
    assert selectors.store_get(project=project, name="userPrefs")
    assert put({"recentOrders": []}).version == 2
    assert read() == {"recentOrders": []}


def test_deleting_may_name_the_version_too(project, put):
    put(FULL)
    with pytest.raises(Conflict):
        services.content_delete(project=project, name="userPrefs", subject=INES, expected_version=2)
    assert services.content_delete(project=project, name="userPrefs", subject=INES, expected_version=1)


def test_every_write_and_deletion_is_in_the_log_with_who_and_why(project, people, put, whole):
    owner = people["owner"]
    put(FULL, actor=owner, reason="asked for it", source={"cause": "set_content", "agent": "Desk", "turn": 3})
    services.content_delete(project=project, name="userPrefs", subject=INES, actor=owner, reason="asked again")
    first, second = FactChange.objects.filter(project=project).order_by("seq")
    place = {"system": "record", "scope": "user", "owner": "ines", "path": "userPrefs", "version": 1}
    for change in (first, second):
        assert {name: getattr(change, name) for name in place} == place
        assert change.actor == owner.username
    assert (first.kind, first.type, first.ttl, first.reason) == ("write", "object", "1_month", "asked for it")
    assert first.source == {"cause": "set_content", "agent": "Desk", "turn": 3}
    assert first.value is None  # erased with the record
    assert (second.kind, second.reason) == ("delete", "asked again")
    assert whole()


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
    assert not FactChange.objects.filter(value__isnull=False).exists()
    services.purge(now=record.purged_at + TOMBSTONES_KEPT)
    assert not StoreRecord.objects.exists()
    assert whole()


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
        project=project, pk=record.pk, content={"recentOrders": []}, expected_version=1, actor=people["editor"],
        reason="wrong orders",
    )  # fmt: skip
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
    left = FactChange.objects.filter(value__isnull=False).values_list("owner", flat=True)
    assert set(left) == {"noor", "s-2"}
    assert whole()
