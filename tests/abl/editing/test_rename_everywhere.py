"""A rename leaves nothing behind in silence: other agents, profiles, tool files, test cases, what cannot be read."""

from __future__ import annotations

import pytest

import abl
from tests.abl.editing.test_rename import at, refusal, renamed

DESK = """\
AGENT: Desk
GOAL: "Lend books"
TOOLS:
  file: "lib.tools.abl" [find_book]
  log_in(card: string) -> {token: string}
    description: "Log in."
    provides: [reader_name]
    RESULT_SECRETS:
      token -> library_token (consumers: [fetch])
  fetch(id: string) -> {shelf: string}
    description: "Fetch."
    type: http
    endpoint: "/books"
    method: GET
    SECRET_ACCESS:
      READ: [library_token]
NLU:
  intents:
    - NAME: renew
      PATTERNS: ["renew"]
      ENTITIES: [genre]
ENTITIES:
  genre:
    TYPE: string
GATHER:
  reader_name:
    prompt: "Your name?"
  kind:
    prompt: "Which kind?"
    entity_ref: genre
MEMORY:
  session:
    - shelf_mark
    - place_found
  persistent:
    - user.loans
      SCOPE: user
      TYPE: number
      DEFAULT: 0
    - workflow.case
      SCOPE: execution_tree
FLOW:
  steps: [greet, lend]
  greet:
    REASONING: false
    RESPOND: "Hello {{session.reader_name}}"
    CALL: find_book(genre) AS book
    CALL: fetch(book.id)
    THEN: lend
  lend:
    REASONING: false
    DIGRESSIONS:
      - INTENT: hours
        RESPOND: "At nine, {{reader_name}}."
        GOTO: greet
    THEN: COMPLETE
DELEGATE:
  - AGENT: Catalogue
    WHEN: genre IS SET AND kind != ""
    PURPOSE: "Find {{genre}}"
    INPUT: {reader_name, topic: genre}
    RETURNS: {place: place_found, shelf_mark}
    USE_RESULT: "Say where it is"
HANDOFF:
  - TO: Billing
    WHEN: user.loans > 3
    CONTEXT:
      pass: [reader_name]
      set:
        owed: user.loans
        workflow.case: "open"
      memory_grants: [{path: user.loans, access: read}]
    EXPECT_RETURN: true
    ON_RETURN:
      map: {paid: shelf_mark}
USE BEHAVIOR_PROFILE: late
"""
LATE = """\
BEHAVIOR_PROFILE: late
PRIORITY: 5
WHEN: shelf_mark IS SET
TOOLS:
  HIDE: [fetch, find_book]
GATHER:
  FIELD_OVERRIDES:
    reader_name:
      prompt: "Name, {{kind}}?"
FLOW:
  SKIP: [greet]
  OVERRIDES:
    lend:
      respond: "Late, {{reader_name}}"
  INSERTIONS:
    - BEFORE: lend
      RESPOND: "x"
"""
LIBRARY = 'TOOLS:\n  find_book(title: string) -> {id: string}\n    description: "Find a book."\n    effect: read_only\n'
CATALOGUE = """\
AGENT: Catalogue
GOAL: "Find"
MEMORY:
  session:
    - place
    - topic
    - shelf_mark
COMPLETE:
  - WHEN: topic != reader_name
    RESPOND: "{{place}} {{shelf_mark}}"
"""
BILLING = 'AGENT: Billing\nGOAL: "Bill {{owed}}"\nMEMORY:\n  session:\n    - paid\n    - owed\n'
CASE = """\
scenario: reader_name lends
agents: [desk.agent.abl, late.behavior_profile.abl, lib.tools.abl]
entry: Desk
facts:
  user: {user.loans: 4}
session: {reader_name: Ada}
tools:
  find_book:
    - {when: genre == "x", result: {id: b}}
  fetch: [{result: {shelf: s}}]
model:
  - {call: fetch, args: {id: "{{variables.reader_name}}"}}
  - reply: "{{results.fetch.shelf}}"
memory:
  bank: {Desk: "0"}
turns:
  - say: "reader_name"
    set: {"reader_name": Eve}
    expect:
      step: lend
      agent: Desk
      reply: "Hello reader_name"
      calls: [{tool: find_book}, {tool: fetch, args: {id: b}}]
      no_calls: [log_in]
      session: {absent: [reader_name, shelf_mark]}
      facts: {user.loans: 4}
"""
FILES = {
    "billing.agent.abl": BILLING,
    "catalogue.agent.abl": CATALOGUE,
    "desk.agent.abl": DESK,
    "late.behavior_profile.abl": LATE,
    "lends.scenario.yaml": CASE,
    "lib.tools.abl": LIBRARY,
}


def changed(mark: str, name: str, path: str = "desk.agent.abl", files: dict[str, str] = FILES) -> dict[str, list[str]]:
    """The lines that a rename changes, as they are then, by the beginning of their path."""
    after = renamed(at(path, mark, files), name, files)
    return {
        path.partition(".")[0]: [
            new.strip()
            for old, new in zip(text.split("\n"), after[path].split("\n"), strict=True)
            if old != new
        ]
        for path, text in files.items()
        if after[path] != text
    }  # fmt: skip


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


# Refused, with the place -----------------------------------------------------------------------------------------


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
        'AGENT: A\nGOAL: "x"\nMEMRY:\n  session:\n    - fines\nCONSTRAINTS:\n  - REQUIRE fines == 0\n    ON_FAIL: "x"\n'
    )
    files = {"a.agent.abl": text}
    assert refusal(at("a.agent.abl", "REQUIRE fin|es", files), "x", files) == (
        "a.agent.abl:5 may set `fines` and cannot be read; mend it first."
    )
    known = {"a.agent.abl": text.replace("MEMRY", "MEMORY")}
    assert "REQUIRE dues == 0" in renamed(at("a.agent.abl", "REQUIRE fin|es", known), "dues", known)["a.agent.abl"]


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


# Left, and told --------------------------------------------------------------------------------------------------


def test_where_the_word_means_something_else_is_told() -> None:
    text = (
        'AGENT: A\nGOAL: "loans"\n# loans\nMEMORY:\n  session:\n    - loans\n    - rows\nFLOW:\n  s:\n'
        "    REASONING: false\n    SET: rows = [{loans: loans}]\n    TRANSFORM: rows AS row INTO kept\n"
        '      FILTER: row.loans > loans\n      SORT_BY: loans\n    RESPOND: "loans {{loans}}"\n    THEN: COMPLETE\n'
    )
    files = {"a.agent.abl": text}
    answer = abl.rename(files, *at("a.agent.abl", "    - lo|ans\n", files), "books")
    assert [(place["path"], place["range"]["start"]["line"]) for place in answer["left"]] == [("a.agent.abl", 14)]
    assert abl.rename(FILES, *at("desk.agent.abl", "steps: [gr|eet", FILES), "hello")["left"] == []


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


PROSE = """\
AGENT: A
GOAL: "Count open_loans and `loans`"  # open_loans
PERSONA: says open_loans, user.branch, loanCap and loans
INSTRUCTIONS: |
  Never tell open_loans or {{open_loans}}.
MEMORY:
  session:
    - open_loans
    - loans
    - loanCap
    - kind
  persistent:
    - user.branch
CONSTRAINTS:
  - REQUIRE loans < 5 AND kind != "open_loans"
    ON_FAIL: "More than loanCap: {{open_loans}} open_loans"
"""


@pytest.mark.parametrize(
    ("mark", "lines"),
    [
        ("    - open_|loans\n", [2, 2, 3, 5, 16]),
        ("    - lo|ans\n", [2]),
        ("    - loan|Cap\n", [3, 16]),
        ("    - user|.branch\n", [3]),
        ("    - ki|nd\n", []),
    ],
)
def test_where_a_text_still_says_the_word_is_told(mark: str, lines: list[int]) -> None:
    files = {"a.agent.abl": PROSE}
    place = at("a.agent.abl", mark, files)
    answer = abl.rename(files, *place, "user.new_name" if "user" in mark else "new_name")
    assert answer["refused"] is None
    assert [left["range"]["start"]["line"] for left in answer["left"]] == lines
