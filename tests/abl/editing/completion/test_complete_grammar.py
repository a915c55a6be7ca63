"""What completion offers within expressions is what the grammar lets follow, and all of it (docs/spec 02 §4)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abl.editing.completion.complete import complete
from abl.editing.completion.grammar import JOINS, TESTS, due, left_off
from abl.expressions import compile_expression
from abl.expressions.errors import ExpressionError
from abl.expressions.lexer import tokenize
from tests.every import each

EXPRESSIONS = """
a
NOT a
NOT NOT a == 1
a > 5 AND b < 3 OR c != "x y"
a IS SET AND b IS NOT SET
a IS EMPTY OR EMPTY b
a IN ["x", "y"] AND NOT b
a NOT IN [1, 2]
a contains "x" AND b matches /x+/ OR c startsWith "y"
a is_number
(a > 3 OR b) AND c
a ? b : c > 1
a IMPLIES b IMPLIES c
LENGTH(a.b) > 2 AND f(a, b == 1)
rows[0].price * 2 + -1 >= total / (a - 1)
a["x"].y == !b
a && b || c
""".strip().splitlines()
TAILS = ("", " a", " [a]", " a : b", " SET", " a == 1")
ENDS = ("", ")", "]", "))", " : b")


def reads(text: str) -> bool:
    try:
        compile_expression(text)
    except ExpressionError:
        return False
    return True


def beginnings(text: str) -> Iterator[tuple[str, str]]:
    """Each beginning of an expression that ends between two tokens, and the word that follows."""
    for token in tokenize(text)[:-1]:
        yield text[: token.start], token.text


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_what_follows_is_due(text: str) -> None:
    for before, following in beginnings(text):
        reader = left_off(before)
        assert reader is not None, before
        words = {word.split()[0] for word in due(reader)}
        if following in {word.split()[0] for word in (*TESTS, *JOINS)}:
            assert following in words or following == "NOT", (before, following)
        elif following[0].isalnum() and following not in ("SET", "EMPTY"):
            assert reader.operand, (before, following)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_what_is_due_can_be_read(text: str) -> None:
    def can_go_on(before: str, word: str) -> None:
        assert any(reads(f"{before} {word}{tail}{end}") for tail in TAILS for end in ENDS), f"{before}{word}"

    each(
        (
            (f"{before}|{word}", (before, word))
            for before, _ in beginnings(text)
            for word in due(left_off(before) or no())
        ),
        can_go_on,
    )


def no() -> None:
    raise AssertionError("this is the beginning of an expression")


HEAD = "AGENT: Desk\nMEMORY:\n  session:\n    - fee\n      TYPE: number\nCONSTRAINTS:\n  a:\n    - REQUIRE "


def labels(rest: str, head: str = HEAD) -> list[str]:
    text = head + rest
    at = text.index("|")
    line = text.count("\n", 0, at) + 1
    return [
        item["label"]
        for item in complete(
            {"d.agent.abl": text.replace("|", "", 1)}, "d.agent.abl", line, at - text.rfind("\n", 0, at)
        )
    ]


def test_behind_a_name_stand_operators_and_no_names() -> None:
    offered = labels("fee |")
    assert offered[0] == "=="
    assert {"IS SET", "IN", "AND", "WHEN", "BEFORE"} <= set(offered)
    assert not {"fee", "LENGTH", "true"} & set(offered)


def test_behind_a_comparison_stands_no_second_one() -> None:
    assert labels("fee > 5 |") == ["AND", "OR", "IMPLIES", "WHEN", "BEFORE"]
    assert labels("(fee > 5 |") == ["AND", "OR", "IMPLIES"]


def test_where_a_value_is_due_there_are_no_operators() -> None:
    offered = labels("fee > |")
    assert {"fee", "LENGTH", "true"} <= set(offered)
    assert not {"AND", "IN", "IS SET", "contains", "NOT"} & set(offered)
    assert {"NOT", "EMPTY", "fee"} <= set(labels("|"))


def test_the_gate_of_a_rule_is_an_expression_of_its_own() -> None:
    assert {"fee", "NOT"} <= set(labels("fee > 5 WHEN |"))
    assert labels("fee > 5 WHEN fee < 9 |") == ["AND", "OR", "IMPLIES"]


MESSAGE = (
    "AGENT: Desk\nMEMORY:\n  session:\n    - rooms\n      TYPE: string[]\n"
    'COMPLETE:\n  - WHEN: rooms IS SET\n    RESPOND: "'
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{{#|", ["#if", "#each"]),
        ("{{#i|", ["#if"]),
        ("{{#if rooms}}{{/|", ["/if"]),
        ("{{#each rooms}}{{#if this}}x{{/if}}{{/|", ["/each"]),
        ("{{/|", []),
    ],
)
def test_blocks_of_templates(written: str, expected: list[str]) -> None:
    assert labels(written, MESSAGE) == expected


def test_what_is_inserted_goes_on_behind_the_sign() -> None:
    text = MESSAGE + "{{#i"
    offered = complete({"d.agent.abl": text}, "d.agent.abl", text.count("\n") + 1, len(text.splitlines()[-1]) + 1)
    assert [item["insert"] for item in offered] == ["if"]


def test_blocks_are_ended_only_where_they_are_open() -> None:
    assert {"else", "/if"} <= set(labels("{{#if rooms}}{{|", MESSAGE))
    assert not {"else", "/if", "/each"} & set(labels("{{|", MESSAGE))
    assert "else" not in labels("{{#each rooms}}{{|", MESSAGE)


def test_the_condition_of_a_block_is_a_condition() -> None:
    assert {"IS SET", "contains"} <= set(labels("{{#if rooms |", MESSAGE))
    assert "LENGTH" not in labels("{{#each |", MESSAGE)


def test_a_name_is_set_and_no_function() -> None:
    head = HEAD.partition("CONSTRAINTS")[0] + "FLOW:\n  s:\n    SET: "
    assert "fee" in labels("|", head)
    assert "LENGTH" not in labels("|", head)
    assert "LENGTH" in labels("fee = |", head)
