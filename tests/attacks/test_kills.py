"""Processes of the workbench are killed while many people talk: nothing is lost, done twice, or out of order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.bounds import LONG, proof
from tests.attacks.kills import Run, killable

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

TURNS, KILLS, CONVERSATIONS = (5_000, 1_000, 20) if LONG else (100, 20, 10)


@pytest.mark.timeout(0 if LONG else 600)
def test_nothing_is_lost_doubled_or_out_of_order(setup: str, tmp_path: Path) -> None:
    with proof(setup, f"{KILLS:,} SIGKILLs over {TURNS:,} turns") as found:
        with killable(tmp_path, setup) as workbench:
            report = Run(workbench, turns=TURNS, kills=KILLS, conversations=CONVERSATIONS).go()
        print(report.as_json())
        found.is_one_of("processes killed", report.kills.total(), KILLS)
        found.is_one_of("lost, doubled or out of order", "; ".join(report.wrong[:5]) or "nothing", "nothing")
