"""Flow, tools and hooks against docs/spec 06, 08, 09: cases of spec/flow.yaml, and orders seen in the trace."""

import json

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock
from tests.abl.runtime.harness import HEAD, assert_case, events_of, session, spec_cases


@spec_cases("flow")
def test_a_sentence_of_the_flow_and_tool_chapters(files, scenario):
    assert_case(files, scenario)


def step(body, more=""):
    """A flow of one step with the given directives, and further steps."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    return f"FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n{lines}\n{more}"


END = """  z:
    REASONING: false
    RESPOND: "z {{n}}"
    ON_INPUT:
      - IF: input == "a"
        THEN: a
"""


@pytest.mark.parametrize(
    ("on_fail", "replies", "state"),
    [
        ("ON_FAIL: z", ["z 4"], {"n": 4}),
        ("ON_FAIL: THEN z", ["z 4"], {"n": 4}),
        ('ON_FAIL: "No {{n}}."', ["No 4."], {"n": 4}),
        ('ON_FAIL:\n  RESPOND: "No {{n}}."\n  CLEAR: [n]\n  GOTO: z', ["No 4.", "z "], {}),
        ('ON_FAIL:\n  SET: n = 2\n  THEN: continue\nRESPOND: "on {{n}}"\nTHEN: z', ["on 2", "z 2"], {"n": 2}),
        ('ON_FAIL:\n  SET: n = n - 1\n  RETRY: true\nRESPOND: "on {{n}}"\nTHEN: z', ["on 2", "z 2"], {"n": 2}),
        ('ON_FAIL:\n  SET: n = 1\n  THEN: retry\nRESPOND: "on {{n}}"\nTHEN: z', ["on 1", "z 1"], {"n": 1}),
        ('ON_FAIL:\n  GOTO: z\n  THEN: continue\nRESPOND: "on"', ["z 4"], {"n": 4}),
        ("ON_FAIL:\n  - IF: n == 4\n    THEN: z\n  - ELSE:\n    THEN: COMPLETE", ["z 4"], {"n": 4}),
    ],
)
def test_06_5_9_the_forms_of_on_fail_of_a_check(on_fail, replies, state):
    run = session(step(f"CHECK: n < 3\n{on_fail}", END), variables={"n": 4})
    turn = run.start()
    assert turn.replies == replies
    assert {k: v for k, v in turn.state.items() if k == "n"} == state


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"text"', "text"), ("12", 12), ("-3.5", -3.5), ("true", True), ("null", None), ('["a", 1]', ["a", 1]),
        ('{"k": "{{word}}!"}', {"k": "w!"}), ("'x {{word}}'", "x w"), ("word + 1", "w1"), ("data.items[1]", 2),
        ("missing", None), ("1 / data.zero", None), ("IF(word == \"w\", 1, 2)", 1),
        ("NOW()", "2026-03-01T09:00:00.000Z"),
    ],
)  # fmt: skip
def test_06_5_3_the_right_side_of_set(text, value):
    run = session(step(f"SET: r = {text}\nTHEN: z", END), variables={"word": "w", "data": {"items": [1, 2], "zero": 0}})
    run.start()
    assert run.value("r") == value


def test_06_9_entering_a_step_is_guard_reset_event_recall_actions_and_leaving_is_event_recall():
    agent = """MEMORY:
  session:
    - n
      INITIAL: 0
      RESET: per_step
  persistent:
    - user.x
  recall:
    - ON: "step:enter:z"
      ACTION: inject_context
      PATHS: [user.x]
    - ON: "step:exit:a"
      ACTION: inject_context
      PATHS: [user.x]
"""
    turn = session(agent + step("SET: n = 1\nTHEN: z", END), user="u").start()
    kinds = [(e["kind"], e["step"]) for e in turn.events]
    order = ["set", "step.exit", "recall", "reset", "step.enter", "recall", "respond"]
    seen = [kind for kind, _ in kinds[kinds.index(("set", "a")) :] if kind in order]
    assert seen == order


def test_08_8_the_parts_of_a_call_come_in_order():
    agent = """MEMORY:
  persistent:
    - user.x
  recall:
    - ON: search:before
      ACTION: inject_context
      PATHS: [user.x]
    - ON: "tool:search_items:after"
      ACTION: inject_context
      PATHS: [user.x]
TOOLS:
  search_items(q: string) -> {n: number}
    description: "Searches"
    on_result:
      set:
        found: result.n
CONSTRAINTS:
  - REQUIRE q IS SET
    ON_FAIL: "?"
"""
    call = 'CALL: search_items(q)\nON_SUCCESS:\n  RESPOND: "{{found}}"\nTHEN: z'
    turn = session(agent + step(call, END), user="u", variables={"q": "x"}).start()
    kinds = [e["kind"] for e in turn.events]
    wanted = ["recall", "pass", "call.start", "call.end", "tool.map", "set", "recall", "branch", "respond"]
    first = kinds.index("recall")
    assert [kind for kind in kinds[first:] if kind in wanted][: len(wanted)] == wanted


def test_06_5_8_a_name_that_resolves_nowhere_is_a_field_of_the_last_result():
    agent = 'TOOLS:\n  look() -> {total: number, n: number}\n    description: "L"\n'
    run = session(
        agent + step('CALL: look()\nRESPOND: "{{total}} {{n}}"\nTHEN: z', END),
        variables={"n": 1},
        tools={"look": [{"result": {"total": 7, "n": 9}}]},
    )
    assert run.start().replies == ["7 1", "z 1"]


def test_06_10_a_limit_stops_the_run_and_the_session_stays_usable():
    agent = 'EXECUTION:\n  max_flow_iterations: 5\nMESSAGES:\n  error_default: "Stopped."\n'
    spin = "SET: n = ADD(COALESCE(n, 0), 1)\nTHEN: b"
    back = "  b:\n    REASONING: false\n    CHECK: n > 20\n    ON_FAIL: a\n    THEN: z\n"
    run = session(agent + step(spin, back + END))
    first = run.start()
    assert first.replies == ["Stopped."]
    assert [e["name"] for e in events_of(first, "error")] == ["flow_iteration_limit"]
    second = run.say("again")
    assert second.replies == ["Stopped."]
    assert second.state["n"] > first.state["n"]


def test_06_4_3_attempts_start_again_with_an_activation_and_on_exhausted_resets_them():
    agent = step('MAX_ATTEMPTS: 1\nON_EXHAUSTED: z\nRESPOND: "a"\nTHEN: z', END)
    run = session(agent)
    assert [run.start().replies, run.say("a").replies, run.say("a").replies] == [["a", "z "], ["z "], ["a", "z "]]


HANDING = """MEMORY:
  session:
    - visits
      INITIAL: 0
      RESET: per_activation
HANDOFF:
  - TO: Clerk
    WHEN: wish == "clerk"
    CONTEXT:
      summary: "s"
      pass: [wish]
    EXPECT_RETURN: true
    ON_RETURN:
      map:
        answer: reply
GATHER:
  wish:
    prompt: "Wish?"
"""
CLERK = """AGENT: Clerk
GOAL: "Clerk"
MEMORY:
  session:
    - wish
      INITIAL: "none"
    - own
      INITIAL: 1
ON_START:
  RESPOND: "Clerk starts for {{wish}}."
FLOW:
  steps: [a]
  a:
    REASONING: false
    GATHER:
      - answer: required
        prompt: "Answer?"
    THEN: COMPLETE
"""


def test_09_3_a_handoff_works_in_the_same_turn_and_returns_what_is_mapped():
    files = {"desk.agent.abl": HEAD + HANDING, "clerk.agent.abl": CLERK}
    run = Session(files, entry="Desk", clock=FixedClock())
    run.start()
    run.say("hello")
    turn = run.say("clerk")
    assert turn.agent == "Clerk"
    assert turn.replies == ["Clerk starts for clerk.", "Answer?"]
    assert "visits" not in turn.state
    back = run.say("forty-two")
    assert back.agent == "Desk"
    assert back.state["reply"] == "forty-two"
    assert "answer" not in back.state


@pytest.mark.parametrize(
    "message", ["", "   ", "x" * 20_000, "{{n}}", "ünïcödé 🙂", "\x00\x07", "a: b: c = d", "'; --"]
)
def test_12_1_no_message_raises_or_is_executed(message):
    run = session(
        step('RESPOND: "?"\nON_INPUT:\n  - IF: input.length >= 0\n    SET: said = input\n    RESPOND: "{{said}}"')
    )
    run.start()
    turn = run.say(message)
    json.dumps(turn.events)
    assert turn.waiting == "input"
    assert run.value("said") == message.strip()


def test_09_9_the_plain_parts_of_hooks_run_around_the_work():
    agent = """HOOKS:
  before_agent:
    SET: trail = "A"
  before_turn:
    SET: trail = trail + "B"
  after_turn:
    SET: trail = trail + "T"
  after_agent:
    SET: trail = trail + "E"
"""
    run = session(
        agent
        + step(
            'ON_INPUT:\n  - IF: input == "x"\n    SET: trail = trail + "x"\n  - IF: input == "end"\n    THEN: COMPLETE'
        )
    )
    assert run.start().state["trail"] == "A"
    assert run.say("x").state["trail"] == "ABxT"
    assert run.say("end").state["trail"] == "ABxTBET"
    assert run.say("more").replies == ["This conversation has been completed."]


@spec_cases("languages")
def test_09_9_the_language_of_the_conversation(files, scenario):
    assert_case(files, scenario)
