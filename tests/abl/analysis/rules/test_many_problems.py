"""Very many rules, steps and branches with problems: time grows with the text, and fixes cost who looks at them."""

from __future__ import annotations

import cProfile
from collections.abc import Callable

import pytest

from abl.analysis import check
from abl.analysis.fixes import steps as step_fixes
from abl.analysis.rules.flow import course as flow
from abl.diagnostics import Fix, LaterFixes

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\n'
STEP = '  s_{n}:\n    REASONING: false\n    RESPOND: "{n}"\n    ON_INPUT:\n      - IF: input == "{n}"\n'


def rules_and_steps(count: int, variable: Callable[[int], str]) -> str:
    """Rules that fail until steps behind them set what they want, in branches on input."""
    names = dict.fromkeys(variable(n) for n in range(count))
    parts = [HEAD, "MEMORY:\n  session:\n", *(f"    - {name}\n" for name in names), "CONSTRAINTS:\n"]
    parts += (f'  - REQUIRE {variable(n)} == {n + 1}\n    ON_FAIL: "No {n}."\n' for n in range(count))
    parts.append("FLOW:\n")
    for n in range(count):
        parts += (
            STEP.replace("{n}", str(n)),
            f"        SET: {variable(n)} = {n + 1}\n        THEN: s_{(n + 1) % count}\n",
        )
    return "".join(parts)


def calls(text: str) -> int:
    """How many functions a check calls: the same on every machine."""
    profile = cProfile.Profile()
    profile.enable()
    diagnostics = check({"desk.agent.abl": text}).diagnostics
    profile.disable()
    assert diagnostics
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["v_{n}", "v"])
def test_rules_over_what_later_steps_set_cost_time_in_proportion(variable: str) -> None:
    few, many = (rules_and_steps(count, lambda n: variable.replace("{n}", str(n))) for count in (100, 400))
    calls(HEAD + "HELLO: once\n")  # what the first check of a process costs
    base = calls(few)
    assert calls(many) < 4.3 * base  # 3.7; by the square of the count 4.9


def test_fixes_are_worked_out_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def removal(agent: object, assignment: object) -> tuple[Fix, ...]:
        asked.append("removal")
        return step_fixes.remove_assignment(agent, assignment)  # type: ignore[arg-type]

    monkeypatch.setattr(flow, "remove_assignment", removal)
    lines = "FLOW:\n  a:\n    REASONING: false\n    SET:\n      - x = 1\n      - y = 2\n    THEN: COMPLETE\n"
    first, second = check({"desk.agent.abl": HEAD + lines}, select=["ABL629"]).diagnostics
    assert asked == []
    assert [fix.title for fix in first.fixes] == ["Remove the assignment of `x`"]
    assert [fix.title for fix in first.fixes] == ["Remove the assignment of `x`"]
    assert asked == ["removal"]
    assert bool(second.fixes) is True


def test_fixes_for_later_are_equal_to_those_that_they_become() -> None:
    one, other = Fix("One", ()), Fix("Other", ())
    later = LaterFixes(lambda: iter((one, other)))
    assert later == (one, other)
    assert later == LaterFixes(lambda: (one, other))
    assert later != (one,)
    assert (len(later), later[1], tuple(later[:1]), hash(later)) == (2, other, (one,), hash((one, other)))
    assert LaterFixes(tuple) == ()
