"""Values of an entry by key, typed as they are declared: the one reading of rules, editing and runtime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from abl.language import key_at, plain, value_at
from abl.language.types import FLAG
from abl.language.written import Lines, Scalar, items_of, split_outside, unquoted, word


class Piece(NamedTuple):
    """A text within braces or brackets, as ``Scalar``."""

    value: str
    style: str = "bare"


class Member(NamedTuple):
    """A member of a mapping in braces, as ``Lines``."""

    key: str
    value: Scalar | None
    children: Sequence[Lines] = ()
    item: bool = False
    colon: bool = True


def members(block: Lines | None) -> Iterator[Lines]:
    """The keys of a mapping, from the lines below it or from the braces behind it."""
    if block is None:
        return
    if block.children:
        yield from (child for child in block.children if child.colon)
    elif block.value is not None and block.value.style == "bare":
        yield from _in_braces(block.value.value.strip())


def _in_braces(text: str) -> Iterator[Lines]:
    if text[:1] != "{" or text[-1:] != "}" or text.startswith("{{"):
        return
    for part in split_outside(text[1:-1]):
        key, *rest = split_outside(part, ":")
        value = ":".join(rest).strip()
        if rest and unquoted(key):
            quoted = value[:1] in "\"'" and unquoted(value) != value
            yield Member(unquoted(key), Piece(unquoted(value), "double") if quoted else Piece(value))


def named(place: str, block: Lines | None) -> Iterator[tuple[str, Entry]]:
    """Entries with their names: keys of a mapping, or items of a list that are the name, or have it as NAME."""
    items = [child for child in block.children if child.item] if block is not None else []
    if not items:
        yield from ((member.key, Entry.at(place, member)) for member in members(block))
    for item in items:
        first = [item] if item.colon and item.value is not None else []
        held = Entry(place, {_name(place, line.key): line for line in (*first, *members(item))})
        name = held.text("name") or (item.key if item.colon else word(item.value))
        if name:
            yield name.strip(), held


def _alone(place: str, block: Lines | None) -> Iterator[Lines]:
    """Switches that stand on lines of their own, without a colon: they are on."""
    for child in block.children if block is not None else ():
        if not child.colon and not child.item and child.value is not None:
            declared = key_at(place, child.value.value.strip())
            if declared is not None and declared.type is FLAG:
                yield Member(declared.name, Piece("true"))


class Entry:
    """A mapping that stands at a place of the language. Keys are found in any spelling that the place knows."""

    __slots__ = ("_found", "place")

    def __init__(self, place: str, found: Mapping[str, Lines]) -> None:
        self.place = place
        self._found = found

    @classmethod
    def at(cls, place: str, block: Lines | None) -> Entry:
        """What is below or behind a key; empty for None."""
        return cls(place, {_name(place, member.key): member for member in (*members(block), *_alone(place, block))})

    def __contains__(self, key: str) -> bool:
        return _name(self.place, key) in self._found

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def written(self) -> tuple[str, ...]:
        """The keys that are written, in their order; those that the place lists in upper case."""
        return tuple(self._found)

    def lines(self, key: str) -> Lines | None:
        """A key with what stands behind and below it."""
        return self._found.get(_name(self.place, key))

    def value(self, key: str) -> Any:
        """The value as it is meant, else its default; None without one.

        A switch is a bool, a closed word its declared spelling, a number an int or float, a list a tuple.
        """
        declared = key_at(self.place, key)
        found = self.lines(key)
        if declared is None:
            return word(found.value) if found is not None and found.value is not None else None
        return declared.read(found)

    def given(self, key: str) -> Any:
        """The same without a default: None where nothing that can be read is written."""
        found, declared = self.lines(key), key_at(self.place, key)
        if found is None:
            return None
        return declared.type.read(found) if declared is not None else self.value(key)

    def text(self, key: str) -> str | None:
        """The text of a key as it is there, without quotes; None where none is written."""
        found = self.lines(key)
        return found.value.value if found is not None and found.value is not None else None

    def texts(self, key: str) -> tuple[str, ...]:
        """A key as a list in any form, whatever it is declared as."""
        found = self.lines(key)
        return tuple(items_of(found)) if found is not None else ()

    def below(self, key: str) -> Entry:
        """The mapping of a key; empty where there is none."""
        maps = value_at(self.place, key).maps
        return Entry.at(maps[0] if maps else "", self.lines(key))


def _name(place: str, written: str) -> str:
    """A key as entries keep it: as declared, in upper case; of one that is not declared as it is compared."""
    declared = key_at(place, written)
    return declared.name.upper().replace(" ", "_") if declared is not None else plain(written)
