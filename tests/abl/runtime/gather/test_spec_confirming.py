"""Values that the user confirms, and answers that fit exactly (docs/spec 07 §11)."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("confirming")
def test_a_sentence_on_what_profiles_change_of_collecting(files, scenario):
    assert_case(files, scenario)
