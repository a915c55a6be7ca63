"""Flows that get control back (docs/spec 06 §8, 09 §5): the cases of spec/returning.yaml."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("returning")
def test_a_sentence_on_flows_that_go_on(files, scenario):
    assert_case(files, scenario)
