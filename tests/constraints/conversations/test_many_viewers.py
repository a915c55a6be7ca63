"""Two hundred open streams: what happens after a quiet time reaches all of them at once (docs/architecture.md §8)."""

from __future__ import annotations

import pytest

from benchmarks.viewers import measure_on
from tests.workbench import busyness

pytestmark = pytest.mark.slow

GENEROUS = 4
"""Times what is promised for a quiet machine: the two hundred clients of the test run on this one too."""


def test_the_first_event_after_a_quiet_time_waits_for_nobodys_rights(live_workbench):
    found = measure_on(live_workbench, gaps=3)
    assert found["viewers"] == 200
    assert found["p95"] / busyness() < 60 * GENEROUS
    assert found["stream_kb"] < 60
