"""EXECUTION.pipeline against docs/spec 09 §4: cases of spec/pipeline.yaml, and what the model is told and offered."""

import pytest

from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases
from tests.abl.runtime.models import Steps

INTENTS = """NLU:
  intents:
    - NAME: lend
      PATTERNS: [lend]
    - NAME: city_map
      PATTERNS: [map]
"""
TOOLS = """TOOLS:
  find(a: string) -> {n: number}
    description: "Finds a book"
  draw(a: string) -> {n: number}
    description: "Draws a map"
  close() -> {n: number}
    description: "Closes the desk"
"""
DECLINE = "No known intent fits the message. Decline what is outside of your goal."


@spec_cases("pipeline")
def test_a_sentence_on_the_pipeline(files, scenario):
    assert_case(files, scenario)


def asked(settings, message, more=""):
    """The event of the pipeline and the request, for a message to an agent with these settings."""
    model = Steps("ok")
    run = session(f"EXECUTION:\n  pipeline: {settings}\n{INTENTS}{more}", model=model)
    run.start()
    turn = run.say(message)
    return events_of(turn, "pipeline"), model.requests[0]


@pytest.mark.parametrize(
    ("settings", "message", "tier", "hints"),
    [
        ("{enabled: true}", "lend it", "direct", ["The intent of the message may be: lend."]),
        ("{enabled: true}", "what a day", "reasoning", [DECLINE]),
        ("{enabled: true, intentBridge: {outOfScopeDecline: false}}", "what a day", "reasoning", []),
        (
            "{enabled: true, shortCircuit: {enabled: false}, "
            "intentBridge: {programmaticThreshold: 0.95, guidedThreshold: 0.95}}",
            "relending",
            "reasoning",
            [DECLINE],
        ),
        ("{enabled: true}", "lend a map", "guided", ["The message may have several intents: lend, city_map."]),
        (
            "{enabled: true, intentBridge: {multiIntentSignal: false}}",
            "lend a map",
            "guided",
            ["The intent of the message may be: lend."],
        ),
        ("{enabled: true, intentBridge: {enabled: false}}", "lend a map", "reasoning", []),
        (
            "{enabled: true, keywordVeto: {keywords: [never]}}",
            "Never lend",
            "guided",
            ["The intent of the message may be: lend."],
        ),
        (
            "{enabled: true, keywordVeto: {keywords: [eve]}}",
            "never lend",
            "direct",
            ["The intent of the message may be: lend."],
        ),
    ],
)
def test_the_model_is_told_what_the_message_may_be_about(settings, message, tier, hints):
    events, request = asked(settings, message)
    assert [event["tier"] for event in events] == [tier]
    assert [reminder["content"] for reminder in request["system_reminders"]] == hints


def test_a_pipeline_that_is_off_does_nothing():
    events, request = asked("{toolFilter: {maxTools: 1}}", "lend a map", TOOLS)
    assert (events, request["system_reminders"]) == ([], [])
    assert request["tools"] == ["find", "draw", "close"]


@pytest.mark.parametrize(
    ("given", "message", "tools"),
    [
        ("{maxTools: 1}", "lend a map", ["draw"]),
        ("{maxTools: 2}", "close the desk, then a map", ["draw", "close"]),
        ("{maxTools: 2}", "what else?", ["find", "draw"]),
        ("{maxTools: 1, enabled: false}", "lend a map", ["find", "draw", "close"]),
    ],
)
def test_the_model_is_offered_the_tools_that_fit(given, message, tools):
    _, request = asked(f"{{enabled: true, toolFilter: {given}}}", message, TOOLS)
    assert request["tools"] == tools
    assert [one["name"] for one in request["declarations"]] == tools


def test_an_answer_to_a_question_is_no_new_intent():
    run = session(
        f'EXECUTION:\n  pipeline: {{enabled: true}}\n{INTENTS}GATHER:\n  title:\n    prompt: "Title?"\n',
        model=Steps("Noted."),
    )
    run.start()
    assert len(events_of(run.say("hello"), "pipeline")) == 1
    turn = run.say("lend")
    assert (events_of(turn, "pipeline"), turn.replies) == ([], ["Noted."])
