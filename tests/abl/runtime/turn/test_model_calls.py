"""Calls that a model makes, and what follows where they fail (docs/spec 08 §7, 09 §8)."""

from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases
from tests.abl.runtime.models import Steps


@spec_cases("model_calls")
def test_calls_of_the_model(files, scenario):
    assert_case(files, scenario)


def test_a_reasoning_step_takes_as_many_turns_as_max_turns_says():
    agent = """FLOW:
  steps: [think, done]
  think:
    REASONING: true
    GOAL: "Think"
    MAX_TURNS: 1
    EXIT_WHEN: never == true
    THEN: done
  done:
    REASONING: false
    RESPOND: "Done."
    THEN: COMPLETE
"""
    run = session(agent, model=Steps("one", "two"))
    assert run.start().replies == ["one"]
    left = run.say("and now?")
    assert left.replies == ["Done."]
    assert [event["reason"] for event in events_of(left, "log")] == ["max_turns"]
