"""Which index a list of facts is read by (docs/decisions/0006).

A list is read in *phases*, each with one order, and a phase in *lanes* that are merged. A lane is a walk along one
index: conditions that the index serves limit the walk, and the ``rest`` is checked for each row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from memory.facts import sql
from memory.lists.query import FactQuery
from memory.models import NEAR, Scope

LAST = "\U0010ffff"


class Condition(NamedTuple):
    """A part of WHERE, and the columns that it reads."""

    text: str
    given: tuple[Any, ...] = ()
    columns: tuple[str, ...] = ()


_ENDS = Condition("expires_at IS NOT NULL", (), ("expires_at",))
_ENDLESS = Condition("expires_at IS NULL", (), ("expires_at",))
_TAGGED = Condition("NOT (tag = '')")


@dataclass(frozen=True, slots=True)
class Lane:
    """A walk along an index. ``whole``: so few rows that all are read, and then put in order."""

    index: str
    served: tuple[Condition, ...]
    rest: tuple[Condition, ...] = ()
    whole: bool = False
    table: str = "memory_fact"


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a list with one order: by ``column``, then id."""

    number: int
    column: str
    down: bool
    lanes: tuple[Lane, ...]


class Conditions:
    """The filters of a query as conditions, at a moment; a filter that is not set has none."""

    def __init__(self, project_id: int, query: FactQuery, now: datetime) -> None:
        self.query, self.now = query, now
        self.project = Condition("project_id = %s", (project_id,))
        self.scopes = [query.scope] if query.scope else [str(value) for value in Scope.values]
        since = query.since_at(now)
        self.by_name: dict[str, tuple[Condition, ...]] = {
            "scope": equal("scope", query.scope),
            "owner": equal("owner", query.owner),
            "path": (*_prefix(query.prefix), *_below(query.below)),
            "domain": _domain(query.domain),
            "agent": equal("agent", query.agent),
            "since": (Condition("recorded_at >= %s", (sql.moment(since),), ("recorded_at",)),) if since else (),
            "state": _state(query.state, now),
            "search": _search(query.search, now),
        }

    def of(self, name: str) -> tuple[Condition, ...]:
        """The conditions of one filter."""
        return self.by_name[name]

    def but(self, *served: str) -> tuple[Condition, ...]:
        """The conditions of all filters but those that an index serves."""
        return tuple(each for name, found in self.by_name.items() if name not in served for each in found)

    def place(self, scope: str) -> tuple[Condition, ...]:
        """What indexes by scope begin with."""
        return (self.project, *equal("scope", scope))


def phases_of(project_id: int, query: FactQuery, now: datetime) -> list[Phase]:
    """The phases of a list in the order of the query."""
    given = Conditions(project_id, query, now)
    order, down = query.ordered.lstrip("-"), query.ordered.startswith("-")
    if order == "changed":
        return [Phase(0, "recorded_at", down, (_changed(given),))]
    if order == "path":
        return [Phase(0, "path", down, tuple(_by_path(given)))]
    return _in_time(down, query.state, tuple(_timed(given)), tuple(_endless(given)))


def with_lanes(phases: list[Phase], lanes: tuple[Lane, ...]) -> list[Phase]:
    """The same phases over other lanes that hold all facts of the list."""
    if len(phases) == 1 and phases[0].column != "expires_at":
        return [replace(phase, lanes=lanes) for phase in phases]
    ends = {"expires_at": _ENDS, "path": _ENDLESS}
    return [
        replace(phase, lanes=tuple(replace(lane, rest=(*lane.rest, ends[phase.column])) for lane in lanes))
        for phase in phases
    ]


def narrow(project_id: int, query: FactQuery, now: datetime) -> Iterator[tuple[Lane, ...]]:
    """For each filter that an index serves, the lanes that hold all facts which pass it: few, perhaps."""
    given = Conditions(project_id, query, now)
    if query.owner:
        yield (_of_owner(given),)
    if query.agent:
        yield (_of_agent(given),)
    if query.domain:
        yield tuple(_of_domain(given))
    if query.prefix or query.below:
        yield tuple(_of_scopes(given))
    if query.since:
        yield (_changed(given),)
    if query.state in ("expiring", "expired"):
        yield tuple(_timed(given))
    if query.state == "forever":
        yield tuple(_endless(given))


def _in_time(down: bool, state: str, timed: tuple[Lane, ...], endless: tuple[Lane, ...]) -> list[Phase]:
    """By time left the facts that never expire follow those that do."""
    first, second = Phase(0, "expires_at", down, timed), Phase(1, "path", False, endless)
    if state == "forever":
        return [second]
    if state in ("expiring", "expired"):
        return [first]
    return [second, first] if down else [first, second]


def _by_path(given: Conditions) -> Iterator[Lane]:
    named = _named(given)
    if named:
        yield from named
    elif given.query.state == "forever":
        yield from _endless(given)
    else:
        yield from _of_scopes(given)


def _named(given: Conditions) -> list[Lane]:
    """The lanes by path of an owner, a domain or an agent that is asked for."""
    query = given.query
    if query.owner:
        return [_of_owner(given)]
    if query.domain:  # before the agent: facts of a domain lie together by path
        return list(_of_domain(given))
    return [_of_agent(given)] if query.agent else []


def _of_owner(given: Conditions) -> Lane:
    served = (*given.place(given.query.scope), *given.of("owner"), *given.of("path"))
    return Lane("one_fact_per_path", served, given.but("scope", "owner", "path"))


def _of_agent(given: Conditions) -> Lane:
    served = (given.project, *given.of("agent"), *given.of("path"))
    return Lane("fact_by_agent", served, given.but("agent", "path"))


def _of_domain(given: Conditions) -> Iterator[Lane]:
    name, rest = given.query.domain, given.but("domain", "path")
    yield Lane("fact_by_domain", (given.project, *equal("domain", name), *given.of("path")), rest)
    tagged = (given.project, _TAGGED, *equal("tag", name), *given.of("path"))
    yield Lane("fact_by_tag", tagged, (*rest, _other_domain(name)))


def _of_scopes(given: Conditions) -> Iterator[Lane]:
    # Live facts lie past any number of tombstones.
    past = given.query.state in ("live", "expiring")
    there = (Condition("purged_at IS NULL"),) if past else ()
    for scope in given.scopes:
        served = (*given.place(scope), *there, *given.of("path"))
        yield Lane("fact_not_purged" if past else "fact_by_path", served, given.but("scope", "path"))


def _timed(given: Conditions) -> Iterator[Lane]:
    """Facts that expire, by when. Those of an agent or a domain have an index of their own: they may be few."""
    query, state, now = given.query, given.query.state, sql.moment(given.now)
    after, until = Condition("expires_at > %s", (now,)), Condition("expires_at <= %s", (now,))
    soon = Condition("expires_at <= %s", (sql.moment(given.now + NEAR),))
    ends = (_ENDS, *{"live": (after,), "expiring": (after, soon), "expired": (until,)}.get(state, ()))
    past = (Condition("purged_at IS NULL", (), ("purged_at",)),) if state in ("live", "expiring") else ()
    if query.domain:
        rest, name = (*given.but("domain", "state"), *past), query.domain
        yield Lane("fact_expiry_by_domain", (given.project, *equal("domain", name), *ends), rest)
        tagged = (given.project, _TAGGED, *equal("tag", name), *ends)
        yield Lane("fact_expiry_by_tag", tagged, (*rest, _other_domain(name)))
    elif query.agent:
        served = (given.project, Condition("NOT (agent = '')"), *given.of("agent"), *ends)
        yield Lane("fact_expiry_by_agent", served, (*given.but("agent", "state"), *past))
    else:
        for scope in given.scopes:
            yield Lane("fact_by_expiry", (*given.place(scope), *ends), (*given.but("scope", "state"), *past))


def _endless(given: Conditions) -> Iterator[Lane]:
    """Facts that never expire, by path."""
    named = _named(given)
    if named:
        forever = () if given.query.state == "forever" else (_ENDLESS,)
        yield from (replace(lane, rest=(*lane.rest, *forever)) for lane in named)
        return
    for scope in given.scopes:
        served = (*given.place(scope), _ENDLESS, *given.of("path"))
        yield Lane("fact_without_expiry", served, given.but("scope", "state", "path"))


def _changed(given: Conditions) -> Lane:
    return Lane("fact_by_change", (given.project, *given.of("since")), given.but("since"))


def equal(column: str, value: str) -> tuple[Condition, ...]:
    """The column has a value; no condition for an empty one."""
    return (Condition(f"{column} = %s", (value,), (column,)),) if value else ()


def _prefix(text: str) -> tuple[Condition, ...]:
    return (Condition("path >= %s AND path < %s", (text, text + LAST), ("path",)),) if text else ()


def _below(path: str) -> tuple[Condition, ...]:
    """A path and what lies under it. The slash follows the dot, and no name has a character before the dot."""
    return (
        (
            Condition("path >= %s AND path < %s", (path, f"{path}/"), ("path",)),
            Condition("(path = %s OR path >= %s)", (path, f"{path}."), ("path",)),
        )
        if path
        else ()
    )


def _domain(name: str) -> tuple[Condition, ...]:
    return (Condition("(domain = %s OR tag = %s)", (name, name), ("domain", "tag")),) if name else ()


def _other_domain(name: str) -> Condition:
    """Facts that have the name as domain and as tag are read by the domain."""
    return Condition("domain <> %s", (name,), ("domain",))


def _state(state: str, now: datetime) -> tuple[Condition, ...]:
    """As ``memory.facts.selectors.in_state``."""
    at, near, columns = sql.moment(now), sql.moment(now + NEAR), ("purged_at", "expires_at")
    return {
        "live": (Condition("purged_at IS NULL AND (expires_at IS NULL OR expires_at > %s)", (at,), columns),),
        "expiring": (Condition("purged_at IS NULL AND expires_at > %s AND expires_at <= %s", (at, near), columns),),
        "expired": (Condition("expires_at IS NOT NULL AND expires_at <= %s", (at,), columns),),
        "forever": (Condition("expires_at IS NULL", (), columns),),
    }.get(state, ())


def _search(text: str, now: datetime) -> tuple[Condition, ...]:
    """Search in the stored JSON; sensitive values are left out, or a search would reveal what the mask hides."""
    if not text:
        return ()
    wanted = json.dumps(text, ensure_ascii=False)[1:-1]
    if connection.vendor == "postgresql":
        matches = Condition("value::text ~* %s", (f"***={wanted}",), ("value",))
    else:
        matches = Condition("value REGEXP %s", (f"(?i){re.escape(wanted)}",), ("value",))
    shown = Condition("NOT sensitive AND value IS NOT NULL", (), ("sensitive", "value"))
    return (*_state("live", now), shown, matches)
