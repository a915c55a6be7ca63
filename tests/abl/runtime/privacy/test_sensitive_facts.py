"""A sensitive fact stays out of every event, also of the message that gave it (docs/spec 03 §3, 07 §10)."""

from __future__ import annotations

import json

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts

AGENT = """AGENT: Vault
GOAL: "Keep"

MEMORY:
  persistent:
    - user.card
      TYPE: string
      SENSITIVE: true
    - user.profile
      TYPE: object
    - user.profile.ssn
      TYPE: string
      SENSITIVE: true

FLOW:
  entry_point: hold
  steps:
    - hold
  hold:
    REASONING: false
    RESPOND: "Yes?"
    ON_INPUT:
      - IF: input startsWith "4111"
        SET: user.card = input
        RESPOND: "Kept."
      - IF: input startsWith "078"
        SET: user.profile.ssn = input
        RESPOND: "Kept."
      - ELSE:
        RESPOND: "{{user.card}} and {{user.profile.ssn}}"
"""
CARD, SSN = "4111 1111", "078-05-1120"


def begin(facts):
    session = Session({"vault.agent.abl": AGENT}, facts=facts, clock=FixedClock("2026-03-01T09:00:00Z"), user="u-17")
    session.start()
    return session


def text_of(turn):
    return json.dumps(turn.events, default=str)


@pytest.mark.parametrize("secret", [CARD, SSN])
def test_a_message_that_is_set_into_one_is_in_no_event(secret):
    turn = begin(MemoryFacts()).say(secret)
    assert turn.replies == ["Kept."]
    assert secret not in text_of(turn)
    assert "[REDACTED]" in text_of(turn)


def test_what_an_earlier_session_stored_is_in_no_event_of_a_later_one():
    facts = MemoryFacts()
    first = begin(facts)
    first.say(CARD)
    first.say(SSN)
    turn = begin(facts).say("what do you know?")
    assert turn.replies == [f"{CARD} and {SSN}"]  # the user is told; the trace is not
    assert CARD not in text_of(turn)
    assert SSN not in text_of(turn)


def test_a_value_is_shown_by_the_name_it_has():
    session = begin(MemoryFacts())
    assert session.shown(CARD, "user.card") == "[REDACTED]"
    assert session.shown({"ssn": SSN, "city": "Graz"}, "user.profile") == {"ssn": "[REDACTED]", "city": "Graz"}
    assert session.shown(CARD, "user.other") == CARD
