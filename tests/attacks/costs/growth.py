"""Growth of costs with a size: measured at growing sizes until the cost is cut, and fitted."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from tests.attacks.bounds import LONG
from tests.attacks.costs.cost import Cost, measured, spoken
from tests.attacks.costs.grammar import Case

SIZES = (4, 16, 64, 256, 1_024, 4_096, 16_384, *((65_536,) if LONG else ()))
TURN_SECONDS = 5.0
"""Processor time of a turn (docs/spec 02 §8)."""
PATIENCE = 15.0
CUT = ("BudgetExceeded", "SizeExceeded", "DepthExceeded", "budget-exceeded", "size-exceeded")
NOISE_SECONDS = 0.02
NOISE_MB = 5.0
LINEAR = 1.3
"""The largest exponent that is linear for a measurement: n log n over these sizes has 1.1."""


def costs(case: Case, sizes: Sequence[int] = SIZES) -> list[tuple[int, Cost]]:
    """Sizes with their costs, up to the first that does not come to its end."""
    found: list[tuple[int, Cost]] = []
    for n in sizes:
        talk = case(n)
        cost = measured(lambda talk=talk: spoken(talk.files, talk.says, talk.tools), PATIENCE)
        found.append((n, cost))
        if cost.outcome != "done":
            break
    return found


def exponent(points: Sequence[tuple[float, float]], noise: float) -> float:
    """The power of the size with which a cost grows at the end, by least squares over what is above the noise.

    0 when fewer than two points are.
    """
    clear = [(log(n), log(value)) for n, value in points if value > noise][-3:]
    if len(clear) < 2:
        return 0.0
    x0 = sum(x for x, _ in clear) / len(clear)
    y0 = sum(y for _, y in clear) / len(clear)
    return sum((x - x0) * (y - y0) for x, y in clear) / sum((x - x0) ** 2 for x, _ in clear)
