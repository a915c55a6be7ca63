"""What models and retries see of a tool (docs/spec 08 §2, §4)."""

from abl.runtime.plan.declarations import declaration
from abl.runtime.plan.program import programs_of
from tests.abl.runtime.harness import SPEC, assert_case, load_file, spec_cases


@spec_cases("visibility")
def test_a_sentence_on_what_is_seen_of_a_tool(files, scenario):
    assert_case(files, scenario)


def test_a_parameter_with_model_false_is_not_in_the_schema():
    ((path, text),) = load_file(SPEC / "visibility.yaml")[0][1].items()
    tool = programs_of(path, text)[0].tools["find"]
    assert list(declaration(tool, "")["parameters"]["properties"]) == ["q"]
    shown = programs_of(path, text.replace("model: false", "model: true"))[0].tools["find"]
    assert list(declaration(shown, "")["parameters"]["properties"]) == ["q", "place"]
