"""semantics.locale against docs/spec 07 §8: cases of spec/locales.yaml."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("locales")
def test_a_sentence_on_locales(files, scenario):
    assert_case(files, scenario)
