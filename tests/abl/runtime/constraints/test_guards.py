"""Guards of whole agents against docs/spec 04: several rules at once, in other orders than its examples."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("guards")
def test_a_guard_lets_through_what_it_says(files, scenario):
    assert_case(files, scenario)
