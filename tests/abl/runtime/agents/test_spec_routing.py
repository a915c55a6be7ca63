"""ROUTING against docs/spec 09 §4: cases of spec/routing.yaml."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("routing")
def test_a_sentence_on_routing(files, scenario):
    assert_case(files, scenario)
