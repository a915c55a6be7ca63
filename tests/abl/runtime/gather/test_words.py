"""Words that an agent names are found as before, and what it takes to look for them counts (docs/spec 02 §8.1)."""

import re
import sys
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl.expressions.budget import TURN, Budget, BudgetExceeded, Limits
from abl.runtime.gather.extract import _distance_to, extract
from abl.runtime.gather.lookups import LookupTable
from abl.runtime.gather.recognise import Found
from abl.runtime.gather.words import folded
from abl.runtime.plan.fields import FieldPlan
from abl.source import Span

FEW = Limits(1_000, 10_000, 1_000, 100, 5.0)
MESSAGE = "word1 " * 3_000


def field(**more):
    return FieldPlan(name="f", span=Span(0, 0), **more)


def read(message, *fields):
    return {hit.field.name: hit.value for hit in extract(message, fields, asked=None, today=date(2026, 3, 1))}


def test_what_a_search_takes_for_one_letter_is_folded_to_one():
    letters = [chr(code) for code in range(sys.maxunicode) if chr(code).isalpha() and len(folded(chr(code))) == 1]
    cased = [letter for letter in letters if letter.lower() != letter or letter.upper() != letter]
    text = "".join(letters)
    for letter in (*cased, *"iıſK"):
        found = {match.group() for match in re.finditer(re.escape(letter), text, re.IGNORECASE)}
        assert {folded(each) for each in found} == {folded(letter)}, letter


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("ıstanbul", "in Istanbul"),
        ("İzmir", "İZMİR please"),
        ("straße", "the STRAßE"),
        ("Kelvin", "in \u212aelvin"),
        ("old town", "Old Town, please"),
    ],
)
def test_an_option_is_found_whatever_the_case(option, said):
    assert read(said, field(options=("other", option))) == {"f": option}


def test_an_option_within_a_word_is_none():
    assert read("a townhouse", field(options=("town", "sea"))) == {}


def test_a_word_of_an_entity_stands_for_its_value():
    given = field(options=("small", "large"), synonyms={"huge": "large"})
    assert read("a huge one, no small", given) == {"f": "large"}


@pytest.mark.parametrize(
    "asked",
    [
        field(options=tuple(f"word{n}" for n in range(3_000))),
        field(options=("a",), synonyms={f"word{n}": "a" for n in range(3_000)}),
        field(type="number", hints=tuple(f"hint{n}" for n in range(50))),
        field(list=True, options=tuple(f"word{n}" for n in range(3_000))),
    ],
    ids=["options", "words of an entity", "hints", "a list"],
)
def test_much_to_look_for_in_a_long_message_runs_out(asked):
    with pytest.raises(BudgetExceeded), Budget.of(FEW):
        extract(f"1 {MESSAGE}", [asked], asked="f", today=date(2026, 3, 1))
    with Budget.of(TURN):
        extract(f"1 {MESSAGE}", [asked], asked="f", today=date(2026, 3, 1))


@pytest.mark.parametrize("fuzzy", [False, True])
def test_each_look_at_a_table_counts(fuzzy):
    table = LookupTable("t", {f"key{n}": n for n in range(400)}, fuzzy=fuzzy)
    with pytest.raises(BudgetExceeded), Budget.of(FEW):
        [table.find("key399") for _ in range(20)]
    assert table.find("KEY399") == "key399"


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5)), min_size=1),
    st.tuples(st.integers(0, 40), st.integers(1, 5)),
)
def test_the_distance_is_that_to_the_nearest_place(places, hit):
    cues = [(start, start + size) for start, size in places]
    found = Found(hit[0], sum(hit), 1)
    nearest = min(max(found.start - end, start - found.end, 0) for start, end in cues)
    assert _distance_to(cues)(found) == nearest
