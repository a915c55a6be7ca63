"""Hostile documents in the editor: what the language does with them grows with their length, hardly faster."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

import abl
from abl.analysis.index.documents import forget_documents
from tests.abl.fuzz.shapes import place_in
from tests.attacks.bounds import LONG, proof
from tests.attacks.costs.cost import Cost, measured, memory_mb
from tests.attacks.costs.documents import DOCUMENTS
from tests.attacks.costs.growth import LINEAR, exponent

pytestmark = [pytest.mark.thorough, pytest.mark.attack, pytest.mark.language]

Use = Callable[[dict[str, str], tuple[int, int]], object]
PATH = "a.agent.abl"
USES: dict[str, Use] = {
    "check": lambda files, place: abl.check(files),
    "complete": lambda files, place: abl.complete(files, PATH, *place),
    "hover": lambda files, place: abl.hover(files, PATH, *place),
    "definition": lambda files, place: abl.definition(files, PATH, *place),
    "references": lambda files, place: abl.references(files, PATH, *place),
    "rename": lambda files, place: abl.rename(files, PATH, *place, "zebra"),
    "actions": lambda files, place: abl.code_actions(files, PATH, *place),
    "bulk actions": lambda files, place: abl.bulk_actions(files, PATH, place[0]),
    "format": lambda files, place: abl.format_source(files[PATH]),
    "tokens": lambda files, place: list(abl.tokens(files[PATH])),
    "outline": lambda files, place: abl.outline(files, PATH),
}
SHORT = ("check", "complete", "rename", "bulk actions", "format")
"""What a short run tries: the others read a document as these do."""
SIZES = (31_250, 125_000, 500_000, 2_000_000) if LONG else (3_000, 12_000, 48_000)
"""Characters; the largest text that is read has two million."""
PATIENCE = 300.0 if LONG else 30.0
CHARACTER_SECONDS = 100e-6
"""Processor time for a character: a text of a thousand lines has 40,000."""
CHARACTER_BYTES = 4_000
NOISE_SECONDS, NOISE_MB = 0.1, 20.0


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Have the language in memory before the first fork."""
    for use in USES.values():
        use({PATH: DOCUMENTS["tangled steps"](500)}, (5, 5))
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("shape", DOCUMENTS)
def test_a_document_costs_what_its_length_allows(setup: str, shape: str) -> None:
    with proof(setup, f"a document of {shape}") as found:
        slow: dict[str, str] = {}
        for name in USES if LONG else SHORT:
            if wrong := verdict(costs_of(USES[name], shape)):
                slow[name] = wrong
        found.is_one_of(
            "slower than its length allows", "; ".join(f"{n}: {w}" for n, w in slow.items()) or "none", "none"
        )


def costs_of(use: Use, shape: str) -> list[tuple[int, Cost]]:
    """Sizes with their costs; only the largest where that is quick, since the smaller ones tell nothing then."""
    largest = cost_of(use, DOCUMENTS[shape](SIZES[-1]))
    quick = largest.outcome == "done" and largest.seconds < NOISE_SECONDS and largest.memory < NOISE_MB
    smaller = [] if quick else [(size, cost_of(use, DOCUMENTS[shape](size))) for size in SIZES[:-1]]
    return [*smaller, (SIZES[-1], largest)]


def cost_of(use: Use, text: str) -> Cost:
    """What one use of a text costs that has not been seen before."""

    def work() -> Cost:
        place = place_in(text)
        forget_documents()
        before, began = memory_mb("VmRSS"), time.process_time()
        use({PATH: text}, place)
        return Cost(seconds=time.process_time() - began, memory=memory_mb("VmHWM") - before, text=len(text))

    return measured(work, PATIENCE)


def verdict(points: list[tuple[int, Cost]]) -> str:
    """What is wrong with costs at growing sizes, empty when nothing is."""
    size, last = points[-1]
    if last.outcome != "done":
        return f"{last.outcome} at {size:,} characters"
    power = exponent([(n, cost.seconds) for n, cost in points], NOISE_SECONDS)
    if power > LINEAR and last.seconds > 1:
        return f"n^{power:.2f}, {last.seconds:.1f} s at {size:,} characters"
    if last.seconds > 1 + CHARACTER_SECONDS * size:
        return f"{last.seconds:.1f} s at {size:,} characters"
    growth = exponent([(n, cost.memory) for n, cost in points], NOISE_MB)
    if (growth > LINEAR and last.memory > 200) or last.memory > 50 + CHARACTER_BYTES * size / 1e6:
        return f"{last.memory:,.0f} MB at {size:,} characters, n^{growth:.2f}"
    return ""
