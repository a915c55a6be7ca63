"""DELEGATE and LOOKUP_TABLES against docs/spec 07 §8, 09 §6: cases of spec/delegating.yaml and spec/lookups.yaml."""

from tests.abl.runtime.harness import assert_case, spec_cases
from tests.abl.runtime.models import Steps


@spec_cases("delegating")
def test_a_sentence_on_delegates(files, scenario):
    assert_case(files, scenario)


@spec_cases("lookups")
def test_a_sentence_on_lookup_tables(files, scenario):
    assert_case(files, scenario)


def test_a_model_is_told_what_a_delegate_returned_and_what_to_do_with_it():
    from abl.runtime import Session
    from abl.runtime.memory.in_memory import FixedClock

    desk = """AGENT: Desk
GOAL: "Lend"
GATHER:
  title:
    prompt: "Title?"
DELEGATE:
  - AGENT: Finder
    WHEN: title IS SET
    PURPOSE: "Find it"
    INPUT: {title}
    RETURNS: {place: shelf}
    USE_RESULT: "Say on which shelf it is"
"""
    finder = """AGENT: Finder
GOAL: "Find"
FLOW:
  entry_point: f
  f:
    REASONING: false
    SET: place = "B 7"
    THEN: COMPLETE
"""
    model = Steps("It is on B 7.")
    run = Session({"d.agent.abl": desk, "f.agent.abl": finder}, entry="Desk", model=model, clock=FixedClock())
    run.start()
    turn = run.say("title: Atlas")
    assert turn.replies == ["It is on B 7."]
    assert model.requests[0]["recalled"] == ["Finder: shelf = B 7. Say on which shelf it is"]
