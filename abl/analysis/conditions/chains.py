"""Paths into values of a declared type, over indexes too: ``rows[0].seats`` (docs/spec 02 §3, 08 §1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from abl.analysis.conditions.reading import Reading
from abl.expressions import nodes as en
from abl.syntax.nodes import TypeRef

_LENGTH: Final = "length"
_PLAIN: Final = frozenset({"string", "number", "boolean", "date", "datetime", "bool", "int", "integer", "float"})
"""Types of values that have no fields."""


class Step(NamedTuple):
    """One step of a path: a name, or None for an index that is not known; the end of its text."""

    name: str | None
    end: int


class Chain(NamedTuple):
    """A path in an expression: its root, the steps behind it, and its node."""

    root: str
    steps: tuple[Step, ...]
    node: en.Node


def chains_of(reading: Reading) -> Iterator[Chain]:
    """The paths of an expression, each as far as it goes."""
    inner = {id(node.target) for node in reading.nodes if isinstance(node, en.Member | en.Index)}
    for node in reading.nodes:
        if isinstance(node, en.Path | en.Member | en.Index) and id(node) not in inner:
            chain = chain_of(node, reading.text)
            if chain is not None:
                yield chain


def _steps(node: en.Node, text: str) -> tuple[Step, ...]:
    match node:
        case en.Path():
            return tuple(_of_path(node, text))
        case en.Member():
            before = _steps(node.target, text)
            return (*before, Step(node.name, node.end)) if before else ()
        case en.Index():
            before = _steps(node.target, text)
            key = node.index.value if isinstance(node.index, en.Literal) else None
            return (*before, Step(key if isinstance(key, str) else None, node.end)) if before else ()
    return ()


def _of_path(path: en.Path, text: str) -> Iterator[Step]:
    """The segments; where they end is only known of a path without blanks in it."""
    plain = text[path.start : path.end] == ".".join(path.parts)
    at = path.start
    for part in path.parts:
        at += len(part)
        yield Step(part, at if plain else path.end)
        at += 1


def chain_of(node: en.Node, text: str) -> Chain | None:
    """The path that a node is; ``text`` is the expression's."""
    steps = _steps(node, text)
    return Chain(steps[0].name, steps[1:], node) if steps and steps[0].name is not None else None


def type_at(type_: TypeRef, steps: Sequence[str | None]) -> TypeRef | None:
    """The declared type at the end of a path into a value; None when it is not known."""
    current: TypeRef | None = unwrapped(type_)
    for name in steps:
        if current is None:
            return None
        if current.item is not None:
            current = current.item if name is None or name.isdigit() else None
        else:
            current = next((kind for field, _, kind in current.fields if field == name), None)
        current = unwrapped(current)
    return current


def unwrapped(type_: TypeRef | None) -> TypeRef | None:
    """The type of what may be null."""
    while type_ is not None and type_.name == "nullable":
        type_ = type_.item
    return type_


class Missing(NamedTuple):
    """The step of a path that its type does not have: its number, and the fields that there are."""

    number: int
    fields: Collection[str]


class Fields:
    """The fields of types by name, found once for each type: many paths may lead into one with many fields."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[TypeRef, dict[str, TypeRef]]] = {}  # a type that is kept keeps its id

    def of(self, type_: TypeRef) -> dict[str, TypeRef]:
        """The types of the fields; of two with one name the first."""
        known = self._known.get(id(type_))
        if known is None:
            fields: dict[str, TypeRef] = {}
            for name, _, kind in type_.fields:
                fields.setdefault(name, kind)
            known = self._known[id(type_)] = type_, fields
        return known[1]


def missing_step(type_: TypeRef, steps: Sequence[str | None], fields_of: Fields) -> Missing | None:
    """The first step that leads to no declared field; None when there is none, or the type does not say."""
    current: TypeRef | None = type_
    for number, name in enumerate(steps):
        current = unwrapped(current)
        if current is None:
            return None
        if current.item is not None:  # an array; a name behind it is no element
            if name is not None and not name.isdigit() and name != _LENGTH:
                return Missing(number, (_LENGTH,))
            current = current.item if name != _LENGTH else None
        elif name is not None and current.name in _PLAIN:
            return Missing(number, ()) if name != _LENGTH else None
        elif current.fields and name is not None:
            fields = fields_of.of(current)
            if name not in fields:
                return Missing(number, fields)
            current = fields[name]
        else:
            return None
    return None
