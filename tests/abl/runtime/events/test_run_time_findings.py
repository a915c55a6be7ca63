"""Each run-time finding of docs/spec 10 §7 is found by a run: its code and name, in the event that it belongs to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abl.expressions.api import Budget, BudgetExceeded
from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.models import Steps

ROOT = Path(__file__).parents[4]
HEAD = 'AGENT: Desk\nGOAL: "Lend items"\n'
TOOL = 'TOOLS:\n  find(a: string) -> {b: string}\n    description: "x"\n'
MEMORY = (
    "MEMORY:\n  session:\n    - n\n      TYPE: number\n    - rows\n      TYPE: array\n    - limit\n      TYPE: number\n"
)


def flow(*lines: str, more: str = "") -> str:
    """A step that does this and ends, and what stands behind it."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n{body}{more}"


SELF = flow("SET: n = 1", "THEN: b", more="  b:\n    REASONING: false\n    THEN: a\n")
MANY = flow("SET: n = COALESCE(n, 0) + 1", "THEN: b", more="  b:\n    REASONING: false\n    THEN: a\n")
OTHER = '\nAGENT: Other\nGOAL: "g"\nFLOW:\n  x:\n    REASONING: false\n    RESPOND: "hi"\n    THEN: COMPLETE\n'
ASKS = flow("GATHER:", "  - when: required", "    type: number", '    prompt: "When?"', "THEN: COMPLETE")
WAITS = ("GATHER:", "  - sum: required", "    type: date", '    prompt: "Which day?"', "THEN: COMPLETE")
HANDS = f'HANDOFF:\n  - TO: Other\n    WHEN: n == 1\n    CONTEXT:\n      summary: "s"\n{MEMORY}'
BLOCKED = 'CONSTRAINTS:\n  - REQUIRE n == 2\n    ON_FAIL: "No."\nCOMPLETE:\n  - WHEN: n == 1\n    RESPOND: "Done."\n'
TO_ITSELF = "HANDOFF:\n  - TO: Desk\n    WHEN: n == 1\n"
AROUND = """HANDOFF:
  - TO: Other
    WHEN: true

AGENT: Other
GOAL: "g"
HANDOFF:
  - TO: Desk
    WHEN: true
"""
DOES = TOOL.replace("find", "get") + "    on_result:\n      do:\n"
RUNS = {
    "RUN001 flow_loop": (SELF, []),
    "RUN002 flow_iteration_limit": (MANY, []),
    "RUN004 set.unresolved": (flow("SET: n = limit", "THEN: COMPLETE"), []),
    "RUN004 template.unresolved": (flow('RESPOND: "a {{limit}}"', "THEN: COMPLETE"), []),
    "RUN005 set.type_mismatch": (flow('SET: n = "x"', "THEN: COMPLETE"), []),
    "RUN003 unknown_target": (flow("THEN: nowhere"), []),
    "RUN005 set.replaced": (flow("SET: n = 1", "SET: n.part = 2", "THEN: COMPLETE"), []),
    "RUN006 condition.error": (flow("SET: n = 1 / 0", "THEN: COMPLETE"), []),
    "RUN007 transform.source_missing": (
        flow("TRANSFORM:", "  SOURCE: rows AS r", "  INTO: kept", "  FILTER: r > 1", "THEN: COMPLETE"), [],
    ),
    "RUN008 gather.rejected": (ASKS, ["never"]),
    "RUN009 hook.critical": (
        TOOL + 'HOOKS:\n  before_agent:\n    critical: true\n    CALL: find("x")\n' + flow('RESPOND: "a"'),
        [],
    ),
    "RUN009 tool.tool_timeout": (TOOL + flow('CALL: find("x")', "THEN: COMPLETE"), []),
    "RUN010 mock.generated": (TOOL.replace("find", "get") + flow('CALL: get("x")', "THEN: COMPLETE"), []),
    "RUN010 tool.result_shape": (
        TOOL.replace("find", "wrong") + flow('CALL: wrong("x")', "THEN: COMPLETE"), []),
    "RUN011 AWAIT_ATTACHMENT.not_executed": (flow("AWAIT_ATTACHMENT:", '  PROMPT: "a"', "THEN: COMPLETE"), []),
    "RUN012 no_handler": (SELF, []),
    "RUN013 complete.blocked_by_constraint": (BLOCKED + flow("SET: n = 1", *WAITS), ["3"]),
    "RUN014 handoff_condition_suppressed": (HANDS + flow("SET: n = 1", *WAITS) + OTHER, ["3"]),
    "RUN014 route_condition_unresolved": (HANDS + flow('RESPOND: "a"', "THEN: COMPLETE") + OTHER, []),
    "RUN002 handoff_depth": (AROUND, ["go"]),
    "RUN002 message_limit": (flow(*['RESPOND: "a"'] * 101, "THEN: COMPLETE"), []),
    "RUN002 nested_calls": (DOES + '        - CALL: get("y")\n' + flow('CALL: get("x")', "THEN: COMPLETE"), []),
    "RUN003 exit_ignored": (
        DOES + "        - GOTO: away\n" + 'HOOKS:\n  before_turn:\n    CALL: get("x")\n'
        + flow('RESPOND: "a"', *WAITS), ["a"],
    ),
    "RUN003 self_handoff": (TO_ITSELF + flow("SET: n = 1", "THEN: COMPLETE"), ["a"]),
    "RUN004 state.required": (
        "STATE:\n  trip:\n    goal:\n      type: string\n      required: true\n"
        + flow('RESPOND: "a"', *WAITS), []),
    "RUN005 interaction_language": (flow('SET_INTERACTION_LANGUAGE: "no tag"', "THEN: COMPLETE"), []),
    "RUN006 check.error": (
        flow("SET: n = 1", "CHECK: n / 0 > 1", '  ON_FAIL: "No."', "THEN: COMPLETE"), [],
    ),
    "RUN007 transform.no_array": (
        flow("SET: n = 1", "TRANSFORM:", "  SOURCE: n AS r", "  INTO: kept", "  FILTER: r > 1", "THEN: COMPLETE"), [],
    ),
    "RUN007 transform.item_dropped": (
        flow("SET: rows = [1]", "TRANSFORM:", "  SOURCE: rows AS r", "  INTO: kept", "  FILTER: r / 0", "THEN: b"), [],
    ),
    "RUN008 gather.retries_exhausted": (
        flow("GATHER:", "  - when: required", "    type: number", "    max_retries: 0", "THEN: COMPLETE"), ["never"],
    ),
    "RUN009 attempts_exhausted": (
        flow("MAX_ATTEMPTS: 2", "GATHER:", "  - sum: required", '    prompt: "?"', "THEN: a"), ["a", "b", "c"],
    ),
    "RUN011 extraction.strategy_unavailable": (
        ASKS.replace("type: number", "type: number\n        strategy: llm"), ["7"]),
    "RUN011 extraction.locale_unknown": (
        ASKS.replace("type: number", "type: number\n        semantics: {locale: usual}"), []),
    "RUN013 complete.loop": (
        'COMPLETE:\n  - WHEN: n == 1\n    TERMINAL: false\n    RESPOND: "Done."\n'
        + flow("SET: n = 1", *WAITS), ["x", "y", "z"],
    ),
}  # fmt: skip
"""By code and name: an agent, and what is said to it."""
MOCKS = {"find": [{"error": {"type": "tool_error", "subtype": "tool_timeout"}}], "wrong": [{"result": {"b": 3}}]}


def findings(agent: str, said: list[str], **more: object) -> list[tuple[str, str, str]]:
    """Event kind, code and name of every finding."""
    sessions = Session(
        {"d.agent.abl": HEAD + agent},
        tools=MockTools(MOCKS),
        clock=FixedClock(),
        entry="Desk",
        **{"checked": True, **more},
    )
    turns = [sessions.start(), *[sessions.say(text) for text in said if not sessions._engine.state.ended]]
    events = [event for turn in turns for event in turn.events]
    return [(event["kind"], n["code"], n["name"]) for event in events for n in event["data"].get("notes") or ()]


@pytest.mark.parametrize("wanted", RUNS)
def test_a_run_shows_the_finding(wanted: str) -> None:
    agent, said = RUNS[wanted]
    code, _, name = wanted.partition(" ")
    found = findings((MEMORY if "MEMORY:" not in agent else "") + agent, said)
    assert (code, name) in [(c, n) for _, c, n in found], found


def test_a_name_that_is_not_set_is_told_in_the_blocks_of_a_tool_too() -> None:
    agent = MEMORY + DOES + "        - SET: n = limit\n" + flow('CALL: get("x")', "THEN: COMPLETE")
    assert ("set", "RUN004", "set.unresolved") in findings(agent, [])


def test_what_has_an_error_is_refused_when_it_is_reached() -> None:
    agent = flow('RESPOND: "a"', "THEN: b", more="  b:\n    REASONING: false\n    SET: n = = 1\n    THEN: COMPLETE\n")
    found = findings(MEMORY + agent, [], checked=False)
    assert ("error", "RUN015", "refused") in found, found


def test_a_turn_that_computes_too_much_says_so() -> None:
    events: list[dict] = []
    agent = MEMORY + flow("SET: n = 1 + 1 + 1 + 1 + 1", "THEN: COMPLETE")
    with pytest.raises(BudgetExceeded):
        findings(agent, [], budget=Budget(operations=2), on_event=events.append)
    notes = [(n["code"], n["name"]) for event in events for n in event["data"].get("notes") or ()]
    assert ("RUN016", "budget-exceeded") in notes


def test_a_model_that_calls_without_end_is_stopped() -> None:
    agent = "EXECUTION:\n  max_reasoning_iterations: 2\n" + TOOL.replace("find", "get")
    calls = [("get", {"a": "x"})] * 3
    assert ("error", "RUN002", "reasoning_limit") in findings(agent, ["go"], model=Steps(*calls))
    assert "RUN002" not in [code for _, code, _ in findings(agent, ["go"], model=Steps(calls[0], "Done."))]


def test_intents_that_cannot_run_at_once_say_so() -> None:
    nlu = (
        "NLU:\n  intents:\n    - NAME: refund\n      PATTERNS: [refund]\n    - NAME: status\n      PATTERNS: [where]\n"
    )
    heard = ("ON_INPUT:", "  - ELSE:", '    RESPOND: "Heard."')
    agent = nlu + "MULTI_INTENT:\n  strategy: STRATEGY\n" + flow('RESPOND: "a"', *heard)
    wanted = ("intent", "RUN011", "multi_intent.not_executed")
    said = ["a refund and where is it"]
    assert wanted in findings(agent.replace("STRATEGY", "parallel"), said)
    assert wanted not in findings(agent.replace("STRATEGY", "sequential"), said)


def test_every_finding_of_the_runtime_is_shown_here() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "abl" / "runtime").rglob("*.py")]
    pairs = {pair for text in sources for pair in re.findall(r'note\(\s*"(RUN\d{3})", "([\w.]+)"', text)}
    pairs |= {pair for text in sources for pair in re.findall(r'\(.*"(RUN\d{3})", "([\w.]+)", ', text)}
    elsewhere = {
        "RUN002 reasoning_limit",
        "RUN011 multi_intent.not_executed",
        "RUN015 refused",
        "RUN016 budget-exceeded",
    }
    assert len(pairs) > 20
    assert {f"{code} {name}" for code, name in pairs} <= {*RUNS, *elsewhere}


def test_an_error_with_a_handler_is_not_told_as_unhandled() -> None:
    handled = SELF + 'ON_ERROR:\n  default:\n    RESPOND: "Sorry."\n    THEN: CONTINUE\n'
    codes = [code for _, code, _ in findings(MEMORY + handled, [])]
    assert "RUN001" in codes
    assert "RUN012" not in codes


def test_every_code_of_the_specification_is_shown_here() -> None:
    page = (ROOT / "docs" / "spec" / "10-diagnostics-flow.md").read_text(encoding="utf-8")
    declared = set(re.findall(r"^\| (RUN\d{3}) ", page, re.MULTILINE))
    assert declared == {name.partition(" ")[0] for name in RUNS} | {"RUN015", "RUN016"}


@pytest.mark.parametrize(("most", "stopped"), [(3, False), (2, True)])
def test_as_many_steps_as_the_limit_says_run_and_not_one_more(most: int, stopped: bool) -> None:
    steps = "".join(
        f"  {name}:\n    REASONING: false\n    THEN: {then}\n" for name, then in (("b", "c"), ("c", "COMPLETE"))
    )
    agent = f"EXECUTION:\n  max_flow_iterations: {most}\n{MEMORY}{flow('THEN: b', more=steps)}"
    codes = [(code, name) for _, code, name in findings(agent, [])]
    assert (("RUN002", "flow_iteration_limit") in codes) is stopped, codes
