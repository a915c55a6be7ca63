"""Constraints against docs/spec 04: cases of spec/constraints.yaml, the ON_FAIL tables of §5, the record of §10."""

import pytest

from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases


@spec_cases("constraints")
def test_a_sentence_of_the_constraints_chapter(files, scenario):
    assert_case(files, scenario)


ASK = """FLOW:
  steps: [ask, other, done]
  ask:
    REASONING: false
    GATHER:
      - item: required
        prompt: "Which?"
    THEN: done
  other:
    REASONING: false
    RESPOND: "other step"
    ON_INPUT:
      - IF: input == "x"
        THEN: done
  done:
    REASONING: false
    RESPOND: "done {{item}}"
    THEN: COMPLETE
"""
BOSS = """AGENT: Boss
GOAL: "Decide"
FLOW:
  steps: [a]
  a:
    REASONING: false
    RESPOND: "Boss has {{input}}."
    ON_INPUT:
      - IF: input == "x"
        RESPOND: "y"
"""
GENERIC = "That is not possible right now."
FORMS = {
    "a quoted message": ('"No {{item}}."', "respond", ["No b1."]),
    "single quotes": ("'No {{item}}.'", "respond", ["No b1."]),
    "unquoted text": ("No, not {{item}}", "respond", ["No, not b1"]),
    "lower-case words are text": ("block it", "respond", ["block it"]),
    "a pipe block": ("|\n      No\n      {{item}}.", "respond", ["No\nb1."]),
    "RESPOND with text": ('RESPOND "No."', "respond", ["No."]),
    "BLOCK": ("BLOCK", "block", []),
    "BLOCK with a text": ('BLOCK "Stop {{item}}."', "block", ["Stop b1."]),
    "HANDOFF": ("HANDOFF Boss", "handoff", ["Boss has b1."]),
    "ESCALATE with a reason": ("ESCALATE too risky", "escalate", ["Escalating to human agent. Reason: too risky"]),
    "a block with RESPOND only": ('\n      RESPOND: "No."', "respond", ["No."]),
    "a block with GOTO": ('\n      RESPOND: "Go."\n      GOTO: other', "goto", ["Go.", "other step"]),
    "a block with COLLECT": ('\n      RESPOND: "Again."\n      COLLECT: [item]', "collect", ["Again.", "Which?"]),
    "a block with one COLLECT name": ("\n      COLLECT: item\n      THEN: retry", "collect", ["Which?"]),
}


@pytest.mark.parametrize(("written", "action", "replies"), FORMS.values(), ids=FORMS)
def test_04_5_the_form_of_on_fail_decides_the_action(written, action, replies):
    rule = f'CONSTRAINTS:\n  - REQUIRE item == "b2"\n    ON_FAIL: {written}\n'
    run = with_boss(rule + ASK)
    run.start()
    turn = run.say("b1")
    record = next(r for r in events_of(turn, "constraint") if r["point"] == "turn")
    assert (record["outcome"], record["action"]["type"]) == ("failed", action)
    assert turn.replies == replies
    assert "done b1" not in turn.replies


def with_boss(agent):
    from abl.runtime import Session
    from abl.runtime.memory.in_memory import FixedClock
    from tests.abl.runtime.harness import HEAD

    return Session({"desk.agent.abl": HEAD + agent, "boss.agent.abl": BOSS}, entry="Desk", clock=FixedClock())


CALLING = """TOOLS:
  issue(item: string) -> {ok: boolean}
    description: "Issues"
CONSTRAINTS:
  - REQUIRE item == "b2"@BEFORE@
    ON_FAIL: @FORM@
FLOW:
  steps: [wait, work, other]
  wait:
    REASONING: false
    ON_INPUT:
      - IF: input.length > 0
        SET: item = input
        THEN: work
  work:
    REASONING: false
    CALL: issue(item)
    ON_FAILURE:
      RESPOND: "branch speaks"
      THEN: wait
    SET: issued = {item: item, by: call_result}
    RESPOND: "issued {{issued.item}}"
    THEN: wait
  other:
    REASONING: false
    RESPOND: "other step"
    ON_INPUT:
      - IF: input == "x"
        THEN: wait
"""
SPOKEN = '"No {{item}}."'
GOTO = "\n      RESPOND: Go.\n      GOTO: other"
COLLECT = "\n      COLLECT: [item]\n      RESPOND: Which?\n      THEN: retry"
HUMAN = "Escalating to human agent. Reason: risky"
STOPS = [
    # pass, ON_FAIL, replies, step, waiting, calls made
    ("turn", SPOKEN, ["No b1."], "wait", "input", 0),
    ("turn", "BLOCK", [], "wait", "input", 0),
    ("turn", COLLECT, ["Which?"], "wait", "gather", 0),
    ("turn", GOTO, ["Go.", "other step"], "other", "input", 0),
    ("turn", "HANDOFF Boss", ["Boss has b1."], "a", "input", 0),
    ("turn", "ESCALATE risky", [HUMAN], "wait", None, 0),
    ("tool_call", SPOKEN, ["No b1."], "wait", "input", 0),
    ("tool_call", "BLOCK", ["branch speaks"], "wait", "input", 0),
    ("tool_call", COLLECT, ["Which?"], "work", "gather", 0),
    ("tool_call", GOTO, ["Go.", "other step"], "other", "input", 0),
    ("tool_call", "HANDOFF Boss", ["Boss has b1."], "a", "input", 0),
    ("tool_call", "ESCALATE risky", [HUMAN], "work", None, 0),
    ("response", SPOKEN, ["No b1."], "wait", "input", 1),
    ("response", "BLOCK", [], "wait", "input", 1),
    ("response", COLLECT, ["Which?"], "wait", "gather", 1),
    ("response", GOTO, ["Go.", "other step"], "other", "input", 1),
    ("response", "HANDOFF Boss", ["Boss has b1."], "a", "input", 1),
    ("response", "ESCALATE risky", [HUMAN], "wait", None, 1),
]
BEFORE = {"turn": "", "tool_call": " BEFORE calling issue", "response": " BEFORE returning results"}


@pytest.mark.parametrize(("point", "form", "replies", "place", "calls"), [(*r[:3], r[3:5], r[5]) for r in STOPS])
def test_04_5_what_a_failure_stops(point, form, replies, place, calls):
    step, waiting = place
    run = with_boss(CALLING.replace("@BEFORE@", BEFORE[point]).replace("@FORM@", form))
    run.start()
    turn = run.say("b1")
    assert turn.replies == replies
    assert turn.step == step
    if waiting is not None:
        assert turn.waiting == waiting
    assert len(events_of(turn, "call.end")) == calls
    failed = next(r for r in events_of(turn, "constraint") if r["outcome"] == "failed")
    assert failed["point"] == point


@pytest.mark.parametrize("point", ["turn", "tool_call", "response"])
def test_04_5_collect_goes_on_where_its_pass_stopped(point):
    run = with_boss(CALLING.replace("@BEFORE@", BEFORE[point]).replace("@FORM@", COLLECT))
    run.start()
    first, again, last = run.say("b1"), run.say("b3"), run.say("b2")
    assert [first.replies, again.replies] == [["Which?"], ["Which?"]]
    assert last.replies == (["issued b1"] if point == "response" else ["issued b2"])
    made = [e["args"] for turn in (first, again, last) for e in events_of(turn, "call.start")]
    assert made == [{"item": "b1" if point == "response" else "b2"}]
    assert last.waiting == "input"


def test_04_5_what_on_fail_says_is_rendered_before_anything_is_cleared():
    run = session(
        'CONSTRAINTS:\n  - REQUIRE item == "b2"\n    ON_FAIL:\n      CLEAR: [item, note]\n'
        '      RESPOND: "{{item}} {{note}}"\n' + ASK,
        variables={"note": "n"},
    )
    run.start()
    turn = run.say("b1")
    assert turn.replies == ["b1 n"]
    assert not {"item", "note"} & set(turn.state)


def test_04_10_a_record_tells_where_each_value_is_from():
    agent = """MEMORY:
  session:
    - start
      INITIAL: 1
  persistent:
    - user.tier
    - project.cap
      SCOPE: project
    - workflow.case
      SCOPE: execution_tree
    - user.city
      DEFAULT: Oslo
TOOLS:
  look() -> {n: number}
    description: "Looks"
ON_START:
  CALL: look()
    AS: found
CONSTRAINTS:
  always:
    - WARN start + user.tier + project.cap + workflow.case + user.city + found.n + own + missing + turn_count > 9
      WHEN: own IS SET
      ON_FAIL: "Odd {{missing}}."
"""
    from abl.runtime.memory.in_memory import FixedClock, MemoryFacts

    facts, now = MemoryFacts(), FixedClock().now()
    for scope, owner, path in [
        ("user", "u", "user.tier"),
        ("project", "", "project.cap"),
        ("execution_tree", "session", "workflow.case"),
    ]:
        facts.put(scope, owner, path, 2, at=now)
    run = session(agent + ASK, user="u", facts=facts, variables={"own": 1}, tools={"look": [{"result": {"n": 3}}]})
    run.start()
    record = next(r for r in events_of(run.say("b1"), "constraint") if r["point"] == "turn")
    assert {ref["path"]: ref["origin"] for ref in record["refs"]} == {
        "start": "initial",
        "user.tier": "user_fact",
        "project.cap": "project_fact",
        "workflow.case": "tree_fact",
        "user.city": "default",
        "found.n": "tool_result",
        "own": "session",
        "missing": "unset",
        "turn_count": "system",
    }
    assert record["unset_refs"] == ["missing"]
    assert (record["outcome"], record["phase"], record["severity"]) == ("warned", "always", "warning")
    assert (record["message_template"], record["message_rendered"], record["message_missing"]) == (
        "Odd {{missing}}.",
        "Odd .",
        ["missing"],
    )
    assert record["gate_tree"]["value"] is True


def test_04_10_a_short_circuited_operand_is_not_evaluated_in_the_tree():
    run = session('CONSTRAINTS:\n  - REQUIRE item == "b2" AND 1 / zero > 1\n' + ASK, variables={"zero": 0})
    run.start()
    turn = run.say("b1")
    assert turn.replies == [GENERIC]
    tree = events_of(turn, "constraint")[0]["tree"]
    assert [node["status"] for node in tree["children"]] == ["ok", "not_evaluated"]


@pytest.mark.parametrize(
    ("condition", "variables", "policy", "outcome", "other"),
    [
        ("x == true", {}, "evaluate", "failed", "skipped_unset"),
        ("x <= y", {}, "evaluate", "passed", "skipped_unset"),
        ("x <= y", {}, "skip_unset", "skipped_unset", "passed"),
        ("x IS SET", {}, "skip_unset", "failed", None),
        ("x IS SET AND x > 3", {}, "skip_unset", "skipped_unset", "failed"),
        ("x IS SET AND x > 3", {"x": 2}, "skip_unset", "failed", None),
        ("x == 1 IMPLIES y == 1", {}, "skip_unset", "passed", None),
        ("x == 1", {"x": 1}, "evaluate", "passed", None),
    ],
)
def test_04_6_1_the_two_policies_for_unset_variables(condition, variables, policy, outcome, other):
    run = session(f"CONSTRAINTS:\n  - REQUIRE {condition}\n" + ASK, variables=variables, policy=policy)
    run.start()
    record = next(r for r in events_of(run.say("b1"), "constraint") if r["point"] == "turn")
    assert (record["outcome"], record["other_policy_outcome"]) == (outcome, other)
