"""Every accepted way to write a value, made from its declared type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl.language import PLACES, Key
from abl.language.types import Closed, Duration, Either, Flag, Number, Texts, Type

LINES = "\n"
"""Stands before a value that is written in lines of its own, each with its dash."""


class Spelled(NamedTuple):
    """A value as the documentation writes it, and another way to write the same."""

    canonical: str
    other: str


def spelled(type_: Type) -> Iterator[Spelled]:
    """The values of a type with each of their spellings."""
    match type_:
        case Either():
            for one in type_.types:
                yield from spelled(one)
        case Flag():
            for plain, word in (("true", "yes"), ("false", "no")):
                for other in (plain, word):
                    yield from (Spelled(plain, form) for form in (other, *_cased(other), *_quoted(other)))
        case Closed():
            yield from _closed(type_)
        case Number():
            value = f"{max(type_.low, min(type_.high or 1, 1)):g}"
            yield from (Spelled(value, form) for form in (*_quoted(value)[:2], f"+{value}", f"{value}.0", f"0{value}"))
        case Duration():
            yield from (Spelled("90d", form) for form in _quoted("90d")[:2])
        case Texts():
            pairs = [("one", "two"), *([('"Smith, John"', "other")] if not type_.kinds and not type_.in_quotes else [])]
            for one in (each for pair in pairs for each in _listed(*pair)):
                if not type_.sentences or one.other[0] in (LINES, "["):
                    yield one


def _closed(type_: Closed) -> Iterator[Spelled]:
    words = [word for word in type_.words if "(" not in word and ":" not in word]
    if type_.many and len(words) > 1:
        yield from _listed(words[0], words[1])
        yield Spelled(f"[{words[0]}]", words[0])
        yield Spelled(f"[{words[0]}]", words[0].upper())
        return
    for word in words:
        yield from (Spelled(word, form) for form in (*_cased(word), *_quoted(word)))


def _listed(one: str, two: str) -> Iterator[Spelled]:
    plain = f"[{one}, {two}]"
    yield Spelled(plain, f"{one}, {two}")
    yield Spelled(plain, f"{LINES}{one}{LINES}{two}")
    if '"' not in one:
        yield Spelled(plain, f'["{one}", {two}]')
        yield Spelled(plain, f"{LINES}'{one}'{LINES}\"{two}\"")


def _cased(word: str) -> set[str]:
    return {word.upper(), word.capitalize(), word.lower()} - {word}


def _quoted(word: str) -> tuple[str, ...]:
    return f'"{word}"', f"'{word}'", f'"{word.upper()}"'


def keys_with_spellings() -> Iterator[tuple[str, Key, Spelled]]:
    """Every key of every place with each of its spellings."""
    for place in PLACES.values():
        for key in place.listed:
            yield from ((place.name, key, each) for each in spelled(key.type))


def line(indent: str, key: str, value: str) -> str:
    """The lines of a property."""
    if not value.startswith(LINES):
        return f"{indent}{key}: {value}\n"
    items = "".join(f"{indent}  - {item}\n" for item in value.split(LINES)[1:])
    return f"{indent}{key}:\n{items}"
