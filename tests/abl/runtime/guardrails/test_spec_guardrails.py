"""GUARDRAILS against docs/spec 09 §11: cases of spec/guardrails*.yaml, and a model that is asked again."""

from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases
from tests.abl.runtime.models import Steps


@spec_cases("guardrails")
def test_a_sentence_of_the_chapter_on_guardrails(files, scenario):
    assert_case(files, scenario)


@spec_cases("guardrails_calls")
def test_a_sentence_on_calls_and_handoffs(files, scenario):
    assert_case(files, scenario)


REASK = """GUARDRAILS:
  brief:
    kind: output
    check: abl.word_count(response) <= 3
    action: reask
    max_reasks: 1
    message: "Three words at most."
"""


def test_a_model_is_asked_again_with_what_it_said_and_why():
    model = Steps("that is far too long", "much shorter now")
    run = session(REASK, model=model)
    run.start()
    turn = run.say("hello")
    assert turn.replies == ["much shorter now"]
    reminder = model.requests[1]["system_reminders"][-1]["content"]
    assert "Three words at most." in reminder
    assert "that is far too long" in reminder


def test_after_max_reasks_the_reply_is_blocked():
    run = session(REASK, model=Steps("that is far too long", "this is too long, too"))
    run.start()
    turn = run.say("hello")
    assert turn.replies == ["Three words at most."]
    assert [event["action"] for event in events_of(turn, "guardrail")] == ["reask", "reask"]


def test_what_was_asked_as_sensitive_stays_hidden_when_it_is_blocked():
    agent = (
        'GATHER:\n  pin:\n    prompt: "Pin?"\n    sensitive: true\n'
        "GUARDRAILS:\n  data:\n    kind: input\n    check: abl.contains_email(input)\n    action: block\n"
        '    message: "No."\n'
    )
    run = session(agent)
    run.start()
    run.say("hm")
    turn = run.say("pin a@b.com")
    assert turn.replies == ["No."]
    assert "a@b.com" not in str(turn.events)
