"""What `redact`, `filter` and `fix` make of a text, by every form of a check (docs/spec 09 §11)."""

from __future__ import annotations

import pytest

from tests.abl.runtime.harness import events_of, session

TEXT = "Call Ada at ada@x.org about Code-77 or code-8."


def said(lines: str, text: str = TEXT) -> list[str]:
    """What a message of the agent becomes under one guardrail."""
    rule = "".join(f"    {line}\n" for line in lines.strip("\n").splitlines())
    flow = f"FLOW:\n  steps: [a]\n  a:\n    REASONING: false\n    RESPOND: {text!r}\n    THEN: COMPLETE\n"
    return (
        session(f'GUARDRAILS:\n  one:\n    kind: output\n{rule}    message: "No."\n{flow}', checked=True)
        .start()
        .replies
    )


@pytest.mark.parametrize(
    ("check", "reply"),
    [
        ("abl.contains_email(output)", "Call Ada at [REDACTED] about Code-77 or code-8."),
        ("abl.matches_pattern(output, 'ode-[0-9]+')", "Call Ada at ada@x.org about C[REDACTED] or c[REDACTED]."),
        ("NOT (output matches /code-[0-9]+/i)", "Call Ada at ada@x.org about [REDACTED] or [REDACTED]."),
        ("NOT (output matches /code-[0-9]+/)", "Call Ada at ada@x.org about Code-77 or [REDACTED]."),
        ("NOT (output matches 'code-[0-9]+')", "Call Ada at ada@x.org about Code-77 or [REDACTED]."),
        ("NOT (output.matches('code-[0-9]+'))", "Call Ada at ada@x.org about Code-77 or [REDACTED]."),
        ("NOT (output contains 'Ada')", "Call [REDACTED] at ada@x.org about Code-77 or code-8."),
        ("NOT (output.contains('Ada'))", "Call [REDACTED] at ada@x.org about Code-77 or code-8."),
        (
            "NOT (output contains 'Ada' AND abl.contains_email(output))",
            "Call [REDACTED] at [REDACTED] about Code-77 or code-8.",
        ),
        (
            "NOT (output contains 'about Code' AND output contains 'Code-77')",
            "Call Ada at ada@x.org [REDACTED] or code-8.",
        ),
        ("abl.matches_pattern(output, '[0-9]*')", "Call Ada at ada@x.org about Code-[REDACTED] or code-[REDACTED]."),
        ("NOT (output contains 'Bob')", TEXT),
        ("output contains 'Bob'", "[REDACTED]"),
    ],
)
def test_redacting_takes_out_what_the_check_looks_for(check, reply):
    assert said(f'check: "{check}"\naction: redact') == [reply]


@pytest.mark.parametrize(
    ("text", "least", "reply"),
    [("Ada is in.", 1, " is in."), ("Ada is in.", 6, " is in."), ("Ada is in.", 7, "No."), ("Ada", 0, "No.")],
)
def test_filtering_blocks_where_too_little_is_left(text, least, reply):
    lines = f"check: \"NOT (output contains 'Ada')\"\naction: filter\nfilter_min_length: {least}"
    assert said(lines, text) == [reply]


@pytest.mark.parametrize(
    ("check", "strategy", "text", "reply"),
    [
        ("abl.word_count(output) > 3", "truncate", "one two three four five", "one two three"),
        ("abl.word_count(output) >= 3", "truncate", "one two three four five", "one two"),
        ("abl.word_count(output) > 5", "truncate", "one two three four five", "one two three four five"),
        ("abl.sentence_count(output) > 1", "truncate", "One. Two. Three.", "One."),
        ("abl.length(output) > 5", "truncate", "abcdefgh", "abcde"),
        ("abl.length(output) >= 5", "truncate", "abcdefgh", "abcd"),
        ("NOT (output contains '<b>')", "strip_html", "a <b>bold</b> word", "a bold word"),
        ("abl.contains_email(output)", "redact_pii", "to ada@x.org now", "to [REDACTED] now"),
    ],
)
def test_fixing_mends_the_text(check, strategy, text, reply):
    assert [r.strip() for r in said(f'check: "{check}"\naction: fix\nfix_strategy: {strategy}', text)] == [reply]


def test_what_a_fix_does_not_mend_is_blocked():
    assert said("check: \"NOT (output contains 'Ada')\"\naction: fix\nfix_strategy: strip_html", "Ada <b>x</b>") == [
        "No."
    ]


def test_what_a_guardrail_says_is_not_judged():
    agent = """GUARDRAILS:
  names:
    kind: output
    check: "NOT (output contains 'Ada')"
    action: redact
  numbers:
    kind: input
    check: "NOT (input contains '77')"
    action: block
    message: "No numbers of Ada."
FLOW:
  steps: [a]
  a:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "Ada has {{input}}."
"""
    run = session(agent, checked=True)
    run.start()
    assert run.say("77?").replies == ["No numbers of Ada."]
    assert run.say("78").replies == ["[REDACTED] has 78."]


SECRET_LIMIT = """GUARDRAILS:
  most:
    kind: output
    check: "1 / (TO_NUMBER(limit) - LESS) == 1"
    action: warn
FLOW:
  steps: [ask, tell]
  ask:
    REASONING: false
    GATHER:
      - limit: required
        prompt: "Limit?"
        sensitive: true
    THEN: tell
  tell:
    REASONING: false
    RESPOND: "Fine."
    THEN: COMPLETE
"""


@pytest.mark.parametrize(
    ("number", "fired", "error"), [("7391", True, "it cannot be computed from these values"), ("7390", False, None)]
)
def test_an_error_over_a_sensitive_value_tells_nothing_of_it_and_no_error_is_none(number, fired, error):
    run = session(SECRET_LIMIT.replace("LESS", number), checked=True)
    run.start()
    (judged,) = events_of(run.say("7391"), "guardrail")
    assert (judged["fired"], judged.get("error")) == (fired, error)
