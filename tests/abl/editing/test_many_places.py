"""A name that stands many thousand times costs little beside reading the text (docs/spec 12 §1)."""

from __future__ import annotations

import pytest

from abl.analysis.index.project import index_of
from abl.editing.hover import hover
from abl.editing.navigate import references
from tests.calls import calls

COUNT = 20_000
TEXT = 'AGENT: A\nVERSION: "1.0.0"\nGOAL: "' + "{{a}}" * COUNT + '"\nMEMORY:\n  session:\n    - a\n      TYPE: string\n'


@pytest.mark.full
def test_hover_and_references_cost_less_than_half_of_reading_the_text() -> None:
    reading = calls(lambda: index_of({"desk.abl": TEXT}))
    references({"desk.abl": TEXT}, "desk.abl", 3, 10)  # finds what is found once for a text
    assert calls(lambda: hover({"desk.abl": TEXT}, "desk.abl", 3, 10)) < reading / 2
    assert calls(lambda: references({"desk.abl": TEXT}, "desk.abl", 3, 10)) < reading


@pytest.mark.full
def test_every_place_is_counted_and_listed_in_order() -> None:
    found = hover({"desk.abl": TEXT}, "desk.abl", 3, 10)
    assert found is not None
    assert f"and {COUNT - 5} more" in found["text"]
    places = [place["range"]["start"]["column"] for place in references({"desk.abl": TEXT}, "desk.abl", 3, 10)[:-1]]
    assert places == sorted(places)
    assert len(places) == COUNT
