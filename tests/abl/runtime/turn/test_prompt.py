"""What a request to the model carries: the last messages, and the persona with its expertise (docs/spec 09 §2)."""

from __future__ import annotations

from typing import Any

import pytest

from abl.runtime.memory.in_memory import MockTools
from tests.abl.runtime.harness import HEAD, FixedClock, Session
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
