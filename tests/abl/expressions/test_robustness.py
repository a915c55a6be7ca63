"""No text and no value takes unbounded time or stack, or raises but ExpressionError (docs/architecture.md §6)."""

import json
import random
import time
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl.expressions import ExpressionError, bounds, compile_expression, compile_template, read_condition, scan
from abl.expressions.bounds import (
    MAX_EXPRESSION_LENGTH,
    MAX_HEIGHT,
    MAX_ITERATIONS,
    MAX_NESTING,
    MAX_RENDERED,
    MAX_TEMPLATE_LENGTH,
)


@contextmanager
def assert_within(seconds: float):
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def read(text: str) -> ExpressionError | None:
    """What is wrong with a text, past the cache of `compile_expression`."""
    found = None
    try:
        compile_expression.__wrapped__(text)
    except ExpressionError as error:
        found = error
    assert found is None or 0 <= found.start <= found.end <= len(text)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(" * 10_000, "ABL201"),
        ("(" * 10_000 + "a" + ")" * 10_000, "ABL201"),
        ("[" * 10_000, "ABL201"),
        ("f(" * 10_000, "ABL228"),
        ("!" * 10_000 + "a", "ABL201"),
        ("-" * 10_000 + "a", "ABL201"),
        ("NOT " * 10_000 + "a", "ABL201"),
        ("a ? " * 10_000 + "a", "ABL201"),
        ("a IMPLIES " * 9_999 + "a", "ABL201"),
        ("a + " * 20_000 + "a", "ABL201"),
        ("a." * 40_000 + "a", "ABL201"),
        ("a" + "[0]" * 20_000, "ABL201"),
        ("a < " * 20_000 + "a", "ABL204"),
        ('"' + "\\" * 99_000, "ABL111"),
        ("{{" * 40_000, "ABL201"),
        ("x" * (MAX_EXPRESSION_LENGTH + 1), "ABL201"),
    ],
    ids=lambda value: value[:12],
)
def test_hostile_texts_are_refused_quickly(text, code):
    with assert_within(1.5):
        assert read(text).code == code
    with assert_within(1.5):
        scan(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a AND " * 16_000 + "a",
        "x IN [" + "1," * 40_000 + "2]",
        '"' + "x" * 99_000 + '"',
        "x == 1 OR " * 9_000 + "true",
        "COALESCE(" + "x," * 40_000 + "1)",
    ],
    ids=lambda text: text[:12],
)
def test_a_condition_of_100_000_characters_is_read_and_evaluated(text):
    assert len(text) <= MAX_EXPRESSION_LENGTH
    with assert_within(2.5):
        expression = compile_expression.__wrapped__(text)
        outcome = expression.evaluate_checked({"a": True, "x": 2})
    assert outcome.error is None
    assert outcome.value


def test_the_highest_tree_and_the_deepest_brackets_work():
    chain = "a" + " + a" * (MAX_HEIGHT - 1)
    assert compile_expression(chain).evaluate({"a": 1}) == MAX_HEIGHT
    assert compile_expression(chain).explain({"a": 1})["value"] == MAX_HEIGHT
    assert read(chain + " + a").code == "ABL201"
    brackets = "(" * MAX_NESTING + "a" + ")" * MAX_NESTING
    assert compile_expression(brackets).evaluate({"a": 1}) == 1
    lists = "[" * (MAX_HEIGHT - 2) + "a" + "]" * (MAX_HEIGHT - 2)
    assert compile_expression(f"{lists} == {lists}").holds({"a": 1})


@pytest.mark.slow
def test_templates_stay_linear():
    for text in (
        "{{" * 50_000,
        "{{'" * 30_000,
        "{{\"}}'" * 20_000,
        "{{#if a}}" * 8_000,
        "${" * 50_000,
        "{{a}}" * 20_000,
    ):
        with assert_within(2):
            compile_template.__wrapped__(text).render({"a": 1})


def test_blocks_and_output_are_bounded():
    xs = {"xs": list(range(1000))}
    with assert_within(6):
        text = compile_template("{{#each xs}}{{#each xs}}{{#each xs}}x{{/each}}{{/each}}{{/each}}").render(xs)
    assert len(text) <= MAX_ITERATIONS
    text = compile_template("{{#each xs}}{{y}}{{/each}}").render({**xs, "y": "y" * 50_000})
    assert len(text) == MAX_RENDERED
    deep = compile_template("{{#if a}}" * 60 + "x" + "{{/if}}" * 60)
    assert deep.render({"a": 1}) == "x"
    assert any(problem.code == "ABL252" for problem in deep.problems)
    long = compile_template("x" * (MAX_TEMPLATE_LENGTH + 1))
    assert long.problems
    assert len(long.render({})) == MAX_RENDERED


@pytest.mark.slow
def test_values_of_any_depth_and_size():
    deep: list = []
    for _ in range(50_000):
        deep = [deep]
    context = {"a": deep, "b": deep, "n": 10**400, "s": "\ud800", "f": float("nan"), "i": float("inf")}
    for text in (
        "a == b",
        "a IN [b]",
        "a + 'x'",
        "n > 1",
        "n + 1",
        "n == n",
        "s matches '(é)'",
        "f < 1",
        "i + 1",
        "TO_STRING(a)",
    ):
        expression = compile_expression(text)
        # One bound for each of them: a turn or a request waits for one, and other tests make this process slow.
        with assert_within(1):
            expression.evaluate(context)
        with assert_within(1):
            expression.holds(context)
        with assert_within(1):
            assert expression.evaluate_checked(context).error != ""
        if "a" not in text.replace("matches", ""):
            with assert_within(1):
                expression.explain(context)


def test_catastrophic_patterns_take_no_time():
    with assert_within(1):
        assert compile_expression('s matches "^(a+)+$"').holds({"s": "a" * 50_000 + "b"}) is False


def test_random_bytes():
    source = random.Random(5)
    for _ in range(300):
        text = bytes(source.randrange(256) for _ in range(source.randrange(60))).decode("latin-1")
        read(text)
        scan(text)
        assert read_condition(text).kind in ("expression", "text", "empty")
        assert isinstance(compile_template(text).render({}), str)


WORDS = st.sampled_from(
    [
        "a",
        "b.c",
        '"x"',
        "'1'",
        "1",
        "2.5",
        "true",
        "null",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "?",
        ".",
        "+",
        "-",
        "*",
        "/",
        "%",
        "!",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "SET",
        "EMPTY",
        "IMPLIES",
        "in",
        "is_number",
        "contains",
        "matches",
        "startsWith",
        "&&",
        "||",
        "=",
        "===",
        "and",
        "not",
        "LENGTH(",
        "COALESCE(",
        "abl.upper(",
        "NOW()",
        "@index",
        '"{{a}}"',
        "/x/i",
        '"2026-03-01"',
        "UNIQUE_ID(",
        "IF(",
        ".length",
        "[0]",
        "x.contains(",
    ]
)
SOURCES = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=40)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["5", "true", "false", "2026-03-01", "2026-03-01T00:00Z"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
CONTEXTS = st.fixed_dictionaries({}, optional={"a": VALUES, "b": VALUES, "b.c": VALUES, "x": VALUES})


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(SOURCES)
def test_any_text_is_read_or_refused(text):
    read(text)
    for piece in scan(text):
        assert 0 <= piece.start < piece.end <= len(text)
    assert read_condition(text).kind in ("expression", "text", "empty")
    assert isinstance(compile_template(text).render({"a": 1}), str)


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(SOURCES, CONTEXTS)
def test_every_way_to_evaluate_gives_the_same_value(text, context):
    if read(text) is not None:
        return
    expression = compile_expression(text)
    options = {"now": "2026-03-01T09:00:00Z"}
    seeded = [random.Random(3) for _ in range(6)]
    checked = expression.evaluate_checked(context, rng=seeded[0], **options)
    expression.evaluate(context, rng=seeded[1], **options)
    assert expression.evaluate(context, rng=seeded[2], **options) == checked.value
    assert expression.holds(context, **options) is checked.holds
    trace = expression.trace(context, rng=seeded[3], **options)
    assert trace.outcome == checked
    if "size" not in trace.tree:
        assert trace.tree["value"] == checked.value
    assert expression.explain(context, rng=seeded[4], **options) == trace.tree
    assert expression.explain(context, rng=seeded[5], **options) == trace.tree


def test_an_expression_may_be_as_long_as_the_limit():
    assert read("x" * MAX_EXPRESSION_LENGTH) is None
    assert read("x" * (MAX_EXPRESSION_LENGTH + 1)).code == "ABL201"


def test_a_rendering_uses_all_of_its_room_and_no_more(monkeypatch):
    monkeypatch.setattr(bounds, "MAX_RENDERED", 3)
    for count in (2, 3, 4):
        items = ["a", "b", "c", "d"][:count]
        assert compile_template("{{#each xs}}{{this}}{{/each}}").render({"xs": items}) == "abcd"[: min(count, 3)]
        assert compile_template("abcd"[:count]).render({}) == "abcd"[: min(count, 3)]


def test_loops_pass_as_often_as_they_may_together(monkeypatch):
    monkeypatch.setattr(bounds, "MAX_ITERATIONS", 3)
    assert compile_template("{{#each xs}}{{this}}{{/each}}").render({"xs": [1, 2, 3, 4]}) == "123"
    assert compile_template("{{#each xs}}{{#each ys}}.{{/each}}{{/each}}").render({"xs": [1, 2], "ys": [1, 2]}) == ".."
    assert compile_template("{{#each xs}}{{this}}{{/each}}.").render({"xs": [1, 2, 3, 4]}) == "123."


def test_templates_stand_in_the_literals_of_templates_four_deep():
    def inside(depth: int) -> str:
        text = "{{x}}"
        for _ in range(depth):
            text = "{{" + json.dumps(text) + "}}"
        return text

    assert compile_template(inside(4)).render({"x": "deep"}) == "deep"
    assert compile_template(inside(5)).render({"x": "deep"}) == "{{x}}"
