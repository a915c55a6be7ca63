"""How names find their values (docs/spec 02 §7).

A context is a mapping from names to values. A key with dots is that exact path, and the longest such key wins over
walking into nested objects. A context that wants to read lazily implements `Resolver` and is asked once per path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias, runtime_checkable

from .values import Value, text, to_number


@runtime_checkable
class Resolver(Protocol):
    """A context that finds the value of a whole path itself."""

    def resolve(self, parts: tuple[str, ...]) -> Value:
        """The value of the path, None when there is none. Must not raise for any path."""
        ...


Context: TypeAlias = Mapping[str, Value] | Resolver


def read(context: Context, parts: tuple[str, ...]) -> Value:
    """The value of a path in any context; ∅ where a segment is missing, never an error."""
    if type(context) is not dict:
        resolve = getattr(context, "resolve", None)
        if resolve is not None:
            return resolve(parts)
        if not isinstance(context, Mapping):
            return None
    if len(parts) == 1:
        return context.get(parts[0])
    for length in range(len(parts), 0, -1):
        key = ".".join(parts[:length]) if length > 1 else parts[0]
        if key in context:
            return descend(context[key], parts[length:])
    return None


def exact_names(context: Context, parts: tuple[str, ...]) -> int:
    """How many names of a path the longest exact key covers (02 §7); 1 where the context does not say."""
    if not isinstance(context, Mapping):
        return 1
    return next((length for length in range(len(parts), 1, -1) if ".".join(parts[:length]) in context), 1)


def descend(value: Value, names: tuple[str, ...]) -> Value:
    """Follow names into a value from left to right."""
    for name in names:
        if value is None:
            return None
        value = member(value, name)
    return value


def member(value: Value, name: str) -> Value:
    """`value.name`: a key of an object; `.length` of lists and texts; `.0` of lists."""
    if isinstance(value, dict):
        return value.get(name)
    if name == "length" and isinstance(value, (list, str)):
        return len(value)
    if isinstance(value, list) and name.isdecimal():
        return element(value, int(name)) if len(name) < 10 else None
    return None


def index(value: Value, at: Value) -> Value:
    """`value[at]`: an element of a list by whole number, a key of an object by text; ∅ for all else."""
    if isinstance(value, list):
        number = None if type(at) is bool else to_number(at)
        return element(value, number) if number is not None else None
    if isinstance(value, dict):
        return None if at is None else value.get(text(at))
    return None


def element(items: list[Value], number: float) -> Value:
    """The element at a 0-based place; ∅ for negative, fractional and too large ones."""
    if type(number) is int and 0 <= number < len(items):
        return items[number]
    return None


class Scope:
    """A context with some names of its own before those of another context (the item variable of TRANSFORM).

    A name in `bindings` wins by being there, also when its value is ∅.
    """

    __slots__ = ("bindings", "outer")

    def __init__(self, bindings: Mapping[str, Value], outer: Context) -> None:
        self.bindings = bindings
        self.outer = outer

    def resolve(self, parts: tuple[str, ...]) -> Value:
        """See `Resolver`."""
        if parts[0] in self.bindings:
            return descend(self.bindings[parts[0]], parts[1:])
        return read(self.outer, parts)


class ItemScope:
    """The names inside `{{#each}}`: the keys of the item, `this`, `@index`, `@first`, `@last` (02 §9)."""

    __slots__ = ("item", "names", "outer")

    def __init__(self, item: Value, place: int, count: int, outer: Context) -> None:
        self.item = item
        self.names = {"this": item, "@index": place, "@first": place == 0, "@last": place == count - 1}
        self.outer = outer

    def resolve(self, parts: tuple[str, ...]) -> Value:
        """See `Resolver`."""
        if parts[0] in self.names:
            return descend(self.names[parts[0]], parts[1:])
        if isinstance(self.item, dict):
            for length in range(len(parts), 0, -1):
                key = ".".join(parts[:length])
                if key in self.item:
                    return descend(self.item[key], parts[length:])
        return read(self.outer, parts)
