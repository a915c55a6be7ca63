"""Colours: kinds of the pieces, full cover of the text, and the cost of an edit."""

from __future__ import annotations

import random

import pytest

from abl.editing.tokens import KINDS, tokens
from abl.limits import MAX_TOKEN_LINE
from tests.calls import calls


def pieces(text: str) -> list[tuple[str, str]]:
    return [(kind, text[start:end]) for start, end, kind in tokens(text) if kind != "text"]


def assert_covers(text: str) -> None:
    at = 0
    for start, end, kind in tokens(text):
        assert start == at
        assert end > start
        assert kind in KINDS
        at = end
    assert at == len(text)


def test_sections_keys_types_and_values():
    assert pieces("AGENT: Desk\nMEMORY:\n  session:\n    - a.b\n      TYPE: number\n      INITIAL: -2\n") == [
        ("section", "AGENT:"),
        ("label", "Desk"),
        ("section", "MEMORY:"),
        ("key", "session:"),
        ("op", "-"),
        ("name", "a.b"),
        ("key", "TYPE:"),
        ("type", "number"),
        ("key", "INITIAL:"),
        ("number", "-2"),
    ]


def test_a_rule_with_its_clauses():
    assert pieces('- REQUIRE a IS SET AND b == "x" BEFORE calling pay WHEN c\n  ON_FAIL: HANDOFF Desk') == [
        ("op", "-"),
        ("kind", "REQUIRE"),
        ("name", "a"),
        ("word", "IS"),
        ("word", "SET"),
        ("word", "AND"),
        ("name", "b"),
        ("op", "=="),
        ("string", '"x"'),
        ("kind", "BEFORE"),
        ("kind", "calling"),
        ("label", "pay"),
        ("kind", "WHEN"),
        ("name", "c"),
        ("key", "ON_FAIL:"),
        ("kind", "HANDOFF"),
        ("label", "Desk"),
    ]


def test_a_message_with_slots():
    assert pieces('RESPOND: "Hi {{name}}, {{x}}"') == [
        ("key", "RESPOND:"),
        ("string", '"Hi '),
        ("slot", "{{name}}"),
        ("string", ", "),
        ("slot", "{{x}}"),
        ("string", '"'),
    ]


def test_a_step_its_call_and_its_exit():
    assert pieces("FLOW:\n  go:\n    CALL: find(a, 1) AS r\n    THEN: ESCALATE\n    ON_EXHAUSTED: go") == [
        ("section", "FLOW:"),
        ("label", "go:"),
        ("key", "CALL:"),
        ("label", "find"),
        ("op", "("),
        ("name", "a"),
        ("op", ","),
        ("number", "1"),
        ("op", ")"),
        ("word", "AS"),
        ("name", "r"),
        ("key", "THEN:"),
        ("kind", "ESCALATE"),
        ("key", "ON_EXHAUSTED:"),
        ("label", "go"),
    ]


def test_a_store_a_signature_and_a_function():
    assert pieces("MEMORY:\n  remember:\n    - STORE: f(a.b) -> user.c")[3:] == [
        ("key", "STORE:"),
        ("func", "f"),
        ("op", "("),
        ("name", "a.b"),
        ("op", ")"),
        ("op", "->"),
        ("name", "user.c"),
    ]
    assert pieces("TOOLS:\n  f(a: string) -> number")[1:] == [
        ("label", "f"),
        ("op", "("),
        ("name", "a"),
        ("op", ":"),
        ("type", "string"),
        ("op", ")"),
        ("op", "->"),
        ("type", "number"),
    ]


def test_pipe_text_comments_and_what_follows():
    text = "# note\nGOAL: |\n  one {{a}}\n\n  # text\nLIMITATIONS:\n  - never: x\n"
    assert pieces(text) == [
        ("comment", "# note"),
        ("section", "GOAL:"),
        ("op", "|"),
        ("string", "one "),
        ("slot", "{{a}}"),
        ("string", "# text"),
        ("section", "LIMITATIONS:"),
        ("op", "-"),
        ("string", "never:"),
        ("string", "x"),
    ]


def test_a_list_over_several_lines_is_read_on():
    assert pieces("SET: a = [\n  1,\n]\nCLEAR: b")[3:] == [
        ("op", "["),
        ("number", "1"),
        ("op", ","),
        ("op", "]"),
        ("key", "CLEAR:"),
        ("name", "b"),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_random_text_is_covered_without_gaps(seed: int) -> None:
    choices = ["MEMORY:", "- ", "  ", "\n", "\r\n", '"', "{{", "}}", "a", "->", "ON_FAIL:", " # ", "\t", "😀", "|", "["]
    choices.append("\ufeff")
    source = random.Random(seed)
    assert_covers("".join(source.choice(choices) for _ in range(3_000)))


def test_a_line_too_long_to_colour_is_one_piece():
    text = "SET: a = " + "1 + " * MAX_TOKEN_LINE
    assert tokens(text) == [(0, len(text), "text")]


def test_after_a_one_line_edit_only_that_line_is_read_again():
    step = "  s%d:\n    REASONING: false\n    SET: a%d = b + COALESCE(c, %d)\n    THEN: s%d\n"
    text = "FLOW:\n" + "".join(step % (i, i, i, i) for i in range(500))
    cold = calls(lambda: tokens(text))
    edited = text.replace("a250 =", "a250x =")
    assert calls(lambda: tokens(edited)) < cold / 2
    assert ("name", "a250x") in [(kind, edited[a:b]) for a, b, kind in tokens(edited)]
