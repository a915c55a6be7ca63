"""What a request to the model carries: the last messages, and the persona with its expertise (docs/spec 09 §2)."""

from __future__ import annotations

from typing import Any

import pytest

from abl.runtime import prompt_preview
from abl.runtime.memory.in_memory import MockTools
from tests.abl.runtime.harness import HEAD, FixedClock, Session, session
from tests.abl.runtime.models import Steps


def requested(agent: str, said: int) -> dict[str, Any]:
    """The last request of a conversation of so many messages, each answered by its number."""
    model = Steps(*map(str, range(said)))
    run = Session({"desk.agent.abl": HEAD + agent}, tools=MockTools({}), clock=FixedClock(), model=model)
    run.start()
    for number in range(said):
        run.say(f"message {number}")
    request: dict[str, Any] = model.requests[-1]
    return request


@pytest.mark.parametrize(
    ("execution", "count"),
    [
        ("", 20),
        ("EXECUTION:\n  conversation_history_window: 1\n", 1),
        ("EXECUTION:\n  conversation_history_window: 4\n", 4),
        ("EXECUTION:\n  conversation_history_window: 22\n", 22),
    ],
)
def test_a_request_carries_the_last_messages_of_the_window(execution, count):
    said = [text for number in range(12) for text in (f"message {number}", str(number))][:-1]
    assert [message["text"] for message in requested(execution, 12)["messages"]] == said[-count:]


@pytest.mark.parametrize(
    ("written", "persona"),
    [
        ('PERSONA: "A librarian"\n', "A librarian"),
        ('PERSONA: "A librarian"\nIDENTITY:\n  expertise: [maps, atlases]\n', "A librarian\nExpertise: maps, atlases"),
        ("IDENTITY:\n  expertise: [maps]\n", "Expertise: maps"),
    ],
)
def test_the_persona_has_the_expertise_behind_it(written, persona):
    assert requested(written, 1)["persona"] == persona


def test_a_message_that_a_guardrail_redacted_is_in_later_requests_as_redacted():
    agent = """GUARDRAILS:
  data:
    kind: input
    check: abl.contains_email(input)
    action: redact
"""
    model = Steps("1", "2")
    run = session(agent, model=model)
    run.start()
    run.say("mail ada@x.org")
    run.say("well?")
    assert [message["text"] for message in model.requests[-1]["messages"]] == ["mail [REDACTED]", "1", "well?"]


def test_a_preview_while_a_call_waits_for_consent_shows_the_calls_before_it():
    tools = "TOOLS:\n  look(id: string) -> object\n  pay(amount: number) -> object\n    confirm: always\n"
    model = Steps(("look", {"id": "b1"}), ("pay", {"amount": 5}))
    run = session(tools, tools={"look": [{"result": {"seen": True}}]}, model=model)
    run.start()
    assert run.say("pay").waiting == "tool_confirm"
    shown = {section["key"]: section["text"] for section in prompt_preview(run, "yes")["sections"]}
    assert shown["calls"] == '- {"tool": "look", "args": {"id": "b1"}, "result": {"seen": true}}'
