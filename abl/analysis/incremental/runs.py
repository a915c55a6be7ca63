"""Runs of consecutive parts, which most edits leave unchanged, so that results for a whole run are cached too.

An edit changes one part and with it one run. What is asked of all parts of an agent is asked of its runs, of which
there are a sixteenth as many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final, TypeVar

from abl.analysis.incremental.parts import AnyNode, Part, Placed

Value = TypeVar("Value")
AnyCollection = TypeVar("AnyCollection", bound=Collection[Any])

LENGTH = 16  # parts, on the average
_NOTHING: Final[frozenset[Any]] = frozenset()
"""Most of what is asked of a run is empty. As in ``abl.analysis.incremental.parts``, that is one object for all."""


class Run:
    """Parts in a row. What functions say about them, and notes (``abl.analysis.incremental.segments``), go with it."""

    __slots__ = ("_all", "_each", "_items", "_own", "_unions", "noted", "parts")

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts
        self._each: dict[Any, Any] = {}
        self._all: dict[Any, Any] = {}
        self._items: dict[Any, Any] = {}
        self._unions: dict[Any, Any] = {}
        self._own: dict[Any, Any] = {}
        self.noted: dict[str, Any] = {}

    def each(self, function: Callable[[Part], AnyCollection]) -> Sequence[tuple[int, AnyCollection]]:
        """What a function says about each part, by the number of the part; nothing where that is empty."""
        found: Sequence[tuple[int, AnyCollection]] | None = self._each.get(function)
        if found is None:
            values = [(number, value) for number, part in enumerate(self.parts) if (value := part.derive(function))]
            found = self._each[function] = values or ()
        return found

    def all(self, kind: type[AnyNode]) -> Sequence[tuple[int, Sequence[AnyNode]]]:
        """The nodes of exactly that class in each part that has some, by the number of the part."""
        found: Sequence[tuple[int, Sequence[AnyNode]]] | None = self._all.get(kind)
        if found is None:
            values = ((number, part.by_type.get(kind)) for number, part in enumerate(self.parts))
            found = self._all[kind] = [(number, listed) for number, listed in values if listed] or ()
        return found

    def items(self, function: Callable[[Part], Sequence[Value]]) -> Sequence[Value]:
        """Everything that a function says about the parts, in order."""
        found: Sequence[Value] | None = self._items.get(function)
        if found is None:
            found = self._items[function] = [item for _, items in self.each(function) for item in items] or ()
        return found

    def union(self, function: Callable[[Part], frozenset[Value]]) -> frozenset[Value]:
        """Everything that a function says about the parts."""
        found: frozenset[Value] | None = self._unions.get(function)
        if found is None:
            sets = [values for part in self.parts if (values := part.derive(function))]
            found = self._unions[function] = sets[0].union(*sets[1:]) if sets else _NOTHING
        return found

    def derive(self, function: Callable[[Run], Value]) -> Value:
        """What a function says about the run, remembered."""
        try:
            found: Value = self._own[function]
        except KeyError:
            found = self._own[function] = function(self)
        return found


def runs_of(placed: Sequence[Placed]) -> Iterator[tuple[int, Run]]:
    """The runs of an agent's parts, each with the number of its first part.

    Whether a run ends after a part depends on that part alone, so that an insertion or removal changes one run.
    """
    begin = 0
    for number, each in enumerate(placed):
        part = each.part
        if not part.unit:  # it is new each time
            if begin < number:
                yield begin, _run(placed, begin, number)
            yield number, Run((part,))
            begin = number + 1
        elif part.serial % LENGTH == LENGTH - 1:
            yield begin, _run(placed, begin, number + 1)
            begin = number + 1
    if begin < len(placed):
        yield begin, _run(placed, begin, len(placed))


def _run(placed: Sequence[Placed], begin: int, end: int) -> Run:
    parts = tuple([each.part for each in placed[begin:end]])
    known: Run | None = parts[0].run
    if known is None or known.parts != parts:
        known = parts[0].run = Run(parts)
    return known
