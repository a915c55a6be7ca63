"""What is wrong with a value by its declaration, and what was meant: the one engine of all rules (docs/spec 05 §1).

A value that is read as meant (another case, ``yes`` for ``true``) is a mild problem; one that is refused has the
severity of its rule. Words, slips and limits are those of ``abl.language``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.registry import Found, found
from abl.diagnostics import Fix, Severity
from abl.language import PLACES, closed_types, key_at, type_at
from abl.language.types import LONGEST_NUMBER, Closed, Flag, Number, Type
from abl.source import Span
from abl.syntax.nodes import Block, Text

_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:[_, ][0-9]{3})+")
_SPAN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)")
_NUMERALS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_UNITS: Final = frozenset({"ms", "s", "m", "h", "d"})


class Misfit(NamedTuple):
    """A value that is not written as declared. ``intended`` is what it is read as, or the nearest word, else empty.

    ``severity`` is that of a value which is read as meant; None for one that is refused.
    """

    fixes: tuple[Fix, ...]
    intended: str = ""
    severity: Severity | None = None


def unfit(text: Text | None, place: str, key: str, node: str = "", **data: Any) -> Iterator[Found]:
    """A value that its key does not take, as a finding; ``data`` fills the message of the rule."""
    for declared in closed_types(type_at(place, key)):
        yield from _unfit(text, declared, node, data)


def none_of(text: Text | None, words: Iterable[str], node: str = "", **data: Any) -> Iterator[Found]:
    """The same for a value that is none of some words."""
    yield from _unfit(text, Closed(words=dict.fromkeys(words, "")), node, data)


def _unfit(text: Text | None, declared: Closed | Flag, node: str, data: Mapping[str, Any]) -> Iterator[Found]:
    written = text.value.strip() if text is not None else ""
    problem = misfit(declared, written, text.inner) if text is not None and written else None
    if text is not None and problem is not None:
        mild = isinstance(declared, Flag) and problem.severity is not None
        said = data if mild else {**data, "y": problem.intended}
        yield found(text.inner, *problem.fixes, severity=problem.severity, node=node, **said)


def misfit(type_: Type, written: str, span: Span, *, sure: bool = False) -> Misfit | None:
    """What is wrong with one value; None for one that is written as declared, and for types that take any text.

    ``sure``: the nearest number within the limits is what one would write in place of one outside.
    """
    if isinstance(type_, Flag | Closed):
        return _no_such_word(type_, written, span)
    return _out_of_range(type_, written, span, sure) if isinstance(type_, Number) else None


def _no_such_word(type_: Flag | Closed, written: str, span: Span) -> Misfit | None:
    words = [*type_.words]
    if written in words:
        return None
    read = type_.read_word(written)
    if read is not None and not getattr(type_, "open", False):
        intended = str(read).lower() if isinstance(type_, Flag) else str(read)
        mild: Severity = "hint" if isinstance(type_, Flag) and written.lower() in ("yes", "no") else "warning"
        return Misfit((fixes.replace(span, intended),), intended, mild)
    slip = type_.slips.get(written.lower()) if isinstance(type_, Closed) else None
    if slip is not None:
        return Misfit(tuple(fixes.rename_fixes(span, [slip])), slip)
    best, renames = fixes.rename_to(span, written, words)
    return Misfit(tuple(renames), best)


def _out_of_range(limits: Number, written: str, span: Span, sure: bool) -> Misfit | None:
    """A number outside of its limits has the nearest one as fix; one in words or with a unit the one that it means."""
    if _NUMBER.fullmatch(written) is None:
        intended = _intended_number(written, limits)
        if intended is None and limits.spans and (time := _SPAN.fullmatch(written)) and time[2] in _UNITS:
            return None
        return Misfit((fixes.replace(span, intended),) if intended is not None else (), intended or "")
    if len(written) > LONGEST_NUMBER:
        return None
    value = float(written)
    if limits.whole and value != int(value):
        return Misfit((fixes.replace(span, f"{max(round(value), limits.low):.15g}", preferred=sure),))
    bound = limits.low if value < limits.low else limits.high
    if value < limits.low or (limits.high is not None and value > limits.high):
        return Misfit((fixes.replace(span, f"{bound:.15g}", preferred=sure),))
    return None


def _intended_number(written: str, limits: Number) -> str | None:
    """The number that another spelling of it means: with a unit, in words, or with its digits in groups."""
    value: float | None = None
    if written.lower() in _NUMERALS:
        value = float(_NUMERALS.index(written.lower()))
    elif len(written) <= LONGEST_NUMBER and _GROUPED.fullmatch(written):
        value = float(re.sub(r"[_, ]", "", written))
    elif len(written) <= LONGEST_NUMBER and (time := _SPAN.fullmatch(written)) is not None:
        value = limits.of_span(float(time[1]), time[2])
    if value is None or value < limits.low or (limits.high is not None and value > limits.high):
        return None
    return None if limits.whole and value != int(value) else f"{value:.15g}"


class Problem(NamedTuple):
    """A property of a mapping with a value that it does not take: what it must be, and what could be there."""

    block: Block
    range: str
    fixes: tuple[Fix, ...]
    severity: Severity | None = None


def judge(keys: Mapping[str, Block], place: str) -> Iterator[Problem]:
    """The properties of a mapping, by compared key, with a value outside of their limits or none of their words."""
    for declared in PLACES[place].listed:
        block = keys.get(generic.plain(declared.name))
        written = generic.word(block)
        if block is None or block.value is None or not written or written[:1] in "{[$":
            continue
        problem = misfit(declared.type, written, generic.span_of(block), sure=True)
        if problem is not None:
            yield Problem(block, _must_be(declared.type), problem.fixes, problem.severity)


def _must_be(type_: Type) -> str:
    return type_.limits if isinstance(type_, Number) else f"one of {', '.join(type_.words)}"


def takes(place: str, key: str) -> tuple[str, ...]:
    """The words that a key takes, for messages that list them."""
    declared = key_at(place, key)
    return tuple(declared.type.words) if declared is not None else ()
