"""Profiles against docs/spec 09 §12: cases of spec/profiles.yaml, and what reaches the model."""

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock
from tests.abl.runtime.harness import assert_case, events_of, spec_cases
from tests.abl.runtime.models import Steps


@spec_cases("profiles")
def test_a_sentence_of_the_chapter_on_profiles(files, scenario):
    assert_case(files, scenario)


DESK = 'AGENT: Desk\nGOAL: "Lend"\nINSTRUCTIONS: "Own."\nUSE BEHAVIOR_PROFILE: low\nUSE BEHAVIOR_PROFILE: high\n'
LOW = 'BEHAVIOR_PROFILE: low\nPRIORITY: 1\nWHEN: true\nINSTRUCTIONS: "Low."\n'
HIGH = 'BEHAVIOR_PROFILE: high\nPRIORITY: 9\nWHEN: turn_count > 0\nINSTRUCTIONS: "High."\n'


def test_instructions_reach_the_model_highest_priority_first():
    model = Steps("Yes.", "Yes.")
    files = {"d.agent.abl": DESK, "l.profile.abl": LOW, "h.profile.abl": HIGH}
    run = Session(files, entry="Desk", model=model, clock=FixedClock())
    start = run.start()
    assert [event["active"] for event in events_of(start, "profile")] == [["low"]]
    turn = run.say("hello")
    assert model.requests[0]["instructions"] == "Own.\nHigh.\nLow."
    assert [event["active"] for event in events_of(turn, "profile")] == [["high", "low"]]
    assert events_of(run.say("again"), "profile") == []
