"""What the facts page shows, worked out before the template: its address, the filters, the tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from editor.models import Project
from memory.facts import selectors
from memory.lists import paging, tree
from memory.lists.query import LONGEST, STATES, FactQuery
from memory.lists.tree import Count
from memory.log.verification import chain_state
from memory.models import Scope
from web.errors import Invalid

OWNERS = 20
DEEPEST = 5
"""Indented levels of the tree; deeper nodes are indented like the last one."""
ICONS = {Scope.USER: "user", Scope.PROJECT: "project", Scope.EXECUTION_TREE: "exec"}
UNSEEN = ("scope", "owner", "below", "state", "sort")
"""Filters that the tree, the chips and the columns set; the others have a field of their own."""
AGES = (
    ("", "at any time"),
    ("1h", "in the last hour"),
    ("24h", "in the last day"),
    ("7d", "in the last 7 days"),
    ("30d", "in the last 30 days"),
)
STATE_WORDS = {"live": "Live", "expiring": "Expiring", "expired": "Expired", "forever": "No expiry"}


@dataclass(frozen=True, slots=True)
class Query:
    """The query string of the page: the filters, what the tree is narrowed to, and the place in the list."""

    filters: FactQuery
    find: str = ""
    cursor: str = ""

    @classmethod
    def read(cls, given: QueryDict) -> Query:
        """Raises ``Invalid`` for a filter that there is not."""
        find, cursor = (str(given.get(name, ""))[:LONGEST] for name in ("find", "cursor"))
        problems = {
            name: "has a NUL character" for name, text in (("find", find), ("cursor", cursor)) if "\x00" in text
        }
        parts = {name: str(value) for name, value in given.items()}
        if parts.get("scope", "") in ("", Scope.PROJECT):
            parts["owner"] = ""  # an owner only makes sense within a scope
        filters = FactQuery.read(parts)
        if problems:
            raise Invalid(fields=problems)
        return cls(filters, find, cursor)

    def __getattr__(self, name: str) -> str:
        """The filters by name, as templates ask for them."""
        if name not in FactQuery.__slots__:
            raise AttributeError(name)
        return str(getattr(self.filters, name))

    def text(self, **changes: str) -> str:
        """The query string with some parts changed; ``?`` in front unless it is empty. Any change leaves the page."""
        own = {"find": self.find, "cursor": "", **{k: v for k, v in changes.items() if k in ("find", "cursor")}}
        parts = self.filters.params(**{k: v for k, v in changes.items() if k not in own})
        text = urlencode({**parts, **{name: value for name, value in own.items() if value}})
        return f"?{text}" if text else ""


@dataclass(frozen=True, slots=True)
class Node:
    """A row of the tree. ``here``: it narrows the page that it is on, and does not lead to another."""

    label: str
    href: str
    depth: int
    number: str
    icon: str = ""
    fold: str = ""
    current: bool = False
    expiring: int = 0
    path: str = ""
    here: bool = True


class Inspector:
    """One view of a project's facts at one moment."""

    def __init__(self, project: Project, query: Query, now: datetime, *, picked: int | None = None) -> None:
        self.project, self.query, self.now, self.picked = project, query, now, picked
        self.base = reverse("memory:facts", args=[project.slug])
        self.counts = selectors.counts(project=project, query=query.filters, now=now)
        self.scopes = {
            scope: selectors.counts(
                project=project, query=FactQuery(scope=scope.value), now=now, states=("all", "expiring")
            )
            for scope in Scope
        }

    def href(self, **changes: str) -> str:
        """Address of the page with some parts of the query changed."""
        return self.base + self.query.text(**changes)

    def export_text(self, kind: str) -> str:
        """The query string of a file of all that is found."""
        return f"?{urlencode({**self.query.filters.params(), 'as': kind})}"

    def ages(self) -> list[tuple[str, str]]:
        """What "changed" can be narrowed to, and the time of the address if it is none of these."""
        since = self.query.filters.since
        return [*AGES, *([(since, f"since {since}")] if since not in dict(AGES) else [])]

    def chips(self) -> list[dict[str, Any]]:
        """The filters by state: pressing the pressed one shows all again."""
        return [
            {
                "state": state,
                "words": STATE_WORDS[state],
                "number": str(self.counts[state]),
                "pressed": self.query.filters.state == state,
                "href": self.href(state="" if self.query.filters.state == state else state),
            }
            for state in STATES
        ]

    def sorts(self) -> list[dict[str, str]]:
        """The sortable columns: words, address of the other order, the way it is sorted now."""
        now = self.query.filters.ordered
        columns = []
        for name, words in (("path", "Path"), ("time", "Time left")):
            way = "ascending" if now == name else "descending" if now == f"-{name}" else ""
            columns.append(
                {"words": words, "way": way, "href": self.href(sort=f"-{name}" if way == "ascending" else name)}
            )
        return columns

    def page(self) -> dict[str, Any]:
        """The rows, and addresses of the pages beside them."""
        page = paging.fact_page(
            project=self.project, query=self.query.filters, now=self.now, cursor=self.query.cursor, size=paging.SIZE
        )
        return {
            "rows": [selectors.shown(fact, self.now) for fact in page.facts],
            "short": page.short,
            "searched": page.searched,
            "next": self.href(cursor=page.next) if page.next else "",
            "previous": self.href(cursor=page.previous) if page.previous else "",
        }

    def tree(self) -> list[Node]:
        """Scopes; below the chosen one its owners; below the chosen owner the first segments of the paths."""
        return [node for scope in Scope for node in self._scope(scope)]

    def _scope(self, scope: Scope) -> Iterator[Node]:
        query = self.query.filters
        here = query.scope == scope.value
        counts = self.scopes[scope]
        yield Node(
            scope.label.capitalize(),
            self.href(scope=scope.value, owner="", prefix="", below="", state=""),
            0,
            str(counts["all"]),
            icon=ICONS[scope],
            fold="down" if here or self.query.find else "fold",
            current=here and not query.owner and not query.prefix and not query.below,
            expiring=int(counts["expiring"]),
        )
        if scope == Scope.PROJECT:
            if here:
                yield from self._segments(scope, "", 1)
        elif here or (self.query.find and counts["all"]):
            yield from self._owners(scope)

    def _owners(self, scope: Scope) -> Iterator[Node]:
        level = tree.owners(project=self.project, scope=scope.value, starts=self.query.find, limit=OWNERS)
        found = {branch.name: branch.count for branch in level.branches}
        chosen = self.query.filters.owner if self.query.filters.scope == scope.value else ""
        if chosen and chosen not in found:
            found[chosen] = tree.count_below(project=self.project, scope=scope.value, owner=chosen)
        soon = self.scopes[scope]["expiring"]
        ending = tree.expiring_by_owner(project=self.project, scope=scope.value, now=self.now) if soon else {}
        for owner, number in found.items():
            here = owner == chosen
            href = self.href(scope=scope.value, owner=owner, prefix="", below="", state="")
            current = here and not self.query.filters.prefix and not self.query.filters.below
            fold = "down" if here else "fold"
            yield Node(owner, href, 1, str(number), fold=fold, current=current, expiring=ending.get(owner, 0))
            if here:
                yield from self._segments(scope, owner, 2)
        if level.more:
            yield Node("more: type an ID prefix above", self.href(scope=scope.value, owner=""), 1, "")

    def _segments(self, scope: Scope, owner: str, depth: int) -> Iterator[Node]:
        """Two levels of the paths as one: the first segment is a word for the scope, the same for nearly all."""
        top = tree.children(project=self.project, scope=scope.value, owner=owner)
        for first in top.branches:
            yield from self._under(scope, owner, first.path, depth, whole=True)

    def _under(self, scope: Scope, owner: str, path: str, depth: int, *, whole: bool = False) -> Iterator[Node]:
        """What lies under a path, by its last segment unless ``whole``; the way to the chosen node is open."""
        level = tree.children(project=self.project, scope=scope.value, owner=owner, below=path)
        chosen = self.query.filters.below
        for branch in level.branches:
            open_ = branch.kids and f"{chosen}.".startswith(f"{branch.path}.")
            fold = ("down" if open_ else "fold") if branch.kids else ""
            href = self.href(scope=scope.value, owner=owner, below=branch.path, prefix="", state="")
            label = branch.path if whole else branch.name
            yield Node(
                label, href, depth, str(branch.count), fold=fold, current=chosen == branch.path, path=branch.path
            )
            if open_:
                yield from self._under(scope, owner, branch.path, min(depth + 1, DEEPEST))
        if level.more:
            href = self.href(scope=scope.value, owner=owner, below="", prefix=f"{path}.", state="")
            yield Node("more: filter by path", href, depth, "")

    def context(self) -> dict[str, Any]:
        """What ``memory/_list.html`` and the parts beside it need."""
        state = chain_state(project=self.project)
        return {
            "project": self.project,
            "query": self.query,
            "query_text": self.query.text(cursor=self.query.cursor),
            "now": self.now,
            "picked": self.picked,
            "seen": state.head_seq,
            "chain": state,
            "refresh": self.href(cursor=self.query.cursor),
            "counts": {name: str(number) for name, number in self.counts.items()},
            "narrowed": self.query.filters.narrowed,
            "hidden": self.query.filters.params(),
            "unseen": [(name, text) for name, text in self.query.filters.params().items() if name in UNSEEN],
            "found_text": self.query.filters.text(),
            "export_csv": self.export_text("csv"),
            "export_json": self.export_text("json"),
            "ages": self.ages(),
            "chips": self.chips(),
            "sorts": self.sorts(),
            "tree": self.tree(),
            "everything": self.base,
            "in_project": str(sum((numbers["all"] for numbers in self.scopes.values()), Count(0))),
            "removed": selectors.last_removal(project=self.project),
            "expiring_in_project": sum(int(numbers["expiring"]) for numbers in self.scopes.values()),
            **self.page(),
        }
