"""Bounded concurrency: a number of places for each caller and for all together.

A request without a place is refused at once, which frees its thread for others. Only some of the requests with a place
work at a time; the others wait without using the processor. The places are counted in the memory of the process, like
the counts of
``web.throttling``: what is protected is this process.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from web.errors import Busy
from web.limits import LONGEST_WAIT

RETRY_AFTER = 2
"""Seconds after which a place may be free; nobody knows better."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who takes a place. ``most`` are the places that they may have at once, ``words`` are said beyond that."""

    key: Hashable
    most: int
    words: str


class Places:
    """At most ``total`` at once, of which ``at_work`` work; ``words`` say that there is no place.

    :param at_work: all, if absent.
    :param each: how many of those at work may be of one first caller.
    """

    def __init__(self, total: int, words: str, *, at_work: int | None = None, each: int | None = None) -> None:
        self.total = total
        self._words = words
        self._at_work = at_work or total
        self._each = each or self._at_work
        self._changed = threading.Condition()
        self._taken = 0
        self._working = 0
        self._taken_by: Counter[Hashable] = Counter()
        self._working_by: Counter[Hashable] = Counter()

    def take(self, *callers: Caller) -> Place:
        """A place in the name of each of the callers, once it is its turn to work.

        Raises ``Busy``: at once if there is no place, after ``LONGEST_WAIT`` seconds if its turn does not come.
        """
        with self._changed:
            words = next((each.words for each in callers if self._taken_by[each.key] >= each.most), "")
            if words or self._taken >= self.total:
                raise Busy(words or self._words, retry_after=RETRY_AFTER)
            place = Place(self, callers)
            self._taken += 1
            self._taken_by.update(each.key for each in callers)
            if not self._changed.wait_for(lambda: self._has_turn(place), timeout=LONGEST_WAIT):
                self._leave(place)
                raise Busy(self._words, retry_after=RETRY_AFTER)
            self._working += 1
            self._working_by[place.first] += 1
            place.working = True
        return place

    def _has_turn(self, place: Place) -> bool:
        return self._working < self._at_work and self._working_by[place.first] < self._each

    def leave(self, place: Place) -> None:
        """Give a place back; a second time changes nothing."""
        with self._changed:
            self._leave(place)

    def _leave(self, place: Place) -> None:
        if place.left:
            return
        place.left = True
        self._taken -= 1
        lower(self._taken_by, *(each.key for each in place.callers))
        if place.working:
            self._working -= 1
            lower(self._working_by, place.first)
        self._changed.notify_all()

    @contextmanager
    def taken(self, *callers: Caller) -> Iterator[None]:
        """A place for the length of a ``with`` block."""
        place = self.take(*callers)
        try:
            yield
        finally:
            self.leave(place)

    @property
    def free(self) -> int:
        """Places that nobody has."""
        return self.total - self._taken


class Place:
    """One that is taken."""

    def __init__(self, places: Places, callers: tuple[Caller, ...]) -> None:
        self._places = places
        self.callers = callers
        self.first: Hashable = callers[0].key if callers else None
        self.working = False
        self.left = False

    def leave(self) -> None:
        """Give it back; a second time changes nothing."""
        self._places.leave(self)


def lower(counts: Counter[Hashable], *keys: Hashable) -> None:
    """Count less by one of each key and forget those of which there is none."""
    for key in keys:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]
