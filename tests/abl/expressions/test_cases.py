"""The cases that come with the specification, and that ours are still the same ones."""

from pathlib import Path

import pytest

from abl.expressions import Expression, ExpressionError, compile_expression, compile_template
from tests.reading import read_yaml

NOW = "2026-03-01T09:00:00.000Z"
CASES = Path(__file__).parents[2] / "cases"
SHARED = Path(__file__).parents[4] / "shared" / "cases"


def results(expression: Expression, context: dict) -> list:
    """The value by every way there is to get it; the second round runs what the first one compiled."""
    found = []
    for _ in range(2):
        found.append(expression.evaluate_once(context, NOW).value)  # not compiled in the first round
        found.append(expression.evaluate(context, now=NOW))
        found.append(expression.evaluate_checked(context, NOW).value)
        found.append(expression.explain(context, NOW)["value"])
        found.append(expression.explain(context, NOW, full=True)["value"])
        found.append(expression.evaluate(Lazy(context), now=NOW))
    return found


class Lazy:
    """A context that is no dict, as the engine uses it."""

    def __init__(self, values: dict) -> None:
        self.values = values

    def resolve(self, parts: tuple[str, ...]) -> object:
        from abl.expressions.scope import read

        return read(self.values, parts)


@pytest.mark.parametrize("case", read_yaml(CASES / "expressions.yaml"), ids=lambda case: case["expr"])
def test_expression_case(case):
    context = case.get("context", {})
    if case.get("error"):
        with pytest.raises(ExpressionError):
            compile_expression(case["expr"])
        return
    expression = compile_expression(case["expr"])
    if case.get("fails"):
        assert compile_expression(f" {case['expr']}").evaluate_once(context, NOW).error  # another one, not compiled
        assert results(expression, context) == [None] * 12
        assert expression.holds(context, now=NOW) is False
        assert expression.evaluate_checked(context, NOW).error
        assert expression.explain(context, NOW)["status"] == "error"
        return
    wanted = case["value"]
    for value in results(expression, context):
        assert value == wanted
        assert isinstance(value, bool) == isinstance(wanted, bool)
    assert expression.holds(context, now=NOW) is case.get("holds", bool(wanted))
    assert expression.holds(context, now=NOW) is case.get("holds", bool(wanted))


@pytest.mark.parametrize("case", read_yaml(CASES / "templates.yaml"), ids=lambda case: case["template"])
def test_template_case(case):
    assert compile_template(case["template"]).render(case.get("context", {}), NOW) == case["text"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the specification is not beside this checkout")
@pytest.mark.parametrize("name", ["expressions.yaml", "templates.yaml"])
def test_the_cases_are_in_step_with_the_specification(name):
    assert (CASES / name).read_text(encoding="utf-8") == (SHARED / name).read_text(encoding="utf-8")


def test_what_is_evaluated_once_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl.expressions.compiling.compiler.build", lambda *given: pytest.fail("compiled"))
    assert compile_expression("seen_once + 41 == 42").evaluate_once({"seen_once": 1}).value is True
