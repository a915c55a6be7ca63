"""How facts are put into words on a page."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.templatetags.facts import ago, json_lines, preview, time_left
from memory.values import domain_of, ttl_seconds, type_of


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ({"days": 3, "hours": 4, "minutes": 5}, "3d 4h"),
        ({"hours": 2}, "2h 0m"),
        ({"minutes": 27, "seconds": 10}, "27m 10s"),
        ({"seconds": 9.2}, "10s"),
        ({"seconds": 0}, "0s"),
    ],
)
def test_time_left_has_two_units_at_most(now, left, words):
    assert time_left(now + timedelta(**left), now) == words


@pytest.mark.parametrize(("past", "words"), [(61, "1m ago"), (3 * 3600 + 59, "3h ago"), (0, "0s ago"), (-90, "in 1m")])
def test_time_past_has_one_unit(now, past, words):
    assert ago(now - timedelta(seconds=past), now) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("gold", '"gold"'),
        (1.0, "1.0"),
        (None, "null"),
        ([1], "[1 item]"),
        ([], "[0 items]"),
        ({"a": "x", "b": [1, 2]}, '{a: "x", b: [2 items]}'),
    ],
)
def test_a_value_on_one_line(value, words):
    assert preview(value) == words


def test_long_values_are_cut():
    assert len(preview("x" * 500)) == 120


def test_coloured_json_is_the_text_escaped():
    lines = json_lines({"a<b": ['q"<', -1.5e3, True]})
    assert "&lt;" in lines[1]
    assert '<span class="t-key">&quot;a&lt;b&quot;</span>' in lines[1]
    assert '<span class="t-number">-1500.0</span>' in lines[3]


@pytest.mark.parametrize(
    ("ttl", "seconds"),
    [
        ("1s", 1),
        ("2m", 120),
        ("3h", 10800),
        ("90d", 7776000),
        ("01d", None),
        ("1w", None),
        ("1.5h", None),
        ("1d ", None),
    ],
)
def test_times_to_live(ttl, seconds):
    assert ttl_seconds(ttl) == seconds


@pytest.mark.parametrize(
    ("value", "name"),
    [("x", "string"), (True, "boolean"), (1, "number"), (1.5, "number"), ([], "array"), ({}, "object"), (None, "null")],
)
def test_types_have_the_names_of_the_language(value, name):
    assert type_of(value) == name


def test_the_domain_of_a_path_is_its_second_segment():
    assert [domain_of(path) for path in ("user.address.city", "user.tier", "tier")] == ["address", "tier", ""]
