"""Who may work on a turn: claim, lease, and the sweeper that takes it from the dead (DESIGN §2).

Every claim is one conditional UPDATE, so two workers with the same message cannot both win. ``(worker, attempt)`` is
the fencing token: whatever a worker writes for a turn names it, and is written only while it still holds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from constraints.models import TraceEvent, Turn
from constraints.programs import shown_input
from constraints.services.changes import conversation_changed, send, turn_enqueue
from constraints.services.presence import forget_the_gone, is_gone, worker_name
from constraints.services.turns import turn_release

log = structlog.get_logger("abl_workbench.turns")

LOST_MESSAGE_SECONDS = 2
"""A turn that is queued for so long has perhaps lost its message."""
SWEEP_AT_MOST = 100
EARLIER = Turn.objects.filter(
    conversation=OuterRef("conversation"), index__lt=OuterRef("index"), status__in=Turn.UNFINISHED
)
"""Turns of the same conversation that must finish first: they run one after the other."""


def lease_end() -> datetime:
    """When a lease taken or renewed now runs out."""
    return timezone.now() + timedelta(seconds=settings.TURN_LEASE_SECONDS)


class Stopped(BaseException):
    """The turn must not go on: the lease is lost or somebody cancelled it.

    Not an ``Exception``: code between the worker and the runtime that survives errors must not survive this.
    """


class LeaseLost(Stopped):
    """Another attempt owns the turn now; nothing of this one is kept."""


class CancelRequested(Stopped):
    """A person cancelled the turn."""


@dataclass
class Lease:
    """The right of one attempt to write for a turn."""

    turn: Turn
    stop: type[Stopped] | None = None

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
        """Raise what :meth:`renew` found; costs nothing."""
        if self.stop is not None:
            raise self.stop

    @contextmanager
    def kept(self) -> Iterator[Lease]:
        """Renew from a thread of its own for the length of the block: a turn may think for longer than a lease."""
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
    """The turn, if it is queued and every earlier turn of its conversation has finished; now this worker's alone.

    Events of an earlier attempt vanish in the same transaction.
    """
    free = Turn.objects.filter(~Exists(EARLIER), pk=turn_id, status=Turn.Status.QUEUED)
    with transaction.atomic():
        claimed = free.update(
            status=Turn.Status.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker or worker_name(),
            lease_until=lease_end(),
            started_at=timezone.now(),
        )
        if not claimed:
            return None
        turn = Turn.objects.select_related("conversation__project", "conversation__started_by").get(pk=turn_id)
        if turn.attempt > 1:
            TraceEvent.objects.filter(turn=turn).delete()
        turn.version = conversation_changed(conversation_id=turn.conversation_id)
        Turn.objects.filter(pk=turn_id).update(version=turn.version)
    return turn


def turn_sweep(*, thorough: bool = False) -> int:
    """Give the turns of dead workers to living ones, and send lost messages again. Returns how many were touched.

    Harmless to run at any time and in parallel: each step is conditional on what it found. ``thorough``: a worker has
    just taken the place of one that died, perhaps with messages that it had taken, so every turn that waits is sent.
    """
    now = timezone.now()
    touched = 0
    running = Turn.objects.filter(status=Turn.Status.RUNNING).order_by("lease_until")
    for turn in running.select_related("conversation")[:SWEEP_AT_MOST]:
        if turn.lease_until is None or turn.lease_until < now or is_gone(turn.worker):
            touched += take_back(turn)
    age = timedelta(seconds=0 if thorough else LOST_MESSAGE_SECONDS)
    stale = Turn.objects.filter(~Exists(EARLIER), status=Turn.Status.QUEUED, enqueued_at__lt=now - age)
    for turn in stale.order_by("enqueued_at")[:SWEEP_AT_MOST]:
        again = Turn.objects.filter(pk=turn.pk, status=Turn.Status.QUEUED, enqueued_at=turn.enqueued_at)
        if again.update(enqueued_at=now):
            touched += send(turn.pk)
    if thorough:
        forget_the_gone()
    return touched


@transaction.atomic
def take_back(turn: Turn) -> bool:
    """End an attempt whose worker is gone or silent: cancelled, failed for good, or queued for another worker."""
    lost = turn.attempt - turn.overtaken  # to begin again because of others is no fault of the worker
    change: dict[str, Any] = {"status": Turn.Status.QUEUED, "enqueued_at": timezone.now()}
    if turn.cancel_requested or lost >= settings.TURN_MAX_ATTEMPTS:
        shown = shown_input(turn)
        change = {"status": Turn.Status.CANCELLED, "finished_at": timezone.now(), "input": shown}
    if not turn.cancel_requested and lost >= settings.TURN_MAX_ATTEMPTS:
        message = f"The worker stopped in the middle of this turn {lost} times; the turn was given up."
        change |= {"status": Turn.Status.FAILED, "error": {"code": "worker-lost", "message": message}}
    same = Turn.objects.filter(
        pk=turn.pk, status=Turn.Status.RUNNING, attempt=turn.attempt, lease_until=turn.lease_until
    )
    if not same.update(lease_until=None, **change):
        return False
    log.warning("turn taken back", turn=turn.pk, worker=turn.worker, attempt=turn.attempt, now=change["status"])
    if change["status"] == Turn.Status.QUEUED:
        turn_enqueue(turn_id=turn.pk)
    else:
        turn_release(turn=turn)
    Turn.objects.filter(pk=turn.pk).update(version=conversation_changed(conversation_id=turn.conversation_id))
    return True
