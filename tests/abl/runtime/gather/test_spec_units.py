"""Units of gathered values (docs/spec 07 §8)."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("units")
def test_a_sentence_on_units(files, scenario):
    assert_case(files, scenario)
