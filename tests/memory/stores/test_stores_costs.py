"""What a schema check may cost: about a second, never under the lock of the log (docs/spec 11 §2)."""

from __future__ import annotations

import re
from time import process_time

import pytest
from django.db import transaction

from memory.models import StoreRecord
from memory.stores import services, validation
from memory.stores.keywords import SECONDS, TooMuchWork
from memory.stores.samples import examples_of
from memory.stores.schema import problems_of
from memory.stores.services import definitions, records
from memory.stores.validation import TOO_MUCH, errors_of, errors_within, shared_budget
from tests.memory.stores.kit import INES, content_put, content_read, store_of
from tests.memory.stores.test_stores_api import ROOT, Api, own  # noqa: F401  the fixture is used by name
from web.errors import Conflict

PATTERNS = {"type": "object", "patternProperties": {f"(a.*){{50}}{n}": {} for n in range(500)}}
NAMES = {"a" * 110 + str(n): 1 for n in range(2_000)}
MOMENT = 4 * SECONDS
"""What a check may take and some room for what nothing can stop, on a machine that has other work."""


@pytest.fixture(autouse=True)
def unknown(monkeypatch):
    """Nothing is remembered from other tests."""
    monkeypatch.setattr(validation, "_remembered", type(validation._remembered)())


def inside(**part):
    return {"type": "object", "properties": {"a": part}}


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        (PATTERNS, NAMES),
        ({**PATTERNS, "additionalProperties": False}, NAMES),
        (inside(pattern="(a?){1000}z"), {"a": "a" * 250_000}),
        (inside(contains=True, unevaluatedItems=False), {"a": [1] * 120_000}),
        (inside(allOf=[{"items": {}}] * 900), {"a": [1] * 120_000}),
        (inside(allOf=[{"uniqueItems": True}] * 1_900), {"a": list(range(30_000))}),
    ],
    ids=["patternProperties", "additionalProperties", "long text", "unevaluatedItems", "items", "uniqueItems"],
)
@pytest.mark.slow
def test_a_check_ends_soon_whatever_is_asked(schema, content):
    assert problems_of(schema) == []
    began = process_time()
    assert errors_of(schema, content) == [{"path": "", "message": TOO_MUCH}]
    assert process_time() - began < MOMENT


def test_many_fields_and_patterns_of_everyday_size_pass():
    patterns = {f"^x{n}-[a-z]+$": {"type": "string", "pattern": r"^\pL{1,20}$"} for n in range(20)}
    schema = {"type": "object", "patternProperties": patterns, "additionalProperties": False}
    content = {f"x{n % 20}-{'abcdefghij'[n // 20]}": "Grüße" for n in range(200)}
    assert (problems_of(schema), errors_of(schema, content)) == ([], [])


@pytest.mark.slow
def test_patterns_that_are_too_large_together_are_no_schema():
    schema = {"type": "object", "properties": {f"a{n}": {"pattern": rf"\pL{{30}}{n}"} for n in range(1_000)}}
    began = process_time()
    (problem,) = problems_of(schema)
    assert process_time() - began < MOMENT
    assert re.fullmatch(r"/properties/a\d+/pattern", problem["path"])
    assert "too large together; use smaller counts" in problem["message"]


@pytest.mark.slow
def test_examples_share_what_one_check_may_take():
    with pytest.raises(TooMuchWork), shared_budget():
        errors_within(PATTERNS, NAMES)
    assert examples_of(inside(allOf=[{"minLength": 1}] * 1_900, default="x")) != []


@pytest.mark.slow
@pytest.mark.parametrize("strict", [True, False])
def test_no_store_takes_a_content_that_takes_too_long_to_check(project, own, strict):  # noqa: F811
    store_of(project, schema=PATTERNS, strict=strict)
    answer = own()("PATCH", "/userPrefs", {"content": NAMES})
    assert (answer.status_code, answer.json()["fields"]["content"]) == (400, TOO_MUCH)
    assert not StoreRecord.objects.exists()


def test_a_schema_is_tried_with_no_more_than_a_record_may_hold(as_role):
    api = Api(as_role("editor"), ROOT)
    answer = api("POST", "store-check/", {"schema": {"type": "object"}, "content": {"a": "x" * 300_000}})
    assert answer.status_code == 400
    assert "at most 262,144 are stored" in answer.json()["fields"]["content"]


@pytest.fixture
def checks(monkeypatch):
    """Whether the log was locked at each check that was really made."""
    seen = []
    real = validation._found

    def noted(validator, content):
        seen.append(len(transaction.get_connection().savepoint_ids))
        return real(validator, content)

    monkeypatch.setattr(validation, "_found", noted)
    return seen


def test_a_record_is_checked_before_the_log_is_locked(project, checks):
    outside = len(transaction.get_connection().savepoint_ids)
    store_of(project)
    content_put(project, {"recentOrders": ["a"]})
    content_put(project, {"lastVisit": "2026-03-01T09:30:00Z"})
    record = StoreRecord.objects.get()
    services.record_edit(project=project, pk=record.pk, content={"recentOrders": 5}, expected_version=2)
    assert checks == [outside] * 3


def test_a_new_schema_is_held_against_records_without_the_lock(project, checks):
    store_of(project)
    content_put(project, {"recentOrders": ["a"]})
    checks.clear()
    schema = {"type": "object", "properties": {"recentOrders": {"type": "string"}}}
    services.store_update(project=project, technical_name="userPrefs", changes={"schema": schema})
    assert checks == [len(transaction.get_connection().savepoint_ids)]
    assert StoreRecord.objects.get().flagged


def test_a_record_that_is_written_during_the_recheck_keeps_what_that_found(project, monkeypatch):
    store = store_of(project)
    content_put(project, {"recentOrders": ["a"]})
    store.schema_version += 1
    store.save()

    def meanwhile(schema, content):
        content_put(project, {"recentOrders": 5})
        return []

    monkeypatch.setattr(definitions, "errors_of", meanwhile)
    assert definitions.recheck_some(store) == 1
    record = StoreRecord.objects.get()
    assert (record.flagged, record.version) == (True, 2)


def other_writer(project, monkeypatch, times):
    """Somebody who writes between the check and the lock, so many times."""
    real, left = records._check_ahead, [times]

    def ahead(place, change):
        real(place, change)
        if left[0]:
            left[0] -= 1
            StoreRecord.objects.update(content={f"o{left[0]}": 1}, version=1)

    monkeypatch.setattr(records, "_check_ahead", ahead)
    monkeypatch.setattr(records, "STEPS_LOCKED", 1)


def test_another_writer_in_between_makes_a_long_check_begin_anew(project, monkeypatch):
    store_of(project)
    content_put(project, {})
    other_writer(project, monkeypatch, records.TRIES - 1)
    content_put(project, {"recentOrders": ["a", "b"]})
    assert content_read(project) == {"o0": 1, "recentOrders": ["a", "b"]}


def test_others_who_write_all_the_time_are_told_of(project, monkeypatch):
    store_of(project)
    content_put(project, {})
    other_writer(project, monkeypatch, records.TRIES)
    with pytest.raises(Conflict, match="Other writers keep changing this record"):
        content_put(project, {"recentOrders": ["a", "b"]})
    assert "recentOrders" not in content_read(project)


@pytest.mark.slow
def test_a_turn_is_told_that_its_content_takes_too_long(project):
    from abl.runtime.memory.ports import RecordRefused
    from memory.stores.port import SessionRecords

    store_of(project, schema=PATTERNS)
    port = SessionRecords(project, user=INES.user, session="")
    with pytest.raises(RecordRefused, match="can't be checked"):
        port.set_content("userPrefs", NAMES)
    assert port.pending == []


def test_what_is_remembered_has_an_end(monkeypatch):
    monkeypatch.setattr(validation, "REMEMBERED", 3)
    for number in range(5):
        assert errors_of({"type": "object"}, {"a": number}) == []
    assert len(validation._remembered) == 3


def test_a_turn_that_another_writer_overtook_begins_again_when_the_check_takes_long(project, monkeypatch):
    from memory.stores.port import SessionRecords

    store_of(project)
    port = SessionRecords(project, user=INES.user, session="")
    port.set_content("userPrefs", {"recentOrders": ["a", "b"]})
    writes = port.take()
    monkeypatch.setattr(records, "STEPS_LOCKED", 1)
    content_put_quietly(project)
    with pytest.raises(Conflict, match="changed by someone else"):
        services.records_commit(project=project, writes=writes, subject=INES)
    assert content_read(project) == {"other": 1}
    again = SessionRecords(project, user=INES.user, session="")
    again.set_content("userPrefs", {"recentOrders": ["a", "b"]})
    services.records_commit(project=project, writes=again.take(), subject=INES)
    assert content_read(project) == {"other": 1, "recentOrders": ["a", "b"]}


def content_put_quietly(project):
    """What another process wrote: this one has not checked it."""
    content_put(project, {"other": 1})
    validation._remembered.clear()
