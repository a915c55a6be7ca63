"""What stands where the table of places asks for a number, and is none (docs/spec 06-09, 10 ABL621)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes, generic
from abl.analysis.closed_places import Whole, looked_through
from abl.analysis.model import AgentIndex
from abl.analysis.registry import Found, found
from abl.analysis.shape_numbers import Number, number_at
from abl.analysis.shape_walk import Stood
from abl.diagnostics import Fix

_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:[_, ][0-9]{3})+")
_SPAN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)")
_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_UNITS: Final = frozenset({"ms", "s", "m", "h", "d"})
_LONGEST: Final = 15
"""Digits of a number that are read; more of them are left alone."""


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
    repairs = _problem(stood, written, number)
    if repairs is not None:
        yield found(text.inner, *repairs, kw=stood.block.key, type=number.words)


def _problem(stood: Stood, written: str, number: Number) -> tuple[Fix, ...] | None:
    """The fixes of a value that does not fit; None for one that does."""
    span, limits = generic.span_of(stood.block), number.limits
    if _NUMBER.fullmatch(written) is None:
        meant = _meant(written, number)
        if meant is None and number.spans and (time := _SPAN.fullmatch(written)) and time[2] in _UNITS:
            return None
        return (fixes.replace(span, meant),) if meant is not None else ()
    if len(written) > _LONGEST:
        return None
    value = float(written)
    if limits.whole and value != int(value):
        return (fixes.replace(span, f"{max(round(value), limits.low):.15g}", preferred=False),)
    if value < limits.low:
        return (fixes.replace(span, f"{limits.low:g}", preferred=False),)
    if limits.high is not None and value > limits.high:
        return (fixes.replace(span, f"{limits.high:g}", preferred=False),)
    return None


def _meant(written: str, number: Number) -> str | None:
    """The number that another spelling of it means: with a unit, in words, or with its digits in groups."""
    value: float | None = None
    if written.lower() in _WORDS:
        value = float(_WORDS.index(written.lower()))
    elif len(written) <= _LONGEST and _GROUPED.fullmatch(written):
        value = float(re.sub(r"[_, ]", "", written))
    elif len(written) <= _LONGEST and (time := _SPAN.fullmatch(written)) is not None:
        value = number.of_span(float(time[1]), time[2])
    if value is None or value < number.limits.low or (number.limits.high is not None and value > number.limits.high):
        return None
    return None if number.limits.whole and value != int(value) else f"{value:.15g}"
