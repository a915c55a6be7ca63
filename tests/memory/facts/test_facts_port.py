"""The runtime's fact store over the database, and the commit of a turn."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import transaction

from abl.runtime.ports import FactWrite
from memory.facts.port import ProjectFacts
from memory.facts.services import facts_commit
from memory.models import Fact, FactChange
from web.errors import Invalid

SOURCE = {
    "agent": "Credit_Desk",
    "session": "s-1",
    "turn": 3,
    "event": 83,
    "cause": "remember#1",
    "span": {"path": "desk.agent.abl", "start": {"line": 56, "column": 5}, "end": {"line": 58, "column": 20}},
}


@pytest.fixture
def write(now):
    """A write of a run, as the engine buffers it."""

    def make(path="user.tier", value="gold", ttl=None, at=now, **changes):
        seconds = {"1h": 3600, None: None}[ttl]
        expires = at + timedelta(seconds=seconds) if seconds else None
        given = {"scope": "user", "owner": "u1", "type": "string", "source": SOURCE, **changes}
        return FactWrite(
            path=path, value=value, ttl=ttl, ttl_seconds=seconds, written_at=at, expires_at=expires, **given
        )

    return make


def test_a_turn_writes_its_facts_with_where_they_came_from(project, write, now, hour):
    facts_commit(project=project, writes=[write(ttl="1h")], conversation=318, revisions={"desk.agent.abl": 19})
    fact = Fact.objects.get()
    assert (fact.written_at, fact.expires_at, fact.ttl, fact.domain) == (now, now + hour, "1h", "tier")
    assert fact.source == {
        "agent": "Credit_Desk",
        "session": "s-1",
        "cause": "remember#1",
        "document": "desk.agent.abl",
        "revision": 19,
        "conversation": 318,
        "turn": 3,
        "event": 83,
        "line": 56,
        "column": 5,
        "end_line": 58,
        "end_column": 20,
    }
    assert FactChange.objects.get().source == fact.source


def test_writes_of_a_turn_apply_in_order(project, write, log, whole):
    facts_commit(
        project=project, writes=[write(value="gold"), write(value="silver"), write(path="user.name", value="Ines")]
    )
    assert Fact.objects.get(path="user.tier").value == "silver"
    assert log() == [("write", 1), ("write", 2), ("write", 1)]
    assert whole()


def test_a_turn_can_delete(project, write, log):
    facts_commit(
        project=project, writes=[write(), write(value=None, delete=True), write(path="user.never", delete=True)]
    )
    assert not Fact.objects.exists()
    assert log() == [("write", 1), ("delete", 1)]


def test_a_turn_that_fails_leaves_no_fact(project, write):
    with suppress(RuntimeError), transaction.atomic():
        facts_commit(project=project, writes=[write()])
        raise RuntimeError
    assert not Fact.objects.exists()


def test_an_expired_fact_ends_in_the_log_before_a_turn_writes_it_again(project, write, log, now, hour):
    facts_commit(project=project, writes=[write(ttl="1h")])
    facts_commit(project=project, writes=[write(value="silver", at=now + hour)])
    assert log() == [("write", 1), ("expire", 1), ("write", 2)]


@pytest.mark.parametrize("value", ["a\x00b", {"k\x00": ["\ud800"]}])
def test_no_text_of_a_user_stops_a_turn(project, write, value):
    facts_commit(project=project, writes=[write(value=value)])
    assert "�" in str(Fact.objects.get().value)


def nested(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"path": f"user.{'x' * 400}"}, "405 characters; at most 300"),
        ({"value": nested(90)}, "nested deeper than"),
        ({"value": "x" * 300_000}, "bytes of JSON; at most"),
    ],
)
def test_what_no_fact_may_hold_is_refused_with_the_whole_turn(project, write, changes, told):
    with pytest.raises(Invalid) as error, transaction.atomic():
        facts_commit(project=project, writes=[write(path="user.first"), write(**changes)])
    assert told in str(error.value.fields)
    assert not Fact.objects.exists()


def test_a_declared_sensitive_path_is_masked_below_it_too(project, write):
    declared = {"user.card": {"how": "mask", "show_last": 4}}
    facts_commit(project=project, writes=[write("user.card.number", "41554471"), write()], sensitive=declared)
    assert list(Fact.objects.order_by("path").values_list("path", "sensitive")) == [
        ("user.card.number", True),
        ("user.tier", False),
    ]
    assert FactChange.objects.get(path="user.card.number").value == '"****4471"'


def test_a_write_can_say_itself_that_it_is_sensitive(project, write):
    source = {**SOURCE, "sensitive": True, "masking": {"how": "replace", "pii_type": "phone"}}
    facts_commit(project=project, writes=[write(source=source)])
    assert FactChange.objects.get().value == '"[PHONE]"'
    assert "masking" not in Fact.objects.get().source


def test_the_port_commits_at_once_and_reads_back(project, write, now):
    port = ProjectFacts(project, conversation=7, virtual_clock=True)
    port.commit([write(ttl="1h")], now)
    fact = port.get("user", "u1", "user.tier", now)
    assert (fact.value, fact.type, fact.version, fact.ttl) == ("gold", "string", 1, "1h")
    assert fact.source["conversation"] == 7
    assert Fact.objects.get().virtual_clock


def test_a_buffering_port_keeps_writes_until_they_are_taken(project, write, put, now, hour):
    put(path="user.name", value="Ines")
    put(path="user.old", value="x")
    port = ProjectFacts(project, buffered=True)
    port.commit([write(ttl="1h"), write("user.old", delete=True), write("user.name", "Pia")], now)
    assert [(fact.path, fact.value) for fact in port.list("user", "u1", now)] == [
        ("user.name", "Pia"),
        ("user.tier", "gold"),
    ]
    assert port.get("user", "u1", "user.old", now) is None
    assert port.get("user", "u1", "user.tier", now + hour) is None
    assert not Fact.objects.filter(path="user.tier").exists()
    facts_commit(project=project, writes=port.take())
    assert port.pending == []
    assert Fact.objects.get(path="user.tier").value == "gold"


def test_a_list_is_in_order_of_path_and_only_of_its_owner(project, put, now):
    for path in ("user.b", "user.a.c", "user.a"):
        put(path=path)
    put(path="user.z", owner="u2")
    assert [fact.path for fact in ProjectFacts(project).list("user", "u1", now)] == ["user.a", "user.a.c", "user.b"]
