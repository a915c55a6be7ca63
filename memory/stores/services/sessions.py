"""What a session carries: metadata of the caller, and its end (docs/spec 11 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from editor.models import Project, User
from memory import values
from memory.facts.services import actor_of, by_hand
from memory.log.ledger import NOBODY, Ledger, writing
from memory.log.tombstones import erase
from memory.models import FactChange, SessionMeta, StoreRecord, System
from memory.stores import selectors
from memory.stores.content import merged, object_text
from memory.stores.services.records import leave_record_tombstones
from web.errors import Invalid

LARGEST = 64 * 1024
REFERENCE_LENGTH = 200
BATCH = 200
ENDED = "the session ended"


def session_begin(
    *,
    project: Project,
    session: str,
    user: str,
    metadata: Mapping[str, Any] | None = None,
    session_reference: str = "",
    user_reference: str = "",
    started_by: User | None = None,
    run: str = "",
) -> SessionMeta:
    """Note a session with what its caller passed; an existing one is left unchanged.

    Raises ``Invalid`` naming ``metadata``, ``session_reference`` or ``user_reference``.
    """
    text = metadata_text(metadata or {})
    for field, value in (("session_reference", session_reference), ("user_reference", user_reference)):
        if len(value) > REFERENCE_LENGTH or not values.storable_text(value):
            raise Invalid(fields={field: f"give at most {REFERENCE_LENGTH} characters, without NUL"})
    now = timezone.now()
    meta, new = SessionMeta.objects.get_or_create(
        project=project,
        session=session,
        defaults={
            "metadata": dict(metadata or {}),
            "session_reference": session_reference,
            "user_reference": user_reference,
            "user": user,
            "started_by": started_by.get_username() if started_by else "",
            "run": run,
            "recorded_at": now,
        },
    )
    if new and metadata:
        with writing(project.pk, now=now, actor=actor_of(started_by)) as ledger:
            _log(ledger, meta, text, by_hand(started_by))
    return meta


def metadata_text(metadata: Any) -> str:
    """Canonical JSON of metadata. Raises ``Invalid``."""
    text = object_text(metadata, "metadata")
    size = len(text.encode())
    if size > LARGEST:
        raise Invalid(fields={"metadata": f"is {size:,} bytes of JSON; at most {LARGEST:,} are stored"})
    return text


def metadata_set(
    *, project: Project, session: str, metadata: Mapping[str, Any], merge: bool = True, actor: User | None = None
) -> SessionMeta:
    """Merge into what the caller of a session passed, or replace it. Raises ``NotFound``, ``Conflict``, ``Invalid``."""
    metadata_text(metadata)
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        meta = selectors.session_open(project=project, session=session)
        meta.metadata = merged(meta.metadata, metadata) if merge else dict(metadata)
        _log(ledger, meta, metadata_text(meta.metadata), by_hand(actor))
    return meta


def _log(ledger: Ledger, meta: SessionMeta, text: str, source: Mapping[str, Any]) -> None:
    meta.version, meta.source = meta.version + 1, values.source_of(source)
    meta.save(update_fields=["metadata", "version", "source"])
    ledger.written(
        system=System.RECORD,
        key=(meta.project_id, meta.scope, meta.owner, meta.path),
        version=meta.version,
        value_text=text,
        type=meta.type,
        at=ledger.now,
        ttl=meta.ttl,
        source=meta.source,
    )


def run_noted(*, project: Project, session: str, run: str) -> bool:
    """Remember which turn runs, for ``sessionInfo.runId`` outside of it; False for a session that is not known.

    Outside of any transaction: others hold the log before they touch the session, and would wait for each other.
    """
    return SessionMeta.objects.filter(project=project, session=session).update(run=run) > 0


def session_end(*, project: Project, session: str, now: datetime) -> int:
    """End a session: its records and metadata go. Files stay until the links to them end. Returns how many records.

    Inside the transaction of whoever ends the conversation.

    :param now: the session's clock.
    """
    gone = 0
    with writing(project.pk, now=timezone.now(), actor=NOBODY) as ledger:
        waiting = StoreRecord.objects.filter(project=project, session=session, purged_at__isnull=True)
        while records := list(waiting.select_related("store").order_by("id")[:BATCH]):
            leave_record_tombstones(ledger, records, reason=ENDED, ended=now)
            gone += len(records)
        meta = SessionMeta.objects.filter(project=project, session=session, ended_at__isnull=True).first()
        if meta is not None:
            forget_metadata(ledger, meta, FactChange.Kind.EXPIRE, at=now, reason=ENDED)
            meta.ended_at = ledger.now
            meta.save(update_fields=["metadata", "ended_at"])
    return gone


def forget_metadata(ledger: Ledger, meta: SessionMeta, kind: FactChange.Kind, *, at: datetime, reason: str) -> None:
    """Take the metadata away, from the log too; the caller saves."""
    if meta.version:
        erase(ledger, meta, kind, at=at, reason=reason)
    meta.metadata = None
