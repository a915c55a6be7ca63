"""A rename leaves nothing behind in silence: it reaches other agents, profiles, tool files and test cases."""

from __future__ import annotations

import pytest

import abl
from tests.abl.editing.desk import DESK, FILES, changed
from tests.abl.editing.test_rename import at


def test_a_field_is_renamed_in_profiles_tools_entities_delegations_and_test_cases() -> None:
    found = changed("  rea|der_name:\n    prompt:", "who")
    assert found["desk"] == [
        "provides: [who]",
        "who:",
        'RESPOND: "Hello {{session.who}}"',
        'RESPOND: "At nine, {{who}}."',
        "INPUT: {reader_name: who, topic: genre}",
        "pass: [who]",
    ]
    assert found["late"] == ["who:", 'respond: "Late, {{who}}"']
    assert found["lends"] == [
        "session: {who: Ada}",
        '- {call: fetch, args: {id: "{{variables.who}}"}}',
        'set: {"who": Eve}',
        "session: {absent: [who, shelf_mark]}",
    ]
    assert set(found) == {"desk", "late", "lends"}


def test_an_entity_with_the_intents_and_fields_that_name_it() -> None:
    found = changed("  gen|re:\n    TYPE", "sort")["desk"]
    assert "ENTITIES: [sort]" in found
    assert "entity_ref: sort" in found
    assert "INPUT: {reader_name, topic: sort}" in found
    assert "CALL: find_book(sort) AS book" in found
    assert not any("genre" in line for line in found)


def test_what_is_delegated_is_a_name_of_the_other_agent() -> None:
    found = changed("- to|pic", "subject", "catalogue.agent.abl")
    assert found["desk"] == ["INPUT: {reader_name, subject: genre}"]
    found = changed("- pl|ace", "spot", "catalogue.agent.abl")
    assert found["desk"] == ["RETURNS: {spot: place_found, shelf_mark}"]
    found = changed("- shelf|_mark", "mark", "catalogue.agent.abl")
    assert found["desk"] == ["RETURNS: {place: place_found, mark: shelf_mark}"]
    found = changed("- pa|id", "settled", "billing.agent.abl")
    assert found["desk"] == ["map: {settled: shelf_mark}"]


def test_what_is_taken_back_is_a_name_of_this_agent() -> None:
    found = changed("  session:\n    - shelf|_mark", "mark")
    assert found["desk"] == [
        "- mark",
        "RETURNS: {place: place_found, shelf_mark: mark}",
        "map: {paid: mark}",
    ]
    assert found["late"] == ["WHEN: mark IS SET"]
    assert set(found) == {"desk", "late", "lends"}


def test_a_list_of_what_is_handed_over_binds_both_agents() -> None:
    files = {**FILES, "desk.agent.abl": DESK.replace("{place: place_found, shelf_mark}", "[shelf_mark]")}
    found = changed("- shelf|_mark", "mark", "catalogue.agent.abl", files)
    assert "RETURNS: [mark]" in found["desk"]
    assert "- mark" in found["desk"]


def test_a_path_in_grants_in_what_is_handed_over_and_in_facts_of_test_cases() -> None:
    found = changed("- user|.loans\n", "user.held")
    assert "memory_grants: [{path: user.held, access: read}]" in found["desk"]
    assert found["lends"] == ["user: {user.held: 4}", "facts: {user.held: 4}"]
    assert changed("- work|flow.case", "workflow.file")["desk"] == ["- workflow.file", 'workflow.file: "open"']


def test_a_tool_in_profiles_secrets_and_test_cases_and_one_of_a_tool_file() -> None:
    found = changed("  fe|tch(id", "get")
    assert "token -> library_token (consumers: [get])" in found["desk"]
    assert found["late"] == ["HIDE: [get, find_book]"]
    assert found["lends"] == [
        "get: [{result: {shelf: s}}]",
        '- {call: get, args: {id: "{{variables.reader_name}}"}}',
        '- reply: "{{results.get.shelf}}"',
        "calls: [{tool: find_book}, {tool: get, args: {id: b}}]",
    ]
    found = changed("  find|_book(title", "look_up", "lib.tools.abl")
    assert found["desk"] == ['file: "lib.tools.abl" [look_up]', "CALL: look_up(genre) AS book"]
    assert found["late"] == ["HIDE: [fetch, look_up]"]
    assert found["lends"][0] == "look_up:"


def test_a_step_in_profiles_digressions_and_test_cases() -> None:
    found = changed("steps: [gr|eet", "hello")
    assert found["desk"] == ["steps: [hello, lend]", "hello:", "GOTO: hello"]
    assert found["late"] == ["SKIP: [hello]"]
    found = changed("  le|nd:\n    REASONING", "hand_over")
    assert found["late"] == ["hand_over:", "- BEFORE: hand_over"]
    assert found["lends"] == ["step: hand_over"]


def test_from_the_profile_it_is_the_same() -> None:
    for mark, name in (("SKIP: [gr|eet]", "hello"), ("HIDE: [fe|tch", "get"), ("    reader|_name:\n", "who")):
        from_profile = changed(mark, name, "late.behavior_profile.abl")
        assert {"desk", "late"} <= set(from_profile)
        assert abl.references(FILES, *at("late.behavior_profile.abl", mark, FILES)) != []


def test_an_agent_in_test_cases() -> None:
    found = changed("AGENT: De|sk", "Counter")
    assert found["lends"] == ["entry: Counter", 'bank: {Counter: "0"}', "agent: Counter"]


TRIP = """\
AGENT: Trip_Desk
GOAL: "Book trips"
TOOLS:
  file: "lib/common.tools.abl" [book]
FLOW:
  steps: [book_it]
  book_it:
    REASONING: false
    CALL: book(city: "Ghent")
    RESPOND: "Booked: {{trip_code}}"
    THEN: COMPLETE
"""
TRIP_TOOLS = """\
TOOLS:
  book(city: string) -> {ok: boolean, code: string}
    description: "Books"
    on_result:
      set:
        trip_code: result.code
"""


@pytest.mark.parametrize(("path", "line", "column"), [("trip.agent.abl", 10, 25), ("lib/common.tools.abl", 6, 9)])
def test_a_name_that_an_imported_tool_sets_is_one_name(path: str, line: int, column: int) -> None:
    files = {"trip.agent.abl": TRIP, "lib/common.tools.abl": TRIP_TOOLS}
    result = abl.rename(files, path, line, column, "booking")
    assert result["refused"] is None
    assert {path: len(edits) for path, edits in result["edits"].items()} == dict.fromkeys(files, 1)
