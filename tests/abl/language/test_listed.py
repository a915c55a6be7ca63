"""Entries of lists and mappings mean the same in every form: intents with their patterns, parameters of tools."""

from __future__ import annotations

import pytest

from abl import check, parse
from abl.runtime.plan.declarations import declaration
from tests.abl.runtime.harness import HEAD, events_of, session

PATH = "desk.agent.abl"
FLOW = """FLOW:
  steps: [ask]
  ask:
    REASONING: false
    DIGRESSIONS:
      - INTENT: refund
        RESPOND: "Money back."
        RESUME: true
    GATHER:
      - title: required
        prompt: "Which book?"
    THEN: COMPLETE
"""
INTENTS = {
    "NAME first": "    - NAME: refund\n      PATTERNS: [return it]\n",
    "NAME last": "    - PATTERNS: [return it]\n      NAME: refund\n",
}
PARAMETERS = {
    "a mapping": "      token:\n        hidden: true\n        source: {source}\n",
    "a list": (
        "      - name: token\n        hidden: true\n        source: {source}\n"
        "      - name: title\n        type: string\n"
    ),
}
TOOLS = """TOOLS:
  find(title: string, token: string) -> {{id: string}}
    description: "Finds"
    parameters:
{parameters}"""


@pytest.mark.parametrize("written", INTENTS.values(), ids=INTENTS)
def test_patterns_of_an_intent_are_read_in_every_form(written: str) -> None:
    desk = session(f"NLU:\n  intents:\n{written}{FLOW}")
    desk.start()
    assert events_of(desk.say("I want to return it"), "digression")


@pytest.mark.parametrize("written", PARAMETERS.values(), ids=PARAMETERS)
def test_a_hidden_parameter_is_kept_from_the_model_in_every_form(written: str) -> None:
    text = HEAD + TOOLS.format(parameters=written.format(source="config"))
    tool = parse(text, PATH).agents[0].tools[0]
    assert list(declaration(tool, "")["parameters"]["properties"]) == ["title"]


@pytest.mark.parametrize("written", PARAMETERS.values(), ids=PARAMETERS)
def test_an_unknown_source_is_told_in_every_form(written: str) -> None:
    text = HEAD + TOOLS.format(parameters=written.format(source="confgi"))
    problem = next(problem for problem in check({PATH: text}).diagnostics if problem.code == "ABL838")
    assert text[problem.span.start : problem.span.end] == "confgi"
    assert [fix.edits[0].text for fix in problem.fixes] == ["config"]


def test_a_known_slip_says_what_was_meant() -> None:
    text = f'{HEAD}GATHER:\n  card:\n    prompt: "Card?"\n    validation_process: cel\n'
    problem = next(problem for problem in check({PATH: text}).diagnostics if problem.code == "ABL945")
    assert "CODE" in problem.message
    assert [fix.edits[0].text for fix in problem.fixes] == ["CODE"]


def test_a_threshold_out_of_its_limits_is_told_once() -> None:
    text = f"{HEAD}EXECUTION:\n  pipeline:\n    intentBridge:\n      guidedThreshold: 7\n"
    assert [problem.code for problem in check({PATH: text}).errors] == ["ABL904"]
