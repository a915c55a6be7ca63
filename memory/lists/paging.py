"""Keyset pages of facts: the thousandth page costs what the first does (docs/architecture.md §3, decisions/0006)."""

from __future__ import annotations

import base64
import binascii
import heapq
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from editor.models import Project
from memory.lists import lanes, walks
from memory.lists.lanes import Phase
from memory.lists.query import SORTS, FactQuery
from memory.lists.walks import Spot
from memory.models import Fact
from memory.values import storable_text
from web.errors import Invalid

__all__ = ["LARGEST", "SIZE", "SORTS", "Cursor", "Page", "fact_page", "facts_matching"]

SIZE = 50
LARGEST = 200
PATIENCE = 0.25
"""Seconds that one page looks for facts of a rare combination of filters before it shows what it has."""


FEW = 20_000
"""Facts that are read all at once and then put in order, at most."""


def bad_cursor() -> Invalid:
    return Invalid(fields={"cursor": "is not a valid cursor; use the address of `next` or `previous`"})


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position between two facts: the phase, key and id of the neighbour, and the direction to read in."""

    phase: int
    key: str
    pk: int
    back: bool = False

    def text(self) -> str:
        raw = json.dumps([self.phase, self.key, self.pk, int(self.back)], separators=(",", ":"))
        return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")

    @classmethod
    def read(cls, text: str) -> Cursor:
        """Raises ``Invalid`` for a text that ``text()`` did not make."""
        try:
            raw = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
            phase, key, pk, back = json.loads(raw)
            if not (
                phase in (0, 1)
                and isinstance(key, str)
                and isinstance(pk, int)
                and abs(pk) <= 2**62
                and storable_text(key)
            ):
                raise ValueError
            return cls(phase, key, pk, bool(back))
        except (ValueError, TypeError, binascii.Error, UnicodeError, RecursionError) as error:
            raise bad_cursor() from error

    @classmethod
    def at(cls, phase: Phase, spot: Spot, *, back: bool) -> Cursor:
        """The cursor after a fact, or before it."""
        key = spot.key.isoformat() if isinstance(spot.key, datetime) else str(spot.key)
        return cls(phase.number, key, spot.pk, back)

    def spot(self, phase: Phase) -> Spot:
        """The fact beside it. Raises ``Invalid`` when its key is no key of the phase."""
        if phase.column == "path":
            return Spot(self.key, self.pk)
        try:
            return Spot(datetime.fromisoformat(self.key).astimezone(UTC), self.pk)
        except (ValueError, OverflowError) as error:
            raise bad_cursor() from error


@dataclass(frozen=True, slots=True)
class Page:
    """Facts in order, and cursors to the pages beside them (None at an end).

    ``short``: it ended before it was full, having looked at ``searched`` rows; ``next`` (``previous``) continues there.
    """

    facts: list[Fact]
    next: str | None
    previous: str | None
    searched: int = 0
    short: bool = False


def fact_page(
    *,
    project: Project,
    query: FactQuery,
    now: datetime,
    cursor: str = "",
    size: int = SIZE,
    seconds: float = PATIENCE,
) -> Page:
    """A page of facts in the order of the query. Raises ``Invalid`` for a cursor that is not ours.

    :param seconds: how long it may look when few facts pass the filters.
    """
    at = Cursor.read(cursor) if cursor else None
    back = at is not None and at.back
    walk = Walk(project, query, now, at)
    found = list(islice(walk.spots(size + 1, time.monotonic() + seconds), size + 1))
    more, found = len(found) > size, found[:size]
    stopped = None if more else walk.stopped
    onward = Cursor.at(*found[-1], back=back) if more else Cursor.at(*stopped, back=back) if stopped else None
    behind = _behind(at, found)
    if back:
        found.reverse()
    rows = Fact.objects.in_bulk([spot.pk for _, spot in found])
    ahead, before = (behind, onward) if back else (onward, behind)
    return Page(
        [rows[spot.pk] for _, spot in found if spot.pk in rows],
        ahead.text() if ahead else None,
        before.text() if before else None,
        walk.searched,
        stopped is not None,
    )


def facts_matching(*, project: Project, query: FactQuery, now: datetime, limit: int | None = None) -> Iterator[Fact]:
    """All facts that pass the filters, in order, read page by page; at most ``limit``."""
    walk = Walk(project, query, now, None)
    spots = islice(walk.spots(LARGEST, float("inf")), limit)
    while keys := [spot.pk for _, spot in islice(spots, LARGEST)]:
        rows = Fact.objects.in_bulk(keys)
        yield from (rows[key] for key in keys if key in rows)


def _behind(at: Cursor | None, found: list[tuple[Phase, Spot]]) -> Cursor | None:
    """The cursor that leads back to the page from which this one was reached."""
    if at is None:
        return None
    if found:
        return Cursor.at(*found[0], back=not at.back)
    # Of an empty page there is no fact to start at, so the one beside the cursor is read again.
    return Cursor(at.phase, at.key, at.pk + (1 if not at.back else -1), not at.back)


class Walk:
    """The facts of a query from a position onwards, in either direction."""

    def __init__(self, project: Project, query: FactQuery, now: datetime, at: Cursor | None) -> None:
        self.project, self.query, self.now, self.at = project, query, now, at
        self.back = at is not None and at.back
        self.rows, self.most = walks.rows_of(query)
        self.searched = 0
        self.stopped: tuple[Phase, Spot] | None = None
        self._few: list[Phase] = []
        self._tried = 0

    def spots(self, wanted: int, deadline: float) -> Iterator[tuple[Phase, Spot]]:
        """Places in order, read ``wanted`` at a time. After ``deadline`` it ends where it is, which is ``stopped``."""
        phases = lanes.phases_of(self.project.pk, self.query, self.now)
        order = phases[::-1] if self.back else phases
        begun = self.at is None or all(phase.number != self.at.phase for phase in phases)
        for phase in order:
            after = None
            if self.at is not None and phase.number == self.at.phase:
                after, begun = self.at.spot(phase), True
            if begun:
                yield from self._phase(phases, phase, after, wanted, deadline)
            if self.stopped:
                return

    def _phase(
        self, phases: list[Phase], phase: Phase, after: Spot | None, wanted: int, deadline: float
    ) -> Iterator[tuple[Phase, Spot]]:
        while True:
            found, stopped = self._merged(phase, after, wanted)
            yield from ((phase, spot) for spot in found)
            if stopped is None and len(found) < wanted:
                return
            after = stopped or found[-1]
            if stopped is None:
                continue
            self._look_wider(phases)
            phase = next((each for each in self._few if each.number == phase.number), phase)
            if not self._few and time.monotonic() > deadline:
                self.stopped = (phase, after)
                return

    def _merged(self, phase: Phase, after: Spot | None, wanted: int) -> tuple[list[Spot], Spot | None]:
        """The next facts from all lanes in one order, and where looking stopped if it did."""
        down = phase.down != self.back
        looked = [walks.look(phase, lane, after, back=self.back, wanted=wanted, rows=self.rows) for lane in phase.lanes]
        self.searched += sum(self.rows if each.stopped else len(each.found) for each in looked)
        spots = islice(heapq.merge(*(each.found for each in looked), reverse=down), wanted)
        ends = [each.stopped for each in looked if each.stopped is not None]
        if not ends:
            return list(spots), None
        # Beyond the first place where a lane stopped, that lane might have facts between those of the others.
        end = max(ends) if down else min(ends)
        sure = [spot for spot in spots if (spot >= end if down else spot <= end)]
        return sure, None if len(sure) == wanted else end

    def _look_wider(self, phases: list[Phase]) -> None:
        """Few facts pass: read more rows at once, or all that pass one of the filters if these are not too many.

        This costs no more than the search so far, so the whole costs at most twice what the best index alone would.
        """
        self.rows = min(self.most, self.rows * 4)
        limit = min(max(self.searched, self.most), FEW)
        if self._few or limit < 2 * self._tried:
            return
        self._tried = limit
        for found in lanes.narrow(self.project.pk, self.query, self.now):
            counts = [walks.count(lane, most=limit) for lane in found]
            if sum(number for number, _ in counts) <= limit and not any(more for _, more in counts):
                whole = tuple(replace(lane, whole=True) for lane in found)
                self._few = lanes.with_lanes(phases, whole)
                return
