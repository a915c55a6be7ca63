"""ON_RETURN and RETURN_HANDLERS of a handoff (docs/spec 09 §5): map, set, handler, action, in this order."""

from __future__ import annotations

from typing import Any

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of

DESK = """AGENT: Desk
GOAL: "Lend"
MEMORY:
  session:
    - shelf
    - note
    - tries
      TYPE: number
      INITIAL: 0
HANDOFF:
  - TO: Finder
    WHEN: input == "find"
    RETURN: true
    ON_RETURN:RETURNS
  - TO: Helper
    WHEN: found == "B7"
RETURN_HANDLERS:
  said:
    RESPOND: "It is on {{shelf}}."
    CLEAR: [note]
    CONTINUE: true
  again:
    RESPOND: "Looking further."
    RESUME_INTENT: true
"""
FINDER = """AGENT: Finder
GOAL: "Find"
FLOW:
  steps: [work]
  work:
    REASONING: false
    SET: place = "B7"
    RESPOND: "Found."
    THEN: COMPLETE
"""
HELPER = FINDER.replace("Finder", "Helper").replace("Found.", "Helping.")


def returned(block: str) -> tuple[Session, Any]:
    """The session after a handoff that returned, and its turn."""
    lines = f' "{block}"' if "\n" not in block else "".join(f"\n      {line}" for line in block.strip().splitlines())
    files = {"desk.agent.abl": DESK.replace("RETURNS", lines), "finder.agent.abl": FINDER, "helper.agent.abl": HELPER}
    run = Session(files, tools=MockTools({}), clock=FixedClock(), entry="Desk", checked=True)
    run.start()
    return run, run.say("find")


def test_map_brings_fields_of_the_child_and_set_reads_them():
    run, turn = returned('map:\n  place: shelf\nset:\n  note: shelf + "!"\n  tries: tries + 1\naction: continue')
    assert (run.value("shelf"), run.value("note"), run.value("tries")) == ("B7", "B7!", 1)
    assert turn.replies == ["Found."]
    sets = [(e["name"], e["cause"]) for e in events_of(turn, "set") if e["cause"] == "return"]
    assert sets == [("shelf", "return"), ("note", "return"), ("tries", "return")]


def test_a_handler_speaks_after_map_and_set_and_clears():
    run, turn = returned('map:\n  place: shelf\nset:\n  note: "x"\nhandler: said')
    assert turn.replies == ["Found.", "It is on B7."]
    assert run.value("note") is None
    assert run.value("shelf") == "B7"


def test_a_handler_is_named_by_one_word_too():
    assert returned("again")[1].replies == ["Found.", "Looking further."]


def test_continue_is_no_handler():
    turn = returned("continue")[1]
    assert turn.replies == ["Found."]
    assert events_of(turn, "error") == []


@pytest.mark.parametrize(
    ("block", "agents"),
    [
        ("map:\n  place: found\naction: resume_intent", ["Finder", "Helper"]),
        ("map:\n  place: found\naction: continue", ["Finder"]),
        ("map:\n  place: found\nhandler: again", ["Finder", "Helper"]),
        ("map:\n  place: found\naction: resume_intent\nhandler: said", ["Finder"]),
    ],
)
def test_routing_runs_again_only_where_the_return_resumes_the_intent(block, agents):
    turn = returned(block)[1]
    assert [e["to"] for e in events_of(turn, "handoff") if not e.get("suppressed")] == agents


def test_a_handler_that_is_not_there_is_an_error():
    turn = returned("nowhere")[1]
    (error,) = events_of(turn, "error")
    assert (error["notes"][0]["code"], error["notes"][0]["name"]) == ("RUN003", "unknown_target")
    assert turn.replies == ["Found."]
