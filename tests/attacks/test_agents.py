"""Agents that try to be expensive: what each construct costs grows with its size at most in line, or is cut."""

from __future__ import annotations

import gc

import pytest

from tests.attacks.bounds import LONG, proof
from tests.attacks.costs.constructs import CONSTRUCTS
from tests.attacks.costs.coordination import COORDINATION
from tests.attacks.costs.cost import Cost, spoken
from tests.attacks.costs.grammar import Case, generated
from tests.attacks.costs.growth import CUT, NOISE_MB, NOISE_SECONDS, TURN_SECONDS, costs, exponent

pytestmark = [pytest.mark.thorough, pytest.mark.attack, pytest.mark.language]

COMBINED = dict(generated(seed=1, number=2_000 if LONG else 48))
CUT_SECONDS = 1.2 * TURN_SECONDS
"""Processor time of a turn that is cut: the clock is looked at now and then."""
READ_SECONDS = 40e-6
"""Processor time for a character of the agents: a turn reads them once."""
MEMORY_MB = 300
EVENTS_BYTES = SNAPSHOT_BYTES = 10_000_000
"""What one turn may leave in the database."""
GROUPS = 8


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Have the language in memory before the first fork: what it needs once is no cost of an agent."""
    talk = CONSTRUCTS["sorting"](4)
    spoken(talk.files, talk.says, talk.tools)
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_is_linear_or_cut(setup: str, name: str) -> None:
    with proof(setup, f"an agent with {name}") as found:
        judge(found, CONSTRUCTS[name])


@pytest.mark.parametrize("name", COORDINATION)
def test_what_agents_share_and_hand_on_is_linear_or_cut(setup: str, name: str) -> None:
    with proof(setup, f"an agent with {name}") as found:
        judge(found, COORDINATION[name])


@pytest.mark.parametrize("name", COMBINED)
def test_combined_constructs_are_linear_or_cut(setup: str, name: str) -> None:
    with proof(setup, f"an agent with {name}") as found:
        judge(found, COMBINED[name])


def judge(found, case: Case) -> None:
    """Hold what a case costs at growing sizes against the bounds of a turn."""
    points = costs(case)
    assert points[0][1].outcome in ("done", *CUT), f"the generator is wrong: {points[0]}"
    last, most = points[-1][1], worst([cost for _, cost in points])
    found.is_one_of("how the largest one ends", last.outcome, "done", *CUT)
    reading = READ_SECONDS * last.text
    found.at_most(f"time of a turn (~n^{power(points):.1f})", most.seconds, CUT_SECONDS + reading, "s")
    growth = exponent([(n, cost.memory) for n, cost in points], NOISE_MB)
    found.at_most(f"memory (~n^{growth:.1f})", most.memory, MEMORY_MB, "MB")
    found.at_most("trace", most.events / 1e6, EVENTS_BYTES / 1e6, "MB")
    found.at_most("snapshot", most.snapshot / 1e6, SNAPSHOT_BYTES / 1e6, "MB")


def power(points: list[tuple[int, Cost]]) -> float:
    """The exponent of the time."""
    return exponent([(n, cost.seconds) for n, cost in points], NOISE_SECONDS)


def worst(all_of_them: list[Cost]) -> Cost:
    """The largest of each figure."""
    return Cost(
        seconds=max(cost.seconds for cost in all_of_them),
        memory=max(cost.memory for cost in all_of_them),
        events=max(cost.events for cost in all_of_them),
        snapshot=max(cost.snapshot for cost in all_of_them),
    )
