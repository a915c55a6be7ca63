"""The statements that Django's ORM cannot say: compare-and-set in one statement (docs/architecture.md §3).

The same text runs on SQLite and PostgreSQL. Callers hold the lock of the project's log (``memory.log.ledger``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection

from memory.models import Fact

KEY = ("project_id", "scope", "owner", "path")
FIELDS = (
    "domain", "tag", "agent", "value", "type", "written_at", "expires_at", "ttl", "sensitive", "masking", "seal",
    "source", "virtual_clock", "recorded_at",
)  # fmt: skip

# Versions continue where the log of that path ends: a fact deleted and written again is not taken for the old one.
_UPSERT = f"""
INSERT INTO memory_fact ({", ".join(KEY + FIELDS)}, version)
VALUES ({", ".join(["%s"] * len(KEY + FIELDS))}, 1 + COALESCE((
    SELECT version FROM memory_factchange
    WHERE project_id = %s AND system = 'fact' AND scope = %s AND owner = %s AND path = %s
    ORDER BY seq DESC LIMIT 1), 0))
ON CONFLICT ({", ".join(KEY)}) DO UPDATE
SET {", ".join(f"{name} = excluded.{name}" for name in FIELDS)}, purged_at = NULL, version = memory_fact.version + 1
"""  # noqa: S608
_RETURNING = "RETURNING id, version, sensitive, masking"
PUT_ANY = f"{_UPSERT} {_RETURNING}"
# A new fact may replace a tombstone, but not a live fact.
PUT_NEW = f"{_UPSERT} WHERE memory_fact.purged_at IS NOT NULL {_RETURNING}"
# Not an upsert: with a version given, a fact that is gone must stay gone.
_KEPT = ("sensitive", "masking", "tag")
PUT_VERSION = f"""
UPDATE memory_fact SET version = version + 1,
  {", ".join(f"{name} = COALESCE(%s, {name})" if name in _KEPT else f"{name} = %s" for name in FIELDS)}
WHERE project_id = %s AND scope = %s AND owner = %s AND path = %s AND version = %s
  AND purged_at IS NULL AND (expires_at IS NULL OR expires_at > %s)
{_RETURNING}
"""  # noqa: S608


COLUMNS = tuple(column.attname for column in Fact._meta.concrete_fields)
_FLAGS = ("sensitive", "virtual_clock")
_JSON = ("value", "masking", "source")
_READ = f"""
SELECT {", ".join(f"CAST({name} AS text)" if name in _JSON else name for name in COLUMNS)}
FROM memory_fact WHERE project_id = %s AND scope = %s AND owner = %s AND path = %s
"""  # noqa: S608


class Written(NamedTuple):
    """What a write made of a fact; ``masking`` is JSON text."""

    id: int
    version: int
    sensitive: bool
    masking: str


def moment(value: datetime | None) -> Any:
    """A time as the database of the connection takes it."""
    return connection.ops.adapt_datetimefield_value(value) if value is not None else None


def put(key: Sequence[Any], values: Sequence[Any], *, expected: int | None, new: bool, now: datetime) -> Written | None:
    """Write a fact; None when it is not in the state that was expected.

    :param key: project id, scope, owner, path.
    :param values: in the order of ``FIELDS``; JSON as text, times by ``moment``.
    With ``expected``, None for ``sensitive`` and ``masking`` keeps what they were.

    :param expected: the version that must be there, live at ``now``; None for any.
    :param new: with ``expected`` None, refuse to replace a fact that is not purged.
    """
    with connection.cursor() as cursor:
        if expected is not None:
            cursor.execute(PUT_VERSION, [*values, *key, expected, moment(now)])
        else:
            cursor.execute(PUT_NEW if new else PUT_ANY, [*key, *values, *key])
        row = cursor.fetchone()
    return Written(*row) if row is not None else None


def read(key: Sequence[Any]) -> Fact | None:
    """The fact at a place, tombstones too. What ``Fact.objects`` gives, at a tenth of its cost."""
    with connection.cursor() as cursor:
        cursor.execute(_READ, key)
        row = cursor.fetchone()
    return (
        Fact.from_db(connection.alias, COLUMNS, [_read(name, value) for name, value in zip(COLUMNS, row, strict=True)])
        if row
        else None
    )


def _read(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _JSON:
        return json.loads(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)  # SQLite keeps no zone
    return bool(value) if name in _FLAGS else value
