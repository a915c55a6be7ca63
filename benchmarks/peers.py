"""Other libraries that decide a condition, each with the conditions of ``benchmarks.conditions`` in its own words.

Each gets what ``Expression.evaluate`` gets, a plain dict, and has read the condition beforehand. A peer that is not
installed, or that cannot say a condition, is left out of it (``requirements/bench.txt`` has them all).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Decide = Callable[[Any], Any]


def simpleeval(source: str) -> Decide | None:
    """Python's own operators, walked as a syntax tree."""
    from simpleeval import EvalWithCompoundTypes

    written = _worded(source, LENGTH="len")
    if "matches" in written or "IS SET" in written:
        return None
    evaluator = EvalWithCompoundTypes(functions={"len": len})
    tree = evaluator.parse(written)

    def decide(context: Any) -> Any:
        evaluator.names = context
        return evaluator.eval(written, previously_parsed=tree)

    return decide


def rule_engine(source: str) -> Decide | None:
    """A language of rules over Python values, with types."""
    from rule_engine import Rule

    written = _worded(source).replace("LENGTH(name)", "name.length").replace(" matches ", " =~ ")
    rule: Decide = Rule(written.replace(" IS SET", " != null")).matches
    return rule


def cel_python(source: str) -> Decide | None:
    """CEL in Python; its values are its own, so the dict is converted each time, as a caller has to."""
    import celpy

    environment = celpy.Environment()
    program = environment.program(environment.compile(_cel(source)))
    return lambda context: program.evaluate({name: celpy.json_to_cel(value) for name, value in context.items()})


def common_expression_language(source: str) -> Decide | None:
    """CEL in Rust; the dict is converted each time, inside."""
    import cel

    program = cel.compile(_cel(source))
    decide: Decide = program.execute
    return decide


PEERS: Mapping[str, Callable[[str], Decide | None]] = {
    "simpleeval": simpleeval,
    "rule-engine": rule_engine,
    "cel-python": cel_python,
    "cel (Rust)": common_expression_language,
}


def peers_of(source: str, expected: bool, context: Mapping[str, Any]) -> dict[str, Decide]:
    """The peers that can say a condition. Raises AssertionError where one decides it otherwise."""
    found = {}
    for name, make in PEERS.items():
        try:
            decide = make(source)
        except ImportError:
            continue
        if decide is None:
            continue
        if bool(decide(context)) != expected:
            raise AssertionError(f"{name} decides {source} otherwise")
        found[name] = decide
    return found


def _worded(source: str, **names: str) -> str:
    written = source.replace(" AND ", " and ").replace(" IN ", " in ")
    for ours, theirs in names.items():
        written = written.replace(f"{ours}(", f"{theirs}(")
    return written


def _cel(source: str) -> str:
    written = source.replace(" AND ", " && ").replace(" IN ", " in ").replace("LENGTH(", "size(")
    if " matches " in written:
        name, pattern = written.split(" matches ")
        written = f"{name}.matches({pattern})"
    return written.replace(" IS SET", " != null")
