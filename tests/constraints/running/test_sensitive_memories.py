"""Blocks, stores and banks keep nothing that a conversation knows to be sensitive (docs/spec 11)."""

from __future__ import annotations

import json

import pytest

from constraints.conversations import services
from constraints.models import TraceEvent
from memory.banks.services import bank_put
from memory.facts.services import fact_put
from memory.models import BankEntry, Block, FactChange, StoreRecord
from tests.factories import DocumentFactory, ProjectFactory
from tests.memory.stores.kit import store_of

pytestmark = pytest.mark.django_db

TOOLER = 'AGENT: Tooler\nGOAL: "say {{user.pin}}"\n\nMEMORY:\n  persistent:\n    - user.pin\n'
CALLER = """AGENT: Caller
GOAL: "Keep"

MEMORY:
  persistent:
    - user.pin

FLOW:
  steps: [hold]
  hold:
    REASONING: false
    RESPOND: "Yes?"
    ON_INPUT:
      - ELSE:
        CALL: memory_write(content: "it is " + SUBSTRING(user.pin, 0, 2))
        THEN: hold
"""
PIN = "zebra-7391-quartz"
CALLS = {
    "memory_write": {"content": f"1|{PIN}"},
    "set_content": {"technical_name": "app", "content": {"a": [{"b": PIN.upper()}]}},
    "update_memory": {"block_type": "core", "content": f"- pin {PIN}", "expected_updated_at": None},
}


@pytest.fixture
def project(db):
    found = ProjectFactory(slug="vault")
    DocumentFactory(project=found, path="tooler.agent.abl", text=TOOLER)
    DocumentFactory(project=found, path="caller.agent.abl", text=CALLER)
    bank_put(project=found, name="bb")
    store_of(found, "app", schema={"type": "object"})
    fact_put(project=found, scope="user", owner="u-17", path="user.pin", value=PIN, sensitive=True)
    return found


@pytest.fixture
def ask(project, owner):
    """A conversation in which a message was said; ``script`` is what the model does about it."""

    def run(script=(), entry="Tooler"):
        found = services.conversation_start(
            project=project, started_by=owner, user="u-17", entry=entry, model=list(script), bank="bb"
        )
        services.turn_post(conversation=found, author=owner, kind="say", data={"text": "go"})
        for turn in found.turns.filter(status="queued").order_by("index"):
            assert services.turn_run(turn_id=turn.pk) == "done", turn.error
        return list(TraceEvent.objects.filter(conversation=found, kind="call.end").values_list("data", flat=True))

    return run


def kept():
    rows = [list(model.objects.values()) for model in (BankEntry, Block, StoreRecord)]
    return json.dumps([*rows, list(FactChange.objects.values("value"))], default=str)


@pytest.mark.parametrize("tool", CALLS)
def test_a_tool_of_memory_refuses_a_content_with_a_sensitive_value(ask, tool):
    (end,) = ask([{"call": tool, "args": CALLS[tool]}, {"reply": "done"}])
    assert (end["status"], end["error"]["error"]["subtype"]) == ("failed", "sensitive")
    assert PIN not in kept().lower()


def test_a_call_of_a_flow_with_a_piece_of_it_is_refused(ask):
    ends = ask(entry="Caller")
    assert {end["error"]["error"]["subtype"] for end in ends} == {"sensitive"}
    assert not BankEntry.objects.exists()


def test_what_is_not_sensitive_is_written(ask):
    (end,) = ask([{"call": "memory_write", "args": {"content": "0|1"}}, {"reply": "done"}])
    assert end["status"] == "ok"
    assert BankEntry.objects.get().content == "0|1"
