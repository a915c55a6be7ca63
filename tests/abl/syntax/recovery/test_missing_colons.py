"""A colon that is missing is one problem with one fix, and costs nothing else (docs/spec 01 §10, 05 ABL110)."""

from __future__ import annotations

from functools import cache

import pytest

from abl.analysis import check
from abl.syntax import parse
from tests.abl.analysis.test_analysis_rules import applied
from tests.every import every

WHOLE = """AGENT: Desk
GOAL: "Lend books"
TOOLS:
  find(title: string) -> {id: string}
    description: "Find a book"
    type: http
    endpoint: "/books"
    method: GET
    on_result:
      set: {found: result.id}
GATHER:
  title:
    prompt: "Which?"
    semantics:
      format: "words"
MEMORY:
  session:
    - NAME: loans
      TYPE: number
    - fines
      TYPE: number
  persistent:
    - PATH: user.branch
      SCOPE: user
  remember:
    - WHEN: loans IS SET
      STORE: loans -> user.loans
      TTL: 30d
    - WHEN: fines IS SET
      STORE:
        value: fines
        target: user.fines
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.branch]
CONSTRAINTS:
  always:
    - REQUIRE loans < 5
      WHEN: fines IS SET
      ON_FAIL:
        RESPOND: "Too many"
        COLLECT: [title]
HANDOFF:
  - TO: Clerk
    WHEN: loans > 3
    CONTEXT:
      summary: "Many loans"
      pass: [loans]
DELEGATE:
  - AGENT: Catalogue
    WHEN: fines > 1
    USE_RESULT: "Say it"
ESCALATE:
  triggers:
    - WHEN: fines > 9
      REASON: "Much money"
COMPLETE:
  - WHEN: loans == 0
    RESPOND: "Bye"
ON_ERROR:
  tool_error:
    RESPOND: "Sorry"
    THEN: CONTINUE
HOOKS:
  before_turn:
    SET: turns = 1
GUARDRAILS:
  short:
    kind: output
    check: "length(response) < 9"
    action: warn
NLU:
  intents:
    - name: lend
      patterns: [lend]
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      - title: required
        prompt: "Which?"
    DIGRESSIONS:
      - INTENT: "cancel"
        RESPOND: "Gone"
        RESUME: true
    ON_INPUT:
      - IF: input == "a"
        THEN: look
      - ELSE:
        THEN: COMPLETE
    ACTIONS:
      - BUTTON: "Go" -> go
        VALUE: "go"
    ON_ACTION:
      - ACTION: go
        THEN: look
    ON_ERROR:
      tool_error:
        RESPOND: "Sorry"
        THEN: CONTINUE
  look:
    REASONING: false
    CALL: find(title)
    ON_SUCCESS:
      - IF: call_result.id IS SET
        THEN: COMPLETE
    TRANSFORM:
      SOURCE: call_result.list AS one
      INTO: many
      FILTER: one.ok
    THEN: COMPLETE
"""
LINES = WHOLE.splitlines(keepends=True)
NO_COLON = {"THEN: COMPLETE", "THEN: look", "ELSE:"}  # found on several lines, or legal without


def _with_colon(line: str) -> bool:
    return ":" in line and "(" not in line.split(":", maxsplit=1)[0] and line.strip().removeprefix("- ") not in NO_COLON


NUMBERS = [number for number, line in enumerate(LINES) if _with_colon(line)]
at_every_colon = every((f"line {number + 1}: {LINES[number].strip()}", (number,)) for number in NUMBERS)


@cache
def told(text: str) -> set[tuple[str, str]]:
    return {(d.code, d.message) for d in check({"desk.agent.abl": text}).diagnostics}


@at_every_colon
def test_a_missing_colon_is_one_finding_and_its_fix_gives_the_text_back(number: int) -> None:
    lines = [*LINES]
    lines[number] = lines[number].replace(":", "", 1)
    text = "".join(lines)
    (finding,) = parse(text).findings
    assert finding.code == "ABL110"
    (fix,) = [fix for fix in finding.fixes if fix.preferred]
    assert applied(text, fix) == WHOLE


@pytest.mark.slow
@at_every_colon
def test_nothing_else_is_reported_for_it(number: int) -> None:
    lines = [*LINES]
    lines[number] = lines[number].replace(":", "", 1)
    assert {code for code, _ in told("".join(lines)) - told(WHOLE)} == {"ABL110"}


@pytest.mark.parametrize(
    "text",
    [
        'INTENTS:\n  lend: "Borrow"\n  give_back\n',
        "FLOW:\n  a:\n    REASONING: false\n    SECURE_INPUT:\n      MODE: [dtmf]\n      CALL t WITH: {n: x}\n",
        "ON_ERROR:\n  tool_error:\n    SET:\n      a = 1\n    THEN: CONTINUE\n",
        "MEMORY:\n  session:\n    - name\n    - type\n",
    ],
)
def test_lines_that_need_no_colon_are_left_alone(text: str) -> None:
    assert parse(text).findings == ()


def test_a_line_that_nobody_can_read_in_a_map_is_told_and_the_rest_is_read() -> None:
    (agent,) = parse('AGENT: A\nESCALATE:\n  triggers:\n    - WHEN: a\n      ???\n      REASON: "x"\n').agents
    (finding,) = parse('AGENT: A\nESCALATE:\n  triggers:\n    - WHEN: a\n      ???\n      REASON: "x"\n').findings
    assert finding.code == "ABL125"
    (section,) = [section for section in agent.sections if section.keyword == "ESCALATE"]
    assert section.block is not None
    (trigger,) = section.block.children[0].children
    assert [child.key for child in trigger.children] == ["REASON"]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("      TYPE :number\n", "      TYPE: number\n"),
        ("      TYPE = number\n", "      TYPE: number\n"),
        ('    prompt :"Which?"\n', '    prompt: "Which?"\n'),
        ('    description :"Find a book"\n', '    description: "Find a book"\n'),
    ],
)
def test_a_colon_or_an_equals_sign_in_another_place_is_no_part_of_the_value(wrong: str, right: str) -> None:
    text = WHOLE.replace(right, wrong, 1)
    assert text != WHOLE
    findings = parse(text).findings
    assert [finding.code for finding in findings] == ["ABL110"]
    problems = [p for p in check({"desk.agent.abl": text}).diagnostics if p.code == "ABL110"]
    assert applied(text, problems[0].fixes[0]) == WHOLE
    assert {p.code for p in check({"desk.agent.abl": text}).diagnostics} - {"ABL110"} <= {
        p.code for p in check({"desk.agent.abl": WHOLE}).diagnostics
    }


def test_a_colon_in_another_place_is_told_where_no_other_line_is_a_property() -> None:
    assert [f.code for f in parse('AGENT: Desk\nGOAL: "g"\nEXECUTION:\n  model :x\n').findings] == ["ABL110"]
