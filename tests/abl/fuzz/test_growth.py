"""Four times the lines cost about four times the processor time, whatever they are (docs/spec 12 §1)."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator

import pytest

import abl
from abl import limits
from abl.analysis.index.documents import forget_documents
from tests.abl.fuzz.lengths import length
from tests.abl.fuzz.shapes import SHAPES, place_in, text_of

USES: dict[str, Callable[[str], object]] = {
    "check": lambda text: abl.check({"a.abl": text}),
    "format_source": abl.format_source,
    "tokens": lambda text: list(abl.tokens(text)),
    "complete": lambda text: abl.complete({"a.abl": text}, "a.abl", *place_in(text)),
    "hover": lambda text: abl.hover({"a.abl": text}, "a.abl", *place_in(text)),
    "references": lambda text: abl.references({"a.abl": text}, "a.abl", *place_in(text)),
    "rename": lambda text: abl.rename({"a.abl": text}, "a.abl", *place_in(text), "zebra"),
    "bulk_actions": lambda text: abl.bulk_actions({"a.abl": text}, "a.abl", place_in(text)[0]),
}


@pytest.fixture(autouse=True, scope="module")
def without_collector() -> Iterator[None]:
    """What other tests left behind is not gone through while this one measures."""
    gc.disable()
    yield
    gc.enable()


def seconds(use: Callable[[str], object], text: str) -> float:
    """Processor time, with nothing remembered of earlier texts."""
    forget_documents()
    start = time.process_time()
    use(text)
    return time.process_time() - start


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("use", USES)
def test_time_grows_with_the_text(use: str, shape: str) -> None:
    short, long = text_of(shape, length(200, 400)), text_of(shape, length(800, 1_600))
    seconds(USES[use], short)
    few = min(seconds(USES[use], short) for _ in range(2))
    many = min(seconds(USES[use], long) for _ in range(length(1, 2)))
    assert many < 9 * few + 0.1


def test_very_many_rules_about_one_name_are_compared_with_the_first_ones() -> None:
    rules = [f"    - LIMIT a > {n}\n" for n in range(limits.MAX_COMPARED_RULES)]
    same, late = '    - REQUIRE b == "x"\n', '    - REQUIRE b == "y"\n'
    between = [f'    - REQUIRE b IN ["x", "y", "{n}"]\n' for n in range(limits.MAX_COMPARED_RULES)]
    near = abl.check({"a.abl": "CONSTRAINTS:\n  p:\n" + "".join([*rules, same, late])}, select=["ABL438"])
    assert [found.code for found in near.diagnostics] == ["ABL438"]
    far = abl.check({"a.abl": "CONSTRAINTS:\n  p:\n" + "".join([*between, same, late])}, select=["ABL438"])
    assert far.diagnostics == ()
