"""The next version of a fact with its log entry, in as few steps as the database allows (docs/decisions/0005).

What ``memory.facts.services`` does with a ledger takes PostgreSQL seven answers, and during five of them every
other writer of the project waits. Here all that can be computed is computed before the log is taken; then PostgreSQL
runs one procedure (``memory_fact_put`` in the first migration), and SQLite four statements on the bare connection. Both
do what the ledger does: the fact moves on from the expected version alone, the entry is chained to the one before it,
and both are kept or neither.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from memory.log.chain import body_of, link
from memory.log.ledger import Change
from memory.models import Fact

_AT_ITS_VERSION = """
WHERE project_id = ? AND scope = ? AND owner = ? AND path = ? AND version = ? AND NOT sensitive AND purged_at IS NULL
"""
_UPDATE = f"""
UPDATE memory_fact SET version = version + 1, value = ?, type = ?, written_at = ?, ttl = ?, source = ?, recorded_at = ?,
  agent = ?, virtual_clock = ?, expires_at = ?
{_AT_ITS_VERSION} AND (expires_at IS NULL OR expires_at > ?) RETURNING id
"""  # noqa: S608
# SQLite writes every index anew that holds a column which is set, also to what it was.
_UPDATE_VALUE = f"""
UPDATE memory_fact SET version = version + 1, value = ?, type = ?, written_at = ?, ttl = ?, source = ?, recorded_at = ?
{_AT_ITS_VERSION} AND agent = ? AND virtual_clock = ? AND expires_at IS NULL RETURNING id
"""  # noqa: S608
_HEAD = "SELECT seq, digest FROM memory_changehead WHERE project_id = ?"
_MOVE_HEAD = "UPDATE memory_changehead SET seq = ?, digest = ? WHERE project_id = ?"
_LOG = """
INSERT INTO memory_factchange (project_id, seq, system, kind, scope, owner, salt, path, version, type, value, nonce,
  commitment, sensitive, at, expires_at, ttl, user_id, actor, source, reason, recorded_at, digest)
VALUES (?, ?, 'fact', 'write', ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_GIVEN = ", ".join(["%s"] * 22)
_FUNCTION = f"SELECT memory_fact_set({_GIVEN})"
_PROCEDURE = f"CALL memory_fact_put(NULL, {_GIVEN})"


def put_version(fact: Fact, change: Change, *, json: str, source: str) -> int | None:
    """Store ``fact`` over version ``change.version - 1`` and log ``change``; the key of the fact.

    None, and nothing is changed, when that version is not there, not live, or sensitive.

    :param change: the entry without number and digest; its value is not masked.
    :param json: the value as the fact keeps it. :param source: the source as JSON.
    """
    database = connections[DEFAULT_DB_ALIAS]
    database.close_if_health_check_failed()
    database.ensure_connection()
    way = _by_procedure if database.vendor == "postgresql" else _by_statements
    with database.wrap_database_errors:
        return way(database.connection, fact, change, (json, source), alone=not database.in_atomic_block)


def _by_procedure(bare: Any, fact: Fact, change: Change, texts: tuple[str, str], *, alone: bool) -> int | None:
    import psycopg

    json, source = texts
    given = (
        change.project_id, change.scope, change.owner, change.path, change.version,
        fact.agent, json, change.type, change.at, change.expires_at, change.ttl, source, fact.virtual_clock,
        change.recorded_at, change.salt, change.value, change.nonce, change.commitment,
        change.user_id, change.actor, change.reason, body_of(change),
    )  # fmt: skip
    # Not Django's cursor: that writes the values into the text, which costs more than the statement.
    row = psycopg.Cursor(bare).execute(_PROCEDURE if alone else _FUNCTION, given).fetchone()
    return row[0] if row else None


def _by_statements(bare: Any, fact: Fact, change: Change, texts: tuple[str, str], *, alone: bool) -> int | None:
    json, source = texts
    at, expires_at, recorded_at = map(_text, (change.at, change.expires_at, change.recorded_at))
    body = body_of(change)
    new = (json, change.type, at, change.ttl, source, recorded_at)
    place = (change.project_id, change.scope, change.owner, change.path, change.version - 1)
    if alone:
        bare.execute("BEGIN IMMEDIATE")
    try:
        found = []
        if expires_at is None:
            found = bare.execute(_UPDATE_VALUE, (*new, *place, fact.agent, fact.virtual_clock)).fetchall()
        if not found:
            found = bare.execute(_UPDATE, (*new, fact.agent, fact.virtual_clock, expires_at, *place, at)).fetchall()
        if found:
            seq, before = bare.execute(_HEAD, (change.project_id,)).fetchone()
            change.seq = seq + 1
            change.digest = link(before, change.seq, change.version, body)
            bare.execute(_LOG, (
                change.project_id, change.seq, change.scope, change.owner, change.salt, change.path, change.version,
                change.type, change.value, change.nonce, change.commitment, at, expires_at, change.ttl, change.user_id,
                change.actor, source, change.reason, recorded_at, change.digest,
            ))  # fmt: skip
            bare.execute(_MOVE_HEAD, (change.seq, change.digest, change.project_id))
        if alone:
            bare.execute("COMMIT")
    except BaseException:
        if alone and bare.in_transaction:
            bare.execute("ROLLBACK")
        raise
    return found[0][0] if found else None


def _text(value: datetime | None) -> str | None:
    """A time as Django keeps it in SQLite."""
    if value is None:
        return None
    return str(value if value.tzinfo is UTC else value.astimezone(UTC))[:-6]
