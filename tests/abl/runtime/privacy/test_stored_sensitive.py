"""A fact that is stored as sensitive is masked wherever a run shows it, whatever the running agent declares (03 §3)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts

NOW = "2026-03-01T09:00:00Z"
PIN, CARD = "PIN-7391", "4222 2222 2222 2222"

PEEK = """AGENT: Peek
GOAL: "Look"

MEMORY:
  session:
    - told
    - trip
  persistent:
    - user.pin
      SCOPE: user
    - user.copy
      SCOPE: user
    - user.card
      SCOPE: user
    - user.profile
      TYPE: object
  remember:
    - WHEN: user.pin IS SET
      STORE: user.pin -> user.copy
    - WHEN: told IS SET
      STORE: {said: told} -> user.said
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.pin, user.hidden]

CONSTRAINTS:
  rules:
    - WARN user.pin == "PIN-1"
      ON_FAIL: "Not {{user.pin}}."

FLOW:
  entry_point: hold
  steps:
    - hold
  hold:
    REASONING: false
    RESPOND: "Yes?"
    ON_INPUT:
      - IF: input startsWith "pin "
        SET: user.pin = SUBSTRING(input, 4)
        RESPOND: "Kept."
      - IF: input startsWith "say "
        SET: told = SUBSTRING(input, 4)
        RESPOND: "Heard."
      - IF: input startsWith "card "
        SET: user.card = SUBSTRING(input, 5)
        RESPOND: "Kept."
      - ELSE:
        RESPOND: "{{user.pin}}, {{MASK(user.pin, \\"last4\\")}} and {{user.hidden}}"
"""
VAULT = """AGENT: Vault
GOAL: "Keep"

MEMORY:
  persistent:
    - user.card
      SENSITIVE: true
      SENSITIVE_DISPLAY: mask
    - user.profile.ssn
      SENSITIVE: true
"""


@pytest.fixture
def facts():
    return MemoryFacts()


def stored(facts, path, value, *, sensitive=True, **masking):
    """Put a fact as a person or an earlier run left it."""
    clock = FixedClock(NOW)
    facts.put("user", "u-17", path, value, at=clock.now())
    if sensitive:
        fact = facts.get("user", "u-17", path, clock.now())
        source = {**fact.source, "sensitive": True, "masking": masking}
        facts._facts["user", "u-17", path] = replace(fact, source=source)


def begin(facts, **more):
    session = Session(
        {"peek.agent.abl": PEEK, "vault.agent.abl": VAULT},
        facts=facts,
        entry="Peek",
        user="u-17",
        clock=FixedClock(NOW),
        **more,
    )
    return session, session.start()


def source_of(turn, path):
    return next(write.source for write in turn.fact_writes if write.path == path)


def text_of(*turns):
    return json.dumps([turn.events for turn in turns], default=str)


def test_it_is_in_no_event_and_the_user_is_still_told(facts):
    stored(facts, "user.pin", PIN)
    stored(facts, "user.hidden", "H-555-x")
    session, start = begin(facts)
    turn = session.say("what?")
    assert turn.replies == [f"{PIN}, ****7391 and H-555-x"]
    for secret in (PIN, "H-555-x", "7391"):
        assert secret not in text_of(start, turn)
    assert {event["kind"] for event in start.events + turn.events} >= {"fact.read", "recall", "remember", "constraint"}
    assert "H-555" not in session.shown(turn.replies[-1])


def test_conditions_over_it_show_their_outcome_only(facts):
    stored(facts, "user.pin", PIN)
    session, _ = begin(facts)
    judged = next(event for event in session.say("what?").events if event["kind"] == "constraint")
    assert judged["data"]["outcome"] == "warned"
    assert [(ref["path"], ref["value"], ref["masked"]) for ref in judged["data"]["refs"]] == [
        ("user.pin", "[REDACTED]", True)
    ]
    assert judged["data"]["tree"]["children"][0]["value"] == "[REDACTED]"


def test_it_is_shown_as_it_is_stored(facts):
    stored(facts, "user.pin", PIN, how="mask", show_last=2, char="#")
    _, start = begin(facts)
    read = next(e for e in start.events if e["kind"] == "fact.read" and e["data"]["path"] == "user.pin")
    assert read["data"]["value"] == "######91"


def test_what_is_derived_from_it_is_stored_sensitive(facts):
    stored(facts, "user.pin", PIN)
    _, start = begin(facts)
    assert source_of(start, "user.copy")["sensitive"] is True


def test_what_was_derived_stays_masked_when_its_origin_is_gone(facts):
    stored(facts, "user.pin", PIN)
    begin(facts)
    del facts._facts["user", "u-17", "user.pin"]
    session, start = begin(facts)
    turn = session.say("and now?")
    assert session.value("user.copy") == PIN
    assert PIN not in text_of(start, turn)


def test_a_new_value_for_it_is_masked_and_stays_sensitive(facts):
    stored(facts, "user.pin", PIN, how="replace")
    session, start = begin(facts)
    turn = session.say("pin 88-new-88")
    assert "88-new-88" not in text_of(start, turn)
    assert source_of(turn, "user.pin")["masking"]["how"] == "replace"
    again, start = begin(facts)
    assert "88-new-88" not in text_of(start)
    assert again.value("user.pin") == "88-new-88"


def test_a_value_for_an_undeclared_path_that_is_sensitive_is_masked_from_its_message_on(facts):
    stored(facts, "user.said", {"said": "before"})
    session, start = begin(facts)
    turn = session.say("say 41-tulip-41")
    assert "41-tulip-41" not in text_of(start, turn)
    assert source_of(turn, "user.said")["sensitive"] is True


def test_a_declaration_of_another_agent_counts(facts):
    session, start = begin(facts)
    turn = session.say(f"card {CARD}")
    assert CARD not in text_of(start, turn)
    assert source_of(turn, "user.card")["masking"]["show_last"] == 4
    stored(facts, "user.card", CARD, sensitive=False)
    _, start = begin(facts)
    assert CARD not in text_of(start)


def test_a_value_that_holds_what_is_secret_elsewhere_is_stored_sensitive(facts):
    stored(facts, "user.pin", PIN)
    session, _ = begin(facts)
    turn = session.say(f"say it is {PIN}!")
    assert source_of(turn, "user.said")["sensitive"] is True


def test_a_value_that_a_later_step_of_the_turn_tells_to_be_secret_is_stored_sensitive(facts):
    text = PEEK.replace("STORE: {said: told} -> user.said", "STORE: told -> user.said")
    text = text.replace("  recall:", "    - WHEN: told IS SET\n      STORE: told -> user.card\n  recall:")
    session = Session(
        {"peek.agent.abl": text, "vault.agent.abl": VAULT},
        facts=facts,
        entry="Peek",
        user="u-17",
        clock=FixedClock(NOW),
    )
    session.start()
    turn = session.say(f"say {CARD}")
    assert [write.path for write in turn.fact_writes] == ["user.said", "user.card"]
    assert source_of(turn, "user.said")["sensitive"] is True
    assert CARD not in text_of(turn)


def test_of_an_object_only_the_declared_parts_are_hidden_in_a_run(facts):
    stored(facts, "user.profile", {"ssn": "078-05-1120", "city": "Graz"}, parts=True)
    _, start = begin(facts)
    read = next(e for e in start.events if e["kind"] == "fact.read" and e["data"]["path"] == "user.profile")
    assert read["data"]["value"] == {"ssn": "[REDACTED]", "city": "Graz"}


def test_somebody_may_decide_that_it_no_longer_is(facts):
    stored(facts, "user.pin", "green")
    session, _ = begin(facts)
    stored(facts, "user.pin", "yellow", sensitive=False)
    turn = session.say("what?")
    read = next(e for e in turn.events if e["kind"] == "fact.read" and e["data"]["path"] == "user.pin")
    assert read["data"]["value"] == "yellow"
    assert "sensitive" not in source_of(session.say("pin blue"), "user.pin")


def test_what_was_derived_is_no_longer_when_it_gets_another_value(facts):
    stored(facts, "user.copy", PIN, derived=True)
    stored(facts, "user.pin", "green", sensitive=False)
    _, start = begin(facts)
    assert PIN not in text_of(start)
    assert "sensitive" not in source_of(start, "user.copy")
    assert "green" in text_of(begin(facts)[1])


def test_it_is_known_after_a_restore(facts):
    stored(facts, "user.pin", PIN)
    session, _ = begin(facts)
    kept = json.loads(json.dumps(session.snapshot()))
    session = Session.restore(kept, {"peek.agent.abl": PEEK}, facts=facts, clock=FixedClock(NOW))
    assert session.shown("anything", "user.pin") == "[REDACTED]"
    assert "99-later-99" not in text_of(session.say("pin 99-later-99"))


def test_an_object_of_which_a_part_is_declared_sensitive_is_hidden_from_agents_that_declare_nothing(facts):
    text = PEEK.replace("STORE: {said: told} -> user.said", 'STORE: {ssn: told, city: "Graz"} -> user.profile')
    files = {"peek.agent.abl": text, "vault.agent.abl": VAULT}
    session = Session(files, facts=facts, entry="Peek", user="u-17", clock=FixedClock(NOW))
    session.start()
    source = source_of(session.say("say 078-05-1120"), "user.profile")
    assert (source["sensitive"], source["masking"]) == (True, {"parts": True})
    later = Session({"peek.agent.abl": PEEK}, facts=facts, user="u-17", clock=FixedClock(NOW))
    start = later.start()
    assert later.value("user.profile") == {"ssn": "078-05-1120", "city": "Graz"}
    assert "078-05-1120" not in text_of(start)


def test_the_default_of_a_sensitive_path_is_hidden_once_it_was_read(facts):
    agent = """AGENT: Desk
GOAL: "Guard"
MEMORY:
  persistent:
    - PATH: user.code
      SENSITIVE: true
      DEFAULT: "begin-4711"
FLOW:
  steps: [a]
  a:
    REASONING: false
    RESPOND: "{{user.code}}"
    ON_INPUT:
      - IF: input startsWith "is"
        RESPOND: "You said {{input}}."
"""
    session = Session({"desk.agent.abl": agent}, facts=facts, user="u-17", clock=FixedClock(NOW))
    start = session.start()
    turn = session.say("is it begin-4711?")
    assert (start.replies, turn.replies) == (["begin-4711"], ["You said is it begin-4711?."])
    assert "begin-4711" not in text_of(start, turn)
