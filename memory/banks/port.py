"""A memory bank for a running session: the runtime's ``BankPort`` over the database (docs/spec 11 §3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from threading import RLock
from typing import Any

from django.utils import timezone

from editor.models import Project
from memory.banks.selectors import bank_find, entry_list
from memory.banks.services import BankWrite
from memory.banks.texts import fitting
from memory.values import storable


class ProjectBank:
    """A bank as one turn sees it: read once, written in memory, until ``take`` hands the writes to who commits them.

    A bank that is not there is empty; it is made when something is written.

    :param now: the clock of the conversation. :param source: what the log says of every write: the conversation.
    """

    def __init__(
        self,
        project: Project,
        name: str,
        now: Callable[[], datetime] = timezone.now,
        source: Mapping[str, Any] | None = None,
    ) -> None:
        self.project = project
        self.name = name
        self._source = dict(source or {})
        self._writer: dict[str, Any] = {}
        self.max_lines: int | None = None
        self._now = now
        self._texts: dict[str, str] | None = None
        self._versions: dict[str, int] = {}
        self._read: set[str] = set()
        self._written: dict[str, BankWrite] = {}
        self._lock = RLock()

    def attribute(self, source: Mapping[str, Any]) -> None:
        """The author of the writes that follow: agent, turn, event, span (``abl.runtime.memory.ports.Attributed``)."""
        self._writer = dict(source)

    def read(self, key: str) -> str:
        """The text of an agent, "" for one that has written none."""
        key = storable(key)
        with self._lock:
            self._read.add(key)
            return self._known().get(key, "")

    def write(self, key: str, content: str) -> None:
        """Replace the text of an agent, cut to its last lines."""
        key = storable(key)
        with self._lock:
            texts = self._known()
            texts[key] = fitting(storable(content), self.max_lines)
            source = {**self._writer, **self._source, "cause": "memory_write", "agent": key}
            built_on = self._versions.get(key, 0) if key in self._read else None
            self._written[key] = BankWrite(key, texts[key], self._now(), source, built_on)

    def entries(self) -> dict[str, str]:
        """All texts by agent, as they are at this moment."""
        with self._lock:
            texts = dict(self._known())
            self._read.update(texts)
            return texts

    def take(self) -> list[BankWrite]:
        """What was written, the last text of each agent, for ``memory.banks.services.bank_commit``."""
        with self._lock:
            taken, self._written = list(self._written.values()), {}
            return taken

    def _known(self) -> dict[str, str]:
        if self._texts is None:
            bank = bank_find(project=self.project, name=self.name)
            self.max_lines = bank.max_lines if bank is not None else None
            entries = list(entry_list(bank=bank)) if bank is not None else []
            self._texts = {entry.agent: entry.content for entry in entries}
            self._versions = {entry.agent: entry.version for entry in entries}
        return self._texts
