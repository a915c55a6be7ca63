"""What may follow a key: the types of values, how each is read, and what is wrong with one (docs/spec 01 §5).

A type reads a value as it is meant: words in any case, ``yes`` and ``no`` for a switch, quoted or not. ``read`` gives
None for what it refuses; ``abl.analysis`` reports that, and the runtime continues as if nothing were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final

from abl.language.written import Lines, items_of, listed, sentences_of, word

_YES: Final = {"true": True, "yes": True, "false": False, "no": False}
_DURATION: Final = re.compile(r"[1-9][0-9]*[smhd]")
UNITS: Final = {"ms": 0.001, "s": 1.0, "sec": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
"""Seconds by unit of time, as people write it."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
LONGEST_NUMBER: Final = 15
"""Digits of a number that are read."""


@dataclass(frozen=True, eq=False)
class Type:
    """A value of which nothing is asked here: a text, a name, or what a rule of its own looks at.

    ``maps``, ``lists``, ``named_lists`` and ``named_maps`` are the places of what is below the key; ``kinds`` say
    which names or expressions stand there; ``words`` are the closed words, each with its meaning. ``prose``: free text,
    in which `` #`` begins no comment (docs/spec 01 §2).
    """

    maps: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    named_lists: tuple[str, ...] = ()
    named_maps: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    prose: bool = False

    def __or__(self, other: Type) -> Type:
        """Either of two. What is behind the key is read by the first that reads anything."""
        return Either(
            self.maps + other.maps,
            self.lists + other.lists,
            self.named_lists + other.named_lists,
            self.named_maps + other.named_maps,
            self.kinds + other.kinds,
            {**self.words, **other.words},
            self.prose or other.prose,
            (self, other),
        )

    @property
    def may_be_empty(self) -> bool:
        """True for a text, of which nothing is asked."""
        nested = self.maps or self.lists or self.named_lists or self.named_maps
        return self.prose or (type(self) is Type and not (nested or self.kinds or self.words))

    def read(self, block: Lines) -> Any:
        """The value of a key, or None."""
        return self.read_word(word(block.value)) if block.value is not None else None

    def read_word(self, written: str) -> Any:
        """The value of one word or text without quotes, or None."""
        nested = self.maps or self.lists or self.named_lists or self.named_maps
        return None if nested else written


@dataclass(frozen=True, eq=False)
class Either(Type):
    """One of several types."""

    types: tuple[Type, ...] = ()

    def read(self, block: Lines) -> Any:
        return next((found for one in self._closed_first if (found := one.read(block)) is not None), None)

    def read_word(self, written: str) -> Any:
        return next((found for one in self._closed_first if (found := one.read_word(written)) is not None), None)

    @property
    def _closed_first(self) -> list[Type]:
        """A text may be anything, so it is asked last."""
        return sorted(self.types, key=lambda one: type(one) is Type)


@dataclass(frozen=True, eq=False)
class Flag(Type):
    """``true`` or ``false`` in any case; ``yes`` and ``no`` are taken as meant."""

    def read_word(self, written: str) -> bool | None:
        return _YES.get(written.lower())


@dataclass(frozen=True, eq=False)
class Closed(Type):
    """One of some words, in any case. ``slips`` are known mistakes and what they mean.

    ``also`` are words that are read and not offered. ``open``: others are allowed, a near miss is reported. ``many``: a
    list of them; ``head``: only what precedes a ``/`` is one.
    """

    slips: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    open: bool = False
    many: bool = False
    head: bool = False

    def read(self, block: Lines) -> Any:
        if not self.many:
            return super().read(block)
        return tuple(found for text in items_of(block) if (found := self.read_word(text)) is not None)

    def read_word(self, written: str) -> str | None:
        """The word that is meant, as the declaration spells it."""
        lower = written.lower()
        known = next((each for each in (*self.words, *self.also) if each.lower() == lower), None)
        return known or (written if self.open and written else None)


@dataclass(frozen=True, eq=False)
class Number(Type):
    """A number within limits, both included; ``unit`` is what it counts. ``spans``: or a time such as ``15s``."""

    low: float = -inf
    high: float | None = None
    whole: bool = True
    unit: str = ""
    spans: bool = False

    @property
    def limits(self) -> str:
        """What it must be, as a message says it."""
        if self.spans:
            return 'a time such as "15s", or a number of seconds'
        kind = "a whole number" if self.whole else "a number"
        if self.low != -inf and self.high is None:
            kind += f" of at least {self.low:g}"
        elif self.high is not None:
            kind += f" between {self.low:g} and {int(self.high) if self.whole else format(self.high, 'g')}"
        return f"{kind} ({self.unit})" if self.unit else kind

    def of_span(self, amount: float, unit: str) -> float | None:
        """A time in the unit of the property; None where it counts something else."""
        own = {"milliseconds": "ms", "seconds": "s"}.get(self.unit)
        seconds = UNITS.get(unit.lower())
        return round(amount * seconds / UNITS[own], 6) if own is not None and seconds is not None else None

    def read_word(self, written: str) -> int | float | None:
        if _NUMBER.fullmatch(written) is None or len(written) > LONGEST_NUMBER:
            return None
        value = float(written)
        if value < self.low or (self.high is not None and value > self.high) or (self.whole and value != int(value)):
            return None
        return int(value) if value == int(value) else value


@dataclass(frozen=True, eq=False)
class Duration(Type):
    """A time with its unit, such as ``90d``."""

    def read_word(self, written: str) -> str | None:
        return written if _DURATION.fullmatch(written) is not None else None


@dataclass(frozen=True, eq=False)
class Texts(Type):
    """A list of names or texts, in brackets, with dashes, behind commas, or one alone.

    ``in_quotes``: what is quoted as a whole is a list as well, as ``rule: "central, harbour"``. ``sentences``: a text
    without brackets is one, whatever commas it holds.
    """

    in_quotes: bool = False
    sentences: bool = False

    def read(self, block: Lines) -> tuple[str, ...]:
        if self.sentences:
            return tuple(sentences_of(block))
        if self.in_quotes and block.value is not None:
            return tuple(listed(block.value.value))
        return tuple(items_of(block))

    def read_word(self, written: str) -> tuple[str, ...]:
        return tuple(listed(written))


def parts(type: Type) -> Iterator[Type]:
    """The types of which a value may be one."""
    for one in type.types if isinstance(type, Either) else (type,):
        yield from parts(one) if one is not type else (one,)


def one_of(
    *plain: str,
    slips: Mapping[str, str] | None = None,
    also: Iterable[str] = (),
    open: bool = False,
    many: bool = False,
    head: bool = False,
    **documented: str,
) -> Closed:
    """One of these words, each with what it means: ``one_of(redact="shown as [REDACTED]")``.

    ``plain`` are words that say themselves what they mean, separated by blanks; ``a=meaning`` may also be written
    ``"a: meaning"``, for words that are no names of Python.
    """
    words = _documented(plain, documented)
    return Closed(words=words, slips=slips or {}, also=tuple(also), open=open, many=many, head=head)


def below(place: str) -> Type:
    """A mapping whose keys are those of a place."""
    return Type(maps=(place,))


def list_of(place: str) -> Type:
    """A list of such mappings."""
    return Type(lists=(place,))


def named_list_of(place: str) -> Type:
    """A list whose entries begin with a name."""
    return Type(named_lists=(place,))


def by_name(place: str) -> Type:
    """A mapping from the author's own names to such mappings."""
    return Type(named_maps=(place,))


def ref(kind: str, **documented: str) -> Type:
    """A name of a kind that is declared elsewhere, or one of the words that may be in its place."""
    return Type(kinds=(kind,), words=documented)


def _documented(plain: Iterable[str], named: Mapping[str, str]) -> dict[str, str]:
    words: dict[str, str] = {}
    for text in plain:
        first, colon, meaning = text.partition(": ")
        words.update({first: meaning} if colon else dict.fromkeys(text.split(), ""))
    return {**words, **named}


def with_words(*plain: str, **documented: str) -> Type:
    """A text of which hover knows some words."""
    return Type(words=_documented(plain, documented))


def refs(kind: str = "") -> Texts:
    """A list of such names."""
    return Texts(kinds=(kind,) if kind else ())


def prose(type: Type) -> Type:
    """The same, where what follows the key is free text."""
    return replace(type, prose=True)


ANY: Final = Type()
TEXT: Final = prose(ANY)
FLAG: Final = Flag(words={"true": "", "false": ""})
TEXTS: Final = Texts()
SENTENCES: Final = Texts(sentences=True)
LISTED: Final = Texts(in_quotes=True)
CONDITION: Final = Type(kinds=("condition",))
EXPRESSION: Final = Type(kinds=("expression",))
TEMPLATE: Final = Type(kinds=("template",), prose=True)
NAMES: Final = Texts(kinds=("names",))
COUNT: Final = Number(low=0)
AT_LEAST_ONE: Final = Number(low=1)
WHOLE: Final = Number()
NUMBER: Final = Number(whole=False)
AMOUNT: Final = Number(low=0, whole=False)
SHARE: Final = Number(low=0, high=1, whole=False)
MS: Final = Number(low=0, unit="milliseconds")
LIMIT_MS: Final = Number(low=1, unit="milliseconds")
LIMIT_S: Final = Number(low=1, unit="seconds")
TIME: Final = Number(low=0, whole=False, spans=True)
DURATION: Final = Duration()
