"""The runtime's records over the database: what a turn reads and writes, and when others see it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from abl.runtime.memory.ports import Attributed, RecordRefused
from memory.models import StoreRecord
from memory.stores import services
from memory.stores.content import SchemaRefused
from memory.stores.port import SessionRecords
from memory.stores.selectors import Subject
from memory.values import VALUE_BYTES
from tests.memory.stores.kit import session_of, store_of

SPAN = {"path": "desk.agent.abl", "start": {"line": 12, "column": 5}, "end": {"line": 12, "column": 40}}


@pytest.fixture
def clock(now):
    """A clock that a test sets."""
    begins = now

    class Clock:
        at = begins

        def now(self):
            return self.at

    return Clock()


@pytest.fixture
def records(project, clock):
    """The port of a turn of the session s-1, of the user ines."""
    session_of(project, metadata={"channel": "web"})
    store_of(project)
    return SessionRecords(
        project, user="ines", session="s-1", now=clock.now, run="run-4", source={"conversation": 7, "session": "s-1"}
    )


def commit(project, records):
    services.records_commit(project=project, writes=records.take(), subject=records.subject, virtual_clock=True)


def test_it_knows_the_stores_and_session_meta(project, records):
    store_of(project, "cart", access="session", retention="session")
    assert records.names() == ["cart", "userPrefs", "sessionMeta"]


def test_a_turn_sees_its_writes_and_nobody_else_does_before_the_commit(project, records, log):
    before = log()
    assert records.get_content("userPrefs") is None
    assert records.set_content("userPrefs", {"preferences": {"language": "en"}}) == {"preferences": {"language": "en"}}
    assert records.set_content("userPrefs", {"recentOrders": ["a"]})["preferences"] == {"language": "en"}
    assert records.get_content("userPrefs", {"recentOrders": 1}) == {"recentOrders": ["a"]}
    assert log() == before
    commit(project, records)
    record = StoreRecord.objects.get()
    assert record.content == {"preferences": {"language": "en"}, "recentOrders": ["a"]}
    assert record.virtual_clock
    assert records.pending == []


def test_a_turn_that_is_dropped_keeps_nothing(project, records):
    records.set_content("userPrefs", {"recentOrders": []})
    records.take()
    assert not StoreRecord.objects.exists()
    assert records.get_content("userPrefs") is None


def test_a_turn_deletes_and_writes_anew(project, records):
    records.set_content("userPrefs", {"recentOrders": ["a"]})
    assert records.delete_content("userPrefs")
    assert records.get_content("userPrefs") is None
    assert not records.delete_content("userPrefs")
    assert records.set_content("userPrefs", {"lastVisit": "2026-03-03T09:14:00Z"}) == {
        "lastVisit": "2026-03-03T09:14:00Z"
    }
    commit(project, records)
    assert StoreRecord.objects.get().content == {"lastVisit": "2026-03-03T09:14:00Z"}


def test_writes_merge_into_what_others_wrote_meanwhile(project, records, clock):
    records.set_content("userPrefs", {"preferences": {"language": "de"}})
    services.content_set(
        project=project,
        name="userPrefs",
        content={"preferences": {"notifications": True}},
        subject=Subject("ines"),
        now=clock.now(),
    )
    commit(project, records)
    assert StoreRecord.objects.get().content == {"preferences": {"notifications": True, "language": "de"}}


def test_a_record_that_expires_is_read_on_the_clock_of_the_session(project, records, clock):
    records.set_content("userPrefs", {"recentOrders": ["a"]})
    commit(project, records)
    clock.at += timedelta(days=30) - timedelta(seconds=1)
    assert records.get_content("userPrefs") == {"recentOrders": ["a"]}
    clock.at += timedelta(seconds=1)
    assert records.get_content("userPrefs") is None


def test_the_log_says_which_agent_wrote_where_and_when(project, records, clock, now):
    assert isinstance(records, Attributed)
    records.attribute({"agent": "Desk", "session": "s-1", "turn": 3, "event": 41, "span": SPAN})
    records.set_content("userPrefs", {"recentOrders": []})
    commit(project, records)
    record = StoreRecord.objects.get()
    assert record.source == {
        "agent": "Desk",
        "session": "s-1",
        "cause": "set_content",
        "document": "desk.agent.abl",
        "conversation": 7,
        "turn": 3,
        "event": 41,
        "line": 12,
        "column": 5,
        "end_line": 12,
        "end_column": 40,
    }
    assert (record.written_at, record.expires_at) == (now, now + timedelta(days=30))


@pytest.mark.parametrize(
    ("act", "code", "words"),
    [
        (lambda r: r.get_content("nothing"), "unknown", "There is no store 'nothing'"),
        (lambda r: r.set_content("nothing", {}), "unknown", "There is no store 'nothing'"),
        (lambda r: r.delete_content("a\x00b"), "unknown", "There is no store"),
        (lambda r: r.set_content("sessionMeta", {"metadata": {}}), "read-only", "is read-only"),
        (lambda r: r.delete_content("sessionMeta"), "read-only", "is read-only"),
        (lambda r: r.set_content("userPrefs", [1]), "invalid", "give an object"),
        (lambda r: r.set_content("userPrefs", {"a": "x" * VALUE_BYTES}), "invalid", "at most 262,144"),
        (lambda r: r.get_content("userPrefs", {"a": 1, "b": 0}), "invalid", "mixes 1 (take) and 0 (leave out)"),
    ],
)
def test_a_refusal_has_a_code_and_words(records, act, code, words):
    with pytest.raises(RecordRefused) as refused:
        act(records)
    assert refused.value.code == code
    assert words in refused.value.message
    assert records.pending == []


def test_a_strict_store_refuses_at_once_with_the_errors(project, records):
    store_of(project, "strict", strict=True)
    with pytest.raises(RecordRefused) as refused:
        records.set_content("strict", {"recentOrders": 5})
    assert refused.value.code == "schema"
    assert [error["path"] for error in refused.value.errors] == ["/recentOrders"]


def test_a_strict_store_refuses_the_turn_when_another_writer_came_between(project, records, clock):
    schema = {"type": "object", "maxProperties": 1}
    store_of(project, "strict", strict=True, schema=schema)
    records.set_content("userPrefs", {"recentOrders": []})
    records.set_content("strict", {"a": 1})
    services.content_set(project=project, name="strict", content={"b": 2}, subject=Subject("ines"), now=clock.now())
    with pytest.raises(SchemaRefused), transaction.atomic():
        commit(project, records)
    assert [record.content for record in StoreRecord.objects.all()] == [{"b": 2}]


def test_what_no_database_keeps_is_replaced_so_that_the_turn_goes_on(project, records):
    assert records.set_content("userPrefs", {"recentOrders": ["a\x00b"]}) == {"recentOrders": ["a\ufffdb"]}
    commit(project, records)
    assert StoreRecord.objects.get().content == {"recentOrders": ["a\ufffdb"]}


def test_session_meta_says_which_turn_runs(records):
    meta = records.get_content("sessionMeta")
    assert meta["sessionInfo"]["runId"] == "run-4"
    assert records.get_content("sessionMeta", {"metadata.channel": 1}) == {"metadata": {"channel": "web"}}


def test_session_meta_of_a_session_that_nobody_noted_has_its_information(project):
    records = SessionRecords(project, user="ines", session="unknown", now=timezone.now)
    meta = records.get_content("sessionMeta")
    assert (meta["metadata"], meta["artifacts"]) == ({}, [])
    assert meta["sessionInfo"]["userId"] == "ines"
