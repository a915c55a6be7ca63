"""Inserting trace events: many small rows, so one prepared statement instead of the ORM's statements of fifty rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from django.db import connection

from constraints.models import TraceEvent
from memory.values import storable

FIELDS = tuple(field for field in TraceEvent._meta.concrete_fields if not field.primary_key)
COLUMNS = ", ".join(f'"{field.column}"' for field in FIELDS)
INSERT = (
    f'INSERT INTO "{TraceEvent._meta.db_table}" ({COLUMNS}) '  # noqa: S608 - names of our own columns
    f"VALUES ({', '.join(['%s'] * len(FIELDS))})"
)
EVENT_BYTES = 128
"""What an event takes beside its texts."""
JSON_FIELDS = frozenset(("span", "data"))
SUSPECT = re.compile(r"\\u(?:0000|d[89a-f])")
"""An escaped NUL or surrogate, also one of a pair."""


def events_insert(rows: Iterable[TraceEvent]) -> int:
    """Insert the rows in their order, inside the caller's transaction, and return the bytes that they take, roughly.

    Their primary keys are not read back.
    """
    values = [values_of(row) for row in rows]
    with connection.cursor() as cursor:
        cursor.executemany(INSERT, values)
    return sum(EVENT_BYTES + sum(len(each) for each in row if isinstance(each, str)) for row in values)


def json_text(value: Any) -> str:
    """Compact JSON in which nothing stands that PostgreSQL or UTF-8 refuses; an agent can make such text by escapes."""
    text = json.dumps(value, separators=(",", ":"), default=str)
    return json.dumps(storable(value), separators=(",", ":"), default=str) if SUSPECT.search(text) else text


def storable_json(value: Any) -> Any:
    """A JSON value as :func:`json_text` keeps it; one without such text is returned as it is."""
    return storable_and_size(value)[0]


def storable_and_size(value: Any) -> tuple[Any, int]:
    """What :func:`storable_json` returns, and the characters that it has as JSON."""
    text = json.dumps(value, default=str)
    return (storable(value) if SUSPECT.search(text) else value), len(text)


def values_of(row: TraceEvent) -> list[Any]:
    """The row in the order of ``COLUMNS``, as the database's driver takes it."""
    return [value_of(field.attname, getattr(row, field.attname)) for field in FIELDS]


def value_of(name: str, value: Any) -> Any:
    """One value; JSON as text, None as NULL."""
    if value is None:
        return None
    if name in JSON_FIELDS:
        return json_text(value)
    if name == "at":
        return connection.ops.adapt_datetimefield_value(value)
    return value
