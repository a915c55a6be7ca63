"""A rename leaves nothing behind in silence: where it cannot change a place it is refused, and names the place."""

from __future__ import annotations

import pytest

from tests.abl.editing.desk import CASE, FILES, LATE
from tests.abl.editing.test_rename import at, refusal, renamed


def test_a_test_case_that_may_mean_two_agents_is_named() -> None:
    steps = "FLOW:\n  steps: [lend]\n  lend:\n    REASONING: false\n    THEN: COMPLETE\n"
    listed = CASE.replace("[desk.agent.abl,", "[desk.agent.abl, other.agent.abl,")
    files = {**FILES, "lends.scenario.yaml": listed, "other.agent.abl": f'AGENT: Other\nGOAL: "x"\n{steps}'}
    place = at("desk.agent.abl", "  le|nd:\n    REASONING", files)
    words = "lends.scenario.yaml:20 may mean `lend` of Other as well; change it by hand first."
    assert refusal(place, "x", files) == words
    assert (
        refusal(place, "x", {**files, "lends.scenario.yaml": CASE.replace(CASE.split("\n")[1] + "\n", "\n")}) == words
    )
    assert "step: x" in renamed(place, "x", {**files, "lends.scenario.yaml": CASE})["lends.scenario.yaml"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "{absent: [reader_name,",
            '{absent: ["reader\\x5fname",',
            "lends.scenario.yaml:25 writes `reader_name` in another",
        ),
        (
            "scenario: reader_name lends",
            "scenario: [reader_name",
            "lends.scenario.yaml:1 holds `reader_name`, and the file",
        ),
    ],
)
def test_a_test_case_that_cannot_be_changed_is_named(old: str, new: str, reason: str) -> None:
    files = {**FILES, "lends.scenario.yaml": CASE.replace(old, new)}
    assert reason in refusal(at("desk.agent.abl", "  rea|der_name:\n    prompt:", files), "who", files)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("WHEN: shelf_mark IS SET", "WHEN: shelf_mark >"),
        ("WHEN: shelf_mark IS SET", 'WHEN: shelf_mark == "a'),
        ('respond: "Late, {{reader_name}}"', 'respond: "Late, {{shelf_mark"'),
    ],
)
def test_a_text_that_cannot_be_read_is_named(old: str, new: str) -> None:
    files = {**FILES, "late.behavior_profile.abl": LATE.replace(old, new)}
    words = refusal(at("desk.agent.abl", "  session:\n    - shelf|_mark", files), "mark", files)
    assert "late.behavior_profile.abl:" in words
    assert "cannot be read and may hold `shelf_mark`; mend it first." in words


def test_what_a_parameter_takes_by_its_name_and_a_field_of_a_result_are_named() -> None:
    text = (
        'AGENT: A\nGOAL: "x"\nTOOLS:\n  t(a?: string) -> {b: string}\n    description: "x"\n    effect: read_only\n'
        "MEMORY:\n  session:\n    - a\nFLOW:\n  s:\n    REASONING: false\n    CALL: t\n    CHECK: b == a\n"
        "    ON_FAIL: COMPLETE\n    THEN: COMPLETE\n"
    )
    files = {"a.agent.abl": text}
    assert refusal(at("a.agent.abl", "    - |a\n", files), "x", files) == (
        "a.agent.abl:13 calls `t`, whose parameter `a` takes the variable of its name; write `a: a` there first."
    )
    assert refusal(at("a.agent.abl", "CHECK: |b ==", files), "x", files) == (
        "`b` is a field of what `t` returns; its signature names it."
    )
    given = {"a.agent.abl": text.replace("CALL: t", "CALL: t(a: a)")}
    assert "CALL: t(a: x)" in renamed(at("a.agent.abl", "    - |a\n", given), "x", given)["a.agent.abl"]


def test_a_name_inside_each_may_be_a_field_of_the_item() -> None:
    text = (
        'AGENT: A\nGOAL: "x"\nMEMORY:\n  session:\n    - name\n    - rows\nFLOW:\n  s:\n    REASONING: false\n'
        '    RESPOND: "{{name}} {{#each rows}}{{name}}{{/each}}"\n    THEN: COMPLETE\n'
    )
    files = {"a.agent.abl": text}
    words = refusal(at("a.agent.abl", "    - na|me\n", files), "who", files)
    assert words.startswith("a.agent.abl:10 reads `name` inside `#each`, where it may be a field of the item")
    clear = {"a.agent.abl": text.replace("}}{{name}}{{/", "}}{{this.name}}{{/")}
    assert (
        "{{who}} {{#each rows}}{{this.name}}"
        in renamed(at("a.agent.abl", "    - na|me\n", clear), "who", clear)["a.agent.abl"]
    )


def test_a_currency_field_and_its_currency_go_together() -> None:
    text = (
        'AGENT: A\nGOAL: "x"\nGATHER:\n  fee:\n    prompt: "Fee?"\n    type: currency\n'
        'COMPLETE:\n  - WHEN: fee_currency == "EUR"\n    RESPOND: "x"\n'
    )
    files = {"a.agent.abl": text}
    assert refusal(at("a.agent.abl", "  fe|e:\n", files), "sum", files) == (
        "a.agent.abl:8 reads `fee_currency`, which comes with the field."
    )
    assert refusal(at("a.agent.abl", "fee_cur|rency ==", files), "x", files) == (
        "`fee_currency` comes with the field `fee`."
    )


ITEMS = """\
AGENT: A
GOAL: "x {{row}}"
MEMORY:
  session:
    - rows
    - row
    - least
FLOW:
  s:
    REASONING: false
    TRANSFORM: rows AS row INTO kept
      FILTER: row.x > least AND row.row == 1
      MAP:
        x: row.x
      SORT_BY: row.x
    TRANSFORM:
      SOURCE: kept AS row
      INTO: rest
      FILTER: row.y > 1
    THEN: COMPLETE
"""


def test_the_item_of_a_pipeline_is_a_name_of_that_pipeline() -> None:
    files = {"a.agent.abl": ITEMS}
    after = renamed(at("a.agent.abl", "FILTER: ro|w.x", files), "line", files)["a.agent.abl"]
    first = "rows AS line INTO kept\n      FILTER: line.x > least AND line.row == 1\n      MAP:\n        x: line.x\n"
    assert first + "      SORT_BY: line.x\n" in after
    assert after.partition("    TRANSFORM:\n")[2] == ITEMS.partition("    TRANSFORM:\n")[2]
    assert "{{row}}" in after
    after = renamed(at("a.agent.abl", "kept AS ro|w", files), "line", files)["a.agent.abl"]
    assert after == ITEMS.replace("kept AS row", "kept AS line").replace("row.y", "line.y")


@pytest.mark.parametrize("name", ["least", "rows", "kept", "input", "two words"])
def test_the_item_of_a_pipeline_hides_no_variable(name: str) -> None:
    files = {"a.agent.abl": ITEMS}
    words = refusal(at("a.agent.abl", "kept AS ro|w", files), name, files)
    assert "is taken: a.agent.abl:" in words or "is a name of" in words or "is not a name for an item" in words


def test_a_section_that_is_not_known_may_set_a_name() -> None:
    text = (
        'AGENT: A\nGOAL: "x"\nBOXES:\n  session:\n    - fines\nCONSTRAINTS:\n  - REQUIRE fines == 0\n    ON_FAIL: "x"\n'
    )
    files = {"a.agent.abl": text}
    assert refusal(at("a.agent.abl", "REQUIRE fin|es", files), "x", files) == (
        "a.agent.abl:5 may set `fines` and cannot be read; mend it first."
    )
    for section in ("MEMORY", "MEMRY"):  # a misspelt one is read as meant
        known = {"a.agent.abl": text.replace("BOXES", section)}
        after = renamed(at("a.agent.abl", "REQUIRE fin|es", known), "dues", known)["a.agent.abl"]
        assert "REQUIRE dues == 0" in after
        assert "    - dues\n" in after


def test_what_is_no_name_is_no_variable() -> None:
    files = {"a.agent.abl": 'AGENT: A\nGOAL: "x {{#each rows}}{{@index}}{{/each}} {{@index}}"\n'}
    assert refusal(at("a.agent.abl", '{{@ind|ex}}"', files), "x", files) == "`@index` is no name of a variable."


def test_what_a_survey_knows_is_no_variable() -> None:
    survey = (
        'AGENT: A\nGOAL: "x"\nTEMPLATES:\n  bye:\n    DEFAULT: "Bye"\n    FEEDBACK:\n      prompt: "How?"\n'
        '      type: star\n      success_message: "Thanks"\n      success_message_rules:\n        - when: rating > 3\n'
        '          text: "Great"\n'
    )
    files = {"a.agent.abl": survey}
    assert refusal(at("a.agent.abl", "when: rat|ing", files), "x", files) == (
        "a.agent.abl:11 reads `rating`, which is a word of the survey there."
    )
    own = {"a.agent.abl": f"{survey}MEMORY:\n  session:\n    - rating\n"}
    assert "when: stars > 3" in renamed(at("a.agent.abl", "    - rat|ing\n", own), "stars", own)["a.agent.abl"]


def test_a_scope_of_facts_is_no_variable() -> None:
    files = {"a.agent.abl": 'AGENT: A\nGOAL: "x"\nCONSTRAINTS:\n  - REQUIRE user.age > 17\n'}
    assert "is a scope of facts" in refusal(at("a.agent.abl", "us|er.age", files), "x", files)
