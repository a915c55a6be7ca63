"""Calls that a model makes, and what follows where they fail (docs/spec 08 §7, 09 §8)."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("model_calls")
def test_calls_of_the_model(files, scenario):
    assert_case(files, scenario)
