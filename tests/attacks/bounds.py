"""What is measured beside what it may be: the rows that ``make attack`` prints."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from math import ceil
from pathlib import Path

REPORT = "ATTACK_REPORT"
"""Names the file that rows are appended to, a line of JSON each."""
LONG = bool(os.environ.get("ATTACK_LONG"))
"""Whether the run has time: hours instead of minutes."""


@dataclass(frozen=True, slots=True)
class Row:
    """One bound of one attack. ``measured`` and ``bound`` are as people read them, units included."""

    setup: str
    attack: str
    what: str
    bound: str
    measured: str
    holds: bool


@dataclass
class Proof:
    """The bounds of one attack. All are measured before any of them fails the test."""

    setup: str
    attack: str
    rows: list[Row] = field(default_factory=list)

    def at_most(self, what: str, measured: float, bound: float, unit: str = "") -> None:
        """A figure that may not be larger."""
        self._note(what, f"<= {number(bound)} {unit}", f"{number(measured)} {unit}", measured <= bound)

    def is_one_of(self, what: str, measured: object, *allowed: object) -> None:
        """An outcome that has to be one of some."""
        self._note(what, " or ".join(map(str, allowed)), str(measured), measured in allowed)

    def _note(self, what: str, bound: str, measured: str, holds: bool) -> None:
        self.rows.append(Row(self.setup, self.attack, what, bound.strip(), measured.strip(), holds))


@contextmanager
def proof(setup: str, attack: str) -> Iterator[Proof]:
    """Collects the bounds of an attack, reports them, and fails the test with those that do not hold."""
    found = Proof(setup, attack)
    try:
        yield found
    finally:
        report(found.rows)
    assert found.rows, f"{attack}: nothing was measured"
    broken = [row for row in found.rows if not row.holds]
    assert not broken, f"{attack} ({setup}):\n" + "\n".join(
        f"  {row.what}: {row.measured}, the bound is {row.bound}" for row in broken
    )


def report(rows: Sequence[Row]) -> None:
    """Append rows to the file of the run, where there is one."""
    if path := os.environ.get(REPORT):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(row)) + "\n" for row in rows)


def number(value: float) -> str:
    """A figure with as many digits as people read."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that so many of all do not exceed, by nearest rank; infinite when there are none."""
    ordered = sorted(values)
    if not ordered:
        return float("inf")
    return ordered[max(0, ceil(len(ordered) * share) - 1)]
