"""Records: merging, schemas, whose they are, versions, the log."""

from __future__ import annotations

from functools import partial

import pytest

from memory.models import FactChange, StoreRecord
from memory.stores import selectors, services
from memory.stores.content import SchemaRefused, checked_projections, part_of
from memory.stores.selectors import Subject
from memory.values import VALUE_BYTES
from tests.memory.stores.kit import INES, content_put, content_read, nested, session_of, store_of
from web.errors import Conflict, Forbidden, Invalid, NotFound

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


def test_there_is_nothing_before_the_first_write(read, store):
    assert read() is None


def test_fields_that_are_not_sent_stay(put, read):
    put(FULL)
    put({"preferences": {"language": "de"}, "lastVisit": "2026-03-01T09:00:00Z"})
    assert read() == {
        "preferences": {"language": "de", "notifications": True},
        "recentOrders": ["a", "b"],
        "lastVisit": "2026-03-01T09:00:00Z",
    }


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
        ({"preferences.nothing": 1}, {"preferences": {}}),
        ({"recentOrders.0": 1}, {}),
        ({"preferences.language.en": 1}, {"preferences": {}}),
        ({"preferences.language.en": 0}, FULL),
        ({"recentOrders": 1, "recentOrders.0": 1}, {"recentOrders": FULL["recentOrders"]}),
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
    first, second = FactChange.objects.filter(project=project, system="record").order_by("seq")
    place = {"system": "record", "scope": "user", "owner": "ines", "path": "userPrefs", "version": 1}
    for change in (first, second):
        assert {name: getattr(change, name) for name in place} == place
        assert change.actor == owner.username
    assert (first.kind, first.type, first.ttl, first.reason) == ("write", "object", "1_month", "asked for it")
    assert first.source == {"cause": "set_content", "agent": "Desk", "turn": 3}
    assert first.value is None  # erased with the record
    assert (second.kind, second.reason) == ("delete", "asked again")
    assert whole()
