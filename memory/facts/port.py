"""Facts for a running session: the runtime's port ``FactStore`` over the database (docs/spec 12 §1)."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from abl.runtime.ports import Fact as LiveFact
from abl.runtime.ports import FactWrite
from editor.models import Project
from memory.facts.selectors import fact_now, facts_of_owner
from memory.facts.services import Place, facts_commit
from memory.models import Fact


class ProjectFacts:
    """The facts of a project at the time that the session's clock shows.

    A commit is written at once, in the transaction that is open. With ``buffered`` it waits in ``pending`` instead,
    seen by reads meanwhile, until ``take`` hands it to whoever calls ``memory.facts.services.facts_commit``.

    :param virtual_clock: the session's clock is not the real one. :param conversation: its number.
    :param revisions: document path to the number of the revision that runs.
    :param sensitive: path of a sensitive declaration to the fields of ``abl.runtime.privacy.masking.Display``.
    """

    def __init__(
        self,
        project: Project,
        *,
        buffered: bool = False,
        virtual_clock: bool = False,
        conversation: int | None = None,
        revisions: Mapping[str, int] | None = None,
        sensitive: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.project = project
        self.buffered = buffered
        self.virtual_clock = virtual_clock
        self.conversation = conversation
        self.revisions = revisions
        self.sensitive = sensitive
        self.pending: builtins.list[FactWrite] = []
        self.seen: dict[Place, int | None] = {}
        """Version of each fact when it was first read, None where none was live."""

    def get(self, scope: str, owner: str, path: str, now: datetime) -> LiveFact | None:
        """The live fact, or None when it is absent or expired at ``now``."""
        for write in reversed(self.pending):
            if (write.scope, write.owner, write.path) == (scope, owner, path):
                return self._pending_fact(write, now)
        place = {"scope": scope, "owner": owner, "path": path}
        fact = fact_now(project=self.project, place=place, now=now)
        self.seen.setdefault((scope, owner, path), fact.version if fact is not None else None)
        return _live(fact) if fact is not None else None

    def list(self, scope: str, owner: str, now: datetime) -> builtins.list[LiveFact]:
        """All live facts of an owner, ordered by path."""
        found = {
            fact.path: _live(fact) for fact in facts_of_owner(project=self.project, scope=scope, owner=owner, now=now)
        }
        for path, live in found.items():
            self.seen.setdefault((scope, owner, path), live.version)
        for write in self.pending:
            if (write.scope, write.owner) == (scope, owner):
                fact = self._pending_fact(write, now)
                if fact is None:
                    found.pop(write.path, None)
                else:
                    found[write.path] = fact
        return [found[path] for path in sorted(found)]

    def commit(self, writes: Sequence[FactWrite], now: datetime) -> None:
        """Keep the writes for the turn's transaction, or write them when there is none."""
        if self.buffered:
            self.pending.extend(writes)
            return
        facts_commit(
            project=self.project,
            writes=writes,
            conversation=self.conversation,
            revisions=self.revisions,
            virtual_clock=self.virtual_clock,
            sensitive=self.sensitive,
        )

    def take(self) -> builtins.list[FactWrite]:
        """What waits, which then waits no longer. ``seen`` says on what it was built."""
        taken, self.pending = self.pending, []
        return taken

    def _pending_fact(self, write: FactWrite, now: datetime) -> LiveFact | None:
        if write.delete or (write.expires_at is not None and write.expires_at <= now):
            return None
        return LiveFact(
            write.scope,
            write.owner,
            write.path,
            write.value,
            write.type,
            0,
            write.written_at,
            write.expires_at,
            write.ttl,
            write.source,
        )


def _live(fact: Fact) -> LiveFact:
    source = {**fact.source, "sensitive": True, "masking": fact.masking} if fact.sensitive else fact.source
    return LiveFact(
        fact.scope,
        fact.owner,
        fact.path,
        fact.value,
        fact.type,
        fact.version,
        fact.written_at,
        fact.expires_at,
        fact.ttl or None,
        source,
    )
