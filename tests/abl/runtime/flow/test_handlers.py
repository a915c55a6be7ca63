"""Digressions and sub-intents in the trace, and handoffs that wait for a flow (docs/spec 06 §7, 09 §3)."""

from __future__ import annotations

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of, session

FLOW = """FLOW:
  steps: [ask]
  ask:
    REASONING: false
    GATHER:
      - day: required
        type: date
        prompt: "Which day?"
    KIND:
      - INTENT: "opening hours"
        RESPOND: "Nine to five."
    THEN: COMPLETE
"""


@pytest.mark.parametrize(("kind", "event"), [("DIGRESSIONS", "digression"), ("SUB_INTENTS", "sub_intent")])
def test_the_trace_names_the_intent_that_was_met(kind, event):
    run = session(FLOW.replace("KIND", kind))
    run.start()
    turn = run.say("opening hours")
    assert turn.replies[0] == "Nine to five."
    assert [e["intent"] for e in events_of(turn, event)] == ["opening hours"]


def test_every_handoff_that_holds_while_a_flow_waits_is_recorded_as_suppressed():
    others = "".join(
        f'AGENT: {name}\nGOAL: "g"\nFLOW:\n  s:\n    REASONING: false\n    RESPOND: "{name}."\n    THEN: COMPLETE\n'
        for name in ("One", "Two")
    ).split("AGENT: Two")
    desk = (
        'AGENT: Desk\nGOAL: "g"\nHANDOFF:\n  - TO: One\n    WHEN: input == "x"\n  - TO: Two\n    WHEN: input == "x"\n'
    )
    files = {"d.agent.abl": desk + FLOW.replace("KIND", "DIGRESSIONS"), "o.agent.abl": others[0]}
    files["t.agent.abl"] = "AGENT: Two" + others[1]
    run = Session(files, tools=MockTools({}), clock=FixedClock(), entry="Desk", checked=True)
    run.start()
    turn = run.say("x")
    assert [(e["to"], e["suppressed"]) for e in events_of(turn, "handoff")] == [("One", True), ("Two", True)]
    assert run.value("handoff.completed") in (None, False)
