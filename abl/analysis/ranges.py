"""Numbers and words that a property may have, and the fix for one outside (docs/spec 10 §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Final, NamedTuple

from abl.analysis import fixes, generic
from abl.diagnostics import Fix, Severity
from abl.syntax.nodes import Block
from abl.syntax.vocabulary import BOOLEANS


class Limits(NamedTuple):
    """Lowest and highest value; ``whole`` for whole numbers only."""

    low: float
    high: float | None = None
    whole: bool = True

    @property
    def words(self) -> str:
        """How the limits read in a message."""
        kind = "a whole number" if self.whole else "a number"
        if self.low == -inf:
            return kind
        if self.high is None:
            return f"{kind} of at least {self.low:g}"
        return f"{kind} between {self.low:g} and {int(self.high) if self.whole else format(self.high, 'g')}"


SHARE: Final = Limits(0, 1, whole=False)
COUNT: Final = Limits(1)
MILLISECONDS: Final = Limits(1)
WHOLE: Final = Limits(-inf)
NUMBER: Final = Limits(-inf, whole=False)


class Problem(NamedTuple):
    """A value that is none of those: what it must be, and what could stand there.

    A word that differs only in case, and ``yes`` and ``no``, are taken as meant: then ``severity`` is lower (05 §1).
    """

    block: Block
    range: str
    fixes: tuple[Fix, ...]
    severity: Severity | None = None


def judge(keys: Mapping[str, Block], rules: Mapping[str, Limits | tuple[str, ...]]) -> Iterator[Problem]:
    """The properties with a value outside of their limits, or that is none of their words."""
    for key, rule in rules.items():
        block = keys.get(generic.plain(key))
        written = generic.word(block)
        if block is None or block.value is None or not written or written[:1] in "{[$":
            continue
        if isinstance(rule, Limits):
            problem = _outside(block, written, rule)
        else:
            problem = _unknown(block, written, rule)
        if problem is not None:
            yield problem


def _outside(block: Block, written: str, limits: Limits) -> Problem | None:
    value = generic.number(written)
    where = generic.span_of(block)
    if value is None:
        return Problem(block, limits.words, ())
    if limits.whole and value != int(value):
        return Problem(block, limits.words, (fixes.replace(where, f"{max(round(value), limits.low):.15g}"),))
    if value < limits.low:
        return Problem(block, limits.words, (fixes.replace(where, f"{limits.low:g}"),))
    if limits.high is not None and value > limits.high:
        return Problem(block, limits.words, (fixes.replace(where, f"{int(limits.high)}"),))
    return None


def _unknown(block: Block, written: str, words: tuple[str, ...]) -> Problem | None:
    if written in words:
        return None
    where, text = generic.span_of(block), f"one of {', '.join(words)}"
    slip = {"yes": "true", "no": "false"}.get(written.lower()) if words == BOOLEANS else None
    if slip is not None:
        return Problem(block, text, (fixes.replace(where, slip),), "hint")
    meant = next((word for word in words if word.lower() == written.lower()), None)
    if meant is not None:
        return Problem(block, text, (fixes.replace(where, meant),), "warning")
    _, renames = fixes.rename_to(where, written, words)
    return Problem(block, text, renames)
