"""The Python face of the runtime: sessions, snapshots, traces (docs/spec 12 §1, §4)."""

import json

import pytest

from abl import check
from abl.runtime import NotRunnable, Session
from abl.runtime.events.reading import state_at, without_durations
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts, MockTools
from abl.runtime.ports import ToolContext, ToolResult
from abl.runtime.scenarios.player import run_scenario
from tests.abl.runtime.harness import load_cases
from tests.every import every

KEYS = ["seq", "parent", "turn", "kind", "at", "duration_us", "agent", "step", "span", "status", "data"]
STATUSES = {"ok", "passed", "failed", "warned", "gated", "skipped", "inert", "not_reached", "not_executed", "error"}
DESK = """AGENT: Desk
GOAL: "Lend"
MEMORY:
  session:
    - ticket
      INITIAL: "none"
  persistent:
    - user.pin
      SENSITIVE: true
      SENSITIVE_DISPLAY: mask
      MASK_CONFIG: {showLast: 2}
  remember:
    - WHEN: pin IS SET
      STORE: pin -> user.pin
CONSTRAINTS:
  checks:
    - LIMIT pin.length <= 8
      ON_FAIL: "Your pin {{pin}} is too long."
FLOW:
  steps: [ask, done]
  ask:
    REASONING: false
    GATHER:
      - pin: required
        prompt: "Pin?"
        sensitive: true
    SET:
      - copy = UPPER(pin)
      - ticket = UNIQUE_ID(8)
    THEN: done
  done:
    REASONING: false
    RESPOND: "Pin {{pin}} is fine."
    ON_INPUT:
      - IF: input == "bye"
        THEN: COMPLETE
"""


def session(text=DESK, **more):
    return Session({"desk.agent.abl": text}, clock=FixedClock(), user="u-1", **more)


def test_events_have_the_documented_shape_and_are_numbered():
    seen = []
    run = session(on_event=seen.append)
    turns = [run.start(), run.say("abcd1234"), run.say("bye")]
    assert seen == [event for turn in turns for event in turn.events]
    assert [e["seq"] for e in seen] == list(range(1, len(seen) + 1))
    for event in seen:
        assert list(event) == KEYS
        assert event["status"] in STATUSES
        assert event["parent"] is None or event["parent"] < event["seq"]
    assert json.loads(json.dumps(seen)) == seen


def test_a_span_is_the_place_in_the_file():
    turn = session().start()
    entered = next(e for e in turn.events if e["kind"] == "step.enter")
    line = DESK.splitlines().index("  ask:") + 1
    assert entered["span"]["path"] == "desk.agent.abl"
    assert entered["span"]["start"] == {"line": line, "column": 3}


def test_a_sensitive_value_is_in_no_event_but_in_the_reply():
    run = session()
    run.start()
    turn = run.say("abcd1234")
    assert turn.replies == ["Pin abcd1234 is fine."]
    written = json.dumps(turn.events).lower()
    assert "abcd1234" not in written
    assert "******34" in written
    assert [w.value for w in turn.fact_writes] == ["abcd1234"]
    later = run.say("my pin is abcd1234")
    assert "abcd1234" not in json.dumps(later.events)


def test_a_sensitive_value_that_fails_a_rule_is_masked_in_tree_and_message():
    run = session()
    run.start()
    turn = run.say("abcd12345678")
    assert turn.replies == ["Your pin abcd12345678 is too long."]
    assert "abcd12345678" not in json.dumps(turn.events)


def test_a_record_explains_the_rule():
    run = session()
    run.start()
    record = next(e for e in run.say("abcd1234").events if e["kind"] == "constraint")["data"]
    assert record["phase"] == "checks"
    assert record["lowered_text"] == "pin.length <= 8"
    assert record["tree"]["op"] == "<="
    assert [r["path"] for r in record["refs"]] == ["pin.length"]
    assert record["refs"][0]["masked"] is True
    assert record["policy"] == "evaluate"


def test_same_inputs_and_seed_give_the_same_events_and_another_seed_other_ids():
    def play(seed):
        run = session(seed=seed)
        return without_durations([*run.start().events, *run.say("abcd1234").events]), run.value("ticket")

    assert play(1) == play(1)
    assert play(1)[1] != play(2)[1]


def test_state_is_a_fold_over_the_events():
    run = session()
    events = [*run.start().events, *run.say("abcd1234").events]
    start = next(e["seq"] for e in events if e["kind"] == "step.enter")
    assert state_at(events, start)["variables"] == {"ticket": "none"}
    assert state_at(events, start)["step"] == "ask"
    end = state_at(events, events[-1]["seq"])
    assert end["agent"] == "Desk"
    assert end["waiting"] == "input"
    assert set(end["variables"]) == {"ticket", "pin", "copy"}
    assert end["variables"]["ticket"] == run.value("ticket")
    assert end["facts"] == {"user.pin": "******34"}
    assert end["messages"][0] == {"from": "agent", "text": "Pin?"}


@every((name, (files, scenario)) for name, files, scenario in load_cases())
@pytest.mark.slow
def test_the_fold_gives_the_variables_that_the_session_has(files, scenario):
    result = run_scenario(scenario, files)
    ids = {e["data"]["session_id"] for e in result.events if e["kind"] == "session.start"}
    if len(ids) != 1:
        return  # several sessions number their events anew
    last = result.turns[-1]
    folded = state_at(result.events, result.events[-1]["seq"])["variables"]
    assert folded == {name: value for name, value in last.state.items() if name != "match"}


def test_inspecting_between_turns_leaves_no_trace():
    run = session()
    run.start()
    before = run.snapshot()
    assert run.value("user.pin") is None
    assert run.fact("user.pin") is None
    assert run.snapshot() == before


def test_errors_in_the_files_refuse_the_run():
    broken = DESK.replace("AGENT: Desk\n", "AGENT: Desk\nUNHEARD_OF: x\n")
    with pytest.raises(NotRunnable) as refused:
        session(broken)
    assert refused.value.diagnostics
    assert "UNHEARD_OF" in str(refused.value)


def test_an_error_behind_warnings_refuses_the_run():
    broken = DESK + "UNHEARD_OF: x\n"
    found = check({"desk.agent.abl": broken}).diagnostics
    severities = [problem.severity for problem in found]
    assert severities.index("warning") < severities.index("error")
    with pytest.raises(NotRunnable, match="UNHEARD_OF"):
        session(broken, problems=found)


@pytest.mark.parametrize(
    ("files", "entry", "words"),
    [
        ({}, None, "no agent"),
        ({"a.abl": 'AGENT: A\nGOAL: "x"\n'}, "B", "no agent 'B'"),
        ({"a.abl": 'AGENT: A\nGOAL: "x"\n', "b.abl": 'AGENT: B\nGOAL: "x"\n'}, None, "name the entry agent"),
    ],
)
def test_a_missing_entry_is_named(files, entry, words):
    with pytest.raises(NotRunnable, match=words):
        Session(files, entry=entry)


def test_wrong_use_is_refused_with_a_clear_error():
    run = session()
    with pytest.raises(ValueError, match="call start"):
        run.say("x")
    with pytest.raises(ValueError, match="evaluate"):
        session(policy="maybe")
    run.start()
    with pytest.raises(ValueError, match="started before"):
        run.start()
    with pytest.raises(ValueError, match="2 hours"):
        run.advance("2 hours")


def test_a_snapshot_of_another_format_is_refused():
    run = session()
    run.start()
    snapshot = run.snapshot()
    snapshot["state"]["format"] = 99
    with pytest.raises(ValueError, match="format 99"):
        Session.restore(snapshot, {"desk.agent.abl": DESK})


def test_a_snapshot_needs_its_agents():
    run = session()
    run.start()
    with pytest.raises(NotRunnable, match="Desk"):
        Session.restore(run.snapshot(), {"a.abl": 'AGENT: A\nGOAL: "x"\n'})


class FailingTools:
    def call(self, name, args, context):
        raise RuntimeError("port broken")


def test_a_fault_of_a_port_commits_nothing():
    text = """AGENT: Desk
GOAL: "x"
TOOLS:
  find(item: string)
    description: "Find"
MEMORY:
  persistent:
    - user.note
FLOW:
  steps: [a]
  a:
    REASONING: false
    SET: user.note = "x"
    CALL: find("x")
    THEN: COMPLETE
"""
    facts = MemoryFacts()
    run = session(text, facts=facts, tools=FailingTools())
    with pytest.raises(RuntimeError):
        run.start()
    assert facts.get("user", "u-1", "user.note", FixedClock().now()) is None


def test_facts_are_committed_once_per_turn_in_order():
    commits = []

    class Watched(MemoryFacts):
        def commit(self, writes, now):
            commits.append([w.path for w in writes])
            super().commit(writes, now)

    run = session(facts=Watched())
    run.start()
    run.say("abcd1234")
    run.say("x")
    assert commits == [["user.pin"]]


def test_a_fact_write_tells_who_wrote_it():
    run = session()
    run.start()
    turn = run.say("abcd1234")
    (write,) = turn.fact_writes
    event = next(e for e in turn.events if e["seq"] == write.source["event"])
    assert event["kind"] == "fact.write"
    assert write.source["cause"] == "remember#0"
    assert write.source["span"]["start"]["line"] == DESK.splitlines().index("    - WHEN: pin IS SET") + 1
    assert (write.scope, write.owner, write.source["agent"], write.source["turn"]) == ("user", "u-1", "Desk", 1)


def test_mock_cases_are_chosen_by_condition_times_and_default():
    tools = MockTools(
        {"t": [{"when": "n > 5", "result": "big"}, {"result": "once", "times": 1}, {"default": True, "result": "rest"}]}
    )

    context = ToolContext("s", 1, FixedClock().now(), None, {})
    answers = [tools.call("t", {"n": n}, context).value for n in (9, 1, 1, 7)]
    assert answers == ["big", "once", "rest", "big"]
    assert isinstance(tools.call("other", {}, context), ToolResult)
    assert tools.call("other", {}, context).generated


def test_large_values_are_cut_in_events():
    text = """AGENT: Desk
GOAL: "x"
FLOW:
  steps: [a]
  a:
    REASONING: false
    SET: big = REPEAT("x", 5000)
    THEN: COMPLETE
"""
    turn = session(text).start()
    new = next(e for e in turn.events if e["kind"] == "set")["data"]["new"]
    assert new == {"truncated": True, "size": 5000, "preview": "x" * 200}


def test_turn_end_names_what_changed():
    run = session()
    run.start()
    end = run.say("abcd1234").events[-1]
    assert end["kind"] == "turn.end"
    assert end["data"]["changed"]["pin"] == {"old": None, "new": "[REDACTED]"}
    assert "ticket" in end["data"]["changed"]


def test_users_cannot_raise():
    run = session()
    run.start()
    for text in ("", " ", "\x00", "{{pin}}", "a" * 100_000, "\ud800", "${x}", "%s %d"):
        turn = run.say(text)
        assert (turn.events[0]["kind"], turn.events[-1]["status"]) == ("turn.start", "ok")


def test_a_seed_gives_the_same_numbers_in_every_version_so_that_recorded_conversations_replay():
    run = session(seed=7)
    run.start()
    run.say("abcd1234")
    assert run.value("ticket") == "9ocNNGEQ"
