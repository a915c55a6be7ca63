"""The tree of facts: scopes, owners, path segments, with counts that stop at a bound (docs/decisions/0006).

A level costs as many short reads as it shows names, whatever lies under them (``memory.lists.walks.neighbours``).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from editor.models import Project
from memory.lists import walks
from memory.lists.lanes import LAST, Condition, Lane, equal
from memory.models import NEAR, Fact

COUNTED = 1000
"""Counting stops at this number, so that a page over a million facts costs no more than a small one."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many, as far as was counted; ``more`` where there are or may be more."""

    number: int
    more: bool = False

    def __str__(self) -> str:
        return f"{self.number:,}+" if self.more else f"{self.number:,}"

    def __int__(self) -> int:
        return self.number

    def __bool__(self) -> bool:
        return self.number > 0 or self.more

    def __add__(self, other: Count) -> Count:
        return Count(self.number + other.number, self.more or other.more).upto(COUNTED)

    def upto(self, most: int) -> Count:
        """The same, but no more than a bound."""
        return self if self.number <= most else Count(most, True)


@dataclass(frozen=True, slots=True)
class Branch:
    """A name in the tree. ``path`` leads to it: an owner, or a path for ``FactQuery.below``.

    ``leaf``: a fact lies exactly there; ``kids``: facts lie under it.
    """

    name: str
    path: str
    count: Count
    leaf: bool = False
    kids: bool = True


@dataclass(frozen=True, slots=True)
class Level:
    """Names beside each other, in order; ``more`` lie behind the last."""

    branches: list[Branch]
    more: bool


def owners(*, project: Project, scope: str, starts: str = "", after: str = "", limit: int = 20) -> Level:
    """Owners in a scope whose name begins with ``starts``, behind ``after``, with how many facts each has."""
    served = (_project(project), *equal("scope", scope))
    return _names("owner", Lane("one_fact_per_path", served), starts=starts, after=after, limit=limit)


def agents(*, project: Project, starts: str = "", after: str = "", limit: int = 20) -> Level:
    """Agents that wrote facts which are there."""
    place = Lane("fact_by_agent", (_project(project),))
    return _names("agent", place, starts=starts, after=after, limit=limit)


def domains(*, project: Project, starts: str = "", after: str = "", limit: int = 20) -> Level:
    """Domains: second segments of paths, and those that declarations name (docs/spec 03 §5)."""
    place = Lane("fact_by_domain", (_project(project),))
    plain = _names("domain", place, starts=starts, after=after, limit=limit)
    place = Lane("fact_by_tag", (_project(project), Condition("NOT (tag = '')")))
    tagged = _names("tag", place, starts=starts, after=after, limit=limit)
    # Both stop at the same bound, so whatever is among the first of all is among the first of its kind.
    merged: dict[str, Branch] = {}
    for branch in (*plain.branches, *tagged.branches):
        known = merged.get(branch.name)
        merged[branch.name] = Branch(branch.name, branch.path, branch.count + known.count if known else branch.count)
    ordered = [merged[name] for name in sorted(merged)]
    return Level(ordered[:limit], plain.more or tagged.more or len(ordered) > limit)


def children(
    *, project: Project, scope: str, owner: str = "", below: str = "", after: str = "", limit: int = 50
) -> Level:
    """Segments of paths under a node, behind the segment ``after``, of one owner or of all in the scope."""
    index = "one_fact_per_path" if owner else "fact_by_path"
    served = (_project(project), *equal("scope", scope), *equal("owner", owner))
    start = f"{below}." if below else ""
    inside = (Condition("path >= %s AND path < %s", (start, start + LAST)),) if start else ()
    found = walks.neighbours(
        Lane(index, (*served, *inside)),
        "path",
        start=start,
        at=f"{start}{after}/" if after else start,
        limit=limit + 1,
        most=COUNTED,
    )
    branches = []
    for first, number in found[:limit]:
        name = first[len(start) :].split(".", 1)[0]
        leaf = first == start + name
        branches.append(Branch(name, start + name, Count(number).upto(COUNTED), leaf, number > leaf))
    return Level(branches, len(found) > limit)


def count_below(*, project: Project, scope: str, owner: str = "", below: str = "") -> Count:
    """How many facts lie in a scope, of an owner, at or under a node."""
    index = "one_fact_per_path" if owner else "fact_by_path"
    served = (_project(project), *equal("scope", scope), *equal("owner", owner), *_span(below))
    return _count(index, served)


def expiring_by_owner(*, project: Project, scope: str, now: datetime) -> dict[str, int]:
    """How many facts of each owner end soon, among the first ``COUNTED`` of the scope that do."""
    soon = Fact.objects.filter(project=project, scope=scope, expires_at__gt=now, expires_at__lte=now + NEAR)
    ending = soon.filter(purged_at__isnull=True).order_by("expires_at", "id")
    return dict(Counter(ending.values_list("owner", flat=True)[:COUNTED]))


def _project(project: Project) -> Condition:
    return Condition("project_id = %s", (project.pk,))


def _span(path: str) -> tuple[Condition, ...]:
    return (Condition("path >= %s AND path < %s", (path, f"{path}/")),) if path else ()


def _count(index: str, served: tuple[Condition, ...]) -> Count:
    return Count(*walks.count(Lane(index, served), most=COUNTED))


def _names(column: str, place: Lane, *, starts: str, after: str, limit: int) -> Level:
    within = (Condition(f"{column} >= %s AND {column} < %s", (starts, starts + LAST)),) if starts else ()
    lane = Lane(place.index, (*place.served, *within))
    found = walks.neighbours(lane, column, start="", at=after, limit=limit + 1, most=COUNTED)
    branches = [Branch(name, name, Count(number).upto(COUNTED)) for name, number in found[:limit]]
    return Level(branches, len(found) > limit)
