"""Who may work on a turn: claim and lease (docs/architecture.md §2). ``queue`` chooses, ``sweeping`` takes it back.

Every claim is one conditional UPDATE, so two workers with the same message cannot both win. ``(worker, attempt)`` is
the fencing token: whatever a worker writes for a turn names it, and is written only while it still holds.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Exists, F, QuerySet
from django.utils import timezone

from constraints.models import TraceEvent, Turn
from constraints.running import queue
from constraints.running.changes import conversation_changed
from constraints.running.presence import worker_name
from editor.trials import turn_seconds

log = structlog.get_logger("abl_workbench.turns")


def lease_end() -> datetime:
    """When a lease taken or renewed now runs out."""
    return timezone.now() + timedelta(seconds=settings.TURN_LEASE_SECONDS)


class Stopped(BaseException):
    """The turn must not continue: the lease is lost or somebody cancelled it.

    Not an ``Exception``: code between the worker and the runtime that survives errors must not survive this.
    """


class LeaseLost(Stopped):
    """Another attempt owns the turn now; nothing of this one is kept."""


class CancelRequested(Stopped):
    """A person cancelled the turn."""


class TimeExceeded(Stopped):
    """The turn ran for longer than it may. ``place`` says where it was, as ``Turn.error`` keeps it."""

    def __init__(self) -> None:
        super().__init__()
        self.place: dict[str, Any] = {}


@dataclass
class Lease:
    """The right of one attempt to write for a turn."""

    turn: Turn
    stop: type[Stopped] | None = None
    until: float = math.inf
    """When the turn has to be over, in seconds of the monotonic clock."""

    @property
    def held(self) -> QuerySet[Turn]:
        """The turn's row, while this attempt owns it."""
        return Turn.objects.filter(
            pk=self.turn.pk, status=Turn.Status.RUNNING, attempt=self.turn.attempt, worker=self.turn.worker
        )

    def renew(self) -> None:
        """Extend the lease; remember why the work must stop, if it must."""
        if not self.held.update(lease_until=lease_end()):
            self.stop = LeaseLost
        elif self.held.filter(cancel_requested=True).exists():
            self.stop = CancelRequested

    def check(self) -> None:
        """Raise what :meth:`renew` found, or that time is up. Costs nothing: long evaluations call it often."""
        if self.stop is not None:
            raise self.stop
        if time.monotonic() > self.until:
            raise TimeExceeded

    @contextmanager
    def kept(self) -> Iterator[Lease]:
        """Renew the lease from another thread for the length of the block: a turn may take longer than a lease."""
        done = threading.Event()
        thread = threading.Thread(target=self._beat, args=(done,), name="lease", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            done.set()
            thread.join()

    def _beat(self, done: threading.Event) -> None:
        pause = settings.TURN_LEASE_SECONDS / 4
        if done.wait(pause):
            return
        try:
            while not done.is_set() and self.stop is None:
                try:
                    self.renew()
                except DatabaseError as error:
                    log.warning("lease not renewed", turn=self.turn.pk, error=str(error))
                done.wait(pause)
        finally:
            connection.close()


def turn_claim(*, turn_id: int, worker: str | None = None) -> Turn | None:
    """The turn, if it is queued and every earlier turn of its conversation has finished; now this worker's alone."""
    with transaction.atomic():
        return claimed(turn_id, worker or worker_name())


def turn_claim_next(*, worker: str | None = None) -> Turn | None:
    """The turn that is next by the fair queue, now this worker's alone; None when none may be taken."""
    if not Turn.objects.filter(status=Turn.Status.QUEUED).exists():
        return None
    worker = worker or worker_name()
    with transaction.atomic():
        queue.one_at_a_time()
        turn_id = queue.next_turn(worker=worker)
        return None if turn_id is None else claimed(turn_id, worker)


def claimed(turn_id: int, worker: str) -> Turn | None:
    """Claim a turn in the transaction that is open. This deletes the events of an earlier attempt."""
    free = Turn.objects.filter(~Exists(queue.EARLIER), pk=turn_id, status=Turn.Status.QUEUED)
    taken = free.update(
        status=Turn.Status.RUNNING,
        attempt=F("attempt") + 1,
        worker=worker,
        lease_until=lease_end(),
        started_at=timezone.now(),
    )
    if not taken:
        return None
    turn = Turn.objects.select_related("conversation__project", "conversation__started_by").get(pk=turn_id)
    if turn.attempt > 1:
        TraceEvent.objects.filter(turn=turn).delete()
    turn.version = conversation_changed(conversation_id=turn.conversation_id)
    turn.deadline_at = timezone.now() + timedelta(seconds=seconds_of(turn))
    Turn.objects.filter(pk=turn_id).update(version=turn.version, deadline_at=turn.deadline_at)
    return turn


def seconds_of(turn: Turn) -> int:
    """The time limit of a turn: that of its project, else that of the installation."""
    return turn_seconds(turn.conversation.project) or int(settings.TURN_SECONDS)


def time_exceeded(turn: Turn) -> dict[str, Any]:
    """The error of a turn that ran out of time."""
    limit = seconds_of(turn)
    message = f"The turn was stopped because it ran for more than {limit} s. Its changes were discarded."
    return {"code": "time-exceeded", "message": message, "limit": limit}
