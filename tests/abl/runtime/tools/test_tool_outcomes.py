"""``on_result``, ``on_error`` and ``process`` of a tool (docs/spec 08 §5, §7)."""

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of, session
from tests.abl.runtime.models import Steps

FLOW = """FLOW:
  steps: [work, won, lost]
  work:
    REASONING: false
    CALL: draw(id)
    ON_SUCCESS:
      RESPOND: "caller success"
    ON_FAILURE:
      RESPOND: "caller failure"
    THEN: won
  won:
    REASONING: false
    RESPOND: "won {{ticket}}"
    THEN: COMPLETE
  lost:
    REASONING: false
    RESPOND: "lost {{ticket}}"
    THEN: COMPLETE
"""


def tool(block, signature="draw(id: string) -> object"):
    """The TOOLS section of one tool with more properties, given without their margin."""
    lines = "".join(f"    {line}\n" for line in block.strip("\n").splitlines())
    return f"TOOLS:\n  {signature}\n{lines}  other(value: string) -> object\n"


def play(block, result, flow=FLOW, **more):
    """The first turn of a flow that calls the tool."""
    cases = {"draw": [result if "result" in result or "error" in result else {"result": result}]}
    cases |= more.pop("cases", {})
    return session(tool(block) + flow, tools=cases, variables={"id": "b1"}, **more).start()


# on_result, on_error ----------------------------------------------------------------------------------------------

BRANCHES = """
on_result:
  do:
    - SET: ticket = result.number
    - IF: result.prize == "car"
      RESPOND: "A car for {{result.number}}!"
      THEN: won
    - IF: result.prize == "pen"
      RESPOND: "A pen."
    - ELSE:
      THEN: lost
    - LOG: "drawn {{result.number}}"
"""


def test_the_first_branch_that_holds_runs_and_its_exit_stops_the_callers_branches():
    turn = play(BRANCHES, {"number": 7, "prize": "car"})
    assert turn.replies == ["A car for 7!", "won 7"]
    assert [d["text"] for d in events_of(turn, "log")] == []


def test_without_an_exit_the_list_goes_on_and_then_the_callers_branches():
    turn = play(BRANCHES, {"number": 8, "prize": "pen"})
    assert turn.replies == ["A pen.", "caller success", "won 8"]
    assert [d["text"] for d in events_of(turn, "log")] == ["drawn 8"]


def test_else_runs_when_no_branch_holds():
    assert play(BRANCHES, {"number": 9}).replies == ["lost 9"]


def test_set_and_do_run_in_authored_order_with_the_result_in_scope():
    turn = play(
        "on_result:\n  set:\n    ticket: result.a\n  do:\n    - SET: ticket = ticket + 1\n    - CLEAR: [id]\n", {"a": 1}
    )
    assert turn.replies[-1] == "won 2"
    assert "id" not in turn.state


def test_on_error_runs_on_a_failure_with_the_error_in_scope():
    block = """
on_error:
  do:
    - SET: ticket = error.code
    - RESPOND: "It failed: {{error.message}}"
"""
    turn = play(block, {"error": {"subtype": "http_5xx", "code": "E1", "message": "down"}})
    assert turn.replies == ["It failed: down", "caller failure", "won E1"]


def test_a_call_in_the_list_is_a_real_call_with_the_result_as_argument():
    block = """
on_result:
  do:
    - CALL: other
      WITH:
        value: result.number
      AS: told
    - RESPOND: "other says {{told.ok}}"
"""
    turn = play(block, {"number": "n-1"}, cases={"other": [{"when": 'value == "n-1"', "result": {"ok": "yes"}}]})
    assert turn.replies[0] == "other says yes"
    assert [(c["tool"], c["origin"]) for c in events_of(turn, "call.start")] == [("draw", "flow"), ("other", "do")]


def test_calls_that_call_each_other_come_to_an_end():
    block = """
on_result:
  do:
    - CALL: draw
      WITH:
        id: id
"""
    turn = play(block, {"number": 1})
    assert len(events_of(turn, "call.start")) == 11
    assert [e["name"] for e in events_of(turn, "error")] == ["nested_calls"]
    assert turn.ended


@pytest.mark.parametrize(("action", "ended", "escalated"), [("COMPLETE: true", True, False)])
def test_complete_ends_the_flow(action, ended, escalated):
    turn = play(f"on_result:\n  do:\n    - {action}\n", {})
    assert turn.ended is ended
    assert "won" not in " ".join(turn.replies)


def test_handoff_moves_control():
    block = "on_result:\n  do:\n    - HANDOFF: Human\n"
    files = {
        "desk.agent.abl": 'AGENT: Desk\nGOAL: "x"\n' + tool(block) + FLOW,
        "human.agent.abl": 'AGENT: Human\nGOAL: "y"\nON_START:\n  RESPOND: "Human here."\n',
    }
    run = Session(
        files, tools=MockTools({"draw": [{"result": {}}]}), variables={"id": "b"}, entry="Desk", clock=FixedClock()
    )
    turn = run.start()
    assert (turn.replies, turn.agent) == (["Human here."], "Human")


def test_what_a_tool_cannot_do_is_recorded_as_not_executed():
    turn = play("on_result:\n  do:\n    - RETURN\n    - DELEGATE: Other\n  unknown: x\n", {})
    constructs = [d["construct"] for d in events_of(turn, "not_executed")]
    assert constructs == ["on_result.unknown"]
    assert [(d["to"], d["error"]["subtype"]) for d in events_of(turn, "delegate")] == [("Other", "unknown_target")]
    assert turn.replies == ["caller success", "won "]


def reasoning(block, *answers, **more):
    """An agent without a flow whose model calls the tool."""
    run = Session(
        {"desk.agent.abl": 'AGENT: Desk\nGOAL: "x"\n' + tool(block)},
        model=Steps(*answers),
        clock=FixedClock(),
        tools=MockTools({"draw": [more.pop("case", {"result": {"number": 7, "prize": "car"}})]}),
        **more,
    )
    run.start()
    return run.say("draw")


def test_the_list_runs_for_calls_of_the_model_and_a_step_is_ignored_with_a_warning_outside_a_flow():
    turn = reasoning(BRANCHES, ("draw", {"id": "b1"}), "Congratulations")
    assert turn.replies == ["A car for 7!", "Congratulations"]
    assert turn.state["ticket"] == 7
    warned = [n for d in events_of(turn, "log") for n in d.get("notes", ())]
    assert [(n["level"], n["name"]) for n in warned] == [("warn", "exit_ignored")]


def test_a_model_in_a_step_takes_the_exit_of_the_list():
    flow = """FLOW:
  steps: [think, won, lost]
  think:
    REASONING: true
    THEN: lost
  won:
    REASONING: false
    RESPOND: "won"
    THEN: COMPLETE
  lost:
    REASONING: false
    RESPOND: "lost"
    THEN: COMPLETE
"""
    run = session(
        tool(BRANCHES) + flow,
        tools={"draw": [{"result": {"prize": "car"}}]},
        model=Steps(("draw", {"id": "b"}), "never said"),
    )
    assert run.start().replies == ["A car for !", "won"]


def test_complete_of_the_list_ends_an_agent_without_a_flow():
    turn = reasoning("on_result:\n  do:\n    - RESPOND: bye\n    - COMPLETE: true\n", ("draw", {"id": "b1"}), "no")
    assert turn.replies == ["bye"]
    assert turn.ended


def test_the_list_runs_for_calls_of_a_hook():
    agent = tool('on_result:\n  do:\n    - RESPOND: "from the hook"\n') + 'ON_START:\n  CALL: draw("b")\n'
    assert session(agent, tools={"draw": [{"result": {}}]}).start().replies == ["from the hook"]


def test_a_blocked_call_runs_what_neither_speaks_nor_leads_on():
    block = """
on_error:
  do:
    - SET: ticket = error.subtype
    - RESPOND: "not said"
    - THEN: lost
"""
    rule = 'CONSTRAINTS:\n  a:\n    - REQUIRE ok == true BEFORE calling draw\n      ON_FAIL: "No."\n'
    turn = play(block, {}, flow=rule + FLOW)
    assert turn.replies == ["No.", "won blocked"]


# process ----------------------------------------------------------------------------------------------------------


def process(stage, lines, on_fail=""):
    written = "".join(f"    {line}\n" for line in lines.strip("\n").splitlines())
    return f"process:\n  {stage}:\n{written}" + (f"    on_fail: {on_fail}\n" if on_fail else "")


def called(block, result=None, args='"b1", 2', **more):
    """What a flow says about a call of ``draw(id, count)``."""
    flow = f"""FLOW:
  steps: [work]
  work:
    REASONING: false
    CALL: draw({args})
      AS: got
    ON_SUCCESS:
      RESPOND: "ok {{{{got.total}}}}{{{{got.message}}}}"
    ON_FAILURE:
      RESPOND: "failed {{{{got.error.subtype}}}}: {{{{got.error.message}}}}"
    THEN: COMPLETE
"""
    agent = tool(block, "draw(id: string, count: number) -> object") + flow
    return session(agent, tools={"draw": [result or {"result": {"amount": 10, "total": 1}}]}, **more).start()


def sent(turn):
    return [c["args"] for c in events_of(turn, "call.start")]


def test_before_computes_parameters_from_parameters_top_to_bottom_and_coerces_them():
    turn = called(process("before", "params:\n  id: UPPER(id)\n  count: TO_STRING(count + 1)"))
    assert sent(turn) == [{"id": "B1", "count": 3}]
    assert events_of(turn, "tool.process")[0] == {
        "tool": "draw",
        "stage": "before",
        "changed": {"id": "B1", "count": 3},
    }


def test_a_requirement_that_does_not_hold_blocks_the_call_with_its_text():
    turn = called(process("before", "require:\n  - count > 5\n  - id IS SET", 'block("Too few.")'))
    assert turn.replies == ["failed process_failed: Too few."]
    assert sent(turn) == []
    event = events_of(turn, "tool.process")[0]
    assert (event["failed"], event["on_fail"]) == ("draw: count > 5 does not hold", "block")


@pytest.mark.parametrize(
    ("on_fail", "said", "calls"),
    [
        ("", "failed process_failed: draw: count > 5 does not hold", []),
        ('reask("Say more.")', "failed process_failed: Say more.", []),
        ('warn("Few.")', "ok 1", [{"id": "B1", "count": 2}]),
        ("use_original", "ok 1", [{"id": "b1", "count": 2}]),
        ('fallback("Nothing drawn for {{whom}}.")', "ok Nothing drawn for you.", []),
    ],
)
def test_each_form_of_on_fail_before_the_call(on_fail, said, calls):
    block = process("before", "params:\n  id: UPPER(id)\nrequire:\n  - count > 5", on_fail)
    turn = called(block, variables={"whom": "you"})
    assert turn.replies == [said]
    assert sent(turn) == calls


def test_a_parameter_that_cannot_be_computed_or_does_not_fit_is_a_failure():
    assert called(process("before", "params:\n  count: id")).replies == [
        "failed process_failed: draw: count does not fit number"
    ]


def test_after_makes_an_object_of_fields_over_the_result():
    turn = called(process("after", "result:\n  total: result.amount * 2"))
    assert turn.replies == ["ok 20"]
    assert turn.state["got"] == {"total": 20}
    assert turn.state["last_draw_result"] == {"total": 20}


def test_a_failed_call_is_not_processed():
    turn = called(process("after", "result:\n  total: 5"), {"error": "rate_limit"})
    assert turn.replies == ["failed rate_limit: rate_limit"]


@pytest.mark.parametrize(
    ("on_fail", "said"),
    [
        ('block("Odd.")', "failed process_failed: Odd."),
        ("use_original", "ok 1"),
        ('warn("Odd.")', "ok 1"),
        ('fallback("Odd.")', "ok Odd."),
    ],
)
def test_each_form_of_on_fail_after_the_call(on_fail, said):
    turn = called(process("after", "result:\n  total: 1 / result.zero", on_fail), {"result": {"zero": 0, "total": 1}})
    assert turn.replies == [said]


def test_a_rule_judges_before_the_transform_and_the_tool_gets_its_result():
    rule = 'CONSTRAINTS:\n  a:\n    - REQUIRE limit > 1 BEFORE calling draw\n      ON_FAIL: "No."\n'
    block = process("before", "require:\n  - false", 'fallback("not reached")')
    flow = FLOW.replace("draw(id)", 'draw("b", 1)')
    run = session(
        tool(block, "draw(id: string, count: number) -> object") + rule + flow, tools={"draw": [{"result": {}}]}
    )
    turn = run.start()
    assert turn.replies[0] == "No."
    assert events_of(turn, "tool.process") == []


def test_a_named_transform_is_not_known_here():
    turn = called(process("before", "use: tidy"))
    assert [d["construct"] for d in events_of(turn, "not_executed")] == ["use"]
    assert turn.replies == ["ok 1"]


def test_the_model_is_told_why_a_call_was_refused_and_may_try_again():
    block = process("before", "require:\n  - LENGTH(id) > 3", 'reask("The id is too short.")')
    model = Steps(
        ("draw", {"id": "b1"}),
        lambda r: ("draw", {"id": "b1-long"}),
        lambda r: r["calls"][0]["error"]["error"]["message"],
    )
    run = Session(
        {"d.agent.abl": 'AGENT: Desk\nGOAL: "x"\n' + tool(block)},
        model=model,
        clock=FixedClock(),
        tools=MockTools({"draw": [{"result": {}}]}),
    )
    run.start()
    turn = run.say("draw")
    assert turn.replies == ["The id is too short."]
    assert sent(turn) == [{"id": "b1-long"}]
