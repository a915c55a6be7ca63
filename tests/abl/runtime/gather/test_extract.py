"""Which fields a message fills (docs/spec 07 §5), and what their values must satisfy (§4)."""

from datetime import date

import pytest

from abl.runtime.gather.extract import extract, option_of, read_value
from abl.runtime.gather.validate import _call, functions
from abl.runtime.plan.fields import FieldPlan
from abl.source import Span

TODAY = date(2026, 3, 1)


def field(name, **more):
    return FieldPlan(name=name, span=Span(0, 0), **more)


def values(message, *fields, asked=None, several=False):
    found = extract(message, fields, asked=asked, several=several, today=TODAY)
    return {hit.field.name: hit.value for hit in found}


def test_each_span_is_used_once_in_declaration_order():
    assert values("3 and 4", field("a", type="number"), field("b", type="number")) == {"a": 3, "b": 4}


def test_the_asked_field_comes_first_when_the_message_is_its_value():
    assert values("3", field("a", type="number"), field("b", type="number"), asked="b") == {"b": 3}


def test_a_name_beside_a_value_wins_over_order():
    found = values("2 children, 3 adults", field("adults", type="number"), field("children", type="number"))
    assert found == {"adults": 3, "children": 2}


def test_a_hint_counts_as_a_name():
    found = values(
        "2 kids 3 grown-ups",
        field("adults", type="number", hints=("grown-ups",)),
        field("children", type="number", hints=("kids",)),
    )
    assert found == {"adults": 3, "children": 2}


def test_a_pair_with_the_spaced_name_is_read_by_type():
    assert values("house number: 12", field("house_number", type="integer")) == {"house_number": 12}


def test_text_is_only_taken_by_the_asked_field():
    assert values("hello there", field("a"), field("b")) == {}
    assert values("hello there", field("a"), field("b"), asked="b") == {"b": "hello there"}


def test_a_pattern_of_the_author_is_searched_with_its_group():
    plan = field("code", pattern=r"B-(\d+)", group=1)
    assert values("it is B-77, ok", plan) == {"code": "77"}
    assert values("it is C-77", plan, asked="code") == {}


def test_an_invalid_pattern_finds_nothing():
    assert values("x", field("code", pattern="("), asked="code") == {}


def test_options_are_found_as_whole_words_and_by_a_unique_beginning():
    plan = field("room", options=("single", "double", "suite"))
    assert values("a Double please", plan) == {"room": "double"}
    assert values("doubled", plan) == {}
    assert option_of(plan, "dou") == "double"
    assert option_of(plan, "s") is None
    assert option_of(plan, "") is None
    assert option_of(field("room", options=("suite", "suite deluxe")), "Suite") == "suite"


def test_parts_of_a_reply_are_matched_in_order_when_all_were_asked():
    plans = (field("name"), field("age", type="number"))
    assert values("Ada, 36", *plans, asked="name", several=True) == {"name": "Ada", "age": 36}
    assert values("Ada, 36, x", *plans, asked="name", several=True) == {"name": "Ada, 36, x", "age": 36}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100 to 200", (100, 200)),
        ("between 200 and 100", (100, 200)),
        ("under 50", (None, 50)),
        ("at least 5", (5, None)),
    ],
)
def test_a_range_has_two_ends(text, value):
    fits, found, _ = read_value(field("r", type="number", range=True), text, "en", TODAY)
    assert fits
    assert (found["low"], found["high"]) == value


def test_a_single_number_is_no_range():
    plan = field("r", type="number", range=True)
    assert [read_value(plan, text, "en", TODAY)[:2] for text in ("5", "none")] == [(False, None)] * 2


def test_a_value_of_a_type_without_words_is_what_was_said():
    assert read_value(field("a", type="address"), "Main St 5", "en", TODAY)[:2] == (True, "Main St 5")
    assert read_value(field("a", type="email"), "Main St 5", "en", TODAY)[:2] == (False, None)


def test_lists_are_cut_and_typed():
    assert read_value(field("l", list=True), "red, blue and green", "en", TODAY)[1] == ["red", "blue", "green"]
    assert read_value(field("l", list=True, type="number"), "1, 2 and three", "en", TODAY)[1] == [1, 2, 3]
    assert read_value(field("l", list=True, type="number"), "1, x", "en", TODAY)[0] is False
    assert read_value(field("l", list=True), "None.", "en", TODAY)[1] == []


def test_preferences_are_sorted_by_their_cue_words():
    found = read_value(field("p", preferences=True), "must be quiet, rather not ground floor", "en", TODAY)[1]
    assert found["accept"] == ["be quiet"]
    assert found["avoid"] == ["ground floor"]


def test_validation_functions_are_read_up_to_the_end():
    assert functions("min(1), max(8)") == [("min", "1"), ("max", "8")]
    assert functions("min(1) AND enum(a, b)") == [("min", "1"), ("enum", "a, b")]
    assert functions("pattern(^(a|b)$)") == [("pattern", "^(a|b)$")]
    assert functions("checkout > checkin") is None
    assert functions("min(1) and be nice") is None


@pytest.mark.parametrize(
    ("name", "argument", "value", "fits"),
    [
        ("min", "1", 1, True),
        ("min", "1", 0, False),
        ("max", "8", "9", False),
        ("min", "1", [1, 0], False),
        ("max", "8", {"low": None, "high": 8}, True),
        ("enum", "a, b", "A", True),
        ("enum", "a, b", "c", False),
        ("email", "", "a@b.de", True),
        ("email", "", "a@b", False),
        ("pattern", "^a+$", "aa", True),
        ("pattern", "(", "aa", False),
        ("min", "x", 1, False),
        ("min", "1", "text", False),
    ],
)
def test_a_validation_function_judges(name, argument, value, fits):
    assert _call(name, argument, value) is fits
