"""NLU, INTENTS and MULTI_INTENT against docs/spec 09 §10: cases of spec/intents.yaml."""

from tests.abl.runtime.harness import assert_case, spec_cases


@spec_cases("intents")
def test_a_sentence_of_the_chapter_on_understanding(files, scenario):
    assert_case(files, scenario)
