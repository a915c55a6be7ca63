"""Records for a running session: the runtime's ``RecordPort`` over the database (docs/spec 11 §2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from abl.runtime.memory.ports import SESSION_META, RecordRefusal, RecordRefused
from editor.models import Project
from memory.models import SessionMeta, StoreDefinition
from memory.stores import selectors
from memory.stores.content import SchemaRefused, checked_projections, merged, object_text, part_of
from memory.stores.selectors import Subject
from memory.stores.services.changes import checked
from memory.stores.services.records import RecordWrite
from memory.values import storable
from web.errors import AppError, Conflict, NotFound


class SessionRecords:
    """The records of one session and its user as one turn sees them: what is stored, with the turn's writes on top.

    Writes wait until ``take`` hands them to whoever commits the turn (``memory.stores.services.records_commit``), which
    merges each into what is stored by then.

    :param now: the session's clock. :param run: name of the turn, ``sessionInfo.runId``.
    :param source: what the log says of a write: conversation, turn, session.
    """

    def __init__(
        self,
        project: Project,
        *,
        user: str,
        session: str,
        now: Callable[[], datetime] = timezone.now,
        run: str = "",
        source: Mapping[str, Any] | None = None,
    ) -> None:
        self.project = project
        self.subject = Subject(storable(user), session)
        self.pending: list[RecordWrite] = []
        self._now = now
        self._run = run
        self._source = dict(source or {})
        self._writer: dict[str, Any] = {}
        self._stores: dict[str, StoreDefinition] = {}

    def attribute(self, source: Mapping[str, Any]) -> None:
        """The author of the writes that follow: agent, turn, event, span (``abl.runtime.memory.ports.Attributed``)."""
        self._writer = dict(source)

    def names(self) -> list[str]:
        """Technical names of the stores in order, ``sessionMeta`` last."""
        stores = selectors.store_list(project=self.project)
        return [*stores.values_list("technical_name", flat=True), SESSION_META]

    def get_content(self, name: str, projections: Mapping[str, int] | None = None) -> Any | None:
        """The content, None without a live record."""
        with refusing():
            wanted = checked_projections(projections)
            content = self._meta() if name == SESSION_META else self._current(self._store(name))
            return part_of(content, wanted)

    def set_content(self, name: str, content: Mapping[str, Any]) -> Any:
        """Create the record or merge into it; the content after that. A strict store refuses what breaks its schema."""
        with refusing():
            store = self._writable(name)
            clean = storable(content)
            object_text(clean)
            whole = merged(self._current(store) or {}, clean)
            object_text(whole)
            checked(store, whole)
            self._keep(name, clean, "set_content")
            return whole

    def delete_content(self, name: str) -> bool:
        """Remove the record; False when there was none."""
        with refusing():
            found = self._current(self._writable(name)) is not None
            if found:
                self._keep(name, None, "delete_content")
            return found

    def take(self) -> list[RecordWrite]:
        """What waits, which then waits no longer."""
        taken, self.pending = self.pending, []
        return taken

    def _keep(self, name: str, content: Mapping[str, Any] | None, cause: str) -> None:
        source = {**self._source, **self._writer, "cause": cause}
        self.pending.append(RecordWrite(name, content, self._now(), source))

    def _store(self, name: str) -> StoreDefinition:
        """A definition, looked up once in a turn."""
        if name not in self._stores:
            self._stores[name] = selectors.store_get(project=self.project, name=storable(str(name)))
        return self._stores[name]

    def _writable(self, name: str) -> StoreDefinition:
        if name == SESSION_META:
            raise RecordRefused("read-only", f"{SESSION_META} is read-only")
        return self._store(name)

    def _current(self, store: StoreDefinition) -> Mapping[str, Any] | None:
        """The live content with the turn's own writes."""
        record = selectors.record_now(store=store, owner=self.subject.owner_in(store), now=self._now())
        content: Mapping[str, Any] | None = record.content if record is not None else None
        for write in self.pending:
            if write.name == store.technical_name:
                content = merged(content or {}, write.content) if write.content is not None else None
        return content

    def _meta(self) -> Mapping[str, Any]:
        """``sessionMeta``, also of a session that nobody has noted."""
        meta = selectors.session_find(project=self.project, session=self.subject.session)
        if meta is None:
            meta = SessionMeta(
                project=self.project, session=self.subject.session, user=self.subject.user, recorded_at=self._now()
            )
        meta.run = self._run or meta.run
        return selectors.meta_dict(meta, now=timezone.now())


class refusing:  # noqa: N801  reads as a word in ``with``
    """Errors of the memory application as the runtime knows them."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, AppError):
            errors = error.data.get("errors", ()) if isinstance(error, SchemaRefused) else ()
            raise RecordRefused(code_of(error), error.detail, errors) from error


def code_of(error: AppError) -> RecordRefusal:
    """The runtime's word for an error."""
    if isinstance(error, SchemaRefused):
        return "schema"
    if isinstance(error, NotFound):
        return "unknown"
    return "unavailable" if isinstance(error, Conflict) else "invalid"
