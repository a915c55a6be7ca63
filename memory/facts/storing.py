"""Storing one version of a fact: its row by compare-and-set, and its entry in the log (docs/architecture.md §3).

``memory.facts.services`` decides what is written, by whom, and whether it may be; nothing here asks.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Final

from memory import values
from memory.facts import quick, sql
from memory.facts.selectors import shown
from memory.log.chain import canonical, commit_to, salt_for
from memory.log.ledger import Actor, Change, Ledger
from memory.log.seals import seal_of
from memory.models import Fact, FactChange, System
from web.errors import Conflict


class Expected(Enum):
    """``ANY``: whatever is there is replaced."""

    ANY = "any"


ANY: Final = Expected.ANY
Place = tuple[str, str, str]
"""Scope, owner and path of a fact in its project."""


def new_fact(project_id: int, **columns: Any) -> Fact:
    """A fact in memory. By position, as a row from the database is read: by name takes five times as long."""
    path, source = columns["path"], columns["source"]
    known = {"project_id": project_id, "domain": values.domain_of(path), "agent": source.get("agent", ""), "tag": "",
             "sensitive": False, "masking": {}, "seal": "", **columns}  # fmt: skip
    row: Any = [known.get(name) for name in sql.COLUMNS]
    return Fact(*row)


def put_quickly(fact: Fact, text: str, expected: int, actor: Actor, reason: str) -> bool:
    """Store the next version by ``memory.facts.quick``. False: the fact is sensitive. Raises ``Conflict``."""
    nonce, commitment = commit_to(text)
    change = Change(
        fact.project_id,
        System.FACT,
        FactChange.Kind.WRITE.value,
        fact.scope,
        fact.owner,
        fact.path,
        expected + 1,
        fact.type,
        fact.written_at,
        fact.recorded_at,
        salt_for(fact.owner),
        text,
        nonce,
        commitment,
        False,
        fact.expires_at,
        fact.ttl,
        actor.user_id,
        actor.name,
        fact.source,
        reason,
    )
    pk = quick.put_version(fact, change, json=_spelled(fact.value, text), source=canonical(fact.source))
    if pk is not None:
        fact.pk, fact.version = pk, expected + 1
        return True
    there = fact_there(fact)
    if there is not None and there.sensitive and there.version == expected:
        return False
    raise conflict_at(there, fact, expected)


def _spelled(value: Any, text: str) -> str:
    """How a fact keeps a value whose canonical JSON is ``text``."""
    return values.spelled(value) if isinstance(value, (dict, list)) else text


def fact_stored(ledger: Ledger, fact: Fact, text: str, *, expected: int | Expected | None, reason: str) -> bool:
    """Store ``fact`` if its place is in the expected state; sets its key and version and logs it, in an open ledger."""
    key = (fact.project_id, fact.scope, fact.owner, fact.path)
    masking = canonical(fact.masking) if fact.masking is not None else None
    # Whether the fact is sensitive may be known only from the existing row.
    fact.seal = seal_of(key, fact.recorded_at, text) if fact.sensitive is not False else ""
    row = (
        fact.domain, fact.tag, fact.agent, values.spelled(fact.value), fact.type, sql.moment(fact.written_at),
        sql.moment(fact.expires_at), fact.ttl,
        fact.sensitive, masking, fact.seal, canonical(fact.source), fact.virtual_clock, sql.moment(fact.recorded_at),
    )  # fmt: skip
    version = expected if isinstance(expected, int) else None
    done = sql.put(key, row, expected=version, new=expected is None, now=fact.written_at)
    if done is None:
        return False
    fact.pk, fact.version, fact.sensitive, fact.masking = (
        done.id,
        done.version,
        bool(done.sensitive),
        json.loads(done.masking),
    )
    ledger.written(
        key=key,
        version=fact.version,
        type=fact.type,
        at=fact.written_at,
        expires_at=fact.expires_at,
        ttl=fact.ttl,
        value_text=canonical(values.masked(fact.value, fact.masking)) if fact.sensitive else text,
        sensitive=fact.sensitive,
        source=fact.source,
        reason=reason,
    )
    return True


def keep_what_was(fact: Fact) -> None:
    """Give a write that does not say so what is kept over versions: sensitivity, mask, the tag of the declaration."""
    place = Fact.objects.filter(project=fact.project_id, scope=fact.scope, owner=fact.owner, path=fact.path)
    sensitive, masking, tag = place.values_list("sensitive", "masking", "tag").first() or (False, {}, "")
    if fact.sensitive is None:
        fact.sensitive, fact.masking = sensitive, masking
    fact.tag = tag


def fact_there(fact: Fact) -> Fact | None:
    """The fact at the place of another, if it is live when that was written."""
    found = sql.read((fact.project_id, fact.scope, fact.owner, fact.path))
    return found if found is not None and found.state(fact.written_at) != "expired" else None


def conflict_at(there: Fact | None, wanted: Fact, expected: int | Expected | None) -> Conflict:
    version = f"version {expected}" if expected is not None else "no fact"
    found = f"version {there.version} is there" if there else "none is there"
    return Conflict(
        f"{wanted.path}: {version} was expected, {found}. Read it again and repeat your change.",
        current=shown(there, wanted.written_at).as_dict() if there else None,
    )
