"""What the page of all memory shows, worked out before the template: the tree over every system, and some of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from editor.models import Project
from memory.facts.inspector import ICONS, STATE_WORDS, Node
from memory.lists import tree
from memory.lists.query import LONGEST, STATES, FactQuery
from memory.lists.tree import Count
from memory.overview import owners as owner_counts
from memory.overview.owners import BANK, BLOCK, FACT, RECORD, SCOPES, SESSION, SYSTEMS
from memory.overview.rows import Finder, Found, fact_query
from memory.values import storable_text
from web.errors import Invalid

OWNERS = 20
FEW, MANY = 8, 50
"""Rows of a system beside others, and of one alone."""
WORDS = {FACT: "Facts", BLOCK: "Blocks", RECORD: "Records", SESSION: "Sessions", BANK: "Bank texts"}
SYSTEM_ICONS = {FACT: "facts", BLOCK: "file", RECORD: "store", SESSION: "msg", BANK: "file"}
SCOPE_WORDS = {
    "user": "User",
    "project": "Project",
    "session": "Session",
    "execution_tree": "Execution tree",
    "bank": "Bank",
}
SCOPE_ICONS = {**{str(scope): icon for scope, icon in ICONS.items()}, "session": "msg", "bank": "file"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The query string of the page. ``find`` narrows the tree to names that begin with it, ``search`` is in values."""

    scope: str = ""
    owner: str = ""
    find: str = ""
    search: str = ""
    system: str = ""
    state: str = ""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Wanted:
        """Raises ``Invalid`` naming the unknown part."""
        parts = {part.name: str(given.get(part.name) or "").strip() for part in fields(cls)}
        known = {"scope": tuple(SCOPES), "system": SYSTEMS, "state": STATES}
        problems = {
            name: f"{parts[name][:40]!r} is not one of {', '.join(words)}"
            for name, words in known.items()
            if parts[name] and parts[name] not in words
        }
        for name, text in parts.items():
            if len(text) > LONGEST or not storable_text(text):
                problems[name] = f"is longer than {LONGEST} characters, or has a character that cannot be stored"
        if parts["owner"] and parts["scope"] in ("", owner_counts.PROJECT):
            problems["owner"] = "counts within a scope of owners; give scope too"
        if problems:
            raise Invalid(fields=problems)
        return cls(**parts)

    def text(self, **changes: str) -> str:
        """The query string with some parts changed; ``?`` in front unless it is empty."""
        parts = {part.name: getattr(replace(self, **changes), part.name) for part in fields(self)}
        text = urlencode({name: value for name, value in parts.items() if value})
        return f"?{text}" if text else ""


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of one system, how many there are, and where all of them are."""

    system: str
    words: str
    found: Found
    count: Count
    everything: str


class Overview:
    """One view of all that a project remembers, at one moment."""

    def __init__(self, project: Project, wanted: Wanted, now: datetime) -> None:
        self.project, self.wanted, self.now = project, wanted, now
        self.base = reverse("memory:memory", args=[project.slug])
        self.counts = {scope: self._counts(scope, "") for scope in SCOPES}

    def _counts(self, scope: str, owner: str) -> dict[str, Count]:
        held = {
            system: owner_counts.held(project=self.project, scope=scope, system=system, owner=owner)
            for system in SCOPES[scope]
        }
        return {system: number for system, number in held.items() if number}

    def href(self, **changes: str) -> str:
        """Address of the page with some parts of the query changed."""
        return self.base + self.wanted.text(**changes)

    # The tree ------------------------------------------------------------------------------------------------------

    def tree(self) -> Iterator[Node]:
        """Scopes, their owners, what an owner has in each system, and under facts the paths."""
        for scope, words in SCOPE_WORDS.items():
            here = self.wanted.scope == scope
            total = sum(self.counts[scope].values(), Count(0))
            open_ = here or (bool(self.wanted.find) and bool(total))
            yield Node(
                words,
                self.href(scope=scope, owner="", system=""),
                0,
                str(total),
                icon=SCOPE_ICONS[scope],
                fold="down" if open_ else "fold",
                current=here and not self.wanted.owner and not self.wanted.system,
            )
            if open_ and scope != owner_counts.PROJECT:
                yield from self._owners(scope)
            elif here:
                yield from self._systems(scope, "", self.counts[scope], 1)
        if self.wanted.find:
            yield from self._by_name()

    def _owners(self, scope: str) -> Iterator[Node]:
        found = owner_counts.owner_page(project=self.project, scope=scope, starts=self.wanted.find, limit=OWNERS)
        owner = self.wanted.owner if self.wanted.scope == scope else ""
        listed = {owner.name: owner.counts for owner in found.owners}
        if owner and owner not in listed:
            listed[owner] = self._counts(scope, owner)
        for name, counts in listed.items():
            here = name == owner
            total = sum(counts.values(), Count(0))
            yield Node(
                name,
                self.href(scope=scope, owner=name, system=""),
                1,
                str(total),
                fold="down" if here else "fold",
                current=here and not self.wanted.system,
            )
            if here:
                yield from self._systems(scope, name, counts, 2)
        if found.more:
            yield Node("more: type a name prefix above", self.href(scope=scope, owner="", system=""), 1, "")

    def _systems(self, scope: str, owner: str, counts: Mapping[str, Count], depth: int) -> Iterator[Node]:
        for system in SCOPES[scope]:
            if not counts.get(system):
                continue
            here = self.wanted.system == system
            href = self.href(scope=scope, owner=owner, system=system)
            fold = "down" if here or system == FACT else ""
            yield Node(WORDS[system], href, depth, str(counts[system]), SYSTEM_ICONS[system], fold, current=here)
            if system == FACT:
                yield from self._paths(scope, owner, depth + 1)

    def _paths(self, scope: str, owner: str, depth: int) -> Iterator[Node]:
        """As in the tree of facts two levels of the paths as one; each leads to the list of facts at and below it."""
        facts = reverse("memory:facts", args=[self.project.slug])
        for first in tree.children(project=self.project, scope=scope, owner=owner).branches:
            level = tree.children(project=self.project, scope=scope, owner=owner, below=first.path)
            for branch in level.branches:
                href = facts + FactQuery(scope=scope, owner=owner, below=branch.path).text()
                yield Node(branch.path, href, depth, str(branch.count), path=branch.path, here=False)

    def _by_name(self) -> Iterator[Node]:
        """What else has such a name: agents with a text in a bank, and stores."""
        find = self.wanted.find
        for entry in owner_counts.agents_in_banks(project=self.project, starts=find):
            href = reverse("memory:bank-text", args=[self.project.slug, entry.pk])
            yield Node(f"{entry.agent} in {entry.bank.name}", href, 1, "", icon="file", here=False)
        records = reverse("memory:records", args=[self.project.slug])
        for store in owner_counts.stores_named(project=self.project, starts=find):
            href = f"{records}?{urlencode({'store': store.technical_name})}"
            yield Node(f"store {store.technical_name}", href, 1, "", icon="store", here=False)

    # The rows ------------------------------------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        """Some of each system that has something here; of a single one as many as fit a page."""
        wanted, here = self.wanted, self._counts_here()
        finder = Finder(self.project, self.now, wanted.scope, wanted.owner, wanted.state, wanted.search)
        size = MANY if wanted.system else FEW
        parts = [
            Part(system, WORDS[system], finder.find(system, size), here[system], self._everything(system))
            for system in SYSTEMS
            if wanted.system in ("", system) and system in here
        ]
        return [part for part in parts if part.found.rows or part.found.short]

    def _counts_here(self) -> dict[str, Count]:
        """By system, in what is chosen."""
        if self.wanted.owner:
            return self._counts(self.wanted.scope, self.wanted.owner)
        total: dict[str, Count] = {}
        for scope in [self.wanted.scope] if self.wanted.scope else SCOPES:
            for system, number in self.counts[scope].items():
                # A session has a user: it is in both scopes, and one.
                if not (system == SESSION and system in total):
                    total[system] = total.get(system, Count(0)) + number
        return total

    def _everything(self, system: str) -> str:
        """The list of a system, narrowed to the same as far as it can be."""
        wanted, slug = self.wanted, self.project.slug
        if system == FACT:
            return (
                reverse("memory:facts", args=[slug])
                + fact_query(wanted.scope, wanted.owner, wanted.state, wanted.search).text()
            )
        if system == SESSION:
            return self.href(system=SESSION)
        name = {BLOCK: "memory:blocks", RECORD: "memory:records", BANK: "memory:banks"}[system]
        state = wanted.state if wanted.state != "forever" else ""
        given = {
            BLOCK: {"owner": wanted.owner, "text": wanted.search},
            RECORD: {"owner": wanted.owner, "state": state},
            BANK: {"bank": wanted.owner, "text": wanted.search},
        }[system]
        text = urlencode({part: value for part, value in given.items() if value})
        return reverse(name, args=[slug]) + (f"?{text}" if text else "")

    def chips(self) -> list[dict[str, Any]]:
        """The systems: pressing the pressed one shows all again."""
        here = self._counts_here()
        return [
            {
                "system": system,
                "words": WORDS[system],
                "icon": SYSTEM_ICONS[system],
                "number": str(here.get(system, Count(0))),
                "pressed": self.wanted.system == system,
                "href": self.href(system="" if self.wanted.system == system else system),
            }
            for system in SYSTEMS
        ]

    def context(self) -> dict[str, Any]:
        """What ``memory/_memory.html`` needs."""
        return {
            "wanted": self.wanted,
            "now": self.now,
            "tree": list(self.tree()),
            "parts": self.parts(),
            "chips": self.chips(),
            "states": STATE_WORDS.items(),
            "scope_words": SCOPE_WORDS.get(self.wanted.scope, ""),
            "narrowed": self.wanted != Wanted(),
            "anything": any(self.counts.values()),
            "everything": self.base,
            "refresh": self.href(),
        }
