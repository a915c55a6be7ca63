"""A step whose WHEN does not hold is skipped, and the trace says by what (docs/spec 06 §4.2)."""

from __future__ import annotations

import pytest

from abl.runtime import Session
from tests.abl.runtime.harness import events_of, session

AGENT = """MEMORY:
  session:
    - n
      TYPE: number
      INITIAL: NUMBER
FLOW:
  steps: [a, b]
  a:
    REASONING: false
    WHEN: n == 2
    RESPOND: "Two."
    THEN: b
  b:
    REASONING: false
    RESPOND: "End."
    THEN: COMPLETE
"""


@pytest.mark.parametrize(
    ("number", "replies", "skipped"),
    [("2", ["Two.", "End."], []), ("1", ["End."], [{"step": "a", "when": "n == 2"}])],
)
def test_a_step_runs_where_its_when_holds(number, replies, skipped):
    turn = session(AGENT.replace("NUMBER", number)).start()
    assert turn.replies == replies
    assert [{key: told[key] for key in ("step", "when")} for told in events_of(turn, "step.skipped")] == skipped


def test_steps_that_are_skipped_in_a_circle_end_at_the_limit_however_high_it_is():
    run = Session({"desk.agent.abl": CIRCLE})
    assert [e["data"]["code"] for e in run.start().events if e["kind"] == "error"] == ["RUN002"]


CIRCLE = """AGENT: Desk
GOAL: "Lend"
EXECUTION:
  max_flow_iterations: 5000
FLOW:
  a:
    REASONING: false
    WHEN: n == 1
    THEN: b
  b:
    REASONING: false
    WHEN: n == 1
    THEN: a
"""
