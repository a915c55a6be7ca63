"""The shape of events: cut texts, and what `turn.end` says when it is delivered (docs/spec 12 §4)."""

import copy
import json

import pytest

from abl.runtime import Session
from abl.runtime.events.recorder import cut_text
from abl.runtime.memory.in_memory import FixedClock, MockTools
from abl.runtime.memory.systems_in_memory import MemoryBlocks
from tests.abl.runtime.harness import events_of, session
from tests.abl.runtime.models import Steps

LONG = "x" * 5000
CUT = "x" * 2048 + "… (5,000 characters)"
TALK = """TOOLS:
  send(body: string) -> object
CONSTRAINTS:
  a:
    - WARN LENGTH(note) < 10
      ON_FAIL: "Too long: {{note}}"
FLOW:
  steps: [ask, think]
  ask:
    REASONING: false
    GATHER:
      - note: required
        prompt: "Note?"
    LOG: "noted {{note}}"
    SET: copy = note
    CALL: send(note)
    RESPOND: "You said {{note}}"
    THEN: think
  think:
    REASONING: true
    GOAL: "Use {{note}}"
    EXIT_WHEN: done == true
"""


def texts_in(value):
    """Every text at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def conversation(**more):
    """An agent that says, logs, sends and asks a model with a long text, which the user gave."""
    model = Steps(LONG, lambda r: ("send", {"body": LONG}), "short")
    blocks = MemoryBlocks(FixedClock())
    blocks.update("u-1", block_type="core", content="y" * 4000, scope="user", agent=None, expected_updated_at=None)
    run = session(TALK, tools={"send": [{"result": {"echo": LONG}}]}, model=model, user="u-1", blocks=blocks, **more)
    return run, model, [run.start(), run.say(LONG), run.say(f"{LONG}?")]


def test_no_text_in_any_event_is_much_longer_than_two_kilobytes():
    run, _, turns = conversation()
    longest = max(len(text) for turn in turns for event in turn.events for text in texts_in(event["data"]))
    assert 2048 < longest < 2100
    assert turns[1].replies == [f"You said {LONG}", LONG]
    assert run.value("note") == LONG


def test_a_message_is_cut_with_its_size_in_every_event_that_shows_it():
    _, _, turns = conversation()
    turn = turns[1]
    assert events_of(turn, "turn.start")[0]["input"] == CUT
    assert events_of(turn, "turn.end")[0]["input"] == CUT
    said = "You said " + "x" * 2039 + "… (5,009 characters)"
    assert [d["text"] for d in events_of(turn, "respond")] == [said, CUT]
    assert events_of(turn, "turn.end")[0]["replies"] == [said, CUT]
    assert events_of(turn, "log")[0]["text"].endswith("… (5,006 characters)")
    assert events_of(turn, "constraint")[0]["message_rendered"].endswith("… (5,010 characters)")
    assert events_of(turn, "model.request")[0]["goal"].endswith("… (5,004 characters)")
    assert events_of(turn, "model.response")[0]["reply"] == CUT


def test_a_value_is_cut_to_a_marker_with_its_size():
    _, _, turns = conversation()
    marker = {"truncated": True, "size": 5000, "preview": "x" * 200}
    assert events_of(turns[1], "gather.extracted")[0]["value"] == marker
    assert events_of(turns[1], "call.start")[0]["args"] == {"body": marker}
    assert events_of(turns[1], "set")[0]["new"] == marker


def test_the_model_gets_everything_whole():
    _, model, _ = conversation()
    request = model.requests[1]
    assert request["messages"][-1]["text"] == f"{LONG}?"
    assert request["variables"]["note"] == LONG
    assert request["user_memory"][0]["content"] == "y" * 4000
    assert model.requests[2]["calls"][0]["result"] == {"echo": LONG}


@pytest.mark.parametrize("size", [0, 1, 2047, 2048, 2049, 100_000])
def test_a_text_is_cut_above_2048_characters_only(size):
    text = "a" * size
    assert cut_text(text) == (text if size <= 2048 else "a" * 2048 + f"… ({size:,} characters)")


@pytest.mark.parametrize("at", [2040, 2044, 2047, 2050])
def test_a_secret_at_the_place_of_the_cut_is_not_shown_in_part(at):
    agent = """FLOW:
  steps: [ask, tell]
  ask:
    REASONING: false
    GATHER:
      - card: required
        prompt: "Card?"
        sensitive: true
    RESPOND: "{{PAD_START(card, 5000, '-')}} and {{card}}"
    THEN: tell
  tell:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "again {{input}}"
"""
    run = session(agent)
    run.start()
    turns = [run.say("4111222233334444"), run.say("-" * at + "4111222233334444" + "-" * 3000)]
    written = json.dumps([turn.events for turn in turns])
    assert "4111222233334444" in turns[1].replies[0]
    assert [size for size in range(4, 17) if "4111222233334444"[:size] in written] == []


# turn.end ---------------------------------------------------------------------------------------------------------

CHANGING = """MEMORY:
  session:
    - count
      TYPE: number
      INITIAL: 0
FLOW:
  steps: [ask, done]
  ask:
    REASONING: false
    GATHER:
      - name: required
        prompt: "Name?"
{sensitive}    SET:
      - count = count + 1
      - same = "same"
    CLEAR: [draft]
    THEN: done
  done:
    REASONING: false
    RESPOND: "Hello"
    ON_INPUT:
      - IF: input == "again"
        SET: same = "same"
"""


@pytest.mark.parametrize("sensitive", ["", "        sensitive: true\n"])
def test_turn_end_is_complete_when_it_is_delivered(sensitive):
    delivered = []
    run = session(
        CHANGING.replace("{sensitive}", sensitive), on_event=lambda event: delivered.append(copy.deepcopy(event))
    )
    run.start()
    run.set("draft", 1)
    run.say("Ada")
    turn = run.say("again")
    ends = [event["data"]["changed"] for event in delivered if event["kind"] == "turn.end"]
    shown = "[REDACTED]" if sensitive else "Ada"
    assert ends[0] == {"count": {"old": None, "new": 0}}
    assert ends[1] == {
        "draft": {"old": 1, "new": None},
        "name": {"old": None, "new": shown},
        "count": {"old": 0, "new": 1},
        "same": {"old": None, "new": "same"},
    }
    assert ends[2] == {}
    assert turn.events == delivered[-len(turn.events) :]


def test_after_a_handoff_turn_end_tells_the_changes_of_the_agent_that_has_control():
    files = {
        "a.agent.abl": 'AGENT: First\nGOAL: "x"\nHANDOFF:\n  - TO: Second\n    WHEN: input == "go"\n    CONTEXT:\n'
        "      pass: [topic]\n",
        "b.agent.abl": 'AGENT: Second\nGOAL: "y"\nMEMORY:\n  session:\n    - own\n      INITIAL: 1\n',
    }
    run = Session(files, entry="First", clock=FixedClock(), variables={"topic": "tea"}, tools=MockTools())
    run.start()
    turn = run.say("go")
    assert turn.agent == "Second"
    assert events_of(turn, "turn.end")[0]["changed"] == {
        "topic": {"old": None, "new": "tea"},
        "own": {"old": None, "new": 1},
    }


def test_a_turn_after_the_end_changes_nothing():
    run = session('FLOW:\n  steps: [a]\n  a:\n    REASONING: false\n    RESPOND: "Bye"\n    THEN: COMPLETE\n')
    run.start()
    assert events_of(run.say("hello?"), "turn.end")[0]["changed"] == {}


def test_durations_are_in_microseconds_of_the_timer():
    ticks = iter(range(7_000_000, 10**12, 5_000_000))
    run = session(
        "FLOW:\n  steps: [a]\n  a:\n    REASONING: false\n    CHECK: 1 == 1\n    THEN: COMPLETE\n",
        timer=lambda: next(ticks),
    )
    assert [e["duration_us"] for e in run.start().events if e["kind"] == "check"] == [5000]
