"""ON_SUCCESS, ON_FAILURE and ON_RESULT of a GATHER (docs/spec 06 §6.2): the cases in YAML form, and their trace."""

import pytest

from tests.abl.analysis.restyled import spellings
from tests.abl.runtime.harness import FOLDER, assert_case, events_of, load_file, session

CASES = load_file(FOLDER / "gather_outcomes.yaml")


@pytest.mark.parametrize(("files", "scenario"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_case_holds_in_yaml_form(files, scenario):
    written = {name.replace(".agent.abl", ".agent.yaml"): dict(spellings(text))["yaml"] for name, text in files.items()}
    assert_case(written, scenario)


ASK = """FLOW:
  steps: [ask]
  ask:
    REASONING: false
    GATHER:
      - n: required
        type: number
        prompt: "How many?"
        max_retries: 0
    ON_SUCCESS:
      - IF: n > 5
        RESPOND: "Many."
      - ELSE:
        RESPOND: "Few."
    ON_FAILURE:
      - IF: _validation_retries.n > 1
        THEN: COMPLETE
      - ELSE:
        RESPOND: "Digits, please."
    ON_RESULT:
      - IF: n == 2
        RESPOND: "Two."
    THEN: COMPLETE
"""


def test_branches_of_a_gather_are_traced_as_those_of_a_call():
    run = session(ASK)
    run.start()
    failed, complete = run.say("hm"), run.say("2")
    told = [(e["list"], e["index"], e["condition"], e["held"]) for e in events_of(failed, "branch")]
    assert told == [
        ("on_failure", 0, "_validation_retries.n > 1", False),
        ("on_failure", 1, None, True),
    ]
    told = [(e["list"], e["index"], e["condition"], e["held"]) for e in events_of(complete, "branch")]
    assert told == [
        ("on_success", 0, "n > 5", False),
        ("on_success", 1, None, True),
        ("on_result", 0, "n == 2", True),
    ]
    assert complete.replies == ["Few.", "Two."]


def test_the_trace_tells_which_error_a_branch_sees():
    run = session(ASK)
    run.start()
    turn = run.say("hm")
    (rejected,) = events_of(turn, "gather.rejected")
    error = {
        "type": "validation_error",
        "subtype": "gather.retries_exhausted",
        "code": "RUN008",
        "message": "n: more than 0 failed attempts",
    }
    assert rejected["state"] == {"set": {"_error": error, "error": error}}
    assert run.value("_error") == error
    assert events_of(turn, "error") == []


def test_without_a_match_the_error_is_an_event_and_its_handler_speaks():
    run = session(ASK.replace('      - ELSE:\n        RESPOND: "Digits, please."\n', ""))
    run.start()
    turn = run.say("hm")
    assert [e["name"] for e in events_of(turn, "error")] == ["gather.retries_exhausted"]
    assert turn.replies == ["An error occurred."]
    assert [e["list"] for e in events_of(turn, "branch")] == ["on_failure", "on_result"]
