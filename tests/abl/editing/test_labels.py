"""Lookup tables, intents, actions, return handlers and guardrails: what is one name, what another, what is refused."""

from __future__ import annotations

import pytest

import abl
from abl.editing.hover import hover
from tests.abl.editing.test_rename import at, refusal, renamed

DESK = """\
AGENT: Desk
GOAL: "Lend books"
LOOKUP_TABLES:
  branches:
    source: inline
    values: [central, harbour]
  rooms:
    values: [a]
INTENTS:
  pay: "Pay a fine"
NLU:
  categories:
    - NAME: opening_hours
      PATTERNS: ["open", "close"]
MEMORY:
  session:
    - branches
TOOLS:
  find(table: string) -> {ok: boolean}
    description: "Find"
    parameters:
      table: string
GATHER:
  branch:
    prompt: "Which of {{branches}}?"
    semantics:
      lookup: branches
GUARDRAILS:
  long_text:
    kind: output
    check: LENGTH(response) < 500
    action: block
    message: "Too long"
FLOW:
  ask:
    REASONING: false
    RESPOND: "Stop?"
      ACTIONS:
        - SELECT: "Which?"
          ID: which
          OPTIONS:
            - id: stop
              label: "That"
        - BUTTON: "Stop" -> stop
    ON_ACTION:
      stop:
        RESPOND: "Stopped"
      which:
        RESPOND: "{{action.fields.which}}"
    DIGRESSIONS:
      - INTENT: Opening Hours
        RESPOND: "At nine"
      - INTENT: "lost and found"
        KEYWORDS: [lost]
        RESPOND: "There"
    THEN: COMPLETE
RETURN_HANDLERS:
  back:
    CONTINUE: true
HANDOFF:
  - TO: Cashier
    WHEN: intent.category == "pay" OR input == "pay"
    EXPECT_RETURN: true
    ON_RETURN: back
  - TO: Clerk
    WHEN: true
    EXPECT_RETURN: true
    ON_RETURN: continue
"""
CASHIER = 'AGENT: Cashier\nGOAL: "Bill"\nCOMPLETE:\n  - WHEN: intent.category == "pay"\n    RESPOND: "Paid"\n'
CLERK = 'AGENT: Clerk\nGOAL: "Answer"\nINTENTS:\n  pay: "Pay"\nHANDOFF:\n  - TO: Desk\n    WHEN: intent.name == "pay"\n'
FILES = {"cashier.agent.abl": CASHIER, "clerk.agent.abl": CLERK, "desk.agent.abl": DESK}


def test_a_lookup_table_and_a_variable_of_its_name_are_two() -> None:
    after = renamed(at("desk.agent.abl", "lookup: bran|ches", FILES), "places", FILES)["desk.agent.abl"]
    assert "  places:\n    source" in after
    assert "lookup: places" in after
    assert "    - branches\n" in after
    assert "{{branches}}" in after
    assert "      table: string" in after


def test_an_intent_is_that_of_the_agent_and_of_those_that_declare_none_of_its_name() -> None:
    after = renamed(at("desk.agent.abl", '  pa|y: "', FILES), "fine", FILES)
    assert 'intent.category == "fine" OR input == "pay"' in after["desk.agent.abl"]
    assert 'intent.category == "fine"' in after["cashier.agent.abl"]
    assert after["clerk.agent.abl"] != CLERK  # the cashier may get either, so they are one
    apart = {**FILES, "cashier.agent.abl": 'AGENT: Cashier\nGOAL: "Bill"\n'}
    after = renamed(at("desk.agent.abl", '  pa|y: "', apart), "fine", apart)
    assert after["clerk.agent.abl"] == CLERK


def test_an_intent_may_be_named_by_words_and_is_found_in_another_spelling() -> None:
    words = abl.references(FILES, *at("desk.agent.abl", "INTENT: Open|ing Hours", FILES))
    assert [place["role"] for place in words] == ["declaration", "write"]
    place = at("desk.agent.abl", "NAME: open|ing_hours", FILES)
    assert refusal(place, "hours", FILES) == (
        "desk.agent.abl:51 writes `opening_hours` in another way; change it by hand first."
    )
    after = renamed(at("desk.agent.abl", '"lost |and found"', FILES), "lost things", FILES)
    assert 'INTENT: "lost things"' in after["desk.agent.abl"]


def test_the_id_of_an_option_is_a_value() -> None:
    after = renamed(at("desk.agent.abl", '"Stop" -> st|op', FILES), "halt", FILES)["desk.agent.abl"]
    assert '"Stop" -> halt' in after
    assert "      halt:\n" in after
    assert "            - id: stop\n" in after
    after = renamed(at("desk.agent.abl", "action.fields.wh|ich", FILES), "what", FILES)["desk.agent.abl"]
    assert "ID: what\n" in after
    assert "      what:\n" in after
    assert "{{action.fields.what}}" in after


@pytest.mark.parametrize(
    ("mark", "name", "reason"),
    [
        ("lookup: bran|ches", "Branches", "is not a name for a lookup table: it has to be a small letter"),
        ("lookup: bran|ches", "rooms", "`rooms` is taken: desk.agent.abl:7 has the lookup table `rooms`."),
        ('  pa|y: "', "two words", "is not a name for an intent"),
        ('  pa|y: "', "Opening-Hours", "is not a name for an intent"),
        ('  pa|y: "', "OpeningHours", "`OpeningHours` is taken: desk.agent.abl:13 has the intent `opening_hours`."),
        ('"Stop" -> st|op', "which", "`which` is taken: desk.agent.abl:40 has the action `which`."),
        ("ON_RETURN: ba|ck", "resume_intent", "ON_RETURN: resume_intent would no longer mean the handler"),
        ("long_|text", "two words", "is not a name for a guardrail"),
        ("ON_RETURN: conti|nue", "x", "No name stands here"),
    ],
)
def test_a_rename_is_refused_with_the_reason(mark: str, name: str, reason: str) -> None:
    assert reason in refusal(at("desk.agent.abl", mark, FILES), name, FILES)


def test_an_intent_in_an_expression_that_cannot_be_read_is_named() -> None:
    files = {**FILES, "cashier.agent.abl": CASHIER + '  - WHEN: intent.name == "pay" AND (\n    RESPOND: "x"\n'}
    words = "cashier.agent.abl:6 cannot be read and may hold `pay`; mend it first."
    assert refusal(at("desk.agent.abl", '  pa|y: "', files), "fine", files) == words


@pytest.mark.parametrize(
    ("mark", "title", "lines"),
    [
        (
            "lookup: bran|ches",
            "lookup table branches",
            ["source inline", "values central, harbour", "declared: desk.agent.abl:4", "used: desk.agent.abl:27"],
        ),
        (
            '  pa|y: "',
            "intent pay",
            [
                "Pay a fine",
                "declared: clerk.agent.abl:4, desk.agent.abl:10",
                "used: cashier.agent.abl:4, clerk.agent.abl:7, desk.agent.abl:62",
            ],
        ),
        (
            "INTENT: Open|ing",
            "intent opening_hours",
            ["patterns open, close", "declared: desk.agent.abl:13", "handled: desk.agent.abl:51"],
        ),
        (
            '"Stop" -> st|op',
            "action stop",
            ["shown: desk.agent.abl:44", "handled: desk.agent.abl:46"],
        ),
        (
            "ON_RETURN: ba|ck",
            "return handler back",
            ["declared: desk.agent.abl:58", "used: desk.agent.abl:64"],
        ),
        (
            "long_|text",
            "guardrail long_text",
            [
                "kind output",
                "action block",
                "check LENGTH(response) < 500",
                "fires when its check is false",
                "declared: desk.agent.abl:29",
            ],
        ),
    ],
)
def test_hover_says_what_it_is_and_where_it_stands(mark: str, title: str, lines: list[str]) -> None:
    about = hover(FILES, *at("desk.agent.abl", mark, FILES))
    assert about is not None
    assert (about["title"], about["text"].split("\n")) == (title, lines)


def test_two_spellings_of_an_intent_that_is_not_declared_are_one_name() -> None:
    text = (
        'AGENT: A\nGOAL: "x"\nFLOW:\n  a:\n    REASONING: false\n    DIGRESSIONS:\n      - INTENT: opening hours\n'
        "        KEYWORDS: [open]\n      - INTENT: Opening_Hours\n        KEYWORDS: [close]\n"
    )
    files = {"a.agent.abl": text}
    place = at("a.agent.abl", "INTENT: open|ing hours", files)
    assert [found["range"]["start"]["line"] for found in abl.references(files, *place)] == [7, 9]
    assert refusal(place, "other words", files).startswith("a.agent.abl:9 writes `opening hours` in another way")
