"""Definitions of stores: what they may be, how they change, how they go, and their file."""

from __future__ import annotations

import pytest

from memory.models import FactChange, StoreDefinition, StoreRecord
from memory.stores import selectors, services
from memory.stores.selectors import Subject
from memory.stores.services import definitions
from tests.factories import ProjectFactory
from tests.memory.stores.kit import PREFERENCES, session_of, store_of
from web.errors import Conflict, Invalid, NotFound

INES = Subject("ines")
NUMBERS = {"type": "object", "properties": {"n": {"type": "number"}}}


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"technical_name": "user prefs"}, "technical_name", "'user prefs' is not an identifier"),
        ({"technical_name": ""}, "technical_name", "is not an identifier"),
        ({"technical_name": "1st"}, "technical_name", "is not an identifier"),
        ({"technical_name": "ä"}, "technical_name", "use letters, digits and _"),
        ({"technical_name": "a" * 101}, "technical_name", "100 are allowed"),
        ({"technical_name": "sessionMeta"}, "technical_name", "is built in"),
        ({"name": "n" * 121}, "name", "at most 120 characters"),
        ({"name": "a\x00b"}, "name", "without NUL"),
        ({"description": "n" * 2001}, "description", "at most 2,000 characters"),
        ({"access": "everyone"}, "access", "'everyone' is not one of user, application, session"),
        ({"retention": "1_year"}, "retention", "'1_year' is not one of session, 1_day, 1_week, 1_month"),
        ({"strict": "yes"}, "strict", "is not true or false"),
        ({"schema": {"type": "array"}}, "schema", "at /type: "),
        ({"schema": {"type": "object", "properties": {"a": {"type": "x"}}}}, "schema", "at /properties/a/type: "),
        ({"schema": 5}, "schema", "at the root: "),
    ],
)
def test_a_definition_that_cannot_be_is_refused_with_the_field(project, changes, field, words):
    with pytest.raises(Invalid) as refused:
        store_of(project, **changes)
    assert words in refused.value.fields[field]
    assert not StoreDefinition.objects.exists()


def test_a_technical_name_is_unique_in_its_project(project):
    store_of(project)
    store_of(ProjectFactory())
    with pytest.raises(Conflict, match="Technical names are unique"):
        store_of(project)


def test_a_store_without_a_name_is_shown_by_its_technical_name(project):
    assert store_of(project, name=" ").name == "userPrefs"


def test_a_change_counts_versions_and_keeps_what_is_not_sent(project):
    store_of(project)
    store = services.store_update(project=project, technical_name="userPrefs", changes={"strict": True})
    assert (store.version, store.schema_version, store.strict, store.access) == (2, 1, True, "user")
    same = services.store_update(project=project, technical_name="userPrefs", changes={"strict": True})
    assert same.version == 2


def test_the_technical_name_never_changes(project):
    store_of(project)
    changed = services.store_update(project=project, technical_name="userPrefs", changes={"technical_name": "other"})
    assert changed.technical_name == "userPrefs"


def test_a_definition_that_somebody_changed_is_not_overwritten(project):
    store_of(project)
    services.store_update(project=project, technical_name="userPrefs", changes={"name": "A"}, expected_version=1)
    with pytest.raises(Conflict) as refused:
        services.store_update(project=project, technical_name="userPrefs", changes={"name": "B"}, expected_version=1)
    assert refused.value.current["name"] == "A"


def test_a_bad_change_leaves_the_definition_as_it_was(project):
    store_of(project)
    with pytest.raises(Invalid, match="at /type"):
        services.store_update(project=project, technical_name="userPrefs", changes={"schema": {}, "name": "New"})
    assert StoreDefinition.objects.get().name == "Preferences"


def test_access_changes_only_while_there_are_no_records(project):
    store_of(project)
    services.content_set(project=project, name="userPrefs", content={}, subject=INES)
    with pytest.raises(Invalid, match="1 record is kept per user; delete them first"):
        services.store_update(project=project, technical_name="userPrefs", changes={"access": "application"})
    services.content_delete(project=project, name="userPrefs", subject=INES)
    changed = services.store_update(project=project, technical_name="userPrefs", changes={"access": "application"})
    assert changed.access == "application"


@pytest.fixture
def many(project, monkeypatch):
    """Seven records whose schema changes, looked at three at a time; two of them will not fit."""
    monkeypatch.setattr(definitions, "BATCH", 3)
    monkeypatch.setattr(definitions.recheck_some, "__defaults__", (3,))
    store = store_of(project, "counts", schema={"type": "object"})
    for n in range(7):
        content = {"n": "many" if n in (1, 6) else n}
        services.content_set(project=project, name="counts", content=content, subject=Subject(f"u{n}"))
    return store


def test_a_new_schema_is_held_against_the_records_in_steps(project, many):
    services.store_update(project=project, technical_name="counts", changes={"schema": NUMBERS})
    assert StoreRecord.objects.filter(checked=2).count() == 3
    assert services.stores_recheck() == 4
    assert services.stores_recheck() == 0
    flagged = StoreRecord.objects.filter(flagged=True).order_by("owner")
    assert [(record.owner, record.errors[0]["path"]) for record in flagged] == [("u1", "/n"), ("u6", "/n")]
    services.store_update(project=project, technical_name="counts", changes={"schema": {"type": "object"}})
    services.stores_recheck()
    assert not StoreRecord.objects.filter(flagged=True).exists()


def test_a_record_that_is_written_meanwhile_is_checked_already(project, many):
    services.store_update(project=project, technical_name="counts", changes={"schema": NUMBERS})
    services.content_set(project=project, name="counts", content={"n": 1}, subject=Subject("u6"))
    assert services.stores_recheck() == 3
    assert list(StoreRecord.objects.filter(flagged=True).values_list("owner", flat=True)) == ["u1"]


def test_the_records_of_a_strict_store_stay_when_the_schema_changes(project, many):
    services.store_update(project=project, technical_name="counts", changes={"schema": NUMBERS, "strict": True})
    services.stores_recheck()
    assert StoreRecord.objects.filter(content__isnull=False).count() == 7


def test_deleting_a_store_says_how_many_records_go_and_logs_each(project, people, many, whole):
    with pytest.raises(Conflict, match="7 records are in counts now, not 5"):
        services.store_delete(project=project, technical_name="counts", expected_records=5)
    gone = services.store_delete(
        project=project, technical_name="counts", expected_records=7, actor=people["owner"], reason="no longer used"
    )
    assert gone == 7
    assert not StoreDefinition.objects.exists()
    assert not StoreRecord.objects.exists()
    deletions = FactChange.objects.filter(project=project, kind="delete", system="record")
    assert set(deletions.values_list("actor", "reason")) == {(people["owner"].username, "no longer used")}
    assert deletions.count() == 7
    assert not FactChange.objects.filter(value__isnull=False, system="record").exists()
    assert whole()


def test_a_store_that_is_not_there_cannot_be_deleted(project):
    with pytest.raises(NotFound):
        services.store_delete(project=project, technical_name="nothing")


def test_an_export_holds_definitions_and_no_data(project):
    store_of(project, strict=True)
    services.content_set(project=project, name="userPrefs", content={"recentOrders": ["secret"]}, subject=INES)
    export = selectors.definitions_export(project=project)
    assert "secret" not in str(export)
    assert export == {
        "version": 1,
        "stores": [
            {
                "name": "Preferences",
                "technical_name": "userPrefs",
                "description": "",
                "schema": PREFERENCES,
                "access": "user",
                "retention": "1_month",
                "strict": True,
            }
        ],
    }


def test_an_export_is_taken_over_by_another_project(project):
    store_of(project)
    store_of(project, "cart", access="session", retention="session")
    export = selectors.definitions_export(project=project)
    other = ProjectFactory()
    assert services.definitions_import(project=other, data=export)["created"] == ["cart", "userPrefs"]
    assert selectors.definitions_export(project=other) == export
    assert services.definitions_import(project=other, data=export)["unchanged"] == ["cart", "userPrefs"]


def test_a_store_with_another_definition_is_changed_only_when_that_was_asked_for(project):
    store_of(project)
    export = selectors.definitions_export(project=project)
    export["stores"][0]["retention"] = "1_day"
    with pytest.raises(Invalid) as refused:
        services.definitions_import(project=project, data=export)
    assert list(refused.value.fields) == ["stores[0].retention"]
    assert services.definitions_import(project=project, data=export, replace=True)["changed"] == ["userPrefs"]
    assert StoreDefinition.objects.get().retention == "1_day"


ENTRY = {"technical_name": "a", "schema": {"type": "object"}, "access": "user", "retention": "1_day"}


@pytest.mark.parametrize(
    ("data", "field", "words"),
    [
        ([], "stores", "as written by an export"),
        ({}, "stores", "as written by an export"),
        ({"stores": {}}, "stores", "as written by an export"),
        ({"version": 2, "stores": []}, "version", "2 is not supported; use version 1"),
        ({"stores": [5]}, "stores[0]", "is 5; give an object with name, technical_name"),
        ({"stores": [{}]}, "stores[0].schema", "is missing"),
        ({"stores": [{**ENTRY, "colour": "red"}]}, "stores[0].colour", "is not known; a store has"),
        ({"stores": [{**ENTRY, "technical_name": 5}]}, "stores[0].technical_name", "are texts"),
        ({"stores": [ENTRY, {**ENTRY, "schema": {}}]}, "stores[1].schema", "at /type: "),
        ({"stores": [ENTRY, ENTRY]}, "stores[1].technical_name", "Store 'a' already exists"),
        ({"stores": [ENTRY] * 201}, "stores", "has 201 entries; 200 are allowed"),
    ],
)
def test_a_file_that_cannot_be_taken_over_is_refused_as_a_whole(project, data, field, words):
    with pytest.raises(Invalid) as refused:
        services.definitions_import(project=project, data=data)
    assert words in refused.value.fields[field]
    assert not StoreDefinition.objects.exists()


def test_the_records_of_stores_are_counted_without_their_tombstones(project):
    store = store_of(project, schema=NUMBERS, access="session", retention="session")
    session_of(project, "s-1")
    session_of(project, "s-2")
    services.content_set(project=project, name="userPrefs", content={"n": "x"}, subject=Subject("", "s-1"))
    services.content_set(project=project, name="userPrefs", content={"n": 1}, subject=Subject("", "s-2"))
    assert selectors.record_counts(project=project) == {store.pk: (2, 1)}
    services.session_end(project=project, session="s-1", now=store.created_at)
    assert selectors.record_counts(project=project) == {store.pk: (1, 0)}
