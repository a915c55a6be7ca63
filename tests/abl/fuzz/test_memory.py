"""Memory grows with the text, and not faster; with `FUZZ=1` (``make fuzz``) up to 100,000 lines."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import pytest

import abl
from abl.analysis.index.documents import forget_documents
from abl.limits import MAX_SOURCE_CHARS
from tests.abl.fuzz.lengths import FULL
from tests.abl.fuzz.shapes import text_of

USES: dict[str, Callable[[str], object]] = {
    "parse": abl.parse,
    "check": lambda text: abl.check({"a.abl": text}),
    "format_source": abl.format_source,
    "tokens": lambda text: list(abl.tokens(text)),
    "complete": lambda text: abl.complete({"a.abl": text}, "a.abl", 3, 5),
}
SHAPES = ("variables", "phases", "steps", "comments", "open brackets") if FULL else ("steps", "open brackets")
KNOTTED = (
    "triggers of one path", "recalled paths that nothing declares", "fields in a circle", "steps in a circle",
    "steps that lead back", "rules about one number", "agents", "placeholders in one line", "names in one line",
)  # fmt: skip


def peak(use: Callable[[str], object], text: str) -> int:
    """The most memory that a use of a text needed at a time, what it keeps included."""
    forget_documents()
    gc.collect()
    tracemalloc.start()
    try:
        use(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        forget_documents()


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("use", USES)
def test_ten_times_the_lines_need_about_ten_times_the_memory(use: str, shape: str) -> None:
    USES[use](text_of(shape, 30))  # what is loaded once
    sizes = (1_000, 10_000, 100_000) if FULL else (150, 1_500)
    peaks = [peak(USES[use], text_of(shape, lines)[:MAX_SOURCE_CHARS]) for lines in sizes]
    for small, large in pairwise(peaks):
        assert large < 15 * small + 1_000_000, peaks


@pytest.mark.thorough
@pytest.mark.parametrize("shape", KNOTTED)
def test_what_belongs_together_needs_no_more(shape: str) -> None:
    few, many = (150, 1_500) if not FULL else (1_000, 10_000)
    abl.check({"a.abl": text_of(shape, 30)})
    small, large = (peak(USES["check"], text_of(shape, lines)) for lines in (few, many))
    assert large < 15 * small + 1_000_000
