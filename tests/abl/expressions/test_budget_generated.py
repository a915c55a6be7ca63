"""Expensive expressions and templates, generated: each ends within its budget, in time and in memory."""

import contextlib
import random
import time
import tracemalloc

import pytest

from abl.expressions import compile_expression, compile_template
from abl.expressions.budget import Budget, BudgetExceeded
from abl.expressions.builtins import BUILTINS, CEL_FUNCTIONS, GUARDRAIL_BUILTINS

SECONDS = 0.1
OVERRUN = 1.5
"""Seconds that one step which cannot be interrupted may take beyond: a search of a pattern in a text."""
MEMORY = 30_000_000
"""Bytes: twice what as many characters and elements need as the budget of these tests has."""
CONTEXT = {
    "text": "ab, " * 50_000,
    "digits": "1234567890" * 10_000,
    "list": ["ab", 1, None, {"a": 1}] * 5_000,
    "deep": [[[[["a"] * 10] * 10] * 10] * 10] * 10,
    "object": {f"key{number}": number for number in range(10_000)},
    "small": "a",
    "n": 100_000,
}
PATTERNS = (
    "'(a|b)*?(b|,)*c'",
    "'[ab]*a[ab]{300}c'",
    "'(((.*)b)*,)*'",
    "'.'",
    "'a.*z|b'",
    "text",
    "'[ab]{900}[ab]{900}'",
)
OPERATORS = ("+", "==", "<", "IN", "contains", "matches", "startsWith", "AND", "OR", "-", "*")


def budget():
    return Budget(operations=100_000, characters=1_000_000, elements=50_000, seconds=SECONDS)


def arguments(rng, depth):
    return [expression(rng, depth) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]


def call(rng, depth):
    function = rng.choice([*BUILTINS.values(), *CEL_FUNCTIONS.values(), *GUARDRAIL_BUILTINS.values()])
    most = function.max_args if function.max_args is not None else function.min_args + 3
    given = [expression(rng, depth) for _ in range(rng.randint(function.min_args, most))]
    if function.name.startswith("REGEX") and len(given) > 1:
        given[1] = rng.choice(PATTERNS)
    name = f"abl.{function.name}" if function.name in GUARDRAIL_BUILTINS else function.name
    return f"{name}({', '.join(given)})"


def expression(rng, depth):
    if depth <= 0:
        return rng.choice((*CONTEXT, *CONTEXT, "''", "','", "'a'", "3", "90000", "'{{#each list}}{{text}}{{/each}}'"))
    kind = rng.random()
    if kind < 0.55:
        return call(rng, depth - 1)
    if kind < 0.8:
        return f"({expression(rng, depth - 1)} {rng.choice(OPERATORS)} {expression(rng, depth - 1)})"
    parts = [expression(rng, depth - 1) for _ in range(rng.choice((2, 5, 30)))]
    if kind < 0.9:
        return "[" + ", ".join(parts) + "]"
    return "{" + ", ".join(f'"k{number}": {part}' for number, part in enumerate(parts)) + "}"


def template(rng, depth):
    inner = template(rng, depth - 1) if depth > 0 else "{{" + expression(rng, 1) + "}}"
    subject = rng.choice(("list", "SPLIT(text, ',')", "deep", "OBJECT_KEYS(object)", "this"))
    head = rng.choice(("each", "each", "if"))
    return f"{{{{#{head} {subject}}}}}{inner}{{{{{expression(rng, 1)}}}}}{{{{/{head}}}}}"


def within_budget(work, source):
    """Run it; the seconds of processor time that it took, which must not be many."""
    started = time.thread_time()
    with budget(), contextlib.suppress(BudgetExceeded):
        work()
    taken = time.thread_time() - started
    assert taken < SECONDS + OVERRUN, f"{taken:.2f} s: {source[:500]}"
    return taken


def try_all(seed, rounds):
    rng = random.Random(seed)
    for _ in range(rounds):
        if rng.random() < 0.3:
            source = template(rng, rng.randint(0, 2))
            read = compile_template.__wrapped__(source)
            within_budget(lambda read=read: read.render(CONTEXT), source)
            continue
        source = expression(rng, rng.randint(1, 3))
        read = compile_expression.__wrapped__(source)
        for way in (read.evaluate_checked, read.holds, read.holds, read.explain):
            within_budget(lambda way=way: way(CONTEXT), source)


@pytest.mark.parametrize(
    "function",
    [*BUILTINS.values(), *CEL_FUNCTIONS.values(), *GUARDRAIL_BUILTINS.values()],
    ids=lambda function: function.name,
)
def test_every_function_ends_within_its_budget_for_large_arguments(function):
    name = f"abl.{function.name}" if function.name in GUARDRAIL_BUILTINS else function.name
    rng = random.Random(function.name)
    most = function.max_args if function.max_args is not None else function.min_args + 2
    for count in range(function.min_args, most + 1):
        for _ in range(2):
            one = f"{name}({', '.join(rng.choice(list(CONTEXT)) for _ in range(count))})"
            source = "[" + ", ".join([one] * 30) + "]"
            read = compile_expression(source)
            within_budget(lambda read=read: read.evaluate_checked(CONTEXT), source)


@pytest.mark.full
def test_generated_expressions_and_templates_end_within_their_budget():
    try_all(seed=1, rounds=25)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_generated_expressions_and_templates_end_within_their_budget(seed):
    try_all(seed, rounds=100)


@pytest.mark.parametrize(
    "source",
    [
        "[" + ", ".join(["SPLIT(text, ',')"] * 100) + "]",
        "[" + ", ".join(["UPPER(text)"] * 100) + "]",
        "[" + ", ".join(["OBJECT_KEYS(object)"] * 100) + "]",
        "[" + ", ".join(["OBJECT_MERGE(object, object)"] * 100) + "]",
        "[" + ", ".join(["REPEAT(text, 3)"] * 100) + "]",
        "[" + ", ".join(["REGEX_REPLACE(text, '.', '$1$1')"] * 100) + "]",
        "'{{#each list}}{{#each list}}{{text}}{{/each}}{{/each}}'",
    ],
)
def test_memory_is_bounded_by_what_is_counted(source):
    read = compile_expression(source)
    tracemalloc.start()
    try:
        with budget():
            read.evaluate_checked(CONTEXT)
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
