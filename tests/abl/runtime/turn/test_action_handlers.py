"""ACTION_HANDLERS of an agent without FLOW (docs/spec 06 §6.4, 09 §14): clicks on what a message shows."""

from __future__ import annotations

import pytest

from tests.abl.runtime.harness import events_of, session

AGENT = """MEMORY:
  session:
    - open
      TYPE: boolean
      INITIAL: true
    - taken
ACTION_HANDLERS:
  take:
    CONDITION: open == false
    RESPOND: "Closed."
  keep:
    RESPOND: "Kept."
    SET: taken = action.value
"""


def clicked(action, value, agent=AGENT):
    run = session(agent, checked=True)
    run.start()
    return run, run.act(action, value)


def test_the_handler_of_the_action_runs_with_its_value():
    run, turn = clicked("keep", "Atlas")
    assert turn.replies == ["Kept."]
    assert run.value("taken") == "Atlas"
    assert [(e["mode"], e["action"], e["value"]) for e in events_of(turn, "on_input")] == [("action", "keep", "Atlas")]


@pytest.mark.parametrize(("open_", "replies"), [("false", ["Closed."]), ("true", [])])
def test_a_handler_runs_only_while_its_condition_holds(open_, replies):
    turn = clicked("take", "x", AGENT.replace("INITIAL: true", f"INITIAL: {open_}"))[1]
    assert turn.replies == replies


def test_a_click_without_a_handler_does_nothing():
    turn = clicked("other", "x")[1]
    assert events_of(turn, "on_input") == []
