"""The rows of docs/spec 02 §5.1 and §6, one by one."""

import pytest

from abl.expressions import compile_expression


def check_value(text: str, context: dict, wanted: object) -> None:
    """Hold compiled, general and explained evaluation to one value."""
    expression = compile_expression(text)
    for _ in range(2):
        for value in (expression.evaluate(context), expression.trace(context).outcome.value):
            assert value == wanted, text
            assert isinstance(value, bool) == isinstance(wanted, bool), text
        assert expression.explain(context)["value"] == wanted


BIG = 2**53


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        ("x", "x", True),
        ("x", "X", False),
        (1, 1.0, True),
        (BIG, BIG + 1, True),
        (5, "5", True),
        (5, " 5.0 ", True),
        (5, "five", False),
        (True, "true", True),
        (True, "yes", False),
        (False, "false", True),
        (False, "no", True),
        (True, 1, True),
        (False, 0, True),
        (True, 2, False),
        ("2026-03-01", "2026-03-01T00:00Z", True),
        ("2026-03-01T01:00+01:00", "2026-03-01T00:00:00.000Z", True),
        ("2026-02-30", "2026-02-30T00:00Z", False),
        ([1], [1.0], True),
        ([1], ["1"], False),
        ([1], [True], False),
        ({"x": [None]}, {"x": [None]}, True),
        ({"x": 1}, {"x": 1, "y": None}, False),
        ([], {}, False),
        ([], "", False),
        ([1], 1, False),
    ],
)
def test_equality(a, b, wanted):
    context = {"a": a, "b": b}
    check_value("a == b", context, wanted)
    check_value("b == a", context, wanted)
    check_value("a != b", context, not wanted)


@pytest.mark.parametrize(
    ("literal", "value", "wanted"),
    [
        ('"gold"', "gold", True),
        ('"gold"', None, False),
        ('"gold"', False, True),
        ('"gold"', 0, False),
        ('"5"', 5, True),
        ('"true"', True, True),
        ("5", "5", True),
        ("5", True, False),
        ("1", True, True),
        ("true", "true", True),
        ("true", 1, True),
        ("true", "yes", False),
        ("false", "", True),
        ("null", None, True),
        ("null", 0, False),
        ('"2026-03-01"', "2026-03-01T00:00Z", True),
    ],
)
def test_equality_with_a_literal(literal, value, wanted):
    for context in ({"x": value}, {"x": {"y": value}}, {"x.y": value}):
        name = "x" if "x" in context and not isinstance(context["x"], dict) else "x.y"
        check_value(f"{name} == {literal}", context, wanted)
        check_value(f"{literal} == {name}", context, wanted)
        check_value(f"{name} != {literal}", context, not wanted)


@pytest.mark.parametrize(
    ("a", "b", "sign"),
    [
        (1, 2, -1),
        (2, 1.5, 1),
        ("10", 9, 1),
        ("abc", 0, 0),
        ("+9", 5, -1),
        (None, 0, 0),
        (None, 1, -1),
        (True, 0, 1),
        ([1, 2], 1, 1),
        ({"x": 1}, 0, 0),
        ("b", "a", 0),
        ("2026-03-02", "2026-03-01", 1),
        ("2026-03-01", "2026-03-01T00:00:00.5Z", -1),
        ("2026-03-01T12:00+02:00", "2026-03-01T10:00Z", 0),
        (BIG + 1, BIG, 0),
        (-BIG - 1, -BIG, 0),
        (BIG + 2, BIG, 1),
    ],
)
def test_order(a, b, sign):
    context = {"a": a, "b": b}
    check_value("a < b", context, sign < 0)
    check_value("a <= b", context, sign <= 0)
    check_value("a > b", context, sign > 0)
    check_value("a >= b", context, sign >= 0)


@pytest.mark.parametrize(
    ("text", "context", "wanted"),
    [
        ("a + b", {"a": 1, "b": 2}, 3),
        ("a + b", {"a": "1", "b": 2}, 3),
        ("a + b", {"a": "1", "b": "2"}, "12"),
        ("a + b", {"a": "x", "b": 1.0}, "x1"),
        ("a + b", {"a": "x", "b": [1, "é"]}, 'x[1,"é"]'),
        ("a + b", {"a": True, "b": 1}, 2),
        ("a + b", {"a": [1], "b": 1}, None),
        ("a + b", {"a": "x"}, None),
        ("a - b", {"a": "5", "b": True}, 4),
        ("a * b", {"a": "x", "b": 2}, None),
        ("a * b", {"a": "ab", "b": 2}, None),
        ("-a", {"a": "3"}, -3),
        ("-a", {"a": True}, -1),
        ("-a", {"a": []}, None),
        ("a / b", {"a": 7, "b": 2}, 3.5),
        ("a / b", {"b": 0}, None),
        ("a % b", {"a": -7, "b": 3}, -1),
        ("a % b", {"a": 7.5, "b": -2}, 1.5),
        ("0.1 + 0.2", {}, 0.1 + 0.2),
        ("a + 1", {"a": BIG}, BIG),
        ("a + b - c <= 0", {"a": 1, "b": 2, "c": 3}, True),
        ("a + b > c", {"a": "1", "b": "2", "c": 11}, True),
    ],
)
def test_arithmetic(text, context, wanted):
    check_value(text, context, wanted)


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("a / b", {"a": 1, "b": 0}),
        ("a % b", {"a": 1, "b": "0"}),
        ("a * a", {"a": 1e200}),
        ("a + a > 0", {"a": 1.7e308}),
        ("a + a <= b", {"a": 1.7e308, "b": 1}),
        ("a + 0", {"a": 10**400}),
    ],
)
def test_what_is_not_finite_is_an_error(text, context):
    expression = compile_expression(text)
    for _ in range(2):
        assert expression.evaluate(context) is None
        assert expression.holds(context) is False
        assert expression.evaluate_checked(context).error
        assert expression.explain(context)["status"] == "error"


@pytest.mark.parametrize(
    ("text", "context", "wanted"),
    [
        ('x IN ["a", "b"]', {"x": "a"}, True),
        ('x NOT IN ["a", "b"]', {"x": "a"}, False),
        ('x IN ["a"]', {}, False),
        ('x NOT IN ["a"]', {}, True),
        ('x IN ["5"]', {"x": 5}, True),
        ("x IN [1, 2]", {"x": "2"}, True),
        ("x IN [1, 2]", {"x": True}, True),
        ('x IN ["a"]', {"x": ["a"]}, False),
        ("x IN xs", {"x": [1], "xs": [[1]]}, True),
        ("x IN xs", {"x": 1, "xs": {"1": True}}, True),
        ("x IN xs", {"xs": {"": 1}}, False),
        ("x IN xs", {"x": "a", "xs": "abc"}, False),
        ("x IN xs", {"x": 1}, False),
        ("x IN []", {"x": 1}, False),
        ("x IN [y, 2]", {"x": 1, "y": 1}, True),
        ("x in [true]", {"x": "true"}, True),
        ('s contains "5"', {"s": "a5"}, True),
        ("s contains 5", {"s": "a5"}, True),
        ("s contains n", {"s": "abc"}, False),
        ("s contains 5", {"s": ["5"]}, True),
        ("s contains n", {"s": [None]}, False),
        ('s contains "a"', {"s": {"a": 1}}, False),
        ('s contains ""', {"s": "x"}, True),
        ('s startsWith "1"', {"s": 12}, True),
        ('s endsWith "e"', {"s": True}, True),
        ('s startsWith "["', {"s": ["a"]}, False),
        ("s startsWith n", {"s": "a"}, False),
        ('s matches "b+"', {"s": "abbc"}, True),
        ('s matches "^b"', {"s": "abbc"}, False),
        ("s matches p", {"s": 2024, "p": r"^\d{4}$"}, True),
        ("s matches p", {"s": "a"}, False),
        ('s matches "a"', {}, False),
        ('s matches "(?=a)"', {"s": "a"}, False),
        ("s matches /^b.c$/ms", {"s": "a\nb\nc"}, True),
        ("x IS SET", {"x": ""}, True),
        ("x IS SET", {"x": {}}, True),
        ("x IS NOT SET", {"x": None}, True),
        ("x.y IS SET", {"x": {"y": 0}}, True),
        ("x IS EMPTY", {"x": []}, True),
        ("x IS EMPTY", {"x": 0}, False),
        ("x IS NOT EMPTY", {"x": " "}, True),
        ("EMPTY x", {"x": {}}, True),
        ("x is_number", {"x": " -1.5 "}, True),
        ("x is_number", {"x": ""}, False),
        ("x is_number", {"x": True}, False),
        ("NOT x", {"x": "false"}, True),
        ("!x", {"x": [0]}, False),
        ("a AND b", {"a": 1, "b": "x"}, True),
        ("a OR b", {"a": "", "b": []}, False),
        ("a IMPLIES b", {"a": "", "b": False}, True),
        ("a ? 1 / 0 : 2", {"a": 0}, 2),
        ("false AND 1 / 0 > 1", {}, False),
        ("true OR 1 / 0 > 1", {}, True),
    ],
)
def test_tests_and_logic(text, context, wanted):
    check_value(text, context, wanted)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (False, False),
        (0, False),
        (0.0, False),
        ("", False),
        ("false", False),
        (None, False),
        ([], False),
        ({}, False),
        (True, True),
        (-1, True),
        ("0", True),
        (" ", True),
        ("False", True),
        ([0], True),
        ({"a": None}, True),
    ],
)
def test_truthiness(value, wanted):
    context = {"x": value}
    for text in ("x", "NOT NOT x", "x AND true", "x OR false", "x ? true : false", "IF(x, true, false)"):
        expression = compile_expression(text)
        assert expression.holds(context) is wanted
        assert expression.holds(context) is wanted
        assert expression.explain(context)["truthy"] is wanted


def test_matches_is_seen_by_the_rest_of_the_expression_only():
    context = {"input": "3-12", "match": {"0": "old"}}
    text = r'match.0 == "old" AND input matches "(?P<low>\d+)-(\d+)" AND match.low == "3"'
    assert compile_expression(f"{text} AND match.2 == 12").evaluate(context) is True
    assert context == {"input": "3-12", "match": {"0": "old"}}
    outcome = compile_expression(text).evaluate_checked(context)
    assert outcome.match == {"0": "3-12", "1": "3", "2": "12", "low": "3"}


def test_a_failed_match_leaves_match_alone():
    outcome = compile_expression('input matches "x" OR match.0 == "old"').evaluate_checked(
        {"input": "a", "match": {"0": "old"}}
    )
    assert outcome.value is True
    assert outcome.match is None


def test_an_invalid_pattern_is_false_and_noted():
    outcome = compile_expression('input matches "("').evaluate_checked({"input": "a"})
    assert (outcome.value, outcome.error) == (False, None)
    assert outcome.notes[0]["rule"] == "invalid_regex"


@pytest.mark.parametrize("other", [None, 5, 0, "soon", "20260301", True, [1, 2], {"a": 1}, "2026-02-30"])
@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
def test_a_date_is_ordered_with_dates_only(op, other):
    for context in ({"a": "2026-03-01", "b": other}, {"a": other, "b": "2026-03-01T09:00:00Z"}):
        check_value(f"a {op} b", context, False)
        check_value(f"NOT (a {op} b)", context, True)
