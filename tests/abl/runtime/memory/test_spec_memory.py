"""Memory and state against docs/spec 03 and 11 §3 of 12: cases of spec/memory.yaml, and what needs Python."""

import json

import pytest

from abl.runtime.memory.in_memory import FixedClock, MemoryFacts
from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases

WAIT = """FLOW:
  steps: [more]
  more:
    REASONING: false
    ON_INPUT:
      - IF: input.length > 0
        SET: word = input
        RESPOND: "{{user.tier}}"
"""
STORING = """MEMORY:
  persistent:
    - user.tier
      DEFAULT: basic
    - project.tier
      SCOPE: project
    - workflow.tier
      SCOPE: execution_tree
  remember:
    - WHEN: word IS SET
      STORE: word -> user.tier
      TTL: 30d
    - WHEN: word IS SET
      STORE: word -> project.tier
    - WHEN: word IS SET
      STORE: word -> workflow.tier
"""


@spec_cases("memory")
def test_a_sentence_of_the_memory_chapter(files, scenario):
    assert_case(files, scenario)


def test_03_1_a_fact_has_scope_owner_ttl_and_source():
    run = session(STORING + WAIT, user="u-1", session_id="s-9")
    run.start()
    writes = run.say("gold").fact_writes
    assert [(w.scope, w.owner, w.path) for w in writes] == [
        ("user", "u-1", "user.tier"),
        ("project", "", "project.tier"),
        ("execution_tree", "s-9", "workflow.tier"),
    ]
    first = writes[0]
    assert first.ttl == "30d"
    assert (first.expires_at - first.written_at).days == 30
    assert writes[1].expires_at is None
    assert {k: first.source[k] for k in ("agent", "session", "turn")} == {"agent": "Desk", "session": "s-9", "turn": 1}


def test_03_3_without_a_user_only_the_user_scope_is_unavailable():
    run = session(STORING + WAIT, user=None)
    run.start()
    turn = run.say("gold")
    assert [w.scope for w in turn.fact_writes] == ["project", "execution_tree"]
    refused = events_of(turn, "fact.refused")
    assert [r["path"] for r in refused] == ["user.tier"]
    assert run.say("x").replies == ["basic"]


def test_03_3_another_sessions_write_and_the_expiry_show_at_once():
    facts, clock = MemoryFacts(), FixedClock()
    one = session(STORING + WAIT, user="u", facts=facts, clock=clock, session_id="one")
    two = session(STORING + WAIT, user="u", facts=facts, clock=clock, session_id="two")
    other = session(STORING + WAIT, user="v", facts=facts, clock=clock, session_id="three")
    for run in (one, two, other):
        run.start()
    one.say("gold")
    assert two.value("user.tier") == "gold"
    assert other.value("user.tier") == "basic"
    assert other.value("project.tier") == "gold"
    assert two.value("workflow.tier") is None
    clock.advance(30 * 86400 - 1)
    assert two.value("user.tier") == "gold"
    clock.advance(1)
    assert two.value("user.tier") == "basic"


def test_03_4_a_condition_that_holds_on_does_not_bring_an_expired_fact_back():
    run = session(STORING + WAIT.replace("word = input", "other = input"), user="u", variables={"word": "gold"})
    run.start()
    run.advance("30d")
    run.say("x")
    assert run.fact("user.tier") is None
    run.set("word", "gold")
    run.say("x")
    assert run.fact("user.tier") == "gold"


def test_03_2_a_value_of_another_type_is_stored_with_a_warning():
    run = session("MEMORY:\n  session:\n    - word\n      TYPE: number\n" + WAIT)
    run.start()
    turn = run.say("many")
    assert run.value("word") == "many"
    notes = [note for data in events_of(turn, "set") for note in data.get("notes", ())]
    assert [(n["code"], n["name"]) for n in notes] == [("RUN005", "set.type_mismatch")]


SECRET = """MEMORY:
  persistent:
    - user.card
      SENSITIVE: true
      SENSITIVE_DISPLAY: mask
TOOLS:
  pay(card: string, note: string) -> {echo: string}
    description: "Pays"
CONSTRAINTS:
  - REQUIRE card.length > 4
    ON_FAIL: "{{card}} is too short."
FLOW:
  steps: [ask, fix]
  ask:
    REASONING: false
    CORRECTIONS: true
    GATHER:
      - card: required
        prompt: "Card?"
        sensitive: true
      - pin: required
        type: number
        prompt: "Pin for {{card}}?"
        sensitive: true
      - phone: required
        type: phone
        prompt: "Phone?"
        sensitive: true
    SET: user.card = card
    LOG: "{{card}} {{pin}}"
    CALL: pay(UPPER(card), "n {{card}} {{pin}}")
    RESPOND: "{{UPPER(card)}} {{pin}} {{phone}} {{user.card}} {{call_result.echo}}"
    THEN: fix
  fix:
    REASONING: false
    ON_INPUT:
      - IF: input contains "again"
        RESPOND: "{{recent_input}}"
"""


@pytest.mark.parametrize(
    "messages",
    [
        ["abCD-wxyz", "my pin is 4711", "555 123 4567", "again with abCD-wxyz"],
        ["abc", "abCD-wxyz", "4711", "my phone: 555 123 4567"],
        ["abCD-wxyz", "4711", "5 5 5", "555 123 4567"],
    ],
)
def test_07_10_no_event_holds_a_sensitive_value_nor_the_message_that_gave_it(messages):
    run = session(SECRET, user="u", tools={"pay": [{"result": {"echo": "abCD-wxyz"}}]})
    turns = [run.start(), *(run.say(message) for message in messages)]
    written = json.dumps([turn.events for turn in turns]).lower()
    for raw in ("abcd-wxyz", "555 123 4567", "555-123-4567", "5 5 5", "4711"):
        assert raw not in written
    assert any("ABCD-WXYZ 4711 555-123-4567 abCD-wxyz" in reply for turn in turns for reply in turn.replies)


def test_12_4_a_value_above_2_kb_is_cut_with_its_size():
    run = session("MEMORY:\n  session:\n    - word\n" + WAIT.replace("word = input", "word = REPEAT(input, 3000)"))
    run.start()
    turn = run.say("x")
    new = events_of(turn, "set")[0]["new"]
    assert new["truncated"] is True
    assert new["size"] == 3000
    assert len(run.value("word")) == 3000


def test_12_1_the_same_inputs_clock_and_seed_give_the_same_events_and_facts():
    def play():
        run = session(STORING + WAIT.replace("word = input", "word = UNIQUE_ID(6)"), user="u", seed=7)
        turns = [run.start(), run.say("a"), run.advance("1h"), run.say("b")]
        for turn in turns:
            for event in turn.events:
                event["duration_us"] = 0
        return [turn.events for turn in turns], [w.as_dict() for turn in turns for w in turn.fact_writes]

    assert play() == play()
