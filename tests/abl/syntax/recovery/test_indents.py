"""A line in a wrong column costs little, and is told where it stands (docs/spec 01 §2, §10, 05 §2 ABL108)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from abl.analysis import check
from abl.diagnostics import Finding
from abl.syntax import nodes, parse
from abl.syntax.incremental.reparse import reparse
from tests.abl.syntax.dump import dump_document
from tests.abl.syntax.recovery.test_recovery_everywhere import EXAMPLES, LISTS, said

TEXTS = {**LISTS, **EXAMPLES}
HEAD = 'AGENT: Desk\nGOAL: "Lend books"\n'


def line_of(text: str, offset: int) -> int:
    """Number of a line, from 1."""
    return text.count("\n", 0, offset) + 1


def fixed(text: str, finding: Finding) -> str:
    """The text with the first fix of a finding applied."""
    for edit in sorted(finding.fixes[0].edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def slips(text: str) -> Iterator[tuple[int, str]]:
    """The text with one line deeper by two columns, or one entry two columns less deep; the line is numbered from 1."""
    rows = text.splitlines(keepends=True)
    document = parse(text)
    for number in sorted(
        {document.source.position(b.span.start).line for root in document.blocks for b in root.walk()}
    ):
        row = rows[number - 1]
        for other in [f"  {row}", row[2:]] if row.startswith("  ") and row.lstrip().startswith("- ") else [f"  {row}"]:
            yield number, "".join([*rows[: number - 1], other, *rows[number:]])


def joins_block_above(text: str, number: int) -> bool:
    """True when a line stands where the lines of the block above stand, so that it may be meant to."""
    rows = text.splitlines()
    column = len(rows[number - 1]) - len(rows[number - 1].lstrip())
    for row in reversed(rows[: number - 1]):
        above = len(row) - len(row.lstrip())
        if row.strip() and above <= column:
            return above == column or row.rstrip().endswith("|")
    return False


# What each slip costs ---------------------------------------------------------------------------------------------

CASES = {
    "a directive below the value of another": (
        "FLOW:\n  s:\n    REASONING: false\n      CALL: look(input)\n    RESPOND: hi\n    THEN: COMPLETE\n",
        {6: 5},
    ),
    "a directive below the last one": (
        "FLOW:\n  s:\n    REASONING: false\n    RESPOND: hi\n    THEN: COMPLETE\n      SET: b = 1\n",
        {8: 5},
    ),
    "a response below SET": ("ON_START:\n  SET: a = 1\n    RESPOND: hi\n", {5: 3}),
    "a property of a field": ('GATHER:\n  a:\n    prompt: "x"\n      type: number\n', {6: 5}),
    "a property of a tool": ('TOOLS:\n  t(a: string)\n    description: "x"\n      type: http\n', {6: 5}),
    "a setting of EXECUTION": ("EXECUTION:\n  model: x\n    temperature: 1\n", {5: 3}),
    "a tool": (
        'TOOLS:\n  t(a: string)\n    description: "x"\n    u(b: string)\n    description: "y"\n',
        {6: 3},
    ),
    "a rule below the property of another": (
        "CONSTRAINTS:\n  - REQUIRE a < 3\n    ON_FAIL: no\n    - REQUIRE b < 3\n    ON_FAIL: never\n",
        {6: 3},
    ),
    "the first of several entries": (
        "MEMORY:\n  session:\n  - a\n      TYPE: number\n    - b\n    - c\n      TYPE: string\n",
        {5: 5},
    ),
    "the first of several triggers": (
        "MEMORY:\n  remember:\n  - WHEN: a IS SET\n      STORE: a -> user.a\n    - WHEN: b IS SET\n"
        "      STORE: b -> user.b\n",
        {5: 5},
    ),
    "a branch left of its list": (
        "FLOW:\n  s:\n    REASONING: false\n    ON_INPUT:\n      - IF: input == 1\n        THEN: s\n    - ELSE:\n"
        "        THEN: COMPLETE\n    MAX_ATTEMPTS: 3\n",
        {9: 7},
    ),
    "a directive in the column of its step": (
        "FLOW:\n  s:\n    REASONING: false\n    CALL: look(input)\n  ON_RESULT:\n      - IF: input == 1\n"
        "        THEN: s\n    THEN: COMPLETE\n",
        {7: 5},
    ),
    "a step at the margin": (
        "FLOW:\n  s:\n    REASONING: false\n    THEN: t\nt:\n    REASONING: false\n    THEN: COMPLETE\n",
        {7: 3},
    ),
    "a step behind the entries of a list": (
        'FLOW:\n  global_digressions:\n    - INTENT: "stop"\n      GOTO: s\n    s:\n    REASONING: false\n'
        "    THEN: COMPLETE\n",
        {7: 3},
    ),
    "a section in another": ("MEMORY:\n  session:\n    - a\n  HANDOFF:\n  - TO: Clerk\n    WHEN: a == 1\n", {6: 1}),
    "a text of several lines": ("ON_START:\n  SET: a = 1\n    RESPOND: |\n    Hello\n    there\n", {5: 3}),
    "a rule left of its phase": (
        "CONSTRAINTS:\n  always:\n    - REQUIRE a < 3\n      ON_FAIL: no\n  - REQUIRE b < 3\n      ON_FAIL: no\n"
        "    - REQUIRE c < 3\n      ON_FAIL: no\n",
        {7: 5},
    ),
    "the first property of an entry": (
        "MEMORY:\n  session:\n    - a\n        TYPE: number\n      INITIAL: 0\n",
        {6: 7},
    ),
}


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_a_line_in_a_wrong_column_is_told_and_read_where_it_belongs(body: str, expected: dict[int, int]) -> None:
    text = HEAD + body
    found = parse(text).findings
    assert [finding.code for finding in found] == ["ABL108"]
    assert {line_of(text, f.span.start): f.data["b"] for f in found} == expected
    better = parse(fixed(text, found[0]))
    assert not better.findings
    assert said(better) == said(parse(text))


def test_the_header_alone_in_another_column_is_told() -> None:
    text = f"  {HEAD}MEMORY:\n  session:\n    - a\n"
    found = parse(text).findings
    assert [(f.code, line_of(text, f.span.start)) for f in found] == [("ABL108", 1)]
    assert fixed(text, found[0]) == text[2:]


def test_all_of_a_document_may_be_indented() -> None:
    indented = "".join(f"  {row}" for row in f"{HEAD}MEMORY:\n  session:\n    - a\n".splitlines(keepends=True))
    assert not parse(indented).findings


LEGAL = {
    "what belongs to a call": "FLOW:\n  s:\n    CALL: t\n      WITH:\n        a: 1\n      AS: r\n    THEN: COMPLETE\n",
    "what belongs to a response": "ON_START:\n  RESPOND: hi\n    VOICE:\n      INSTRUCTIONS: calmly\n",
    "a field that is required, with properties": 'GATHER:\n  prompt: required\n    prompt: "x"\n',
    "rules in and beside phases": "CONSTRAINTS:\n  always:\n    - REQUIRE a < 3\n      ON_FAIL: no\n  - WARN b < 3\n",
    "steps at the margin": "FLOW:\n  steps: [s]\ns:\n  REASONING: false\n  THEN: COMPLETE\n",
    "four columns for each level": "MEMORY:\n    session:\n        - a\n            TYPE: number\n        - b\n",
    "a branch of a hook": "HOOKS:\n  before_turn:\n    WHEN: turn_count > 3\n      SET: a = 1\n",
    "a step named like a directive": (
        "FLOW:\n  steps: [s, PROMPT]\n  s:\n    REASONING: false\n    THEN: PROMPT\n  PROMPT:\n    REASONING: false\n"
    ),
    "an empty key of a call": "ON_START:\n  CALL: t\n    WITH:\n    AS: r\n",
    "an empty section of an inline profile": "BEHAVIOR_PROFILE: calm\n  CONVERSATION:\n  PRIORITY: 1\n",
    "an empty directive of a step at the margin": "FLOW:\n  steps: [s]\ns:\n  ACTIONS:\n  REASONING: false\n",
}


@pytest.mark.parametrize("body", LEGAL.values(), ids=LEGAL)
def test_what_may_stand_there_is_not_told(body: str) -> None:
    assert [f.code for f in parse(HEAD + body).findings if f.code == "ABL108"] == []


# Everywhere -------------------------------------------------------------------------------------------------------


def costs_little(text: str, number: int, harmed: str, whole: str) -> None:
    """A slip is told at its line, as far as it is one, and what the parser says elsewhere stays little."""
    before, document = parse(text), parse(harmed)
    told = Counter(f.code for f in document.findings) - Counter(f.code for f in before.findings)
    if not told or joins_block_above(harmed, number):
        return
    near = [abs(line_of(harmed, f.span.start) - number) for f in document.findings]
    assert min(near) <= 2, harmed.splitlines()[number - 1]
    assert told.total() <= 3, (harmed.splitlines()[number - 1], told)
    own = [f for f in document.findings if f.code == "ABL108" and line_of(harmed, f.span.start) == number]
    if own and told.total() == 1:
        assert said(parse(fixed(harmed, own[0]))) == whole


def removes_no_line_elsewhere(harmed: str, number: int, usual: set[str]) -> None:
    """No preferred fix takes words of other lines away."""
    for problem in check({"desk.agent.abl": harmed}).diagnostics:
        for fix in problem.fixes:
            removed = [harmed[slice(*edit.span)] for edit in fix.edits if not edit.text.strip()]
            if fix.preferred and problem.message not in usual and any(words.strip() for words in removed):
                assert line_of(harmed, problem.span.start) == number, (harmed.splitlines()[number - 1], problem)


def some(name: str, step: int, start: int) -> list[tuple[int, str]]:
    return list(slips(TEXTS[name]))[start::step]


@pytest.mark.full
@pytest.mark.parametrize("name", LISTS)
def test_a_slip_is_told_where_it_is(name: str) -> None:
    whole = said(parse(TEXTS[name]))
    for number, harmed in slips(TEXTS[name]):
        costs_little(TEXTS[name], number, harmed, whole)


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_slip_is_told_where_it_is_in_an_example(name: str) -> None:
    whole = said(parse(TEXTS[name]))
    for number, harmed in slips(TEXTS[name]):
        costs_little(TEXTS[name], number, harmed, whole)


@pytest.mark.parametrize(
    ("name", "step"),
    [(name, 40) for name in TEXTS] + [pytest.param(name, 1, marks=pytest.mark.thorough) for name in TEXTS],
)
def test_no_preferred_fix_removes_what_a_slip_left_alone(name: str, step: int) -> None:
    usual = {problem.message for problem in check({"desk.agent.abl": TEXTS[name]}).diagnostics}
    for number, harmed in some(name, step, 7 % step):
        removes_no_line_elsewhere(harmed, number, usual)


def after_edit(document: nodes.Document, text: str) -> None:
    assert dump_document(reparse(document, text)) == dump_document(parse(text)), text


@pytest.mark.full
@pytest.mark.parametrize("name", LISTS)
def test_a_slip_and_its_repair_are_read_alike_after_an_edit(name: str) -> None:
    text = TEXTS[name]
    document = parse(text)
    for _, harmed in some(name, 3, 1):
        after_edit(document, harmed)
        after_edit(parse(harmed), text)


@pytest.mark.parametrize(("body", "_"), CASES.values(), ids=CASES)
def test_a_slip_is_found_again_after_edits_around_it(body: str, _: dict[int, int]) -> None:
    text = HEAD + body
    rows = text.splitlines(keepends=True)
    for number in range(len(rows)):
        without = "".join([*rows[:number], *rows[number + 1 :]])
        after_edit(parse(text), without)
        after_edit(parse(without), text)
        renamed = "".join([*rows[:number], rows[number].replace(":", "x:", 1), *rows[number + 1 :]])
        after_edit(parse(renamed), text)
        after_edit(parse(text), renamed)
