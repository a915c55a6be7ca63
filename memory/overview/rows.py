"""Rows of every memory system in one shape. Whatever is asked for, a bounded number of things is looked at."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from editor.models import Project
from memory.facts import selectors
from memory.facts.selectors import Shown
from memory.lists import paging
from memory.lists.query import FactQuery
from memory.overview import owners as owner_counts
from memory.overview.owners import BANK, BLOCK, FACT, RECORD, SESSION

PATIENCE = 0.25
"""Seconds that one system is searched."""
LOOKED = 2000
"""Things of one system that are looked at for a text or a state."""


class Seen(Shown):
    """A thing of another system than facts, as ``Shown`` describes a fact."""

    @property
    def state(self) -> str:
        """The state that the thing has, or ``forever`` for what has no time."""
        state: Callable[[datetime], str] | None = getattr(self.fact, "state", None)
        if state is not None:
            return state(self.now)
        return "expired" if getattr(self.fact, "ended_at", None) else "forever"


@dataclass(frozen=True, slots=True)
class Row:
    """A thing of any system. ``thing`` has scope, owner, path, type and source; ``value`` is what may be shown."""

    system: str
    thing: Any
    href: str
    shown: Shown
    value: Any

    @property
    def ends_with_session(self) -> bool:
        """A session, or a record without a time of its own, which goes when its session does."""
        return self.system == SESSION or (self.system == RECORD and self.thing.expires_at is None)

    @property
    def whose(self) -> str:
        """Who or what it belongs to: of a session its user."""
        return str(self.thing.user if self.system == SESSION else self.thing.owner)

    @property
    def name(self) -> str:
        """Its name in its own system."""
        return str(self.thing.session if self.system == SESSION else self.thing.path)


@dataclass(frozen=True, slots=True)
class Found:
    """Rows in order. ``short``: not everything could be looked at in time."""

    rows: list[Row]
    short: bool = False


@dataclass(frozen=True, slots=True)
class Finder:
    """Looks for things of a scope, of an owner, in a state, with a text; an empty part narrows nothing."""

    project: Project
    now: datetime
    scope: str = ""
    owner: str = ""
    state: str = ""
    search: str = ""

    def find(self, system: str, size: int) -> Found:
        """The first things of a system, at most ``size``."""
        if system == FACT:
            return self._facts(size)
        things = self._things(system, LOOKED if self.state or self.search else size)
        if not (self.state or self.search):
            return Found([self._row(system, thing) for thing in things])
        until, rows = time.monotonic() + PATIENCE, []
        for number, thing in enumerate(things, start=1):
            row = self._row(system, thing)
            if self._fits(row):
                rows.append(row)
            if len(rows) == size:
                break
            if number == LOOKED or time.monotonic() > until:
                return Found(rows, True)
        return Found(rows)

    def _facts(self, size: int) -> Found:
        query = fact_query(self.scope, self.owner, self.state, self.search)
        page = paging.fact_page(project=self.project, query=query, now=self.now, size=size)
        seen = [selectors.shown(fact, self.now) for fact in page.facts]
        slug = self.project.slug
        rows = [Row(FACT, s.fact, reverse("memory:fact", args=[slug, s.fact.pk]), s, s.value) for s in seen]
        return Found(rows, page.short)

    def _things(self, system: str, most: int) -> Iterator[Any]:
        """In the order of an index, so that no more than ``most`` are read."""
        there = owner_counts.things(project=self.project, scope=self.scope, system=system, owner=self.owner)
        if system == RECORD:
            return self._records(most)
        if system == BANK:
            return there.select_related("bank").order_by("bank_id", "agent")[:most].iterator()
        of_one: dict[str, tuple[str, ...]] = {BLOCK: ("scope", "agent_id", "block_type"), SESSION: ("-id",)}
        of_all: dict[str, tuple[str, ...]] = {BLOCK: ("-updated_at", "id"), SESSION: ("session",)}
        return there.order_by(*(of_one if self.owner else of_all)[system])[:most].iterator()

    def _records(self, most: int) -> Iterator[Any]:
        """Store by store; each that is not empty costs one short read."""
        left = most
        for store in owner_counts.stores_of(project=self.project, scope=self.scope):
            there = store.records.filter(project=self.project)
            there = there.filter(owner=self.owner) if self.owner else there
            for record in there.select_related("store").order_by("owner", "id")[:left].iterator():
                left -= 1
                yield record
            if not left:
                return

    def _row(self, system: str, thing: Any) -> Row:
        shown = Seen(thing, self.now)
        if system == SESSION:
            href = reverse("memory:session", args=[self.project.slug, thing.session])
            return Row(system, thing, href, shown, thing.metadata)
        name = {BLOCK: "memory:block", RECORD: "memory:record", BANK: "memory:bank-text"}[system]
        value = thing.content if shown.readable else None
        return Row(system, thing, reverse(name, args=[self.project.slug, thing.pk]), shown, value)

    def _fits(self, row: Row) -> bool:
        state = row.shown.state
        if self.state and not (state != "expired" if self.state == "live" else state == self.state):
            return False
        if not self.search:
            return True
        return row.shown.readable and self.search.casefold() in spelled(row.value).casefold()


def fact_query(scope: str, owner: str, state: str, search: str) -> FactQuery:
    """The same filters for facts, of which sessions and banks have none."""
    return FactQuery(scope=scope, owner=owner, state=state, search=search)


def spelled(value: Any) -> str:
    """A value as the text that is searched."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
