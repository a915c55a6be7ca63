"""The hash chain of a project's change log: what is hashed, and how to walk it.

``digest = sha256(digest before, number, version, body)``, a line each; the body is canonical JSON of everything else in
the entry. A value enters by its commitment, ``sha256(nonce + canonical JSON of the value)``. What an entry about an
owner says of people enters by its mark, ``sha256(salt + text)``: the owner, the reason, and whoever changed what is
their own. Nothing can be guessed from these, and erasing value and nonce, or putting the marks in the place of the
texts (``without_owner``), leaves the chain whole (docs/architecture.md §2, "A fact").

Number and version stand outside the body because PostgreSQL gives them (``memory.facts.quick``); it writes no
canonical JSON.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol


class Entry(Protocol):
    """What the chain reads of a log entry."""

    seq: int
    system: str
    kind: str
    scope: str
    owner: str
    salt: str
    path: str
    version: int
    type: str
    value: str | None
    nonce: str
    commitment: str
    sensitive: bool
    at: datetime
    expires_at: datetime | None
    ttl: str
    user_id: int | None
    actor: str
    source: dict[str, Any]
    reason: str
    recorded_at: datetime
    digest: str


@dataclass(frozen=True, slots=True)
class Break:
    """The first entry at which a log does not hold, and why."""

    seq: int
    why: str


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces. Raises ``ValueError`` for NaN and infinities."""
    return _ENCODER.encode(value)


def commit_to(text: str) -> tuple[str, str]:
    """A fresh nonce and the commitment to ``text`` under it."""
    nonce = secrets.token_hex(16)
    return nonce, commitment_of(nonce, text)


def commitment_of(nonce: str, text: str) -> str:
    return hashlib.sha256((nonce + text).encode()).hexdigest()


def salt_for(owner: str) -> str:
    """A fresh salt for an entry about an owner; "" where there is none to hide."""
    return secrets.token_hex(8) if owner else ""


def mark_of(entry: Entry, text: str) -> str:
    """How a text of an entry enters the digest; in an entry without a salt it is the mark already, or hides nobody."""
    return hashlib.sha256((entry.salt + text).encode()).hexdigest() if entry.salt and text else text


def origin_of(entry: Entry) -> tuple[int | None, str, dict[str, Any]]:
    """User, actor and source as they enter the digest: by marks where they name the owner, or who used a session."""
    hides_all = bool(entry.owner) and entry.scope == "session"
    if not (hides_all or entry.actor == entry.owner or entry.owner in entry.source.values()):
        return entry.user_id, entry.actor, entry.source

    def shown(name: str, text: Any) -> Any:
        named = isinstance(text, str) and (text == entry.owner or (hides_all and name in ("actor", "by")))
        return mark_of(entry, text) if named else text

    actor = shown("actor", entry.actor)
    user = None if entry.owner and entry.actor and (hides_all or entry.actor == entry.owner) else entry.user_id
    return user, actor, {name: shown(name, text) for name, text in entry.source.items()}


def without_owner(entry: Entry) -> dict[str, Any]:
    """The columns of an entry about an owner from which value, owner and reason are erased; its digest still holds."""
    user_id, actor, source = origin_of(entry)
    return {
        "owner": mark_of(entry, entry.owner), "salt": "", "value": None, "nonce": "", "user_id": user_id,
        "actor": actor, "source": source, "reason": mark_of(entry, entry.reason),
    }  # fmt: skip


def moment(value: datetime | None) -> str | None:
    """A time as both databases keep it: UTC, microseconds."""
    if value is None:
        return None
    return (value if value.tzinfo is UTC else value.astimezone(UTC)).isoformat(timespec="microseconds")


def body_of(entry: Entry) -> str:
    """What the digest covers beside number and version."""
    return canonical([
        str(entry.system), entry.kind, entry.scope, mark_of(entry, entry.owner), entry.path, entry.type,
        entry.commitment, bool(entry.sensitive), moment(entry.at), moment(entry.expires_at), entry.ttl,
        *origin_of(entry), mark_of(entry, entry.reason), moment(entry.recorded_at),
    ])  # fmt: skip


def link(before: str, seq: int, version: int, body: str) -> str:
    """The digest of an entry that follows one with the digest ``before`` ("" for the first)."""
    return hashlib.sha256(f"{before}\n{seq}\n{version}\n{body}".encode()).hexdigest()


def digest_of(entry: Entry, before: str) -> str:
    """The digest that an entry must have after one with the digest ``before``."""
    return link(before, entry.seq, entry.version, body_of(entry))


def first_break(
    entries: Iterable[Entry], *, head_seq: int | None, head_digest: str, after: tuple[int, str] = (0, "")
) -> Break | None:
    """Walk entries in order of ``seq``; None when they are complete and unchanged.

    :param head_seq: where the entries have to end, with ``head_digest``; None when they are only a part of the log.
    :param after: number and digest of the entry before the first of them.
    """
    seq, before = after
    for entry in entries:
        if entry.seq != seq + 1:
            return Break(seq + 1, f"entry {seq + 1} is missing; entry {entry.seq} follows {seq}")
        if entry.value is not None and commitment_of(entry.nonce, entry.value) != entry.commitment:
            return Break(entry.seq, "the value is not the one that was recorded")
        if digest_of(entry, before) != entry.digest:
            return Break(entry.seq, "the entry is not the one that was recorded")
        seq, before = entry.seq, entry.digest
    if head_seq is not None and seq != head_seq:
        return Break(seq + 1, f"the log ends at {seq}, its head says {head_seq}")
    if head_seq is not None and before != head_digest:
        return Break(seq, "the head of the log has another digest than this entry")
    return None
