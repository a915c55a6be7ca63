"""Steps that behaviour profiles put into a flow (docs/spec 06 §11)."""

from abl.runtime import Session
from tests.abl.runtime.harness import SPEC, assert_case, load_file, spec_cases

FILES = load_file(SPEC / "insertions.yaml")[0][1]
TALK = """BEHAVIOR_PROFILE: careful
PRIORITY: 1
WHEN: true
FLOW:
  INSERTIONS:
    - BEFORE: pay
      REASONING: false
      BARGE_IN: allow
      RESPOND: "Think twice."
"""


@spec_cases("insertions")
def test_steps_that_profiles_insert(files, scenario):
    assert_case(files, scenario)


def test_an_inserted_step_is_shown_where_the_profile_has_it():
    run = Session(FILES)
    run.start()
    place = next(e["span"] for e in run.say("pay").events if e["kind"] == "respond")
    line = FILES["careful.profile.abl"].split("\n").index('      RESPOND: "Think twice."')
    assert (place["path"], place["start"]["line"], place["start"]["column"]) == ("careful.profile.abl", line + 1, 7)


def test_what_is_left_out_in_an_inserted_step_is_told_when_it_is_entered():
    def told(events):
        return [e["data"]["construct"] for e in events if e["kind"] == "not_executed"]

    run = Session({**FILES, "careful.profile.abl": TALK})
    assert told(run.start().events) == []
    assert told(run.say("pay").events) == ["BARGE_IN"]
