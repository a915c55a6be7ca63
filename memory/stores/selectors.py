"""Reads of stores, records, sessions and artifacts. A record past its expiry is never readable here, purged or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from abl.runtime.memory.ports import SESSION_META
from editor.models import ApiToken, Project, User
from editor.selectors import project_get
from memory.facts.selectors import in_state, live
from memory.models import Artifact, FactChange, SessionMeta, StoreDefinition, StoreRecord, System
from memory.stores.links import download_path
from memory.values import storable
from web.errors import Conflict, Invalid, NotFound

STATES = ("live", "expiring", "expired")
Access = StoreDefinition.Access
DEFINITION = ("name", "technical_name", "description", "schema", "access", "retention", "strict")
"""What an export holds of a store."""
CONTEXT_CHARACTERS = 20_000
"""So much of the text of an active file is in ``sessionMeta``; the API gives all of it."""


def project_for_stores(
    *, user: User, slug: str, permission: str = "project.view", token: ApiToken | None = None
) -> Project:
    """The project for reading (any member), using sessions (``project.test``) or changing stores (``project.edit``)."""
    return project_get(user=user, slug=slug, permission=permission, token=token)


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose records are meant: a user, a session, or neither for those of the application."""

    user: str = ""
    session: str = ""

    def owner_in(self, store: StoreDefinition) -> str:
        """Owner of the record in a store; ``Invalid`` naming what is missing."""
        if store.access == Access.USER and not self.user:
            raise Invalid(fields={"user": f"{store.technical_name} has a record for each user; say for which"})
        if store.access == Access.SESSION and not self.session:
            raise Invalid(fields={"session_id": f"{store.technical_name} has a record for each session; say for which"})
        return {Access.USER.value: self.user, Access.SESSION.value: self.session}.get(store.access, "")


def store_list(*, project: Project) -> QuerySet[StoreDefinition]:
    """The stores of a project by technical name."""
    return StoreDefinition.objects.filter(project=project).order_by("technical_name")


def store_get(*, project: Project, name: str) -> StoreDefinition:
    """A store by technical name. Raises ``NotFound``, also for a name that no database takes."""
    store = StoreDefinition.objects.filter(project=project, technical_name=storable(name)).first()
    if store is None:
        raise NotFound(f"There is no store {name[:100]!r} in {project.name}.")
    return store


def definition_dict(store: StoreDefinition) -> dict[str, Any]:
    """A definition as exports have it."""
    return {field: getattr(store, field) for field in DEFINITION}


def definitions_export(*, project: Project) -> dict[str, Any]:
    """Every definition of a project, without any data (docs/spec 11 §2)."""
    return {"version": 1, "stores": [definition_dict(store) for store in store_list(project=project)]}


def record_counts(*, project: Project) -> dict[int, tuple[int, int]]:
    """Primary key of a store to its records that are not purged, and how many of these are flagged."""
    rows = StoreRecord.objects.filter(project=project, purged_at__isnull=True).values("store_id")
    counted = rows.annotate(all=Count("pk"), flagged=Count("pk", filter=Q(flagged=True))).order_by()
    return {row["store_id"]: (row["all"], row["flagged"]) for row in counted}


def record_count(*, store: StoreDefinition) -> int:
    """How many records of a store are kept, tombstones not counted."""
    return StoreRecord.objects.filter(store=store, purged_at__isnull=True).count()


@dataclass(frozen=True, slots=True)
class RecordFilters:
    """What a list of records is narrowed to; empty means no narrowing. ``state`` is one of ``STATES``."""

    store: str = ""
    owner: str = ""
    session: str = ""
    state: str = ""
    flagged: bool | None = None


def record_list(*, project: Project, filters: RecordFilters, now: datetime) -> QuerySet[StoreRecord]:
    """Records of a project with their stores, newest first, tombstones too unless ``state`` says otherwise."""
    records = StoreRecord.objects.filter(project=project).select_related("store").order_by("-id")
    if filters.store:
        records = records.filter(store=store_get(project=project, name=filters.store))
    if filters.owner:
        records = records.filter(owner=filters.owner)
    if filters.session:
        records = records.filter(session=filters.session)
    if filters.flagged is not None:
        records = records.filter(flagged=filters.flagged)
    if filters.state:
        if filters.state not in STATES:
            raise Invalid(fields={"state": f"{filters.state[:40]!r} is not one of {', '.join(STATES)}"})
        records = records.filter(in_state(filters.state, now))
    return records


def record_get(*, project: Project, pk: int) -> StoreRecord:
    """A record of the project by primary key, tombstones too. Raises ``NotFound``."""
    record = StoreRecord.objects.select_related("store").filter(project=project, pk=pk).first()
    if record is None:
        raise NotFound(f"There is no record {pk} in {project.name}.")
    return record


def record_now(*, store: StoreDefinition, owner: str, now: datetime) -> StoreRecord | None:
    """The live record of an owner, or None."""
    record = StoreRecord.objects.filter(live(now), store=store, owner=owner).first()
    if record is not None:
        record.store = store
    return record


def record_dict(record: StoreRecord, now: datetime) -> dict[str, Any]:
    """A record as people and programs see it; without its content when expired."""
    state = record.state(now)
    return {
        "id": record.pk,
        "store": record.path,
        "access": record.scope,
        "owner": record.owner,
        "session": record.session or None,
        "content": record.content if state != "expired" else None,
        "errors": record.errors if state != "expired" else [],
        "state": state,
        "version": record.version,
        "retention": record.ttl,
        "written_at": record.written_at.isoformat(),
        "expires_at": record.expires_at.isoformat() if record.expires_at else None,
        "purged_at": record.purged_at.isoformat() if record.purged_at else None,
        "virtual_clock": record.virtual_clock,
        "source": record.source,
    }


def version_in_log(*, project_id: int, scope: str, owner: str, path: str) -> int:
    """The version that the log of a record ends with; 0 for none."""
    place = {"project": project_id, "system": System.RECORD, "scope": scope, "owner": owner, "path": path}
    return FactChange.objects.filter(**place).order_by("-seq").values_list("version", flat=True).first() or 0


def session_find(*, project: Project, session: str) -> SessionMeta | None:
    """What is known of a session, or None."""
    return SessionMeta.objects.filter(project=project, session=storable(session)).first()


def session_get(*, project: Project, session: str) -> SessionMeta:
    """What is known of a session. Raises ``NotFound``."""
    meta = session_find(project=project, session=session)
    if meta is None:
        raise NotFound(f"There is no session {session[:80]!r} in {project.name}.")
    return meta


def session_of_user(*, project: Project, session: str, user: User) -> SessionMeta:
    """A session that a token's user talks in or started. Raises ``NotFound`` for any other."""
    meta = session_find(project=project, session=session)
    if meta is None or user.get_username() not in (meta.user, meta.started_by):
        raise NotFound(f"There is no session {session[:80]!r} of yours in {project.name}.")
    return meta


def session_open(*, project: Project, session: str) -> SessionMeta:
    """A session that has not ended. Raises ``NotFound`` or ``Conflict``."""
    meta = session_get(project=project, session=session)
    if meta.ended_at is not None:
        raise Conflict("This session has ended and its data was deleted.", code="session-ended")
    return meta


def artifact_list(*, project: Project, session: str, now: datetime) -> QuerySet[Artifact]:
    """Files of a session whose time is not over, in order of upload."""
    return Artifact.objects.filter(project=project, session=session, expires_at__gt=now).order_by("id")


def artifact_get(*, project: Project, pk: int, now: datetime) -> Artifact:
    """A file of the project. Raises ``NotFound``."""
    found = Artifact.objects.filter(project=project, pk=pk, expires_at__gt=now).first()
    if found is None:
        raise NotFound(f"There is no artifact {pk} in {project.name}.")
    return found


def artifacts_chosen(*, project: Project, sessions: Iterable[str]) -> QuerySet[Artifact]:
    """All files of some sessions, whatever their time."""
    return Artifact.objects.filter(project=project, session__in=list(sessions))


def meta_dict(meta: SessionMeta, *, now: datetime, base: str = "") -> dict[str, Any]:
    """The content of ``sessionMeta`` (docs/spec 11 §2). ``base`` precedes the path of each ``downloadUrl``."""
    project: Project = meta.project
    return {
        "metadata": meta.metadata or {},
        "sessionInfo": {
            "sessionId": meta.session,
            "appId": project.slug,
            "sessionReference": meta.session_reference,
            "userReference": meta.user_reference,
            "userId": meta.user,
            "runId": meta.run,
            "timestamp": iso(meta.recorded_at),
        },
        "artifacts": [
            {
                "filename": artifact.filename,
                "mimetype": artifact.mimetype,
                "downloadUrl": base + download_path(artifact),
                "isActive": artifact.is_active,
                **({"content": artifact.text[:CONTEXT_CHARACTERS]} if artifact.is_active and artifact.text else {}),
            }
            for artifact in artifact_list(project=project, session=meta.session, now=now)
        ],
    }


def iso(at: datetime) -> str:
    """UTC with milliseconds and Z."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def content_now(
    *, project: Project, name: str, subject: Subject, now: datetime, base: str = ""
) -> Mapping[str, Any] | None:
    """The content that ``get_content`` gives; None without a live record. Raises ``NotFound`` or ``Invalid``."""
    if name == SESSION_META:
        if not subject.session:
            raise Invalid(fields={"session_id": "sessionMeta belongs to a session; say to which"})
        return meta_dict(session_get(project=project, session=subject.session), now=now, base=base)
    store = store_get(project=project, name=name)
    record = record_now(store=store, owner=subject.owner_in(store), now=now)
    content: Mapping[str, Any] | None = record.content if record is not None else None
    return content
