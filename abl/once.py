"""Properties that are computed once.

``functools.cached_property`` of Python 3.11 takes a lock for each value that it computes, which costs more than most of
the values that the analysis keeps. Here none is taken: two threads that ask at once may both compute a value, so what a
function gives has to be the same each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801  (a decorator, named as ``property`` is)
    """A property whose value is computed when it is first asked for, and kept in the ``__dict__`` of its object."""

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> once[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> once[Value] | Value:
        if instance is None:
            return self
        value = self.function(instance)
        # Not through ``instance.__dict__``: Python would have to make that dict, which few objects ever need. And not
        # through ``setattr``: a frozen dataclass refuses it.
        object.__setattr__(instance, self.name, value)
        return value
