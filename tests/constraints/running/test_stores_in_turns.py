"""Records and session metadata in conversations that the real engine runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from constraints.conversations import services
from constraints.models import Turn
from memory.models import FactChange, SessionMeta, StoreRecord
from memory.stores import services as stores
from memory.stores.selectors import Subject
from tests.factories import DocumentFactory, ProjectFactory
from tests.memory.stores.kit import PREFERENCES, store_of

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
AGENT = """AGENT: Desk
GOAL: "Serve"
PERSONA: "Friendly"

MEMORY:
  session:
    - name: order
      type: string

FLOW:
  entry_point: ask
  steps:
    - ask
    - keep
    - last

  ask:
    REASONING: false
    GATHER:
      - order: required
        type: string
    RESPOND: "Language {{memory.userPrefs.preferences.language}}, channel {{memory.sessionMeta.metadata.channel}}."
    THEN: keep

  keep:
    REASONING: false
    CALL: set_content
      WITH:
        technical_name: "userPrefs"
        content: {recentOrders: [order]}
      AS: kept
    RESPOND: "Kept {{memory.userPrefs.recentOrders}}."
    THEN: last

  last:
    REASONING: false
    RESPOND: "Bye."
    THEN: COMPLETE
"""


@pytest.fixture
def project(db):
    found = ProjectFactory(name="Library", slug="library")
    DocumentFactory(project=found, path="desk.agent.abl", text=AGENT)
    store_of(found, schema=PREFERENCES, strict=True)
    store_of(found, "cart", access="session", retention="session", schema={"type": "object"})
    return found


@pytest.fixture
def begin(project, owner):
    """Start a conversation of ines and run its first turn."""

    def start(**choices):
        given = {"project": project, "started_by": owner, "user": "ines", **choices}
        conversation = services.conversation_start(**given)
        run(conversation, 0)
        return conversation

    return start


def run(conversation, index):
    """Run a turn; it as it is then."""
    turn = Turn.objects.get(conversation=conversation, index=index)
    services.turn_run(turn_id=turn.pk)
    turn.refresh_from_db()
    return turn


def say(conversation, owner, text, **more):
    turn, _ = services.turn_post(conversation=conversation, author=owner, kind="say", data={"text": text}, **more)
    return run(conversation, turn.index)


def test_a_template_reads_records_and_session_metadata(project, owner, begin):
    stores.content_set(
        project=project, name="userPrefs", content={"preferences": {"language": "de"}}, subject=Subject("ines")
    )
    conversation = begin(metadata={"channel": "mobile_app"})
    turn = say(conversation, owner, "b1")
    assert turn.status == "done", turn.error
    assert "Language de, channel mobile_app." in turn.replies


def test_a_tool_call_writes_with_the_turn_and_the_log_says_where(project, owner, begin):
    conversation = begin()
    turn = say(conversation, owner, "b1")
    assert turn.status == "done", turn.error
    record = StoreRecord.objects.get()
    assert (record.owner, record.content) == ("ines", {"recentOrders": ["b1"]})
    source = record.source
    assert (source["agent"], source["conversation"], source["turn"]) == ("Desk", conversation.number, turn.number)
    call = conversation.events.get(seq=source["event"])
    assert (call.kind, call.data["tool"]) == ("call.start", "set_content")
    assert source["document"] == "desk.agent.abl"
    assert source["line"] == call.span["start"]["line"]
    assert (source["revision"], source["by"]) == (1, owner.username)
    assert FactChange.objects.get(system="record").source == source
    assert "Kept" in " ".join(turn.replies)


def test_a_clock_of_its_own_decides_when_a_record_ends(project, owner, begin):
    conversation = begin(clock_mode="fixed", clock_start=START)
    say(conversation, owner, "b1")
    record = StoreRecord.objects.get()
    assert (record.written_at, record.expires_at) == (START, START + timedelta(days=30))
    assert record.virtual_clock


def test_a_turn_that_fails_keeps_no_record(project, owner, begin, monkeypatch):
    conversation = begin()

    def break_down(*_, **__):
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr("memory.stores.services.session_end", break_down)  # after everything was written
    turn = say(conversation, owner, "b1")
    assert turn.status == "failed"
    assert not StoreRecord.objects.exists()


def test_a_write_that_became_impossible_fails_the_turn_with_words(project, owner, begin, monkeypatch):
    conversation = begin()
    commit = stores.records_commit

    def late(**given):
        stores.store_update(
            project=project,
            technical_name="userPrefs",
            changes={
                "schema": {
                    "type": "object",
                    "properties": {"recentOrders": {"maxItems": 0}},
                }
            },
        )
        commit(**given)

    monkeypatch.setattr("memory.stores.services.records_commit", late)
    turn = say(conversation, owner, "b1")
    assert turn.status == "failed"
    assert turn.error["code"] == "schema"
    assert "/recentOrders" in turn.error["message"]
    assert not StoreRecord.objects.exists()


def test_the_end_of_a_conversation_ends_its_session(project, owner, begin):
    conversation = begin(metadata={"channel": "web"})
    here = Subject("ines", conversation.session_id)
    stores.content_set(project=project, name="cart", content={"a": 1}, subject=here)
    turn = say(conversation, owner, "b1")
    conversation.refresh_from_db()
    assert (turn.ended, conversation.state) == (True, "ended")
    cart = StoreRecord.objects.get(store__technical_name="cart")
    assert (cart.content, cart.state(timezone.now())) == (None, "expired")
    meta = SessionMeta.objects.get()
    assert meta.metadata is None
    assert meta.ended_at is not None
    assert StoreRecord.objects.get(store__technical_name="userPrefs").content == {"recentOrders": ["b1"]}


def test_metadata_may_come_with_a_message(project, owner, begin):
    conversation = begin(metadata={"channel": "web", "tier": "gold"})
    turn = say(conversation, owner, "b1", metadata={"channel": "phone"})
    assert "channel phone." in turn.replies[0]
    repeated, new = services.turn_post(
        conversation=conversation,
        author=owner,
        kind="say",
        data={"text": "b1"},
        message_id=turn.message_id,
        metadata={"channel": "late"},
    )
    assert (repeated.pk, new) == (turn.pk, False)


def test_session_information_names_the_last_turn(project, owner, begin):
    conversation = begin(session_reference="ticket 12", user_reference="crm-7")
    meta = SessionMeta.objects.get()
    assert (meta.session, meta.user, meta.started_by) == (conversation.session_id, "ines", owner.username)
    assert (meta.session_reference, meta.user_reference) == ("ticket 12", "crm-7")
    assert meta.run == f"{conversation.session_id}-0"


def test_a_conversation_is_started_with_metadata_by_the_api(project, owner, sent):
    client = Client()
    client.force_login(owner)
    address = "/api/v1/projects/library/conversations/"
    body = {"user": "ines", "metadata": {"channel": "mobile_app"}, "user_reference": "crm-7"}
    answer = client.post(address, body, content_type="application/json")
    assert answer.status_code == 201, answer.content
    session = answer.json()["session_id"]
    meta = client.get(f"/api/v1/projects/library/sessions/{session}/").json()
    assert meta["metadata"] == {"channel": "mobile_app"}
    assert meta["sessionInfo"]["userReference"] == "crm-7"
    refused = client.post(address, {"metadata": [1]}, content_type="application/json")
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["metadata"])
    big = client.post(address, {"metadata": {"a": "x" * 70_000}}, content_type="application/json")
    assert (big.status_code, list(big.json()["fields"])) == (400, ["metadata"])


def test_the_page_of_a_record_says_which_run_of_which_revision_wrote_it(project, owner, begin):
    conversation = begin()
    turn = say(conversation, owner, "b1")
    record = StoreRecord.objects.get()
    client = Client()
    client.force_login(owner)
    page = client.get(reverse("memory:record", args=["library", record.pk])).content.decode()
    where = f"Conversation {conversation.number}, turn {turn.number}, step {record.source['event']}"
    assert page.count(where) == 2, "in its details and in its history"
    assert page.count(f"set_content, line {record.source['line']}</a>, revision 1") == 2
    assert f"started by {owner.username}" in page
