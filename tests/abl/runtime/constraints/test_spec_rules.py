"""Rules against docs/spec 04: what a result is, rules over fields that are asked, ON_FAIL that gives control away."""

from tests.abl.runtime.harness import assert_case, spec_cases


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
