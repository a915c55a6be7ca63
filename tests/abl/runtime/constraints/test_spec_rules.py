"""Rules against docs/spec 04: what a result is, rules over fields that are asked, ON_FAIL that gives control away."""

from abl.runtime.scenarios.player import run_scenario
from tests.abl.runtime.harness import SPEC, assert_case, events_of, load_file, spec_cases


@spec_cases("results")
def test_a_sentence_about_results(files, scenario):
    assert_case(files, scenario)


@spec_cases("collecting")
def test_a_sentence_about_rules_and_collecting(files, scenario):
    assert_case(files, scenario)


@spec_cases("moving")
def test_a_sentence_about_giving_control_away(files, scenario):
    assert_case(files, scenario)


@spec_cases("dates")
def test_a_sentence_about_dates_in_rules(files, scenario):
    assert_case(files, scenario)


def test_the_model_of_a_target_without_an_entry_reads_the_history():
    named = {name.rpartition(": ")[2]: case for name, *case in load_file(SPEC / "moving.yaml")}
    files, scenario = named["04 §5 without an entry the history goes along"]
    turn = run_scenario(scenario, files).turns[-1]
    (request,) = events_of(turn, "model.request")
    assert "score: 9" in str(request["messages"])
