"""What an editor is offered at a cursor, here a `|`: completion, hover, code actions (docs/spec 12 §1)."""

from __future__ import annotations

from typing import Any

import pytest

from abl.editing.actions import code_actions
from abl.editing.completion.complete import complete
from abl.editing.hover import hover

AGENT = """\
AGENT: Desk
GOAL: "Lend books"
TOOLS:
  find_book(title: string, branch?: string) -> {id: string}
    description: "Find a book."
MEMORY:
  session:
    - open_loans
      TYPE: number
      DESCRIPTION: "Books out now"
      INITIAL: 0
  persistent:
    - user.branch
      ACCESS: read
      DEFAULT: "central"
FLOW:
  steps: [ask, lend]
  ask:
    REASONING: false
    GATHER:
      - title: required
        prompt: "Which book?"
    THEN: lend
  lend:
    REASONING: false
    CALL: find_book(title)
    RESPOND: "You have {{open_loans}} loans."
    THEN: COMPLETE
"""


def at(text: str) -> tuple[str, int, int]:
    """The text without its mark, and the mark's line and column."""
    before, _, after = text.partition("|")
    return before + after, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def labels(text: str, **others: str) -> list[str]:
    source, line, column = at(text)
    return [item["label"] for item in complete({"desk.abl": source, **others}, "desk.abl", line, column)]


def hovered(text: str) -> dict[str, Any]:
    source, line, column = at(text)
    found = hover({"desk.abl": source}, "desk.abl", line, column)
    assert found is not None
    return found


# completion ------------------------------------------------------------------------------------------------------


def test_sections_that_are_not_there_yet_are_offered_at_the_start_of_a_line() -> None:
    offered = labels(AGENT + "|")
    assert {"CONSTRAINTS", "HANDOFF"} <= set(offered)
    assert not {"MEMORY", "FLOW", "MODE"} & set(offered)


def test_what_was_typed_narrows_the_offers() -> None:
    assert labels(AGENT + "CONS|") == ["CONSTRAINTS"]


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        ("MEMORY:\n  |", {"session", "persistent", "remember", "recall"}, {"TYPE"}),
        ("MEMORY:\n  session:\n    - a\n      |", {"TYPE", "INITIAL", "RESET"}, {"SCOPE"}),
        ("MEMORY:\n  persistent:\n    - user.a\n      |", {"SCOPE", "ACCESS", "DEFAULT"}, {"RESET"}),
        ("MEMORY:\n  remember:\n    - WHEN: a\n      |", {"STORE", "TTL"}, {"PATHS"}),
        ("MEMORY:\n  recall:\n    - ON: session:start\n      |", {"ACTION", "PATHS"}, {"TTL"}),
        ("CONSTRAINTS:\n  lending:\n    - |", {"REQUIRE", "LIMIT", "RESTRICT", "WARN"}, {"WHEN"}),
        ("CONSTRAINTS:\n  lending:\n    - REQUIRE a\n      |", {"WHEN", "ON_FAIL", "BEFORE"}, {"REQUIRE"}),
        ("CONSTRAINTS:\n  - REQUIRE a\n    ON_FAIL:\n      |", {"COLLECT", "GOTO", "THEN"}, {"ON_FAIL"}),
        ("FLOW:\n  |", {"steps", "entry_point"}, {"RESPOND"}),
        ("FLOW:\n  ask:\n    |", {"REASONING", "RESPOND", "GATHER", "THEN"}, {"steps"}),
        ("FLOW:\n  ask:\n    ON_INPUT:\n      - |", {"IF", "ELSE"}, {"ON_INPUT"}),
        ("FLOW:\n  ask:\n    TRANSFORM:\n      |", {"SOURCE", "INTO", "FILTER"}, {"THEN"}),
        ("GATHER:\n  title:\n    |", {"prompt", "type", "required"}, {"PROMPT"}),
    ],
)
def test_keys_are_those_of_the_place(text: str, some: set[str], none: set[str]) -> None:
    offered = set(labels(text))
    assert some <= offered
    assert not none & offered


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("MEMORY:\n  session:\n    - a\n      RESET: |", ["per_session", "per_step", "per_activation", "never"]),
        ("MEMORY:\n  persistent:\n    - user.a\n      SCOPE: |", ["user", "project", "execution_tree"]),
        ("MEMORY:\n  recall:\n    - ON: x\n      ACTION: |", ["inject_context", "load_memory", "prompt_llm"]),
        ("FLOW:\n  a:\n    REASONING: |", ["true", "false"]),
        ("CONSTRAINTS:\n  - REQUIRE a\n    ON_FAIL:\n      THEN: |", ["continue", "retry"]),
    ],
)
def test_values_are_those_of_the_property(text: str, wanted: list[str]) -> None:
    assert labels(text) == wanted


def test_transitions_offer_steps_and_terminals() -> None:
    assert labels(AGENT.replace("THEN: lend\n", "THEN: |\n", 1)) == ["ask", "lend", "COMPLETE", "ESCALATE", "HANDOFF"]


def test_calls_offer_tools_with_their_description() -> None:
    source, line, column = at(AGENT.replace("CALL: find_book(title)", "CALL: |"))
    tool = complete({"desk.abl": source}, "desk.abl", line, column)[0]
    assert tool == {"label": "find_book", "kind": "tool", "detail": "Find a book.", "insert": "find_book"}


def test_conditions_offer_names_functions_and_operators() -> None:
    offered = labels(AGENT + "CONSTRAINTS:\n  - REQUIRE |")
    assert offered[:2] == ["open_loans", "user.branch"]
    assert {"LENGTH", "NOT", "true"} <= set(offered)
    assert {"IS SET", "AND"} <= set(labels(AGENT + "CONSTRAINTS:\n  - REQUIRE open_loans |"))


def test_placeholders_offer_names() -> None:
    assert labels(AGENT.replace("{{open_loans}}", "{{open|")) == ["open_loans"]


def test_handoffs_offer_the_other_agents() -> None:
    assert labels(AGENT + "HANDOFF:\n  - TO: |", **{"b.abl": 'AGENT: Librarian\nGOAL: "x"\n'}) == ["Librarian"]


def test_recall_events_include_the_tools_and_steps_of_the_agent() -> None:
    offered = labels(AGENT.replace("FLOW:", "  recall:\n    - ON: |\nFLOW:"))
    assert {"session:start", "tool:find_book:after", "step:enter:ask"} <= set(offered)


def test_comments_and_unknown_documents_offer_nothing() -> None:
    assert labels("# RE|") == []
    assert complete({}, "desk.abl", 1, 1) == []


def test_a_position_outside_the_text_is_clamped() -> None:
    assert complete({"desk.abl": AGENT}, "desk.abl", 999, 999)


# hover -----------------------------------------------------------------------------------------------------------


def test_a_variable_shows_type_initial_value_and_where_it_is_used() -> None:
    found = hovered(AGENT.replace("{{open_loans}}", "{{open_|loans}}"))
    assert found["title"] == "open_loans: number"
    lines = found["text"].splitlines()
    assert lines[:4] == ["session variable", "initial 0", "reset per_session", "Books out now"]
    assert "declared: desk.abl:8" in lines
    assert "read: desk.abl:27" in lines
    assert found["range"] == {"start": {"line": 27, "column": 26}, "end": {"line": 27, "column": 36}}


def test_a_persistent_path_shows_scope_access_and_default() -> None:
    found = hovered(AGENT.replace("user.branch", "user.|branch"))
    assert found["text"].splitlines()[:4] == ["persistent path", "scope user", "access read", "default 'central'"]


def test_a_tool_shows_its_signature() -> None:
    found = hovered(AGENT.replace("CALL: find_book", "CALL: find|_book"))
    assert found["title"] == "find_book(title: string, branch?: string) -> {id: string}"


def test_a_function_shows_what_it_does() -> None:
    found = hovered('CONSTRAINTS:\n  - REQUIRE LEN|GTH(a) < 3\n    ON_FAIL: "No."\n')
    assert found["title"].startswith("LENGTH(")
    assert found["text"]


def test_a_keyword_and_a_value_show_their_meaning() -> None:
    assert "stores when it holds" in hovered("MEMORY:\n  remember:\n    - WH|EN: a IS SET\n")["text"]
    assert "entering each step" in hovered("MEMORY:\n  session:\n    - a\n      RESET: per_|step\n")["text"]


def test_a_code_in_a_comment_shows_its_rule() -> None:
    assert hovered("# abl-ignore ABL|346\n")["title"] == "ABL346 bad-ttl"


def test_a_blank_place_shows_nothing() -> None:
    assert hover({"desk.abl": "AGENT: Desk\n\n"}, "desk.abl", 2, 1) is None


# code actions ----------------------------------------------------------------------------------------------------

TTL = 'MEMORY:\n  remember:\n    - WHEN: a IS SET\n      STORE: a -> user.a\n      TTL: "1w"\n'


def test_the_fixes_of_a_line_come_first_then_the_ways_to_ignore() -> None:
    actions = code_actions({"desk.abl": TTL}, "desk.abl", 5, 13)
    assert [(a["title"], a["preferred"], a["code"]) for a in actions] == [
        ("Write 7d", True, "ABL346"),
        ("Ignore ABL346 on this line", False, "ABL346"),
    ]
    assert actions[0]["edits"] == [
        {"range": {"start": {"line": 5, "column": 12}, "end": {"line": 5, "column": 16}}, "text": '"7d"'}
    ]
    assert actions[1]["edits"][0]["text"] == "      # abl-ignore ABL346\n"


def test_a_line_without_problems_has_no_actions() -> None:
    assert code_actions({"desk.abl": TTL}, "desk.abl", 1, 1) == []
    assert code_actions({}, "desk.abl", 1, 1) == []
