"""What goes along with a handoff: the history that the target sees, and CONTEXT.set (docs/spec 09 §5)."""

from __future__ import annotations

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.models import Steps

DESK = """AGENT: Desk
GOAL: "Lend"
HANDOFF:
  - TO: Finder
    WHEN: input == "find"
    CONTEXT:
      pass: []
"""
FINDER = 'AGENT: Finder\nGOAL: "Find"\n'
SAID = ["one", "1", "two", "2", "three", "3", "find"]


def talk(more: str, *said: str) -> tuple[Session, Steps]:
    """A conversation with Desk whose last message may lead to Finder, and the model of both."""
    model = Steps("1", "2", "3", "Found.")
    files = {"desk.agent.abl": DESK + more, "finder.agent.abl": FINDER}
    run = Session(files, tools=MockTools({}), model=model, clock=FixedClock(), entry="Desk")
    run.start()
    for text in said:
        run.say(text)
    return run, model


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("", 7),
        ("      history: full\n", 7),
        ("      history: auto\n", 6),
        ('      history: auto\n      summary: "Wants a book"\n', 1),
        ("      history: none\n", 1),
        ('      history: summary_only\n      summary: "Wants a book"\n', 1),
        ("      history: {mode: last_n, count: 1}\n", 2),
        ("      history: {mode: last_n, count: 3}\n", 4),
        ("      history: {last_n: 2}\n", 3),
        ("      history: last_4\n", 5),
        ("      history: last_40\n", 7),
    ],
)
def test_the_target_sees_so_many_of_the_last_messages_and_the_one_that_led_to_it(written, seen):
    _, model = talk(written, "one", "two", "three", "find")
    assert [message["text"] for message in model.requests[-1]["messages"]] == SAID[-seen:]


def test_a_text_that_context_set_computes_is_no_template():
    given = "      set:\n        a: note\n        b: \"'{{note}}!'\"\n"
    memory = 'MEMORY:\n  session:\n    - note\n      INITIAL: "{{input}}"\n'
    run, _ = talk(given + memory, "find")
    assert run.value("a") == "{{input}}"
