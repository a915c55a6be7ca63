"""Which values are equal to one of some literals, in every spelling that ``==`` knows (docs/spec 02 §5.1).

A choice is a set of kinds of values: this number; this text; any text that reads as this number; any text that names
this moment; a boolean; any text but "true". Two kinds overlap only as ``_covers`` says, so sets of them can be
compared for all values at once. A kind is a letter followed by its value, because texts compare fastest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from abl.expressions.dates import read_moment
from abl.expressions.values import double, read_number
from abl.once import once

_TRUE: Final = "true"
_TEXTS: Final = "any text"
"""Every text but "true"."""
_NUMBER: Final = "= "
_TEXT: Final = "' "
_READS: Final = "~ "
_MOMENT: Final = "@ "
_FALSY: Final = frozenset({_TEXTS, _NUMBER + repr(0.0), _TEXT, _TEXT + "false"})
_OUT, _AS_WORD, _IN = 0, 1, 2
"""Whether ``false`` is among the values: it equals every text but "true", and yet two words exclude each other."""


class Choice:
    """The values that equal one of some literals; immutable."""

    def __init__(self, kinds: frozenset[str], false: int = _OUT) -> None:
        self.kinds = kinds
        self.false = false

    @once
    def wide(self) -> bool:
        """True when a kind stands for more than one text, so that it may hold kinds that it does not name."""
        return any(kind == _TEXTS or kind.startswith(_READS) for kind in self.kinds)

    @once
    def orders(self) -> frozenset[float] | None:
        """What `<` takes the values for beside a number, or None when that may be any number."""
        if _TEXTS in self.kinds or any(kind.startswith(_MOMENT) for kind in self.kinds):
            return None  # a date is in no order with numbers (02 §5.1)
        return frozenset([_order(kind) for kind in self.kinds]).union([0.0] if self.false else [])

    @once
    def is_true(self) -> bool:
        """True when each of the values is true by itself (02 §6)."""
        return not self.false and self.kinds.isdisjoint(_FALSY)

    @property
    def empty(self) -> bool:
        """True when no value fits, but perhaps ``false`` where words are asked for."""
        return not self.kinds and self.false != _IN

    def apart(self, other: Choice, *, strict: bool = False) -> bool:
        """True when no value is in both, but perhaps ``false`` where both ask for words; not even it if ``strict``."""
        if self.false and other.false and (strict or _IN in (self.false, other.false)):
            return False
        if not self.kinds.isdisjoint(other.kinds):
            return False
        return not (self.wide or other.wide) or not self.meet(other).kinds

    def meet(self, other: Choice) -> Choice:
        """The values in both."""
        shared = self.kinds & other.kinds
        mine = [kind for kind in self.kinds - shared if _covers(other, kind)] if other.wide else ()
        others = [kind for kind in other.kinds - shared if _covers(self, kind)] if self.wide else ()
        false = max(self.false, other.false) if self.false and other.false else _OUT
        return Choice(shared.union(mine, others), false)

    def within(self, other: Choice) -> bool:
        """True when every value of this choice is in the other."""
        if self.false and not other.false:
            return False
        return self.kinds <= other.kinds or (other.wide and all(_covers(other, kind) for kind in self.kinds))


def _covers(choice: Choice, kind: str) -> bool:
    """True when every value of that kind is in a wide choice; otherwise none of them is, unless the kind is wider."""
    kinds = choice.kinds
    if kind in kinds:
        return True
    mark, value = kind[:2], kind[2:]
    if mark == _TEXT:
        number = read_number(value)
        return (_TEXTS in kinds and value != "true") or (number is not None and _number(_READS, number) in kinds)
    return _TEXTS in kinds and mark in (_READS, _MOMENT)


def _order(kind: str) -> float:
    mark, value = kind[:2], kind[2:]
    if mark in (_NUMBER, _READS):
        return float(value)
    if mark == _TEXT:
        return float(read_number(value) or 0)
    return float(kind == _TRUE)


def _number(mark: str, value: float) -> str:
    return mark + repr(float(value) + 0.0)  # 0.0 and -0.0 are equal


def with_false(choice: Choice) -> Choice:
    """The same, where ``false`` counts that equals the words."""
    return Choice(choice.kinds, _IN) if choice.false == _AS_WORD else choice


def union(choices: Iterable[Choice]) -> Choice:
    """The values of all of them."""
    several = [*choices]
    false = max((choice.false for choice in several), default=_OUT)
    return Choice(frozenset().union(*(choice.kinds for choice in several)), false)


def equal_to(value: str | float | bool) -> Choice:
    """The values that equal a literal. Raises EvaluationError for a number that is not finite."""
    if value is True:
        return Choice(frozenset({_TRUE, _number(_NUMBER, 1), _TEXT + "true"}))
    if value is False:
        return Choice(frozenset({_number(_NUMBER, 0), _TEXTS}), _IN)
    if isinstance(value, str):
        return _equal_to_text(value)
    number = double(value)
    kinds = frozenset({_number(_NUMBER, number), _number(_READS, number)})
    return Choice(kinds | {_TRUE} if number == 1 else kinds, _OUT if number else _IN)


def _equal_to_text(value: str) -> Choice:
    if value == "true":
        return Choice(frozenset({_TEXT + value, _TRUE}))
    moment, number = read_moment(value), read_number(value)
    if moment is not None:
        return Choice(frozenset({f"{_MOMENT}{moment.seconds}.{moment.fraction}"}), _IN)
    if number is not None:
        return Choice(frozenset({_TEXT + value, _number(_NUMBER, number)}), _IN)
    return Choice(frozenset({_TEXT + value}), _IN if value in ("", "false") else _AS_WORD)
