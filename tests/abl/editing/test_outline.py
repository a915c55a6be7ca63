"""The outline of a document."""

from __future__ import annotations

import json
from typing import Any

import abl
from abl.editing.outline import outline

TEXT = """AGENT: Desk
GOAL: "Help people"
LIMITATIONS:
  - "No promises"
TOOLS:
  find(a: string, b: number)
MEMORY:
  session:
    - a
      TYPE: number
  remember:
    - WHEN: a IS SET
      STORE: a -> user.a
CONSTRAINTS:
  always:
    - REQUIRE a < 3
      ON_FAIL: BLOCK
FLOW:
  entry_point: two
  one:
    REASONING: false
  two:
    REASONING: false
"""


def outlined(text: str) -> list[dict[str, Any]]:
    return outline({"desk.agent.abl": text}, "desk.agent.abl")


def rows(entries: list[dict[str, Any]], depth: int = 0) -> list[tuple[int, str, str, str]]:
    found = []
    for entry in entries:
        found.append((depth, entry["kind"], entry["name"], entry["detail"]))
        found += rows(entry["children"], depth + 1)
    return found


def test_an_agent_with_its_sections_and_what_they_declare():
    assert rows(outlined(TEXT)) == [
        (0, "agent", "Desk", "agent"),
        (1, "section", "GOAL", "Help people"),
        (1, "section", "LIMITATIONS", "1"),
        (1, "section", "TOOLS", "1"),
        (2, "tool", "find", "a, b"),
        (1, "section", "MEMORY", ""),
        (2, "group", "session", "1"),
        (3, "variable", "a", "number"),
        (2, "group", "remember", "1"),
        (3, "trigger", "user.a", ""),
        (1, "section", "CONSTRAINTS", "1"),
        (2, "rule", "a < 3", "REQUIRE"),
        (1, "section", "FLOW", "2 steps"),
        (2, "step", "one", ""),
        (2, "step", "two", "entry"),
    ]


def test_ranges_are_lines_and_columns_and_the_whole_is_json():
    (agent,) = outlined(TEXT)
    flow = agent["children"][-1]
    assert flow["range"]["start"] == {"line": 18, "column": 1}
    assert flow["children"][1]["range"] == {"start": {"line": 22, "column": 3}, "end": {"line": 23, "column": 21}}
    assert flow["children"][1]["path"] == "flow.two"
    assert json.loads(json.dumps(agent)) == agent


def test_fragments_profiles_and_tool_files_have_an_outline():
    assert [row[1:3] for row in rows(outlined("- REQUIRE a\n- LIMIT b < 2\n"))] == [
        ("fragment", "Fragment"),
        ("rule", "a"),
        ("rule", "b < 2"),
    ]
    assert rows(outlined("TOOLS:\n  f()\n"))[0][1] == "tools"
    assert rows(outlined("BEHAVIOR_PROFILE: p\nPRIORITY: 1\nWHEN: a\n"))[0][1:3] == ("profile", "p")


def test_two_phases_are_shown_with_their_rules():
    text = "CONSTRAINTS:\n  a:\n    - REQUIRE x\n  b:\n    - REQUIRE y\n"
    assert [row[1:3] for row in rows(outlined(text))][2:] == [
        ("phase", "a"),
        ("rule", "x"),
        ("phase", "b"),
        ("rule", "y"),
    ]


def test_a_broken_text_has_an_outline_too():
    assert outlined("") == []
    assert outlined("???") == []
    assert rows(outlined("AGENT:\nMEMORY:\n"))[0][:2] == (0, "agent")


def test_it_is_called_like_the_other_functions_of_an_editor():
    files = {"desk.agent.abl": TEXT, "other.agent.abl": "AGENT: Other\n"}
    assert abl.outline(files, "desk.agent.abl", 3, 1) == outlined(TEXT)
    assert rows(abl.outline(files, "other.agent.abl", 1, 1)) == [(0, "agent", "Other", "agent")]
    assert abl.outline(files, "nowhere.agent.abl", 1, 1) == []
