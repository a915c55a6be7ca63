"""GATHER of a profile: FIELD_OVERRIDES, applied last while the profile is active (docs/spec 07 §1, §11)."""

from __future__ import annotations

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of

DESK = """AGENT: Desk
GOAL: "Lend"
USE BEHAVIOR_PROFILE: evening
USE BEHAVIOR_PROFILE: strict
MEMORY:
  session:
    - late
      TYPE: boolean
      INITIAL: LATE
    - hard
      TYPE: boolean
      INITIAL: HARD
FLOW:
  steps: [ask]
  ask:
    REASONING: false
    GATHER:
      - items: required
        type: number
        prompt: "How many?"
      - name: required
        prompt: "Who?"
    RESPOND: "{{items}} for {{name}}."
    THEN: COMPLETE
"""
EVENING = """BEHAVIOR_PROFILE: evening
PRIORITY: 1
WHEN: late == true
GATHER:
  FIELD_OVERRIDES:
    items:
      prompt: "How many tonight?"
      validation: "items < 3"
    name:
      NAMED
"""
STRICT = """BEHAVIOR_PROFILE: strict
PRIORITY: 2
WHEN: hard == true
GATHER:
  FIELD_OVERRIDES:
    items:
      prompt: "How many, strictly?"
"""


def talk(named: str, *said: str, late: bool = True, hard: bool = False) -> list[list[str]]:
    """The replies of each turn."""
    desk = DESK.replace("LATE", str(late).lower()).replace("HARD", str(hard).lower())
    files = {"desk.agent.abl": desk, "e.profile.abl": EVENING.replace("NAMED", named), "s.profile.abl": STRICT}
    run = Session(files, tools=MockTools({}), clock=FixedClock(), checked=True)
    return [run.start().replies, *(run.say(text).replies for text in said)]


def test_the_prompt_is_that_of_the_active_profile():
    assert talk("skip: true")[0] == ["How many tonight?"]
    assert talk("skip: true", late=False)[0] == ["How many?"]


def test_of_two_profiles_the_one_with_the_higher_priority_wins():
    assert talk("skip: true", hard=True)[0] == ["How many, strictly?"]


def test_a_field_that_is_skipped_is_not_asked():
    assert talk("skip: true", "2")[1] == ["2 for ."]
    assert talk("skip: false", "2")[1] == ["Who?"]


@pytest.mark.parametrize(("required", "reply"), [("false", "2 for ."), ("true", "Who?")])
def test_a_field_may_be_made_optional(required, reply):
    assert talk(f"required: {required}", "2")[1] == [reply]


def test_the_validation_is_that_of_the_active_profile():
    assert talk("skip: true", "3")[1] != ["3 for ."]
    assert talk("skip: true", "3", late=False)[1] == ["Who?"]


def test_the_profiles_that_hold_are_recorded():
    desk = DESK.replace("LATE", "true").replace("HARD", "false")
    files = {"desk.agent.abl": desk, "e.profile.abl": EVENING.replace("NAMED", "skip: true"), "s.profile.abl": STRICT}
    turn = Session(files, tools=MockTools({}), clock=FixedClock(), checked=True).start()
    (event,) = events_of(turn, "profile")
    assert (event["active"], event["was"]) == (["evening"], [])
    assert [(p["name"], p["holds"]) for p in event["profiles"]] == [("strict", False), ("evening", True)]
