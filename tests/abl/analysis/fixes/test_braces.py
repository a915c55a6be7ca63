"""Where a quick fix puts what it adds, by how the entry is written (docs/spec 01 §9, 05 §1)."""

from __future__ import annotations

from typing import Final

from abl.analysis import check
from abl.editing.bulk import fixed
from tests.abl.analysis.test_analysis_rules import applied
from tests.every import every

YAML: Final = "agent: Desk\ngoal: g\n"
KEYWORDS: Final = 'AGENT: Desk\nGOAL: "g"\n'
PLACED: Final = {
    "a member on one line": (
        "ABL702", YAML, "gather: {title: {type: string}}", 'gather: {title: {type: string, prompt: "…"}}',
    ),
    "braces without members": ("ABL702", YAML, "gather:\n  title: {}\n", 'gather:\n  title: {prompt: "…"}\n'),
    "braces in the keyword form": (
        "ABL702", KEYWORDS, "GATHER: {title: {type: string}}", 'GATHER: {title: {type: string, prompt: "…"}}',
    ),
    "braces over several lines, with a comment": (
        "ABL702", YAML, "gather:\n  title: {\n    type: string  # a {text}\n  }\n",
        'gather:\n  title: {\n    type: string, prompt: "…"  # a {text}\n  }\n',
    ),
    "a comma behind the last member": (
        "ABL702", YAML, "gather:\n  title: {type: string,}\n", 'gather:\n  title: {type: string, prompt: "…"}\n',
    ),
    "braces within quotes": (
        "ABL921", YAML, 'handoff:\n  - {to: B, summary: "a } b"}\n',
        'handoff:\n  - {to: B, summary: "a } b", when: true}\n',
    ),
    "an entry of a list in brackets": ("ABL921", YAML, "handoff: [{to: B}]\n", "handoff: [{to: B, when: true}]\n"),
    "an entry of a list in lines": ("ABL921", YAML, "handoff:\n  - to: B\n", "handoff:\n  - to: B\n    when: true\n"),
    "a step in lines": (
        "ABL506", YAML, "flow:\n  a:\n    then: COMPLETE\n", "flow:\n  a:\n    reasoning: false\n    then: COMPLETE\n",
    ),
    "a step in braces": (
        "ABL506", YAML, "flow:\n  a: {then: COMPLETE}\n", "flow:\n  a: {then: COMPLETE, reasoning: false}\n",
    ),
    "a list in braces": (
        "ABL422", YAML, "constraints:\n  p:\n    - {require: a == 1, on_fail: {retry: true}}\n",
        "constraints:\n  p:\n    - {require: a == 1, on_fail: {retry: true, collect: [a]}}\n",
    ),
    "a step that is created": (
        "ABL501", YAML, "flow: {a: {reasoning: false, then: lend_it}}\n",
        'flow: {a: {reasoning: false, then: lend_it}, lend_it: {reasoning: false, respond: "…", then: COMPLETE}}\n',
    ),
    "a member that is taken out": (
        "ABL716", YAML, "gather:\n  n: {prompt: P, type: number, list: true, range: true}\n",
        "gather:\n  n: {prompt: P, type: number, range: true}\n",
    ),
    "a section": ("ABL102", "agent: Desk\n", 'version: "1.0.0"\n', 'goal: "…"\nversion: "1.0.0"\n'),
    "a header": (
        "ABL101", "", "goal: g\nmemory:\n  session: [a]\n", "agent: New_Agent\ngoal: g\nmemory:\n  session: [a]\n",
    ),
    "a bare word in YAML": (
        "ABL323", YAML, "memory:\n  persistent:\n    - project.a\n",
        "memory:\n  persistent:\n    - {path: project.a, scope: project}\n",
    ),
    "the keys of a pipeline": (
        "ABL386", YAML, "flow: {a: {reasoning: false, transform: {into: b}, then: COMPLETE}}\n",
        "flow: {a: {reasoning: false, transform: {source: source_name, into: b}, then: COMPLETE}}\n",
    ),
    "a name in quotes of YAML": (
        "ABL941", YAML, 'intents: {pay: "Pay"}\nhandoff:\n  - {to: B, when: "intent.category == \\"pays\\""}\n',
        'intents: {pay: "Pay"}\nhandoff:\n  - {to: B, when: "intent.category == \\"pay\\""}\n',
    ),
    "a quote that is missing within quotes of YAML": (
        "ABL111", YAML, 'complete:\n  - when: "a == \\"b"\n', 'complete:\n  - when: "a == \\"b\\""\n',
    ),
    "a name that stands alone": (
        "ABL643", YAML,
        "flow:\n  one: {reasoning: false, set: [n = 2, total = n * 3], then: two}\n"
        '  two: {reasoning: false, clear: n, respond: "{{total}}", then: COMPLETE}\n',
        "flow:\n  one: {reasoning: false, set: [n = 2, total = n * 3], then: two}\n"
        '  two: {reasoning: false, clear: [n, total], respond: "{{total}}", then: COMPLETE}\n',
    ),
    "a key behind a block of the first": (
        "ABL340", KEYWORDS,
        "MEMORY:\n  session: [a]\n  remember:\n    - STORE:\n        value: a\n        target: user.a\n",
        "MEMORY:\n  session: [a]\n  remember:\n    - STORE:\n        value: a\n        target: user.a\n"
        "      WHEN: a IS SET\n",
    ),
    "a digression of one line": (
        "ABL640", KEYWORDS, "FLOW:\n  global_digressions:\n    - INTENT: human\n",
        "FLOW:\n  global_digressions:\n    - INTENT: human\n      RESUME: true\n",
    ),
    "a value in the place of another": (
        "ABL722", KEYWORDS, 'GATHER:\n  c:\n    prompt: "P"\n    sensitive: false\n    sensitive_display: mask\n',
        'GATHER:\n  c:\n    prompt: "P"\n    sensitive: true\n    sensitive_display: mask\n',
    ),
}  # fmt: skip


@every((name, case) for name, case in PLACED.items())
def test_what_is_added_stands_in_its_entry(code: str, head: str, before: str, after: str) -> None:
    text = head + before
    fix = next(found for found in check({"doc.agent.abl": text}).diagnostics if found.code == code).fixes[0]
    assert applied(text, fix) == head + after


MOVED: Final = {
    "a field with its properties": (
        'GATHER:\n    policy:\n      prompt: "P"\n  kind:\n    prompt: "K"\n\n    type: number\n',
        'GATHER:\n    policy:\n      prompt: "P"\n    kind:\n      prompt: "K"\n\n      type: number\n',
    ),
    "a list in the column of its key": (
        "MEMORY:\n  session:\n  - a\n  - name: b\n    TYPE: string\n  persistent:\n    - user.a\n",
        "MEMORY:\n  session:\n    - a\n    - name: b\n      TYPE: string\n  persistent:\n    - user.a\n",
    ),
}


@every(MOVED.items())
def test_a_block_moves_with_its_header(before: str, after: str) -> None:
    problems = [found for found in check({"doc.agent.abl": KEYWORDS + before}).diagnostics if found.code == "ABL108"]
    assert [applied(KEYWORDS + before, problem.fixes[0]) for problem in problems] == [KEYWORDS + after]


WITHOUT: Final = {
    "no name to be mended": ("ABL117", "MEMORY:\n  session:\n      TYPE: string\n    - b\n"),
    "no letter of a name": ("ABL117", "TOOLS:\n  -> {a: string}\n"),
    "branches behind an ELSE": (
        "ABL622",
        "FLOW:\n  s:\n    REASONING: false\n"
        + '    ON_INPUT:\n      - IF: input == "a"\n        THEN: s\n      - ELSE:\n        THEN: COMPLETE\n' * 2,
    ),
    "a bracket closed by that of another": (
        "ABL112",
        "HANDOFF:\n  - {TO: B, WHEN: (n == 1}\n",
    ),
    "a constant": ("ABL1008", 'GUARDRAILS:\n  g:\n    kind: input\n    check: "true"\n    action: block\n'),
    "entries in braces that are no list": (
        "ABL115",
        "MEMORY:\n  remember: {WHEN: a IS SET, STORE: a -> user.a}\n",
    ),
}


@every(WITHOUT.items())
def test_nothing_is_offered_that_would_not_mend_it(code: str, text: str) -> None:
    problems = [found for found in check({"doc.agent.abl": KEYWORDS + text}).diagnostics if found.code == code]
    assert problems
    assert [list(problem.fixes) for problem in problems] == [[]] * len(problems)


ONE_CAUSE: Final = {
    "a description": ('TOOLS:\n  find(a: string) -> {b: string}\n    descripton: "x"\n', "ABL812", "ABL819"),
    "what a rule does": ('CONSTRAINTS:\n  - REQUIRE a == 1\n    ONFAIL: "x"\n', "ABL106", "ABL404"),
    "when it is complete": ('COMPLETE:\n  - WHN: a == 1\n    RESPOND: "x"\n', "ABL106", "ABL921"),
    "a field to collect": (
        'GATHER:\n  card:\n    prompt: "P"\nCONSTRAINTS:\n  - REQUIRE card == 1\n    ON_FAIL:\n      COLLECT: [crad]\n'
        "      THEN: retry\n",
        "ABL417",
        "ABL418",
    ),
}


@every(ONE_CAUSE.items())
def test_a_slip_of_the_pen_is_told_once(text: str, told: str, silent: str) -> None:
    codes = {found.code for found in check({"doc.agent.abl": KEYWORDS + text}).diagnostics}
    assert told in codes
    assert silent not in codes


def test_an_action_in_small_letters_is_not_quoted_unasked() -> None:
    text = f"{KEYWORDS}CONSTRAINTS:\n  - REQUIRE a == 1\n    ON_FAIL: escalate\n"
    problem = next(found for found in check({"doc.agent.abl": text}).diagnostics if found.code == "ABL407")
    assert problem.message == "Sent as a message; the action is `ESCALATE`"
    assert [(fix.title, fix.preferred) for fix in problem.fixes] == [
        ("Write `ESCALATE`", False),
        ("Put the message in quotes", False),
    ]
    assert fixed({"doc.agent.abl": text}, "doc.agent.abl") == text


def test_all_fixes_of_a_step_in_braces_add_one_member() -> None:
    text = 'flow: {a: {call: "t()", then: a}}'
    assert fixed({"a": text}, "a") == 'flow: {a: {call: "t()", then: a, reasoning: false}}'
