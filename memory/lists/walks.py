"""Reading lanes: the statements behind a page of facts (``memory.lists.lanes``, docs/decisions/0006).

A read looks at a bounded number of rows, so that no combination of filters costs more than another; it says where it
stopped, and ``memory.lists.paging`` continues from there. Neither database may choose the plan: SQLite is
told the index, and PostgreSQL gets an inner query whose order is that of one index, inside a LIMIT, which the planner
cannot move conditions across.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection

from memory.facts import sql
from memory.lists.lanes import Condition, Lane, Phase
from memory.lists.query import FactQuery

ROWS = (250, 2000)
"""Rows that one read of a lane looks at, at first and at most."""
ROWS_SEARCHED = (100, 500)
"""The same where values are searched, which may be long."""
_ALL = 1_000_000_000
_COLUMN = {
    "fact_by_expiry": "expires_at",
    "fact_expiry_by_agent": "expires_at",
    "fact_expiry_by_domain": "expires_at",
    "fact_expiry_by_tag": "expires_at",
    "fact_by_change": "recorded_at",
}
"""What an index is ordered by behind that which is served, where that is not the path."""


class Spot(NamedTuple):
    """A place in a phase: the value that orders it, and the id of the fact."""

    key: Any
    pk: int


class Looked(NamedTuple):
    """What a read found, in order, and where it stopped short of the end of the lane (None: it came to the end)."""

    found: list[Spot]
    stopped: Spot | None


def rows_of(query: FactQuery) -> tuple[int, int]:
    """Rows that one read looks at, at first and at most."""
    return ROWS_SEARCHED if query.search else ROWS


def look(phase: Phase, lane: Lane, after: Spot | None, *, back: bool, wanted: int, rows: int) -> Looked:
    """Up to ``wanted`` facts of a lane beyond a place, having looked at ``rows`` rows at most.

    A lane that is ``whole``, or whose index serves everything, is never stopped.
    """
    down = phase.down != back
    order = _order(lane, phase.column, down)
    beyond = _beyond(lane, phase.column, after, down)
    if lane.whole:
        inner = _select(lane, phase.column, lane.served, f"LIMIT {_ALL}")
        return Looked(_spots(_outer(inner, (*lane.rest, *beyond), phase.column, order, wanted), phase.column), None)
    served = (*lane.served, *beyond)
    if not lane.rest:
        found = _select(lane, phase.column, served, f"ORDER BY {order} LIMIT {wanted}")
        return Looked(_spots(found, phase.column), None)
    inner = _select(lane, phase.column, served, f"ORDER BY {order} LIMIT {rows}")
    spots = _spots(_outer(inner, lane.rest, phase.column, order, wanted), phase.column)
    if len(spots) == wanted:
        return Looked(spots, None)
    last = _select(lane, phase.column, served, f"ORDER BY {order} LIMIT 1 OFFSET {rows - 1}", bare=True)
    end = _spots(last, phase.column)
    return Looked(spots, end[0] if end else None)


def count(lane: Lane, *, most: int, rows: int | None = None) -> tuple[int, bool]:
    """How many facts a lane holds, and whether there may be more.

    :param most: where counting ends. :param rows: how many rows are looked at; None judges by the index alone, without
        the rest.
    """
    order = _COLUMN.get(lane.index, "path")  # without it PostgreSQL may begin at the wrong end of the table
    if rows is None or not lane.rest:
        tail = f"ORDER BY {order} LIMIT {most + 1}"
        inner = _where(f"SELECT 1 FROM {_table(lane)}", lane.served, tail)  # noqa: S608
        number = int(_run(Condition(f"SELECT count(*) FROM ({inner.text}) AS looked", inner.given))[0][0])  # noqa: S608
        return min(number, most), number > most
    inner = _select(lane, order, lane.served, f"ORDER BY {order} LIMIT {rows}")
    hit = " AND ".join(f"({each.text})" for each in lane.rest)
    given = tuple(value for each in lane.rest for value in each.given)
    text = f"SELECT count(*), sum(CASE WHEN {hit} THEN 1 ELSE 0 END) FROM ({inner.text}) AS looked"  # noqa: S608
    looked, number = _run(Condition(text, (*given, *inner.given)))[0]
    return min(int(number or 0), most), looked == rows or (number or 0) > most


def neighbours(
    lane: Lane, column: str, *, start: str, at: str, limit: int, most: int, by: str = "path"
) -> list[tuple[str, int]]:
    """Different names along a lane in order, with how many facts have each, counted up to ``most`` + 1.

    It leaps from each name to the first one after everything under it. So names beside each other cost a
    short read each, whatever lies under them. Each is given by the first value of the column that it has.

    :param column: ``path`` for segments of paths behind ``start``; any other column is a name as a whole.
    :param at: where to begin; of a name as a whole, what lies behind it.
    :param by: what the index is ordered by behind the column, in which rows are counted.
    """
    table = _table(lane)
    if column == "path":
        name, end = _segment(start), _segment(start, "/")
        begin, onward, within = "path >= %s", f"path >= {end}", f"path >= {name} AND path < {end}"
    else:
        begin, onward, within = f"{column} > %s", f"{column} > leap.name", f"{column} = leap.name"
    served = _where("", lane.served, "").text.replace("WHERE", "").strip()
    leap = f"SELECT {column} FROM {table} WHERE {served} AND {{}} ORDER BY {column} LIMIT 1"  # noqa: S608
    counted = f"SELECT 1 FROM {table} WHERE {served} AND {within} ORDER BY {by} LIMIT {most + 1}"  # noqa: S608
    text = f"""
WITH RECURSIVE leap(name, number) AS (
  SELECT ({leap.format(begin)}), 1
  UNION ALL SELECT ({leap.format(onward)}), number + 1 FROM leap WHERE name IS NOT NULL AND number < {limit}
)
SELECT name, (SELECT count(*) FROM ({counted}) AS counted) FROM leap WHERE name IS NOT NULL ORDER BY number
"""  # noqa: S608
    given = tuple(value for each in lane.served for value in each.given)
    return _run(Condition(text, (*given, at, *given, *given)))


def _segment(start: str, tail: str = "") -> str:
    """A path up to the end of its first segment behind ``start``, which holds names and dots alone."""
    behind = f"substr(leap.name, {len(start) + 1})"
    if connection.vendor == "postgresql":
        segment = f"split_part({behind}, '.', 1)"
    else:
        segment = f"substr({behind}, 1, instr({behind} || '.', '.') - 1)"
    return f"(substr(leap.name, 1, {len(start)}) || {segment} || '{tail}')"


def _select(lane: Lane, column: str, served: Iterable[Condition], tail: str, *, bare: bool = False) -> Condition:
    """The rows of an index; ``bare``: without the columns that the rest would read."""
    read = () if bare else (name for each in lane.rest for name in each.columns)
    # A whole lane is ordered outside, by columns that the rest need not have.
    columns = dict.fromkeys((column, "id", *read))
    return _where(f"SELECT {', '.join(columns)} FROM {_table(lane)}", served, tail)  # noqa: S608


def _outer(inner: Condition, rest: Iterable[Condition], column: str, order: str, wanted: int) -> Condition:
    head = f"SELECT {column}, id FROM ({inner.text}) AS looked"  # noqa: S608
    found = _where(head, rest, f"ORDER BY {order} LIMIT {wanted}")
    return Condition(found.text, (*inner.given, *found.given))


def _where(head: str, conditions: Iterable[Condition], tail: str) -> Condition:
    conditions = list(conditions)
    where = " AND ".join(f"({each.text})" for each in conditions)
    given = tuple(value for each in conditions for value in each.given)
    return Condition(f"{head} WHERE {where} {tail}" if where else f"{head} {tail}", given)


def _table(lane: Lane) -> str:
    # The index behind a constraint has no name of its own there; no other serves an owner as well.
    hinted = connection.vendor == "sqlite" and not lane.index.startswith("one_")
    return f"{lane.table} INDEXED BY {lane.index}" if hinted else lane.table


def _order(lane: Lane, column: str, down: bool) -> str:
    way = "DESC" if down else "ASC"
    # An owner has a path once.
    once = lane.index == "one_fact_per_path" and column == "path" and not lane.whole
    return f"{column} {way}" if once else f"{column} {way}, id {way}"


def _beyond(lane: Lane, column: str, after: Spot | None, down: bool) -> tuple[Condition, ...]:
    if after is None:
        return ()
    sign = "<" if down else ">"
    key = sql.moment(after.key) if isinstance(after.key, datetime) else after.key
    # The bound on the column alone is redundant, but it is what every index can begin at.
    return (Condition(f"{column} {sign}= %s AND ({column}, id) {sign} (%s, %s)", (key, key, after.pk), (column, "id")),)


def _spots(query: Condition, column: str) -> list[Spot]:
    return [Spot(_moment(key) if column != "path" else key, pk) for key, pk in _run(query)]


def _run(query: Condition) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query.text, list(query.given))
        return list(cursor.fetchall())


def _moment(key: datetime | str) -> datetime:
    """SQLite keeps no zone, and calls a time that comes from an inner query a text."""
    at = datetime.fromisoformat(key) if isinstance(key, str) else key
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
