"""Consent before a call from the model, a hook or ON_START (docs/spec 08 §6)."""

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of
from tests.abl.runtime.models import Steps

HEAD = 'AGENT: Desk\nGOAL: "Pay"\n'
TOOLS = """TOOLS:
  pay(amount: number, card?: string) -> object
    confirm: always
  look(id: string) -> object
"""
ASK = ("pay", {"amount": 5})
QUESTION = "pay(amount: 5): yes or no?"


def start(agent, *answers, **more):
    """A session and its first turn; ``pay`` succeeds."""
    tools = MockTools({"pay": [{"result": {"paid": True}}], "look": [{"result": {"seen": True}}]})
    run = Session(
        {"desk.agent.abl": HEAD + TOOLS + agent},
        tools=tools,
        model=Steps(*answers) if answers else None,
        clock=FixedClock(),
        **more,
    )
    return run, run.start()


def again(run, agent, *answers):
    """The session in another process."""
    tools = MockTools({"pay": [{"result": {"paid": True}}]})
    return Session.restore(
        run.snapshot(),
        {"desk.agent.abl": HEAD + TOOLS + agent},
        tools=tools,
        clock=FixedClock(),
        model=Steps(*answers) if answers else None,
    )


def paid(*turns):
    """Arguments of the calls of ``pay`` that were made."""
    return [call["args"] for turn in turns for call in events_of(turn, "call.start") if call["tool"] == "pay"]


# The model --------------------------------------------------------------------------------------------------------


def outcome(request):
    """What the model says about its last call."""
    call = request["calls"][-1]
    return "paid" if "result" in call else call["error"]["error"]["subtype"]


@pytest.mark.parametrize("restore", [False, True])
@pytest.mark.parametrize(("answer", "said", "calls"), [("yes", "paid", [{"amount": 5}]), ("no", "declined", [])])
def test_a_call_of_the_model_waits_for_the_answer_and_then_the_model_goes_on(answer, said, calls, restore):
    run, _ = start("", ASK, outcome)
    asked = run.say("pay please")
    assert (asked.replies, asked.waiting) == ([QUESTION], "tool_confirm")
    assert paid(asked) == []
    assert events_of(asked, "call.confirm")[0]["args"] == {"amount": 5}
    if restore:
        run = again(run, "", ASK, outcome)
    answered = run.say(answer)
    assert answered.replies == [said]
    assert paid(answered) == calls
    assert answered.waiting == "input"


def test_any_other_text_is_asked_again_once_and_then_counts_as_no():
    run, _ = start("", ASK, outcome)
    run.say("pay please")
    unclear = run.say("hm")
    assert (unclear.replies, unclear.waiting) == ([QUESTION], "tool_confirm")
    turn = run.say("hm")
    assert turn.replies == ["declined"]
    assert paid(turn) == []


def test_calls_before_the_question_are_not_forgotten_by_the_answer():
    run, _ = start("", ("look", {"id": "x"}), ASK, lambda r: ", ".join(call["tool"] for call in r["calls"]))
    run.say("go")
    assert run.say("yes").replies == ["look, pay"]


def test_a_second_call_asks_again():
    run, _ = start("", ASK, ("pay", {"amount": 6}), outcome)
    run.say("pay please")
    second = run.say("yes")
    assert second.replies == ["pay(amount: 6): yes or no?"]
    assert paid(second, run.say("yes")) == [{"amount": 5}, {"amount": 6}]


STEP = """FLOW:
  steps: [think, done]
  think:
    REASONING: true
    EXIT_WHEN: last_pay_result.paid == true
    THEN: done
  done:
    REASONING: false
    RESPOND: "Done."
    THEN: COMPLETE
"""


@pytest.mark.parametrize("restore", [False, True])
def test_a_model_in_a_step_waits_too_and_the_step_goes_on_behind_the_call(restore):
    run, first = start(STEP, ASK, "not asked: EXIT_WHEN holds")
    assert (first.replies, first.waiting, first.step) == ([QUESTION], "tool_confirm", "think")
    if restore:
        run = again(run, STEP, ASK, "not asked")
    turn = run.say("yes")
    assert turn.replies == ["Done."]
    assert turn.ended


def test_a_rule_may_still_stop_the_call_after_the_yes():
    rule = 'CONSTRAINTS:\n  a:\n    - REQUIRE open != false BEFORE calling pay\n      ON_FAIL: "Closed."\n'
    run, _ = start(rule, ASK, "never said")
    run.say("pay please")
    run.set("open", False)
    turn = run.say("yes")
    assert turn.replies == ["Closed."]
    assert paid(turn) == []


# ON_START and hooks -----------------------------------------------------------------------------------------------

FLOW = """FLOW:
  steps: [ask, done]
  ask:
    REASONING: false
    GATHER:
      - name: required
        prompt: "Your name?"
    THEN: done
  done:
    REASONING: false
    RESPOND: "Hello {{name}}, {{got.paid}}{{got.error.subtype}}"
    ON_INPUT:
      - IF: input == "bye"
        THEN: COMPLETE
"""
ON_START = """ON_START:
  SET: amount = 5
  CALL: pay(amount)
    AS: got
  CALL: look("x")
  RESPOND: "Welcome."
"""


@pytest.mark.parametrize("restore", [False, True])
@pytest.mark.parametrize(("answer", "said", "calls"), [("yes", "true", [{"amount": 5}]), ("no", "declined", [])])
def test_on_start_waits_and_the_flow_begins_after_the_answer(answer, said, calls, restore):
    run, first = start(ON_START + FLOW)
    assert (first.replies, first.waiting, first.step) == ([QUESTION], "tool_confirm", None)
    if restore:
        run = again(run, ON_START + FLOW)
    second = run.say(answer)
    assert second.replies == ["Welcome.", "Your name?"]
    assert paid(second) == calls
    assert [c["tool"] for c in events_of(second, "call.start")][-1] == "look"
    assert run.say("Ada").replies == [f"Hello Ada, {said}"]


def test_on_start_of_a_reasoning_agent_waits_for_the_next_message_after_the_answer():
    run, first = start(ON_START, "model reply")
    assert first.replies == [QUESTION]
    second = run.say("yes")
    assert (second.replies, second.waiting) == (["Welcome."], "input")
    assert run.say("hi").replies == ["model reply"]


def hooked(name, condition="", more=""):
    counted = f"HOOKS:\n  {name}:\n    SET: runs = ADD(COALESCE(runs, 0), 1)\n"
    return f"{counted}    CALL: pay(5)\n      AS: got\n{condition}{more}"


def test_before_turn_holds_the_message_up_until_the_answer():
    guard = "      WHEN: runs == 1\n"
    run, first = start(hooked("before_turn", guard) + FLOW)
    assert first.replies == ["Your name?"]
    asked = run.say("Ada")
    assert (asked.replies, asked.waiting) == ([QUESTION], "tool_confirm")
    assert run.value("name") is None
    answered = run.say("yes")
    assert paid(answered) == [{"amount": 5}]
    assert answered.replies == ["Hello Ada, true"]
    assert run.value("runs") == 1
    assert run.say("more").replies == []
    assert run.value("runs") == 2


def test_before_agent_holds_on_start_and_the_flow_up():
    run, first = start(hooked("before_agent") + 'ON_START:\n  RESPOND: "Welcome."\n' + FLOW)
    assert first.replies == [QUESTION]
    assert run.say("no").replies == ["Welcome.", "Your name?"]
    assert run.say("Ada").replies == ["Hello Ada, declined"]


def test_after_turn_asks_at_the_end_and_the_answer_is_not_taken_for_anything_else():
    guard = "      WHEN: name IS SET AND got IS NOT SET\n"
    run, _ = start(hooked("after_turn", guard, '    RESPOND: "That was all."\n') + FLOW)
    turn = run.say("Ada")
    assert (turn.replies, turn.waiting) == (["Hello Ada, ", QUESTION], "tool_confirm")
    answered = run.say("yes")
    assert paid(answered) == [{"amount": 5}]
    assert answered.replies == ["That was all."]
    assert (answered.step, answered.waiting) == ("done", "input")


def test_an_agent_that_is_handed_to_waits_before_it_works():
    files = {
        "desk.agent.abl": HEAD + 'HANDOFF:\n  - TO: Till\n    WHEN: input == "pay"\n',
        "till.agent.abl": 'AGENT: Till\nGOAL: "y"\n' + TOOLS + ON_START + FLOW.replace("done:", "done:"),
    }
    run = Session(files, entry="Desk", clock=FixedClock(), tools=MockTools({"pay": [{"result": {"paid": True}}]}))
    run.start()
    asked = run.say("pay")
    assert (asked.replies, asked.agent, asked.waiting) == ([QUESTION], "Till", "tool_confirm")
    assert run.say("yes").replies == ["Welcome.", "Your name?"]


@pytest.mark.parametrize("where", ["after_agent", "COMPLETE"])
def test_where_nobody_can_be_asked_any_more_the_call_is_not_made(where):
    call = "    CALL: pay(5)\n"
    hook = f"HOOKS:\n  after_agent:\n{call}" if where == "after_agent" else ""
    done = 'COMPLETE:\n  - WHEN: input == "bye"\n' + (call if where == "COMPLETE" else "") + "    RESPOND: Bye\n"
    run, _ = start(hook + done, "hm", "hm")
    turn = run.say("bye")
    assert turn.ended
    assert paid(turn) == []
    assert [e["error"]["error"]["subtype"] for e in events_of(turn, "call.end")] == ["declined"]


def test_a_call_inside_of_a_tools_own_list_is_not_made_without_consent():
    agent = (
        HEAD
        + """TOOLS:
  look(id: string) -> object
    on_result:
      do:
        - CALL: pay
          WITH:
            amount: 5
  pay(amount: number) -> object
    confirm: always
"""
    )
    run = Session(
        {"d.agent.abl": agent},
        clock=FixedClock(),
        model=Steps(("look", {"id": "x"}), "done"),
        tools=MockTools({"look": [{"result": {}}], "pay": [{"result": {}}]}),
    )
    run.start()
    turn = run.say("look")
    assert turn.replies == ["done"]
    assert paid(turn) == []


def test_the_question_and_its_events_mask_what_comes_from_sensitive_values():
    agent = """FLOW:
  steps: [ask]
  ask:
    REASONING: false
    GATHER:
      - pan: required
        prompt: "Card?"
        sensitive: true
    CALL: pay
      WITH:
        amount: 5
        card: SUBSTRING(pan, 0, 8)
    THEN: COMPLETE
"""
    run, _ = start(agent)
    asked = run.say("4111222233334444")
    assert asked.replies == ["pay(amount: 5, card: [REDACTED]): yes or no?"]
    assert run.say("yes").ended
