"""No verdict about conditions is refuted by a value: what is told is compared with what the evaluator says.

Conditions and states are made of what is spelled in more than one way (docs/spec 02 §5.1): numbers, numeric texts,
dates, booleans, lists, nothing at all. ``match`` stands for whatever an earlier search left, so each condition is tried
with several. ``FUZZ=1`` tries very many.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest

from abl.analysis import check
from abl.analysis.conditions.implication import Demand, implies
from abl.analysis.conditions.intervals import bounds_of, constant, limits_of
from abl.diagnostics import Diagnostic
from abl.expressions import compile_expression
from abl.expressions.scope import descend
from abl.expressions.values import truthy
from abl.runtime.constraints.date_comparisons import decided
from abl.runtime.evaluation import value
from tests.abl.fuzz.lengths import length

pytestmark = pytest.mark.slow
PARTS = pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in (1, 2))])
SEEDS = pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, length(3, 24)))]
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)

VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 100, -1, 0.5, 2.5, 1e300, 9007199254740993.0),
    *(
        "",
        "a",
        "b",
        "a1",
        "A",
        "0",
        "1",
        "01",
        " 1 ",
        "1.0",
        "1e0",
        "2",
        "3.0",
        "100",
        "1e2",
        "-1",
        "true",
        "false",
        "١",
    ),
    *("2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00", "2026-01-01T01:00+01:00", "2026-01-02", "null", "[1]"),
    *([], [1], ["a", 1], [1, 2, 3], {}, {"a": 1}),
]
MATCHES: list[Any] = [None, {"0": "a", "1": "1"}, {"0": "b", "1": "2"}]
TEXTS = [text for text in VALUES if isinstance(text, str)]
LITERALS = [
    *("0", "1", "2", "3", "100", "-1", "0.5", "1e2", "9007199254740993", "true", "false", "null"),
    *(f'"{text}"' for text in TEXTS),
]
ORDERS = ("<", "<=", ">", ">=")
PATTERNS = ('"a"', '"(.)"', '"a(1)"', '"^(.)$"', '"("', "/(A)/i")
DOUBTFUL = ("10 / {n} > 2", "{n} % 2 == 1", "{n} + 1 > 2", "{n} * 1e10 > 5", "-{n} < 0", "NOPE({n})", "1 / 0 > {l}")
OTHERS = (
    *("{n}", "NOT {n}", "!{n}", "{n} == {m}", "{n} < {m}", "{n} IN {m}", "{n} contains {m}", "{n}.length > 1", "true"),
    *(
        "LENGTH({n}) > 1",
        "LENGTH({n}) == LENGTH({m})",
        'UPPER({n}) == "A"',
        "{n} ? {m} : true",
        "has({n})",
        "EMPTY {n}",
    ),
    *('"{{{{{n}}}}}" == {l}', "COALESCE({n}, 1) == {l}", "{n}.a == {l}", "{n}[0] == {l}", "{n}.contains({l})"),
    *("{n} IS SET", "{n} IS NOT SET", "{n} IS EMPTY", "{n} IS NOT EMPTY", "{n} is_number", "IS_NUMBER({n})"),
    *("match.1 == {l}", "match.1 IS SET", "match.1", '"{{{{match.1}}}}" == "1"', "{n} == match.1", "false"),
)


def atom(random: Random) -> str:
    n, m = random.sample("xy", 2)
    literal = random.choice(LITERALS)
    kind = random.randrange(12)
    if kind < 3:
        op = random.choice(["==", "==", "!="])
        return f"{n} {op} {literal}" if random.random() < 0.8 else f"{literal} {op} {n}"
    if kind < 5:
        op, bound = random.choice(ORDERS), random.choice(LITERALS[:9]) if random.random() < 0.8 else literal
        return f"{n} {op} {bound}" if random.random() < 0.8 else f"{bound} {op} {n}"
    if kind == 5:
        low, high = random.sample(LITERALS[:9], 2)
        return f"{low} {random.choice(['<', '<='])} {n} AND {n} {random.choice(['<', '<='])} {high}"
    if kind < 8:
        items = ", ".join(random.sample(LITERALS, random.randint(0, 3)))
        return f"{n} {random.choice(['IN', 'NOT IN', 'IN'])} [{items}]"
    if kind == 8:
        return f"{n} {random.choice(['contains', 'startsWith', 'endsWith'])} {literal}"
    if kind == 9:
        return f"{n} matches {random.choice(PATTERNS)}"
    return random.choice(DOUBTFUL if random.random() < 0.25 else OTHERS).format(n=n, m=m, l=literal)


def condition(random: Random, depth: int = 2) -> str:
    if depth == 0 or random.random() < 0.4:
        return atom(random)
    op = random.choice(["AND", "OR", "AND", "OR", "NOT", "IMPLIES"])
    if op == "NOT":
        return f"NOT ({condition(random, depth - 1)})"
    count = 2 if op == "IMPLIES" else random.choice([2, 2, 3])
    return f" {op} ".join(f"({condition(random, depth - 1)})" for _ in range(count))


def near(random: Random, text: str) -> str:
    """A condition that has to do with another: parts of it in another order, or with another literal."""
    chance = random.random()
    if chance < 0.3:
        return condition(random, 1)
    if chance < 0.5:
        return f"{text} {random.choice(['OR', 'AND'])} {atom(random)}" if " " in text else text
    words = text.split(" ")
    at = random.randrange(len(words))
    words[at] = random.choice(
        [random.choice(LITERALS), "x", "y", "==", "!=", "<", ">=", "AND", "OR", "IN", *random.sample(words, 1)]
    )
    return " ".join(words)


class State(NamedTuple):
    x: Any
    y: Any

    def with_match(self, match: Any) -> dict[str, Any]:
        known = {"x": self.x, "y": self.y}
        return known if match is None else {**known, "match": match}


ALL_STATES = [State(x, y) for x, y in product(VALUES, VALUES)]
STATES = Random(1).sample(ALL_STATES, length(500, len(ALL_STATES)))
WITHOUT_FALSE = [state for state in STATES if state.x is not False and state.y is not False]
"""For contradictions of words: ``false`` equals all but one of them (docs/spec 02 §5.1), which nobody means."""


def truths(text: str, state: State) -> set[bool | None]:
    """Whether a condition holds in a state, None for an error, whatever was matched before."""
    tried = MATCHES if "match" in text else MATCHES[:1]
    return {truth(text, state.with_match(match)) for match in tried}


def truth(text: str, known: dict[str, Any]) -> bool | None:
    """Whether a condition of a rule holds, None for an error: a date compared with something else is one (04 §6)."""
    done = compile_expression(text).evaluate_checked(known)
    if done.error:
        return None
    return decided(value(text), lambda part: part.explain(Plain(known), NOW, Random(0)))


class Plain:
    """Names of a dict, as a running session gives them."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known

    def resolve(self, parts: tuple[str, ...]) -> Any:
        return descend(self.known.get(parts[0]), parts[1:])


def readable(texts: Iterator[str]) -> Iterator[str]:
    for text in texts:
        try:
            compile_expression(text)
        except ValueError:
            continue
        yield text


def pairs(seed: int, count: int) -> Iterator[tuple[str, str]]:
    random = Random(seed)
    for _ in range(count):
        one = condition(random)
        found = [*readable(iter([one, near(random, one)]))]
        if len(found) == 2:
            yield found[0], found[1]


def refuted(one: str, other: str, *, negated: bool = False, forbidden: bool = False) -> State | None:
    """A state in which the first condition is met and the second is not."""
    for state in STATES:
        if (not negated) in truths(one, state) and truths(other, state) != {not forbidden}:
            return state
    return None


@PARTS
def test_what_follows_from_a_condition_holds_for_every_value(part: int) -> None:
    followed = 0
    for number, (one, other) in enumerate(pairs(3 + 10 * part, length(500, 70_000))):
        negated, forbidden = number % 5 == 0, number % 3 == 0
        given = Demand(compile_expression(one).node, negated)
        wanted = Demand(compile_expression(other).node, forbidden)
        if one != other and implies(given, wanted):
            followed += 1
            state = refuted(one, other, negated=negated, forbidden=forbidden)
            assert state is None, (one, negated, other, forbidden, state)
    assert followed > 7


@PARTS
def test_what_is_said_to_exclude_each_other_never_holds_together(part: int) -> None:
    apart = 0
    for one, other in pairs(4 + 10 * part, length(500, 70_000)):
        first, second = compile_expression(one).node, compile_expression(other).node
        if bounds_of(first).contradicts(bounds_of(second)):
            apart += 1
            for state in WITHOUT_FALSE:
                assert not (True in truths(one, state) and True in truths(other, state)), (one, other, state)
    assert apart > 3


def test_limits_that_are_exact_imply_each_other_only_where_the_conditions_do() -> None:
    implied = 0
    for one, other in pairs(5, length(1_500, 200_000)):
        low, high = limits_of(compile_expression(one).node), limits_of(compile_expression(other).node)
        if one != other and low is not None and high is not None and low.implies(high):
            implied += 1
            assert refuted(one, other) is None, (one, other, refuted(one, other))
    assert implied > 1


@PARTS
def test_what_is_called_constant_or_impossible_is_so(part: int) -> None:
    random = Random(6 + 10 * part)
    texts = (condition(random, 3) for _ in range(length(400, 70_000)))
    told = 0
    for text in readable(texts):
        node = compile_expression(text).node
        value = constant(node, text)
        if value is not None and node.kind != "literal":
            told += 1
            assert all(truths(text, state) == {value.holds} for state in STATES), (text, value)
        elif bounds_of(node).impossible:
            told += 1
            assert all(True not in truths(text, state) for state in WITHOUT_FALSE), text
    assert told > 3


# Whole agents -----------------------------------------------------------------------------------------------------


CODES = ("ABL434", "ABL435", "ABL436", "ABL437", "ABL438")


class Line(NamedTuple):
    """A rule as it is written on line ``number``, or a branch, which fails when it runs; both end the pass by that."""

    number: int
    kind: str
    condition: str
    gate: str

    def verdict(self, state: State, match: Any) -> tuple[str, Any]:
        """`closed`, `passed` or `failed` (docs/spec 04 §6), and the ``match`` that is left."""
        if self.gate:
            done = compile_expression(self.gate).evaluate_checked(state.with_match(match))
            match = done.match or match
            if done.error or not truthy(done.value):
                return ("failed" if done.error else "closed"), match
        done = compile_expression(self.condition).evaluate_checked(state.with_match(match))
        holds = None if done.error else truthy(done.value)
        if self.kind != "IF" and holds is not None:
            known = state.with_match(match)
            holds = truth(self.condition, known)
        fails = holds if self.kind == "IF" else holds is not (self.kind == "REQUIRE")
        return ("failed" if fails else "passed"), done.match or match


def rules(random: Random) -> list[Line]:
    lines: list[Line] = []
    pool = [condition(random, 1)]
    gates = [*readable(condition(random, 1) for _ in range(2))]
    while len(lines) < 7:
        pool += readable(iter([near(random, random.choice(pool)), atom(random)]))
        gate = random.choice(gates) if gates and random.random() < 0.3 else ""
        lines.append(Line(5 + 3 * len(lines), random.choice(["REQUIRE", "RESTRICT"]), random.choice(pool), gate))
    return lines


def written(lines: list[Line]) -> str:
    text = "AGENT: Desk\nGOAL: g\nCONSTRAINTS:\n  p:\n"
    for line in lines:
        gate = f"      WHEN: {line.gate}\n" if line.gate else "      SEVERITY: error\n"
        text += f'    - {line.kind} {line.condition}\n{gate}      ON_FAIL: "No."\n'
    return text


def passes(lines: list[Line], states: list[State]) -> Iterator[tuple[dict[int, str], State]]:
    """What each rule says by its line, up to the first that fails, and what each says with whatever was matched."""
    searching = any("match" in text for line in lines for text in (line.condition, line.gate))
    for state, left in product(states, MATCHES if searching else MATCHES[:1]):
        seen: dict[int, str] = {}
        match = left
        for line in lines:
            seen[line.number], match = line.verdict(state, match)
            if seen[line.number] == "failed":
                break
        yield seen, state


def disproved(told: Diagnostic, number: int, lines: list[Line]) -> State | None:
    """A state in which what is told of the rule on a line is not so."""
    code, by_number = told.code, {line.number: line for line in lines}
    if code in ("ABL435", "ABL437"):
        if code == "ABL437":
            lines = [by_number[int(told.message.split()[-1])], by_number[number]]
        return next((state for seen, state in passes(lines, STATES) if seen.get(number) == "failed"), None)
    states: Iterator[tuple[State, Any]] = product(WITHOUT_FALSE, MATCHES)
    for state, match in states:
        verdict, _ = by_number[number].verdict(state, match)
        if code == "ABL434" and verdict != "closed":
            return state
        if code == "ABL436" and verdict == "passed":
            return state
        if code == "ABL438" and verdict == "passed":
            other = by_number[int(told.message.split()[-1])]
            if any(other.verdict(state, left)[0] == "passed" for left in MATCHES):
                return state
    return None


@SEEDS
def test_what_is_told_of_rules_is_so_for_every_value(seed: int) -> None:
    random = Random(seed)
    told = 0
    for _ in range(length(14, 350)):
        lines = rules(random)
        text = written(lines)
        for diagnostic in check({"desk.abl": text}, select=CODES).diagnostics:
            if diagnostic.code in CODES:
                told += 1
                at = text.count("\n", 0, diagnostic.span.start) + 1
                number = max(line.number for line in lines if line.number <= at)
                state = disproved(diagnostic, number, lines)
                assert state is None, (diagnostic.code, diagnostic.message, number, state, text)
    assert told > 7


def branches(random: Random) -> list[str]:
    pool = [*readable(iter([condition(random, 1), atom(random)])), "x"]
    while len(pool) < 6:
        pool += readable(iter([near(random, random.choice(pool)), atom(random)]))
    return pool


@SEEDS
def test_a_branch_that_is_called_repeated_never_runs(seed: int) -> None:
    random = Random(seed)
    told = 0
    for _ in range(length(14, 350)):
        texts = branches(random)
        text = 'AGENT: Desk\nGOAL: g\nFLOW:\n  ask:\n    REASONING: false\n    RESPOND: "?"\n    ON_INPUT:\n'
        text += "".join(f"      - IF: {each}\n        THEN: COMPLETE\n" for each in texts)
        lines = [Line(8 + 2 * n, "IF", each, "") for n, each in enumerate(texts)]
        for diagnostic in check({"desk.abl": text}, select=["ABL617"]).diagnostics:
            told += 1
            number = text.count("\n", 0, diagnostic.span.start) + 1
            state = next((state for seen, state in passes(lines, STATES) if seen.get(number) == "failed"), None)
            assert state is None, (diagnostic.message, number, state, text)
    assert told > 3
