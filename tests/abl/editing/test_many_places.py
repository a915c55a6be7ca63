"""A name that stands many thousand times costs little beside reading the text (docs/spec 12 §1)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from abl.analysis.index.project import index_of
from abl.editing.hover import hover
from abl.editing.navigate import references

COUNT = 20_000
TEXT = 'AGENT: A\nVERSION: "1.0.0"\nGOAL: "' + "{{a}}" * COUNT + '"\nMEMORY:\n  session:\n    - a\n      TYPE: string\n'


def seconds(function: Callable[..., Any], *arguments: Any) -> float:
    """Processor time of the quickest of three calls."""
    times = []
    for _ in range(3):
        start = time.process_time()
        function(*arguments)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.full
def test_hover_and_references_cost_less_than_half_of_reading_the_text() -> None:
    start = time.process_time()
    index_of({"desk.abl": TEXT})
    reading = time.process_time() - start
    assert seconds(hover, {"desk.abl": TEXT}, "desk.abl", 3, 10) < reading / 2
    assert seconds(references, {"desk.abl": TEXT}, "desk.abl", 3, 10) < reading


def test_every_place_is_counted_and_listed_in_order() -> None:
    found = hover({"desk.abl": TEXT}, "desk.abl", 3, 10)
    assert found is not None
    assert f"and {COUNT - 5} more" in found["text"]
    places = [place["range"]["start"]["column"] for place in references({"desk.abl": TEXT}, "desk.abl", 3, 10)[:-1]]
    assert places == sorted(places)
    assert len(places) == COUNT
