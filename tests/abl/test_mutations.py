"""The list of changes that no test can notice is short, has reasons, and fits the code (CONTRIBUTING.md, Mutations)."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 5
"""This number may only become smaller."""


def test_equivalent_mutants_are_few_and_name_lines_that_are_there() -> None:
    lines = (ROOT / "scripts" / "equivalent_mutants.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    assert len(rows) <= MOST
    for path, code, change, reason in rows:
        assert code in [line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines()], path
        assert change
        assert reason
