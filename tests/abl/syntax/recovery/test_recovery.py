"""Damage stays where it is: whatever a line becomes, the blocks after it are read as before."""

from __future__ import annotations

import pytest

from abl.syntax import nodes, parse

AGENT = """AGENT: Desk
GOAL: "Help"
MEMORY:
  session:
    - first
      TYPE: number
    - second
  remember:
    - WHEN: first IS SET
      STORE: first -> user.first
CONSTRAINTS:
  always:
    - REQUIRE first < 3
      ON_FAIL: "Too many"
    - REQUIRE second IS SET
      ON_FAIL: BLOCK
FLOW:
  one:
    REASONING: false
    SET: a = 1
    THEN: two
  two:
    REASONING: false
    THEN: COMPLETE
"""
DAMAGE = ["???", '"never closed', "[1, 2", "}", "KEY", "😀: x", ": x", "- ", "a\tb", "\x00\x01"]


def shape(agent: nodes.Agent) -> dict[str, object]:
    """What the later sections hold."""
    return {
        "variables": [v.name.value for v in agent.memory.session] if agent.memory else None,
        "rules": [r.condition.value for r in agent.constraints.rules if r.condition] if agent.constraints else None,
        "steps": [s.name.value for s in agent.flow.steps] if agent.flow else None,
        "exits": [s.then.target.value for s in agent.flow.steps if s.then and s.then.target] if agent.flow else None,
    }


WHOLE = shape(parse(AGENT).agents[0])


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(
    "after", ["    - first\n", "      TYPE: number\n", "      ON_FAIL: BLOCK\n", "    SET: a = 1\n"]
)
def test_an_unreadable_line_is_reported_and_nothing_else_changes(damage: str, after: str) -> None:
    at = AGENT.index(after) + len(after)
    indent = " " * (len(after) - len(after.lstrip()) + (2 if after.lstrip().startswith("-") else 0))
    document = parse(f"{AGENT[:at]}{indent}{damage}\n{AGENT[at:]}")
    assert document.findings or damage in ("- ", "😀: x")  # a key that is no directive is judged by a rule
    assert shape(document.agents[0]) == WHOLE


@pytest.mark.parametrize("line", range(3, AGENT.count("\n")))
def test_dropping_any_line_keeps_the_sections_that_do_not_hold_it(line: int) -> None:
    rows = AGENT.splitlines(keepends=True)
    left = shape(parse("".join(rows[:line] + rows[line + 1 :])).agents[0])
    section = max(name for name in (2, 10, 16) if name <= line)
    if line not in (10, 16):
        unaffected = {2: ("rules", "steps", "exits"), 10: ("variables", "steps", "exits"), 16: ("variables", "rules")}
        assert {key: left[key] for key in unaffected[section]} == {key: WHOLE[key] for key in unaffected[section]}


def test_an_unknown_section_says_nothing_about_its_content() -> None:
    document = parse('AGENT: A\nMEMROY:\n  sesion\n    - 1x # note\n   - "y\nGOAL: "open\n')
    assert [finding.code for finding in document.findings] == ["ABL103", "ABL111"]


def test_a_repeated_section_is_merged() -> None:
    (agent,) = parse("AGENT: A\nMEMORY:\n  session:\n    - a\nMEMORY:\n  session:\n    - b\n").agents
    assert agent.memory is not None
    assert [variable.name.value for variable in agent.memory.session] == ["a", "b"]


def test_a_name_given_twice_keeps_both_entries_for_the_rules_to_judge() -> None:
    (fragment,) = parse("MEMORY:\n  session:\n    - a\n    - a\n      TYPE: number\n").fragments
    assert fragment.memory is not None
    assert [variable.name.value for variable in fragment.memory.session] == ["a", "a"]


@pytest.mark.parametrize(
    ("line", "name"), [("- name: required", "name"), ("- NAME: age", "age"), ("- name: string", "name")]
)
def test_a_field_may_be_called_name(line: str, name: str) -> None:
    document = parse(f'AGENT: Desk\nGOAL: "Ask"\nGATHER:\n  {line}\n    prompt: "Well?"\n')
    gather = document.agents[0].gather
    assert gather is not None
    assert [field.name.value for field in gather.fields] == [name]


MARKED = """---
# of the first
agent: One
goal: "a"
memory:
  session:
    - a
...
---
agent: Two
goal: |
  b
  ---
---
persona: "c"
"""


def test_markers_of_documents_say_nothing_in_the_yaml_form() -> None:
    document = parse(MARKED)
    assert document.findings == ()
    assert [agent.name.value for agent in document.agents if agent.name is not None] == ["One", "Two"]
    assert document.agents[1].goal is not None
    assert document.agents[1].goal.value == "b\n---"
    assert document.agents[1].persona is not None


def test_a_marker_is_one_unreadable_line_in_the_keyword_form() -> None:
    text = "---\nAGENT: One\nGOAL: a\nMEMORY:\n  session:\n    - a\n---\n    - b\n"
    document = parse(text)
    assert [finding.code for finding in document.findings] == ["ABL125", "ABL125"]
    assert [unknown.text for unknown in document.unknown] == ["---", "---"]
    (agent,) = document.agents
    assert agent.memory is not None
    assert [variable.name.value for variable in agent.memory.session] == ["a", "b"]


def test_complete_false_does_not_end_anything() -> None:
    text = "AGENT: A\nACTION_HANDLERS:\n  a:\n    COMPLETE: false\n  b:\n    COMPLETE: true\n"
    one, two = parse(text).agents[0].action_handlers
    assert [type(action) for action in one.actions] == [nodes.Setting]
    assert [type(action) for action in two.actions] == [nodes.Transition]
