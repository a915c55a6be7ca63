"""``reparse`` gives what ``parse`` gives, whatever the edit, and costs what the edit costs (docs/spec 01 §10)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from abl.source import Span
from abl.syntax import nodes, parse
from abl.syntax.incremental.reparse import common_ends, reparse, reread
from tests.abl.edits import EXAMPLES, SHOWN, edits, generated
from tests.calls import calls

TEXTS = [*EXAMPLES, SHOWN, generated(6), generated(6).replace("  ", "\t", 3), "\ufeff" + generated(2)]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_a_document_after_edits_is_the_one_read_from_scratch(number: int) -> None:
    for seed in range(3):
        document = parse(TEXTS[number])
        for text in edits(TEXTS[number], seed, 12):
            document = reparse(document, text)
            assert document == parse(text)


def test_what_stands_above_an_edit_is_the_same_object_and_what_stands_below_has_moved() -> None:
    text = generated(4)
    before = parse(text)
    after = reparse(before, text.replace("CHECK: total < 2", "CHECK: total < 200"))
    old, new = steps_of(before), steps_of(after)
    assert [one is two for one, two in zip(old, new, strict=True)] == [True] * 4 + [False] * 4
    assert new[7].span.start == old[7].span.start + 2
    assert new[7].block is not None
    assert new[7].block.children[0].line_span.start == new[7].directives[0].span.start


def test_a_step_under_another_path_is_read_again() -> None:
    text = generated(3)
    after = reparse(parse(text), text.replace("    - REQUIRE days_0", "    - REQUIRE true\n    - REQUIRE days_0"))
    constraints = after.agents[0].constraints
    assert constraints is not None
    assert [rule.path for rule in constraints.rules] == [f"constraints.lending[{n}]" for n in range(4)]
    assert [rule.index for rule in constraints.rules] == [0, 1, 2, 3]


def test_an_edit_that_changes_the_form_of_the_file_changes_everything() -> None:
    text = "agent: Desk\ngoal: Lend\nMEMORY:\n  session:\n    - a\nFLOW:\n  s:\n    THEN: COMPLETE\n"
    document = parse(text)
    for key in ("memory:", "MEMORY:"):
        changed = text.replace("MEMORY:", key)
        document = reparse(document, changed)
        assert document == parse(changed)


def test_a_text_of_another_agent_may_follow() -> None:
    document = parse(generated(3))
    for text in (EXAMPLES[0], "", "x", generated(3), generated(5)):
        document = reparse(document, text)
        assert document == parse(text)


@pytest.mark.parametrize(
    ("one", "two", "ends"),
    [("abc", "abc", (3, 0)), ("abc", "axc", (1, 1)), ("aa", "aaa", (2, 0)), ("", "a", (0, 0)), ("ab", "xy", (0, 0))],
)
def test_common_ends_do_not_overlap(one: str, two: str, ends: tuple[int, int]) -> None:
    assert common_ends(one, two) == ends


@pytest.mark.slow
def test_one_line_costs_a_fraction_of_the_text() -> None:
    text = generated(120)
    edited = text.replace("Number 60,", "Number sixty,")
    document = parse(text)
    assert calls(lambda: reparse(document, edited)) < calls(lambda: parse(edited)) / 1.5


def steps_of(document: nodes.Document) -> tuple[nodes.Step, ...]:
    flow = document.agents[0].flow
    assert flow is not None
    return flow.steps


def test_lines_below_an_item_in_the_column_of_its_key_are_no_items() -> None:
    text = "MEMORY:\n  session:\n    - \n    TYPE: enum\n"
    changed = text.replace("  session:", "    session:")
    assert reparse(parse(text), changed) == parse(changed)


def test_a_text_read_with_another_word_is_read_as_from_scratch() -> None:
    text = generated(4)
    for match in list(re.finditer(r"^[ -]*(CHECK|GATHER|THEN|CONSTRAINTS|INITIAL)(?=:)", text, re.MULTILINE))[::3]:
        span = Span(*match.span(1))
        slip = text[: span.start] + match[1][::-1] + text[span.end :]
        document = parse(slip)
        read = reread(document, {span: match[1]})
        assert read == reread(replace(document, trail=None), {span: match[1]})
        assert [len(a.flow.steps) if a.flow else 0 for a in read.agents] == [len(steps_of(parse(text)))]
        assert read.findings == parse(text).findings


def test_what_holds_no_other_word_is_taken_over() -> None:
    text = generated(4).replace("CHECK: total < 2", "CHEKC: total < 2")
    at = text.index("CHEKC")
    document = parse(text)
    read = reread(document, {Span(at, at + 5): "CHECK"})
    old, new = steps_of(document), steps_of(read)
    assert [one is two for one, two in zip(old, new, strict=True)].count(False) <= 2
