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


REDACTING = """GUARDRAILS:
  data:
    kind: input
    check: abl.contains_pii(input)
    action: redact
  shout:
    kind: input
    check: UPPER(input) != input
    action: redact
    priority: 200
  keys:
    kind: output
    check: not_matches_pattern(response, "key-[0-9]+")
    action: redact
    priority: 300
MEMORY:
  session:
    - key
      INITIAL: "key-4711"
FLOW:
  entry_point: a
  a:
    REASONING: false
    RESPOND: "Hi."
    ON_INPUT:
      - IF: input contains "key"
        RESPOND: "Take {{key}}."
      - ELSE:
        RESPOND: "You said {{input}}"
        SET: said = input
"""


def test_what_is_redacted_in_a_message_is_in_no_event():
    sent = []
    run = session(REDACTING, on_event=sent.append)
    run.start()
    turn = run.say("  my mail is ada@example.org and not SSN 123-45-6789  ")
    assert turn.replies == ["You said my mail is [REDACTED] and not SSN [REDACTED]"]
    later = run.say("hello")
    for told in (turn.events, sent, later.events, [run.shown("ada@example.org")]):
        assert "ada@" not in str(told)
        assert "6789" not in str(told)
    assert events_of(turn, "turn.start")[0]["input"].strip() == "my mail is [REDACTED] and not SSN [REDACTED]"


def test_a_message_that_is_redacted_as_a_whole_is_in_no_event_either():
    run = session(REDACTING)
    run.start()
    turn = run.say(" QUIET PLEASE ")
    assert turn.replies == ["You said [REDACTED]"]
    assert "QUIET" not in str(turn.events)


def test_a_redacted_reply_is_shown_as_it_was_said():
    run = session(REDACTING)
    run.start()
    turn = run.say("a key please")
    assert turn.replies == ["Take [REDACTED]."]
    assert [said["text"] for said in events_of(turn, "respond")] == ["Take [REDACTED]."]
    assert "Take key-4711" not in str(turn.events)
