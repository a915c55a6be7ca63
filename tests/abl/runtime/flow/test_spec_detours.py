"""Detours against docs/spec 04 §5: what gets through to the guarded work, and what does not."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("detours")
def test_a_sentence_about_detours(files, scenario):
    assert_case(files, scenario)
