"""Completion offers what is right at a place and nothing else (docs/spec 12 §1); the cursor is a `|`."""

from __future__ import annotations

import time

import pytest

from abl.analysis.check import check
from abl.editing.completion.complete import complete
from abl.language import words_at
from abl.syntax.vocabulary import ERROR_TYPES

GATHER_TYPES = words_at("field", "TYPE")

TOOLS = """\
AGENT: Desk
GOAL: "Bill"
TOOLS:
  get_invoice(number: string, year?: number) -> {id: string, lines: {text: string, price: number}[]}
    description: "Read an invoice"
INTENTS:
  billing: "Questions about an invoice"
  stay: "Bookings"
MEMORY:
  session:
    - level
      TYPE: enum<low, high>
"""
FLOW = """\
FLOW:
  steps: [ask, show]
  ask:
    REASONING: false
    GATHER:
      - size: required
        prompt: "Size?"
        options: [small, very large]
    CALL: get_invoice(number)
    AS: invoice
    THEN: show
  show:
    REASONING: false
    TRANSFORM:
      SOURCE: invoice.lines AS l
      INTO: rows
      FILTER: l.price > 0
      MAP:
        label: l.text
        cost: l.price
      SORT_BY: cost
    THEN: COMPLETE
"""
OTHER = """\
AGENT: Clerk
GOAL: "Pay"
TOOLS:
  pay(sum: number) -> {ok: boolean}
    description: "Pay"
MEMORY:
  session:
    - receipt
      TYPE: string
"""
YAML = """\
agent: Menu
version: "1.0.0"
goal: "Take an order"
memory:
  session:
    - {name: dish, type: string}
"""


def offers(text: str, **others: str) -> list[dict[str, str]]:
    before, _, after = text.partition("|")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return complete({"desk.agent.abl": before + after, **others}, "desk.agent.abl", line, column)


def labels(text: str, **others: str) -> list[str]:
    return [item["label"] for item in offers(text, **others)]


def declared(text: str, **others: str) -> list[str]:
    """Labels without the tools of the runtime, which every agent has."""
    return [item["label"] for item in offers(text, **others) if item["detail"] != "of the runtime"]


def shown(old: str, new: str) -> list[str]:
    """Labels in the agent above, where one line is written anew up to the cursor."""
    whole = TOOLS + FLOW
    assert old in whole
    return labels(whole.replace(old, new, 1))


# values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("TOOLS:\n  f() -> {a: string}\n    method: |", ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]),
        ("TOOLS:\n  f() -> {a: string}\n    type: async_webhook\n    method: |", ["POST", "PUT", "PATCH"]),
        ("TOOLS:\n  f() -> {a: string}\n    confirm: |", ["always", "never", "when_side_effects"]),
        ("BEHAVIOR:\n  role: |", ["router", "orchestrator", "assistant"]),
        ("ON_ERROR:\n  tool_error:\n    RETRY_BACKOFF: |", ["fixed", "linear", "exponential"]),
        ("FLOW:\n  a:\n    ON_ERROR:\n      - TYPE: |", list(ERROR_TYPES)),
        ("FLOW:\n  a:\n    ON_ERROR:\n      tool_error:\n        THEN: C|", ["CONTINUE", "COMPLETE"]),
        ("HANDOFF:\n  - TO: B\n    ON_RETURN:\n      action: |", ["continue", "resume_intent"]),
        ("HANDOFF:\n  - TO: B\n    ON_RETURN: |", ["continue", "resume_intent"]),
        ("HANDOFF:\n  - TO: B\n    CONTEXT:\n      history: |", ["full", "auto", "none", "summary_only"]),
        ("GATHER:\n  a:\n    type: |", list(GATHER_TYPES)),
    ],
)
def test_values_of_a_closed_set_are_offered(text: str, wanted: list[str]) -> None:
    assert labels(text) == wanted


@pytest.mark.parametrize("type_", GATHER_TYPES)
def test_every_type_that_is_offered_for_a_field_is_one(type_: str) -> None:
    text = f'AGENT: A\nVERSION: "1.0.0"\nGOAL: "g"\nGATHER:\n  size:\n    prompt: "p"\n    type: {type_}\n'
    assert "ABL701" not in {d.code for d in check({"a.agent.abl": text}).diagnostics}


def test_lists_and_objects_are_no_types_of_fields() -> None:
    assert not {"array", "object"} & set(GATHER_TYPES)


def test_sort_by_takes_the_fields_of_map_and_then_a_direction() -> None:
    assert shown("SORT_BY: cost", "SORT_BY: |") == ["label", "cost"]
    assert shown("SORT_BY: cost", "SORT_BY: cost |") == ["asc", "desc"]


def test_sort_by_without_map_takes_the_fields_of_the_item() -> None:
    without = FLOW.replace("      MAP:\n        label: l.text\n        cost: l.price\n", "")
    assert labels(TOOLS + without.replace("SORT_BY: cost", "SORT_BY: |")) == ["text", "price"]


# keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("HANDOFF:\n  - TO: B\n    ON_RETURN:\n      |", ["action", "handler", "map", "resume_with", "set"]),
        ("HANDOFF:\n  - TO: B\n    CONTEXT:\n      |", ["history", "memory_grants", "pass", "set", "summary"]),
        ("ON_ERROR:\n  |", list(ERROR_TYPES)),
        ("FLOW:\n  a:\n    ON_ERROR:\n      |", list(ERROR_TYPES)),
        ("ON_ERROR:\n  tool_error:\n    RETRY|", ["RETRY", "RETRY_BACKOFF", "RETRY_DELAY", "RETRY_MAX_DELAY"]),
        ("BEHAVIOR:\n  |", ["role"]),
        ("HANDOFF:\n  - TO: B\n    CONTEXT:\n      memory_grants:\n        - |", ["access", "path"]),
        ("DELEGATE:\n  - AGENT: B\n    RET|", ["RETURNS", "ON_RETURN"]),
    ],
)
def test_keys_of_blocks_are_offered(text: str, wanted: list[str]) -> None:
    assert sorted(labels(text)) == sorted(wanted)


@pytest.mark.parametrize(
    "call",
    [
        "    CALL: get_invoice\n      WITH:\n        |",
        "    CALL: get_invoice\n    WITH:\n      |",
        "    ON_INPUT:\n      - IF: true\n        CALL: get_invoice\n        WITH:\n          |",
        "    call: get_invoice\n    with: {|",
    ],
)
def test_arguments_are_the_parameters_of_the_tool(call: str) -> None:
    offered = offers(f"{TOOLS}FLOW:\n  ask:\n    REASONING: false\n{call}")
    assert [(item["label"], item["insert"], item["detail"]) for item in offered] == [
        ("number", "number: ", "string"),
        ("year", "year: ", "number optional"),
    ]


def test_the_value_of_an_argument_is_an_expression() -> None:
    offered = labels(f"{TOOLS}FLOW:\n  ask:\n    CALL: get_invoice\n      WITH:\n        number: |")
    assert {"level", "UPPER"} <= set(offered)


def test_arguments_in_parentheses_begin_with_the_parameters() -> None:
    assert shown("CALL: get_invoice(number)", "CALL: get_invoice(|)")[:2] == ["number", "year"]


def test_what_comes_back_is_mapped_from_the_variables_of_the_other_agent() -> None:
    text = TOOLS + "HANDOFF:\n  - TO: Clerk\n    ON_RETURN:\n      map:\n        |"
    assert labels(text, **{"clerk.agent.abl": OTHER}) == ["receipt"]
    text = TOOLS + "DELEGATE:\n  - AGENT: Clerk\n    RETURNS:\n      |"
    assert labels(text, **{"clerk.agent.abl": OTHER}) == ["receipt"]


@pytest.mark.parametrize(
    ("text", "word"),
    [("HANDOFF:\n  - TO: B\n    |", "GRANT_MEMORY"), ("FLOW:\n  a:\n    |", "CALL_WITH")],
)
def test_removed_and_other_spellings_are_not_offered(text: str, word: str) -> None:
    offered = labels(text)
    assert offered
    assert word not in [label.upper() for label in offered]


# names -----------------------------------------------------------------------------------------------------------


def test_calls_offer_the_own_tools_only() -> None:
    calling = OTHER + "FLOW:\n  a:\n    CALL: pay(1)\n    AS: paid\n"
    assert declared(f"{TOOLS}FLOW:\n  a:\n    CALL: |", **{"clerk.agent.abl": calling}) == ["get_invoice"]


def test_an_agent_without_tools_is_offered_those_of_the_project() -> None:
    text = 'AGENT: Desk\nGOAL: "Bill"\nFLOW:\n  a:\n    CALL: |'
    assert declared(text, **{"clerk.agent.abl": OTHER}) == ["pay"]


def test_imported_tools_are_offered() -> None:
    text = 'AGENT: Desk\nGOAL: "Bill"\nTOOLS:\n  FILE: "common.tools.abl" [weather, book]\nFLOW:\n  a:\n    CALL: |'
    assert declared(text) == ["book", "weather"]


def test_the_tools_of_the_runtime_come_last() -> None:
    offered = labels(f"{TOOLS}FLOW:\n  a:\n    CALL: |")
    assert offered[0] == "get_invoice"
    assert {"memory_read", "set_content", "call_transfer"} <= set(offered[1:])
    assert not [name for name in offered if name.startswith("_")]


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("- REQUIRE level == 'low' BEFORE calling |", ["get_invoice"]),
        ("- REQUIRE level == 'low' BEFORE calling get|", ["get_invoice"]),
        ("- REQUIRE level == 'low' BEFORE |", ["calling get_invoice", "returning results"]),
        ("- REQUIRE level == 'low'\n    BEFORE: calling get|", ["get_invoice"]),
        ("- REQUIRE level == 'low'\n    BEFORE: |", ["calling get_invoice", "returning results"]),
    ],
)
def test_checkpoints_name_tools(rule: str, wanted: list[str]) -> None:
    assert labels(f"{TOOLS}CONSTRAINTS:\n  {rule}") == wanted


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ('intent.category == "|', ["billing", "stay"]),
        ('intent.category == "b|"', ["billing"]),
        ('intent.category IN ["billing", "|', ["billing", "stay"]),
        ("level == '|", ["low", "high"]),
        ('size != "|', ["small", "very large"]),
        ('invoice.id == "|', []),
        ('UPPER("|', []),
    ],
)
def test_texts_are_compared_with_what_is_declared(condition: str, wanted: list[str]) -> None:
    assert labels(f"{TOOLS}{FLOW}COMPLETE:\n  - WHEN: {condition}") == wanted


def test_a_text_of_two_words_goes_on_behind_the_first() -> None:
    [item] = offers(f'{TOOLS}{FLOW}COMPLETE:\n  - WHEN: size == "very l|')
    assert (item["label"], item["insert"]) == ("very large", "large")


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("label: l.text", "label: l.|", ["l.text", "l.price"]),
        ("FILTER: l.price > 0", "FILTER: l.|", ["l.text", "l.price"]),
        ("THEN: COMPLETE", 'RESPOND: "{{invoice.|}}"', ["invoice.id", "invoice.lines"]),
        ("THEN: COMPLETE", 'RESPOND: "{{result.i|}}"', ["result.id"]),
        ("THEN: COMPLETE", "SET: n = invoice.|", ["invoice.id", "invoice.lines"]),
        ("THEN: COMPLETE", "CHECK: intent.c|", ["intent.category", "intent.confidence", "intent.candidates"]),
    ],
)
def test_behind_a_dot_stand_the_fields_of_the_type(old: str, new: str, wanted: list[str]) -> None:
    assert shown(old, new) == wanted


# the YAML form ---------------------------------------------------------------------------------------------------


def test_a_map_in_braces_takes_the_keys_of_its_place() -> None:
    offered = labels(f'{YAML}constraints:\n  order:\n    - require: "dish IS SET"\n      on_fail: {{|')
    assert sorted(offered) == ["clear", "collect", "goto", "respond", "retry", "then"]
    assert labels(f"{YAML}memory:\n  remember:\n    - {{|") == ["when", "store", "ttl"]
    assert labels(f'{YAML}memory:\n  remember:\n    - {{when: "dish IS SET", t|') == ["ttl"]


def test_a_value_in_braces_is_that_of_its_key() -> None:
    offered = labels(f'{YAML}constraints:\n  order:\n    - require: "dish IS SET"\n      on_fail: {{then: |')
    assert offered == ["continue", "retry"]


@pytest.mark.parametrize("text", ['memory:\n  remember:\n    - {when: "|', 'constraints:\n  a:\n    - require: "|'])
def test_a_quoted_condition_takes_names_and_no_keys(text: str) -> None:
    offered = offers(YAML + text)
    assert offered[0]["label"] == "dish"
    assert not {"key", "section"} & {item["kind"] for item in offered}


def test_a_quoted_message_takes_nothing() -> None:
    assert labels('CONSTRAINTS:\n  - REQUIRE a\n    ON_FAIL: "|') == []


EACH, INDEXED = "{{#each a" + " " * 50_000, "a[0]" * 5_000 + "."


@pytest.mark.parametrize(
    "written", ["a." * 5_000, "a IN [" * 5_000 + '"', "BEFORE " * 5_000, "{a: " * 5_000, EACH, INDEXED]
)
def test_a_long_line_is_answered_in_time(written: str) -> None:
    text = f"{TOOLS}CONSTRAINTS:\n  - REQUIRE {written}|"
    labels(text)  # reads the text
    start = time.process_time()
    labels(text)
    assert time.process_time() - start < 0.5


# what another spelling stands for -------------------------------------------------------------------------------------

HEAD = 'AGENT: Desk\nGOAL: "g"\n'


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("MEMORY:\n  session:\n    - loans\n      |", {"NAME"}),
        ("MEMORY:\n  persistent:\n    - user.card\n      |", {"PATH"}),
        ("FLOW:\n  entry_point: |\n  steps: [a]\n  a:\n    REASONING: false\n", {"COMPLETE", "ESCALATE", "HANDOFF"}),
        ("FLOW:\n  s:\n    CALL: t\n    ON_RESULT:\n      - |\n", {"s", "COMPLETE"}),
        ("CONSTRAINTS:\n  - REQUIRE loans IS SET\n    |", {"SEVERITY"}),
        ("CONSTRAINTS:\n  - REQUIRE loans IS SET\n    ON_FAIL:\n      |", {"SET"}),
        ("|", {"AGENTS", "ROUTING", "STATE"}),
    ],
)
def test_what_could_not_be_taken_is_not_offered(text: str, never: set[str]) -> None:
    offered = labels(HEAD + text)
    assert offered
    assert not never & set(offered)


def test_a_check_may_set_what_a_rule_may_not() -> None:
    assert "SET" in labels(HEAD + "FLOW:\n  s:\n    CHECK: loans IS SET\n    ON_FAIL:\n      |")


@pytest.mark.parametrize(
    ("path", "text", "first"),
    [
        ("x.agent.abl", "|", ["AGENT", "SUPERVISOR"]),
        ("x.agent.yaml", "|", ["agent", "supervisor"]),
        ("x.agent.yaml", "a|", ["agent"]),
        ("x.tools.abl", "|", ["TOOLS"]),
        ("x.behavior_profile.abl", "|", ["BEHAVIOR_PROFILE"]),
        ("x.behavior_profile.abl", "BEHAVIOR_PROFILE: calm\n|", ["PRIORITY", "WHEN"]),
        ("x.behavior_profile.abl", "BEHAVIOR_PROFILE: calm\nPRIORITY: 1\n|", ["WHEN", "INSTRUCTIONS"]),
    ],
)
def test_a_document_can_be_begun(path: str, text: str, first: list[str]) -> None:
    at = text.index("|")
    place = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    offered = [item["label"] for item in complete({path: text.replace("|", "")}, path, *place)]
    assert offered[: len(first)] == first


def test_what_another_agent_hands_over_is_offered() -> None:
    desk = HEAD + "HANDOFF:\n  - TO: Shelf\n    WHEN: a IS SET\n    CONTEXT:\n      pass: [title]\n"
    text = 'AGENT: Shelf\nGOAL: "g"\nCOMPLETE:\n  - WHEN: |'
    offered = {item["label"]: item["detail"] for item in offers(text, desk=desk)}
    assert offered["title"] == "from another agent"
    assert "title" in labels('AGENT: Shelf\nGOAL: "g"\nCOMPLETE:\n  - WHEN: true\n    RESPOND: "{{|', desk=desk)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AGENT: |", []),
        (HEAD + "CONSTRAINTS:\n  - REQUIRE a IS SET\n    ON_FAIL: ESCALATE |", []),
        (HEAD + "CONSTRAINTS:\n  - REQUIRE a IS SET\n    ON_FAIL:\n      GOTO: |", []),
    ],
)
def test_nothing_is_offered_where_an_author_finds_words(text: str, expected: list[str]) -> None:
    assert labels(text, shelf='AGENT: Shelf\nGOAL: "g"\n') == expected


def test_behind_handoff_stand_agents_alone() -> None:
    text = HEAD + "CONSTRAINTS:\n  - REQUIRE a IS SET\n    ON_FAIL: HANDOFF |"
    assert labels(text, shelf='AGENT: Shelf\nGOAL: "g"\n') == ["Shelf"]
