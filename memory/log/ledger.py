"""Appending to a project's change log inside a transaction that is open already."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Protocol

from django.db import connection, transaction

from memory.facts import sql
from memory.log import chain, room
from memory.models import FactChange, System

_HEAD = "SELECT seq, digest, stored_bytes FROM memory_changehead WHERE project_id = %s"
_COMMIT_UNFLUSHED = "SET LOCAL synchronous_commit TO off"
_FLUSH = "SELECT pg_logical_emit_message(true, 'facts', '')"
_NEW_HEAD = "INSERT INTO memory_changehead (project_id, seq, digest) VALUES (%s, 0, '') ON CONFLICT DO NOTHING"
_MOVE_HEAD = "UPDATE memory_changehead SET seq = %s, digest = %s, stored_bytes = %s WHERE project_id = %s"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes facts: a signed-in user, or (with neither) the run that ``source`` names."""

    user_id: int | None = None
    name: str = ""


NOBODY = Actor()


class Stored(Protocol):
    """What the log says of a fact, block, record, bank entry or artifact that ended or was shown."""

    @property
    def system(self) -> System: ...
    @property
    def project_id(self) -> int: ...
    @property
    def scope(self) -> str: ...
    @property
    def owner(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def sensitive(self) -> bool: ...
    @property
    def expires_at(self) -> datetime | None: ...
    @property
    def ttl(self) -> str: ...
    @property
    def source(self) -> dict[str, Any]: ...


@dataclass(slots=True)
class Change:
    """A log entry before it has its place; the columns of ``FactChange`` in the order of ``_COLUMNS``."""

    project_id: int
    system: str
    kind: str
    scope: str
    owner: str
    path: str
    version: int
    type: str
    at: datetime
    recorded_at: datetime
    salt: str = ""
    value: str | None = None
    nonce: str = ""
    commitment: str = ""
    sensitive: bool = False
    expires_at: datetime | None = None
    ttl: str = ""
    user_id: int | None = None
    actor: str = ""
    source: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    seq: int = 0
    digest: str = ""


_COLUMNS = tuple(item.name for item in fields(Change))
_INSERT = f"INSERT INTO memory_factchange ({', '.join(_COLUMNS)}) VALUES ({', '.join(['%s'] * len(_COLUMNS))})"  # noqa: S608


class Ledger:
    """The log of one project from lock to commit.

    Taking it locks the project's head row (on SQLite the immediate transaction already did), so writers of one project
    queue and every entry knows the digest before it. Taken first by every service, so that no two wait for each other.
    Leave the ``with`` block and the entries are written.
    """

    def __init__(self, project_id: int, *, now: datetime, actor: Actor = NOBODY) -> None:
        self.project_id, self.now, self.actor = project_id, now, actor
        self._changes: list[Change] = []

    def __enter__(self) -> Ledger:
        lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
        with connection.cursor() as cursor:
            cursor.execute(_HEAD + lock, [self.project_id])
            row = cursor.fetchone()
            if row is None:
                cursor.execute(_NEW_HEAD, [self.project_id])
                cursor.execute(_HEAD + lock, [self.project_id])
                row = cursor.fetchone()
        self._seq, self._digest, self._size = row
        return self

    def written(
        self,
        *,
        key: tuple[int, str, str, str],
        version: int,
        value_text: str,
        system: System = System.FACT,
        **columns: Any,
    ) -> None:
        """A value was written; ``value_text`` is canonical JSON, masked already where it has to be.

        Raises ``TooLarge`` (``quota-exceeded``) when the project's memory has no room for it.

        :param key: project, scope, owner, path. :param columns: type, at and what else ``Change`` has.
        """
        size = len(value_text.encode())
        room.OF_PROJECT.refuse(
            new=size + room.ENTRY_BYTES, used=self._size, whose="the project", begins=f"has {size:,} bytes; "
        )
        self._size += size
        nonce, commitment = chain.commit_to(value_text)
        kind = FactChange.Kind.WRITE
        self._append(system, kind, key, version, value=value_text, nonce=nonce, commitment=commitment, **columns)

    def noted(self, kind: FactChange.Kind, thing: Stored, *, at: datetime, reason: str) -> None:
        """Something was deleted, expired or shown: what it was and who had written it, without its value."""
        key = (thing.project_id, thing.scope, thing.owner, thing.path)
        self._append(
            thing.system,
            kind,
            key,
            thing.version,
            type=thing.type,
            at=at,
            reason=reason,
            sensitive=thing.sensitive,
            expires_at=thing.expires_at,
            ttl=thing.ttl,
            source=thing.source,
        )

    def erased(self, *, path: str, number: int, counts: Mapping[str, int], reason: str) -> int:
        """Everything about somebody was erased: how many of what, and nothing else. Returns the entry's number."""
        text = chain.canonical(counts)
        nonce, commitment = chain.commit_to(text)
        self._append(
            System.FACT,
            FactChange.Kind.ERASE,
            (self.project_id, "user", "", path),
            number,
            type="receipt",
            at=self.now,
            value=text,
            nonce=nonce,
            commitment=commitment,
            reason=reason,
        )
        return int(self._seq)

    def _append(
        self, system: System, kind: FactChange.Kind, key: tuple[int, str, str, str], version: int, **columns: Any
    ) -> None:
        project_id, scope, owner, path = key
        change = Change(
            project_id,
            str(system),
            kind.value,
            scope,
            owner,
            path,
            version,
            recorded_at=self.now,
            salt=chain.salt_for(owner),
            user_id=self.actor.user_id,
            actor=self.actor.name,
            **columns,
        )
        self._seq += 1
        change.seq = self._seq
        change.digest = self._digest = chain.digest_of(change, self._digest)
        self._changes.append(change)
        self._size += room.ENTRY_BYTES

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is not None or not self._changes:
            return
        rows = [[_stored(getattr(change, name)) for name in _COLUMNS] for change in self._changes]
        with connection.cursor() as cursor:
            cursor.executemany(_INSERT, rows) if len(rows) > 1 else cursor.execute(_INSERT, rows[0])
            cursor.execute(_MOVE_HEAD, [self._seq, self._digest, self._size, self.project_id])


@contextmanager
def writing(project_id: int, *, now: datetime, actor: Actor = NOBODY) -> Iterator[Ledger]:
    """A transaction that writes facts of a project; a savepoint where one is open already.

    On PostgreSQL the head row would stay locked while the disk confirms the commit, one writer after the other. So a
    transaction of our own commits unconfirmed, and then a second, empty one that holds no lock is confirmed: the log of
    the server is in order, so what came before it is safe too. Writers share these confirmations, and nobody hears of
    a write before it is on disk.
    """
    ours = connection.vendor == "postgresql" and not connection.in_atomic_block
    with transaction.atomic(), Ledger(project_id, now=now, actor=actor) as ledger:
        if ours:
            with connection.cursor() as cursor:
                cursor.execute(_COMMIT_UNFLUSHED)
        yield ledger
    if ours:
        with connection.cursor() as cursor:
            cursor.execute(_FLUSH)


def _stored(value: Any) -> Any:
    if isinstance(value, datetime):
        return sql.moment(value)
    return json.dumps(value) if isinstance(value, dict) else value
