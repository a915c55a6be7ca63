"""What can be said without running: constants, limits of conditions, the step graph (docs/spec 04 §8, 10 §1)."""

from __future__ import annotations

import pytest

from abl.analysis import check
from abl.analysis.conditions.intervals import Constant, Limits, constant, limits_of
from abl.analysis.index.model import AgentIndex
from abl.expressions import compile_expression


def limits(text: str, *, negated: bool = False) -> Limits | None:
    return limits_of(compile_expression(text).node, negated=negated)


def some(text: str, *, negated: bool = False) -> Limits:
    found = limits(text, negated=negated)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 < 2", True),
        ("2 + 3 * 2", 8),
        ("NOT true", False),
        ('"a" == "b"', False),
        ("true OR x", True),
        ("false AND x", False),
        ("false IMPLIES x", True),
        ("x IMPLIES true", True),
        ("-3", -3),
    ],
)
def test_what_depends_on_nothing_is_folded(text: str, value: object) -> None:
    assert constant(compile_expression(text).node, text) == Constant(value)


@pytest.mark.parametrize(
    "text",
    [
        *("x", "x < 2", "true AND x", 'NOW() > "2026-01-01"', '"{{x}}" == "a"', "LENGTH(x)"),
        *("1 / x > 2 OR true", "NOPE(x) AND false", "1 / x > 2 IMPLIES true", "NOT (1 / x > 2 AND false)"),
    ],
)
def test_what_depends_on_something_is_left_alone(text: str) -> None:
    assert constant(compile_expression(text).node, text) is None


@pytest.mark.parametrize(
    ("one", "two", "where"),
    [
        ("n < 3", "n > 5", "n"),
        ("n < 3", "n >= 3", "n"),
        ("n <= 3", "n >= 3", ""),
        ("5 < n", "n < 5", "n"),
        ('x == "a"', 'x == "b"', "x"),
        ('x IN ["a", "b"]', 'x == "c"', "x"),
        ('x IN ["a", "b"]', 'x == "b"', ""),
        ("n == 4", "n < 3", "n"),
        ('n == "4"', "n == 4", ""),
        ("n == true", "n == false", "n"),
        ("n < 3", "m > 5", ""),
        ("n == true", "n == 1", ""),
        ("n == true", 'n == "1"', ""),
        ("n == false", 'n == "a"', ""),
        ('n == "1"', 'n == "01"', ""),
        ('n == "1"', "n == 2", "n"),
        ('n == "1"', 'n == "2"', ""),  # false equals both; only between words it does not count
        ('n == "1e2"', "n == 100", ""),
        ('n == "2026-01-01"', 'n == "2026-01-01T00:00Z"', ""),
        ("n == 1", "n == 2", "n"),
        ("n > 9007199254740992", "n == 9007199254740993", "n"),  # one double
        ('n == "a"', "n > 3", "n"),
    ],
)
def test_contradictions_are_found_on_one_variable(one: str, two: str, where: str) -> None:
    assert some(one).contradicts(some(two)) == where
    assert some(two).contradicts(some(one)) == where


def test_a_conjunction_may_be_impossible_by_itself() -> None:
    assert some("n < 3 AND n > 5").impossible == "n"
    assert some("n > 3 AND n < 5").impossible == ""
    assert some('x == "a" AND x == "b"').impossible == "x"


def test_a_tighter_limit_implies_a_looser_one() -> None:
    assert some("n < 3").implies(some("n < 5"))
    assert not some("n < 5").implies(some("n < 3"))
    assert some('x == "a"').implies(some('x IN ["a", "b"]'))
    assert not some("n < 3").implies(some("m < 3"))


def test_the_opposite_of_a_prohibition_sets_limits() -> None:
    assert some("n > 5 OR n < 1", negated=True).contradicts(some("n == 7")) == "n"
    assert some("NOT n > 5").implies(some("n <= 5"))


@pytest.mark.parametrize(
    "text", ["n < m", "n < 3 OR m < 3", 'x contains "a"', "x", "x IS SET", "n + 1 < 3", "n != 3", "match.1 < 3"]
)
def test_conditions_that_are_not_that_simple_say_nothing(text: str) -> None:
    assert limits(text) is None


# The step graph -------------------------------------------------------------------------------------------------

FLOW = """\
AGENT: Desk
GOAL: "Lend books"
FLOW:
  entry_point: ask
  steps: [ask, look, tell, lost]
  ask:
    REASONING: false
    GATHER:
      - title: required
    THEN: look
  look:
    REASONING: false
    CALL: find_book
    ON_SUCCESS:
      THEN: tell
    ON_FAILURE:
      THEN: ask
  tell:
    REASONING: false
    RESPOND: "Here."
    THEN: COMPLETE
  lost:
    REASONING: false
    RESPOND: "Where am I?"
    THEN: ask
"""


@pytest.fixture
def desk() -> AgentIndex:
    return check({"desk.abl": FLOW}).index.agents["Desk"]


def test_edges_come_from_every_kind_of_transition(desk: AgentIndex) -> None:
    edges = {(e.source, e.target, e.kind) for e in desk.graph.edges}
    assert edges == {
        ("ask", "look", "then"),
        ("look", "tell", "on_success"),
        ("look", "ask", "on_failure"),
        ("lost", "ask", "then"),
    }


def test_branches_of_a_gather_are_edges() -> None:
    outcomes = "    ON_SUCCESS: tell\n    ON_FAILURE: ask\n    ON_RESULT:\n      - IF: title == 1\n        THEN: lost\n"
    flow = FLOW.replace("      - title: required\n", f"      - title: required\n{outcomes}")
    graph = check({"desk.abl": flow}).index.agents["Desk"].graph
    assert {(e.target, e.kind) for e in graph.outgoing["ask"]} == {
        ("tell", "on_success"),
        ("ask", "on_failure"),
        ("lost", "on_result"),
        ("look", "then"),
    }
    assert graph.reachable == {"ask", "look", "tell", "lost"}


def test_reachability_starts_at_the_entry(desk: AgentIndex) -> None:
    assert desk.graph.reachable == {"ask", "look", "tell"}
    assert desk.graph.leads_to("ask", "ask")
    assert desk.graph.leads_to("lost", "tell")
    assert not desk.graph.leads_to("tell", "ask")


def test_a_step_that_collects_waits_and_so_breaks_the_circle(desk: AgentIndex) -> None:
    assert desk.graph.waits == {"ask"}
    assert list(desk.graph.cycles_without_wait()) == []
