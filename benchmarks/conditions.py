"""Eight kinds of conditions against hand-written Python lambdas, in one run (docs/architecture.md §8).

`measure()` gives the figures; run as a program it prints them. A ratio holds on any machine, the nanoseconds only
beside each other. `holds` and `explain` do what docs/spec 02 and 04 §10 ask for, the lambdas do not: no null rules,
no conversions, no errors.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

from abl.expressions import compile_expression
from benchmarks.peers import peers_of

CONTEXT: dict[str, Any] = {
    "amount": 120,
    "balance": 800,
    "daily_used": 300,
    "daily_limit": 1000,
    "verified": True,
    "adult": True,
    "active": True,
    "accepted": True,
    "domestic": True,
    "insured": True,
    "country": "NO",
    "user": {"tier": "gold"},
    "name": "Ada Lovelace",
    "code": "POL-17",
    "phone": "555 1234",
}

_COUNTRIES = ("DE", "FR", "IT", "ES", "PT", "PL", "SE", "DK", "FI", "NO")
_POLICY = re.compile(r"^POL-..$")

KINDS: dict[str, tuple[str, Callable[[Mapping[str, Any]], Any]]] = {
    "comparison": ("amount <= balance", lambda c: c["amount"] <= c["balance"]),
    "arithmetic": (
        "daily_used + amount <= daily_limit",
        lambda c: c["daily_used"] + c["amount"] <= c["daily_limit"],
    ),
    "chain of six": (
        "verified AND adult AND active AND accepted AND domestic AND insured",
        lambda c: c["verified"] and c["adult"] and c["active"] and c["accepted"] and c["domestic"] and c["insured"],
    ),
    "IN ten": (
        "country IN [" + ", ".join(f'"{country}"' for country in _COUNTRIES) + "]",
        lambda c: c["country"] in {"DE", "FR", "IT", "ES", "PT", "PL", "SE", "DK", "FI", "NO"},
    ),
    "dotted path": ('user.tier == "gold"', lambda c: c["user"]["tier"] == "gold"),
    "function": ("LENGTH(name) > 3", lambda c: len(c["name"]) > 3),
    "regex": ('code matches "^POL-..$"', lambda c: _POLICY.search(c["code"]) is not None),
    "null test": ("phone IS SET", lambda c: c.get("phone") is not None),
}
"""Name -> condition and the lambda that a Python programmer would write for it."""

_ROUNDS = 150
QUICK = {"rounds": 2}
_BLOCK_NS = 300_000
"""How long the calls take together that are timed as one, for each function alike: on a busy machine short blocks are
disturbed less often, and the quickest of them would be flattered."""


def _nanoseconds(functions: Mapping[str, Callable[[Any], Any]], argument: Any, rounds: int) -> dict[str, float]:
    """The best time per call of each function; the rounds are interleaved, so that a busy machine hits all alike."""
    best = {name: _block(function, [None] * 200, argument) for name, function in functions.items()}
    calls = {name: [None] * max(int(_BLOCK_NS / best[name]), 1) for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            best[name] = min(best[name], _block(function, calls[name], argument))
    return best


def _block(function: Callable[[Any], Any], calls: list[None], argument: Any) -> float:
    """Nanoseconds of processor time per call."""
    start = time.process_time_ns()
    for _ in calls:
        function(argument)
    return (time.process_time_ns() - start) / len(calls)


def measure(rounds: int = _ROUNDS) -> dict[str, Any]:
    """Per kind: nanoseconds of `lambda`, `evaluate`, `holds`, `explain` (and peers); and the geometric means of ratios.

    `{"kinds": {name: {"lambda": ns, …}}, "ratios": {"evaluate": x, "holds": x, "explain": x, peer: x, …}}`. A peer's
    ratio is the mean over the conditions that it can say.
    """
    kinds: dict[str, dict[str, float]] = {}
    for name, (source, function) in KINDS.items():
        expression = compile_expression(source)
        if expression.holds(CONTEXT) != bool(function(CONTEXT)):
            raise AssertionError(f"{source} and its lambda differ")
        expression.evaluate(CONTEXT)
        expression.explain(CONTEXT)
        rivals: dict[str, Callable[[Any], Any]] = {
            "lambda": function,
            "evaluate": expression.evaluate,
            "holds": expression.holds,
            "explain": expression.explain,
            **peers_of(source, bool(function(CONTEXT)), CONTEXT),
        }
        kinds[name] = _nanoseconds(rivals, CONTEXT, rounds)
    return {"kinds": kinds, "ratios": _ratios(kinds)}


def _ratios(kinds: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    rivals = {rival for times in kinds.values() for rival in times} - {"lambda"}
    return {
        rival: statistics.geometric_mean(times[rival] / times["lambda"] for times in kinds.values() if rival in times)
        for rival in sorted(rivals)
    }


def main() -> None:
    """Print a table of ratios to the lambda."""
    figures = measure()
    rivals = list(figures["ratios"])
    print(f"{'condition':14} {'lambda':>9} " + " ".join(f"{rival:>11}" for rival in rivals))
    for name, times in figures["kinds"].items():
        ratios = " ".join(
            f"{times[rival] / times['lambda']:>10.2f}x" if rival in times else f"{'-':>11}" for rival in rivals
        )
        print(f"{name:14} {times['lambda']:>6.0f} ns {ratios}")
    means = " ".join(f"{figures['ratios'][rival]:>10.2f}x" for rival in rivals)
    print(f"{'geometric mean':24} {means}   (bars: evaluate 2x, explain 6x)")


if __name__ == "__main__":
    main()
