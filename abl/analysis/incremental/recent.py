"""A cache of recent results, for keys that are long and mostly consist of the same objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The last few results. Keys are compared one after the other: lists of the same objects at once, without a hash
    of everything in them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.entries: tuple[tuple[Key, Value], ...] = ()

    def get(self, key: Key, make: Callable[[Key], Value]) -> Value:
        """The result for a key, made if none of the last ones is."""
        for kept, value in self.entries:
            if kept == key:
                return value
        value = make(key)
        self.entries = ((key, value), *self.entries[: self.size - 1])
        return value
