"""STEP_CONSTRAINTS of a reasoning step (docs/spec 04 §7, 06 §4.1)."""

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from abl.runtime.scenarios.coverage import Coverage
from tests.abl.runtime.harness import events_of
from tests.abl.runtime.models import Steps

AGENT = """AGENT: Desk
GOAL: "Sell tickets"
TOOLS:
  pay(amount: number) -> object
CONSTRAINTS:
  always:
    - REQUIRE banned != true
      ON_FAIL: "Not you."
FLOW:
  steps: [talk, done]
  talk:
    REASONING: true
    GOAL: "Sell one ticket"
    EXIT_WHEN: sold == true
    STEP_CONSTRAINTS:
      - LIMIT amount <= 100
        WHEN: amount IS SET
        ON_FAIL: "That is too much."
      - REQUIRE adult == true BEFORE calling pay
        ON_FAIL: "Adults only."
      - "Never promise a seat"
    THEN: done
  done:
    REASONING: false
    RESPOND: "Bye {{amount}}"
    ON_INPUT:
      - IF: input == "end"
        THEN: COMPLETE
"""


def talk(*answers, agent=AGENT, **more):
    model = Steps(*answers)
    run = Session({"desk.agent.abl": agent}, model=model, clock=FixedClock(), **more)
    run.start()
    return run, model


def records(turn, point):
    """Index and outcome of every rule that a pass at a point looked at."""
    return [(r["index"], r["outcome"]) for r in events_of(turn, "constraint") if r["point"] == point]


def test_the_rules_join_the_passes_after_the_agents_own_while_the_step_waits():
    run, _ = talk("Which one?", "Fine")
    turn = run.say("one please")
    assert records(turn, "turn") == [(0, "passed"), (1, "gated_when"), (2, "gated_checkpoint")]
    record = events_of(turn, "constraint")[1]
    assert (record["phase"], record["kind"], record["condition_text"]) == ("STEP_CONSTRAINTS", "LIMIT", "amount <= 100")
    assert record["range"]["start"]["line"] == AGENT.splitlines().index("      - LIMIT amount <= 100") + 1


def test_a_rule_of_the_step_stops_the_work_of_the_turn():
    run, model = talk("Which one?", "never asked")
    run.set("amount", 500)
    turn = run.say("the best")
    assert turn.replies == ["That is too much."]
    assert len(model.requests) == 1
    assert turn.waiting == "reasoning"


def test_a_rule_before_a_tool_gates_the_models_call():
    run, _ = talk("Which one?", ("pay", {"amount": 5}), "never said")
    turn = run.say("buy")
    assert turn.replies == ["Adults only."]
    assert events_of(turn, "call.start") == []


def test_the_rules_end_with_their_step():
    run, _ = talk("Which one?", ("pay", {"amount": 5}), tools=MockTools({"pay": [{"result": {"ok": True}}]}))
    run.set("adult", True)
    run.set("sold", True)
    turn = run.say("buy")
    assert turn.step == "done"
    run.set("amount", 500)
    after = run.say("what now")
    assert records(after, "turn") == [(0, "passed")]
    assert after.replies == []


def test_sentences_are_text_for_the_model_beside_the_rules():
    _, model = talk("Which one?")
    assert model.requests[0]["constraints"] == [
        "REQUIRE banned != true",
        "LIMIT amount <= 100",
        "REQUIRE adult == true",
        "Never promise a seat",
    ]


def test_a_rule_on_results_judges_the_reply_of_a_step_that_ended_with_it():
    agent = """AGENT: Desk
GOAL: "Sell"
FLOW:
  steps: [talk, done]
  talk:
    REASONING: true
    STEP_CONSTRAINTS:
      - REQUIRE checked == true BEFORE returning results
        ON_FAIL: "Not checked."
    THEN: done
  done:
    REASONING: false
    RESPOND: "Done."
    ON_INPUT:
      - IF: input == "again"
        THEN: talk
"""
    run, _ = talk("Which seat?", ("look", {}), "Seat 7 is free.", agent=agent)
    turn = run.say("again")
    assert turn.replies == ["Not checked."]
    assert turn.step == "done"


def test_a_step_that_is_not_reasoning_has_no_rules_and_the_trace_is_quiet():
    agent = AGENT.replace("REASONING: true", "REASONING: false").replace("EXIT_WHEN: sold == true", "RESPOND: hi")
    run, _ = talk(agent=agent)
    turn = run.say("x")
    assert [r["index"] for r in events_of(turn, "constraint")] == [0]


@pytest.mark.parametrize("restore", [False, True])
def test_a_rule_of_a_step_may_collect_and_is_judged_again(restore):
    agent = AGENT.replace(
        '- REQUIRE adult == true BEFORE calling pay\n        ON_FAIL: "Adults only."',
        '- REQUIRE name IS SET\n        ON_FAIL:\n          RESPOND: "Your name?"\n          COLLECT: [name]\n'
        "          THEN: retry",
    )
    run, _ = talk("Which one?", "Thanks", agent=agent)
    assert run.say("one").replies == ["Your name?"]
    if restore:
        run = Session.restore(run.snapshot(), {"desk.agent.abl": agent}, model=Steps("", "Thanks"), clock=FixedClock())
    turn = run.say("Ada")
    assert turn.replies == ["Thanks"]
    assert run.value("name") == "Ada"


def test_coverage_counts_the_rules_of_steps():
    run, _ = talk("Which one?", "ok")
    coverage = Coverage({"desk.agent.abl": AGENT})
    coverage.add(run.say("x").events)
    assert coverage.report()["Desk"]["rules"]["all"] == 3
    assert coverage.report()["Desk"]["rules"]["missing"] == [1, 2]


def test_the_rules_may_stand_in_brackets():
    agent = AGENT.replace("    STEP_CONSTRAINTS:\n", '    STEP_CONSTRAINTS: [LIMIT amount <= 100, "Be kind"]\n')
    agent = "".join(line for line in agent.splitlines(keepends=True) if not line.startswith("      "))
    run, model = talk("Which one?", "never asked", agent=agent)
    assert model.requests[0]["constraints"][-2:] == ["LIMIT amount <= 100", "Be kind"]
    run.set("amount", 500)
    assert [outcome for _, outcome in records(run.say("the best"), "turn")][-1] == "failed"
