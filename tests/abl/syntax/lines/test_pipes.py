"""Blocks of text below a key: kept, folded, with or without their end (docs/spec 01 §5)."""

from __future__ import annotations

from random import Random

import pytest
import yaml

from abl import format_source
from abl.syntax import nodes, parse

HEADERS = ["|", "|-", "|+", ">", ">-", ">+", "|2", ">2", ">4-", "|-2", "|4+"]
LINES = ["", "word here", "more", "  deeper text", " one"]


def goal(text: str) -> nodes.Text:
    found = parse(text).agents[0].goal
    assert found is not None
    return found


def block(header: str, lines: list[str]) -> str:
    indent = " " * int(header.strip("|>+-") or 2)
    body = "".join(f"{indent}{line}\n" if line else "\n" for line in lines)
    return f'agent: Desk\ngoal: {header}\n{body}version: "1.0.0"\n'


@pytest.mark.parametrize("header", HEADERS)
def test_a_block_is_read_as_yaml_reads_it(header: str) -> None:
    random = Random(header)
    for _ in range(150):
        lines = [random.choice(LINES) for _ in range(random.randint(1, 7))]
        first = next((line for line in lines if line), "")
        if not first or (first.startswith(" ") and not header.strip("|>+-")):
            continue
        text = block(header, lines)
        expected = yaml.safe_load(text)["goal"]
        assert goal(text).value == (expected if "+" in header else expected.rstrip("\n")), text


@pytest.mark.parametrize("header", HEADERS)
def test_every_character_of_a_block_has_its_place(header: str) -> None:
    text = block(header, ["word here", "more", "", "", "  deeper text", " one", "more", ""])
    read = goal(text)
    for at, character in enumerate(read.value):
        if character not in " \n":
            assert text[read.offset_of(at)] == character
    start = read.value.index("deeper")
    assert text[slice(*read.span_of(start, start + 6))] == "deeper"


@pytest.mark.parametrize("header", HEADERS)
def test_the_layout_keeps_what_a_block_says(header: str) -> None:
    text = block(header, ["word here", "more", "", "  deeper text", "more", ""])
    formatted = format_source(text)
    assert goal(formatted).value == goal(text).value
    assert format_source(formatted) == formatted


def test_a_message_of_the_keyword_form_is_kept_line_by_line() -> None:
    text = "AGENT: Desk\nGOAL: |\n  One\n   two\n\n  three\n\nPERSONA: >\n  One\n  two\n"
    (agent,) = parse(text).agents
    assert agent.goal is not None
    assert agent.persona is not None
    assert (agent.goal.value, agent.persona.value) == ("One\n two\n\nthree", "One two")


def test_a_comment_behind_the_header_is_no_text() -> None:
    assert goal("agent: Desk\ngoal: > # folded\n  One\n  two\nversion: 1.0.0\n").value == "One two"


@pytest.mark.parametrize("value", [">= 3", "|x", ">x", "|22", "|0", ">+-"])
def test_what_only_begins_like_a_header_is_a_value(value: str) -> None:
    assert goal(f"AGENT: Desk\nGOAL: {value}\n").value == value
