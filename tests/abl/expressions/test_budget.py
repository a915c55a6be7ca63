"""What an evaluation may cost (docs/spec 02 §8): counted where values are made, and given by the caller."""

import re
from dataclasses import astuple, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from abl import limits
from abl.expressions import compile_expression, compile_template, render
from abl.expressions.bounds import MAX_FAST_NODES, MAX_RENDER_ERRORS
from abl.expressions.budget import EXPLORATION, KEYSTROKE, REQUEST, TURN, Budget, BudgetExceeded, Limits
from abl.expressions.sizes import SizeExceeded, written_size
from tests.calls import calls

ROOT = Path(__file__).resolve().parents[3]
LONG = "x" * 1_000_000
LISTS = {"long": ["x"] * 60_000, "text": LONG, "small": 1}
EXPRESSIONS = {
    "SPLIT(text, '')": "elements",
    "SPLIT(text, 'x')": "elements",
    "[UPPER(text), LOWER(text), TRIM(text), TRIM(text), TRIM(text)]": "characters",
    "[text contains 'y', REPLACE(text, 'x', '')]": "operations",
    "small IN long": "operations",
    "long contains 2": "operations",
    "[1, long] == [2, long]": "operations",
    "JOIN(long, '')": "operations",
    "ARRAY_FIND(long, 'a', 1) == ARRAY_FIND_INDEX(long, 'b', 2)": "operations",
    "text matches '[ab]{1000}[ab]{1000}c'": "operations",
    "REGEX_REPLACE(text, 'x', '$1$1')": "operations",
    "REGEX_EXTRACT(text, '(x*)')": "characters",
    "text matches '((((x*))))'": "characters",
}


WIDE = Limits(10**9, 10**9, 10**9, TURN.depth, 1_000)
"""Room for everything: only what a test names can end it, however quick or slow the machine is."""


def budget(**limits):
    """A budget that is counted, so that its time plays no part."""
    counted = {"operations": 50_000, "characters": 900_000, "elements": 100_000, "seconds": WIDE.seconds}
    return Budget(**counted | limits)


@pytest.mark.parametrize(("source", "what"), EXPRESSIONS.items())
def test_what_runs_out_is_an_error_with_a_name_in_every_way_to_evaluate(source, what):
    expression = compile_expression(source)
    for _ in range(2):  # the second time, compiled code
        with budget() as given:
            outcome = expression.evaluate_checked(LISTS)
        assert (outcome.value, outcome.exceeded.what) == (None, what)
        assert outcome.error == str(outcome.exceeded)
        assert given.exceeded.limit == getattr(given.limits, what)
        with budget() as given:
            assert expression.holds(LISTS) is False
        assert given.exceeded.what == what
        with budget():
            tree = expression.explain(LISTS)
        assert (tree["status"], tree["error"]) == ("error", outcome.error)


def test_without_a_budget_an_evaluation_has_one_of_a_request():
    outcome = compile_expression("SPLIT(text, '')").evaluate_checked(LISTS)
    assert outcome.exceeded.as_json() == {"what": "elements", "limit": REQUEST.elements}
    assert compile_expression("LENGTH(SPLIT(text, '')) > 1").holds(LISTS) is False
    with pytest.raises(BudgetExceeded):
        render("{{#each long}}{{#each long}}{{LENGTH(UPPER(text))}}{{/each}}{{/each}}", LISTS)


def test_a_budget_that_ran_out_stays_empty_until_it_gets_its_reserve_once():
    with budget(elements=1_000) as given:
        assert compile_expression("SPLIT(text, '')").evaluate_checked(LISTS).exceeded
        assert compile_expression("UPPER(text)").evaluate_checked({"text": "x" * 500}).exceeded.what == "elements"
        given.refill()
        assert render("{{a}} is not {{b}}", {"a": 1, "b": 2}) == "1 is not 2"
        assert compile_expression("SPLIT(text, '')").evaluate_checked(LISTS).exceeded
        given.refill()
        with pytest.raises(BudgetExceeded, match="more than 1,000 elements"):
            given.require()
        assert compile_expression("UPPER(text)").evaluate_checked({"text": "x" * 500}).exceeded


def test_short_values_are_not_counted():
    with budget(characters=0, elements=0, operations=1_000) as given:
        assert compile_expression("LENGTH(SPLIT(UPPER(a) + REPEAT('b', 100), '')) > 3").holds({"a": "x" * 20})
    assert given.exceeded is None


def test_time_is_that_of_the_processor(monkeypatch):
    passed, worked = [], []  # seconds on the clock, and of the processor
    clock = SimpleNamespace(perf_counter=lambda: 0.01 * len(worked) + sum(passed), thread_time=lambda: sum(worked))
    monkeypatch.setattr("abl.expressions.budget.time", clock)
    monkeypatch.setattr("abl.expressions.budget.POLL_SECONDS", 0)
    given = Budget.of(replace(WIDE, seconds=0.02), lambda: worked.append(0.001))
    with given:
        passed.append(3_600)
        assert compile_expression("LENGTH(SPLIT(text, '')) == 9000").evaluate({"text": "x" * 9_000}) is True
        with pytest.raises(BudgetExceeded, match=r"computes longer than 0\.02 s"):
            compile_template("{{#each long}}{{#each long}}{{/each}}{{/each}}").render(LISTS)
    assert given.exceeded.what == "time"
    assert 20 <= len(worked) <= 22, "it is told at the next look at the clock"


class Stop(RuntimeError):
    """What a host raises to end an evaluation."""


@pytest.fixture
def polls_at_each_look(monkeypatch):
    """``poll`` is called at each look at the clock, so that no machine is too quick for it."""
    monkeypatch.setattr("abl.expressions.budget.POLL_SECONDS", 0)


@pytest.mark.parametrize("full", [False, True])
def test_what_poll_raises_passes_every_handler(full, polls_at_each_look):
    stop = Stop()

    def poll():
        raise stop

    expression = compile_expression("small IN long OR " * 99 + "small IN long")
    ways = [
        lambda: expression.holds(LISTS),
        lambda: expression.explain(LISTS, full=full),
        lambda: expression.evaluate_checked(LISTS),
        lambda: render("{{#each long}}{{small IN long}}{{/each}}", LISTS),
        lambda: compile_expression("'{{#each long}}{{small IN long}}{{/each}}' == 'a'").holds(LISTS),
    ]
    for way in ways:
        with pytest.raises(Stop) as caught, Budget.of(WIDE, poll):
            way()
        assert caught.value is stop


def test_what_poll_raises_leaves_the_outermost_block_only(polls_at_each_look):
    def poll():
        raise Stop

    outer = Budget.of(WIDE, poll)

    def between():
        try:
            with outer:
                compile_expression("small IN long OR " * 99 + "small").evaluate(LISTS)
        except Exception as problem:  # what stands between must not take it for a failure of its own
            raise AssertionError from problem

    with pytest.raises(Stop), outer:
        between()


def test_a_tree_too_large_for_fast_code_counts():
    source = " OR ".join(["text contains 'y'"] * MAX_FAST_NODES)
    with budget(operations=20_000) as given:
        assert compile_expression(source).holds(LISTS) is False
        assert compile_expression(source).holds(LISTS) is False
    assert given.exceeded.what == "operations"


def test_a_loop_tells_its_first_failures_only():
    rendered = compile_template("{{#each items}}{{1 / 0}}{{missing}}{{/each}}").render_traced({"items": [1] * 500})
    assert len(rendered.errors) == MAX_RENDER_ERRORS
    assert rendered.missing == ["missing"]


def test_presets_grow_from_a_keystroke_to_a_turn():
    assert KEYSTROKE.seconds < REQUEST.seconds < EXPLORATION.seconds < TURN.seconds == 5
    assert KEYSTROKE.operations < REQUEST.operations <= EXPLORATION.operations <= TURN.operations


def test_the_presets_are_those_of_the_specification():
    text = (ROOT / "docs/spec/02-types-and-expressions.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (keystroke|request|exploration|turn): [^|]+((?:\| [\d. ]+ )+)\|$", text, re.MULTILINE)
    written = {name: [float(cell.replace(" ", "")) for cell in cells.strip("| ").split("|")] for name, cells in rows}
    presets = {"keystroke": KEYSTROKE, "request": REQUEST, "exploration": EXPLORATION, "turn": TURN}
    assert written == {name: list(astuple(limits)) for name, limits in presets.items()}


def test_the_sizes_are_those_of_the_specification():
    text = (ROOT / "docs/spec/02-types-and-expressions.md").read_text(encoding="utf-8")
    table = text.partition("### 8.2 Sizes")[2].partition("## 9.")[0]
    rows = [row.strip("| ").split("|") for row in table.splitlines() if row.startswith("|")][2:]
    written = {
        " ".join(re.findall(r"`(\w+)`", what)): [int(n.replace(" ", "")) for n in re.findall(r"\d[\d ]*", most)]
        for what, most in rows
    }
    assert written.pop("evaluate abl eval value", None) or written.pop("value") == [limits.MAX_ANSWER]
    assert written == {
        "variable": [limits.MAX_VARIABLE, 100],
        "variables": [limits.MAX_VARIABLES],
        "fact": [limits.MAX_FACT, 100],
        "reply replies": [limits.MAX_REPLY, limits.MAX_REPLIES],
        "events": [limits.MAX_EVENTS, limits.MAX_EVENT_CHARS],
        "secrets": [limits.MAX_SECRETS],
        "snapshot": [limits.MAX_SNAPSHOT],
    }


def test_a_value_is_measured_as_it_would_be_written():
    value = ["a text"]
    for _ in range(45):
        value = [value, {"a": value}]
    assert calls(lambda: written_size(value, "x")) < 5_000  # each part once
    assert written_size(value, "x") > 2**45
    assert written_size({"a": [1, "two"]}, "x") == len('{"a":[1.234567,"two"]}') + 2
    for _ in range(80):
        value = [value]
    with pytest.raises(SizeExceeded, match="x has 101 levels of nesting; at most 100 are allowed"):
        written_size(value, "x")
