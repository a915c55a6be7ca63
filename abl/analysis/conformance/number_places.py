"""Values that should be numbers by the declaration and are not (docs/spec 06-09, 10 ABL621)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis.conformance import generic
from abl.analysis.conformance.closed_places import Whole, looked_through
from abl.analysis.conformance.value_walk import Stood
from abl.analysis.conformance.values import misfit
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found
from abl.language import number_at
from abl.language.types import Number


def wrong_numbers(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL621 in a section, profile, step or tool."""
    for stood in looked_through(whole, agent).properties:
        number = number_at(stood.place, stood.block.key)
        if number is not None and not stood.block.children:
            yield from _judged(stood, number)


def _judged(stood: Stood, number: Number) -> Iterator[Found]:
    text, written = stood.block.value, generic.word(stood.block)
    if text is None or not written or written[0] in "{[$" or "{{" in written or written.lower() in ("null", "~"):
        return
    problem = misfit(number, written, generic.span_of(stood.block))
    if problem is not None:
        yield found(text.inner, *problem.fixes, kw=stood.block.key, type=number.limits)
