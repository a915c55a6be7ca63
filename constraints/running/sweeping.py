"""The sweeper: ends what runs too long, takes turns from dead workers, sends lost messages (docs/architecture.md §2).

A worker checks the limits of its turn itself while it computes. The sweeper runs in another process and catches what
the worker cannot check, such as a long call into C code.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists
from django.utils import timezone

from constraints.models import Turn
from constraints.running import presence, queue
from constraints.running.changes import conversation_changed, send, turn_enqueue
from constraints.running.leases import time_exceeded
from constraints.running.programs import shown_input
from constraints.running.turns import turn_release

log = structlog.get_logger("abl_workbench.turns")

LOST_MESSAGE_SECONDS = 2
"""Seconds in the queue after which the message of a turn is taken for lost."""
GRACE_SECONDS = 2.0
"""Seconds that a worker gets after the deadline of its turn to stop by itself."""
MAX_KILLS = 3
"""Attempts at a turn whose process is killed each time, for example by the kernel when memory runs out."""
SWEEP_AT_MOST = 100
SEND_AT_MOST = 20
"""Messages in one sweep. Each only says that there is work, and a worker that has one continues until none is left."""


def turn_sweep(*, thorough: bool = False) -> int:
    """Give the turns of dead workers to living ones, and send lost messages again. Returns how many were touched.

    Harmless to run at any time and in parallel: each step is conditional on what it found. ``thorough``: a worker has
    just taken the place of one that died, perhaps with messages that it had taken, so every turn that waits is sent.
    """
    now = timezone.now()
    running = Turn.objects.filter(status=Turn.Status.RUNNING).order_by("lease_until")
    related = running.select_related("conversation__project")
    touched = sum(looked_after(turn, now) for turn in related[:SWEEP_AT_MOST])
    touched += send_again(now, timedelta(seconds=0 if thorough else LOST_MESSAGE_SECONDS))
    if thorough:
        presence.forget_the_gone()
    return touched


def looked_after(turn: Turn, now: datetime) -> bool:
    """End a turn that runs too long; take back one whose worker is gone or silent. Whether something was done."""
    if presence.is_gone(turn.worker):
        return take_back(turn, own_fault=presence.parent_lives(turn.worker))
    if turn.deadline_at is not None and turn.deadline_at + timedelta(seconds=GRACE_SECONDS) < now:
        return turn_stop(turn)
    if turn.lease_until is not None and turn.lease_until >= now:
        return False
    if presence.is_at_work(turn.worker, turn_id=turn.pk, claimed=turn.started_at):
        return False  # it computes without a pause and cannot renew its lease; the deadline ends that
    # Of a silent process elsewhere nobody can say whether it ended or does not come back from the turn.
    return take_back(turn, own_fault=not presence.is_here(turn.worker))


def send_again(now: datetime, age: timedelta) -> int:
    """Tell workers of turns that have waited for so long, if any of these may run now. Returns how many were sent."""
    stale = Turn.objects.filter(~Exists(queue.EARLIER), status=Turn.Status.QUEUED, enqueued_at__lt=now - age)
    touched = 0
    for turn in stale.order_by("enqueued_at").only("pk", "enqueued_at")[:SEND_AT_MOST]:
        again = Turn.objects.filter(pk=turn.pk, status=Turn.Status.QUEUED, enqueued_at=turn.enqueued_at)
        if again.update(enqueued_at=now):
            touched += send(turn.pk)
    return touched


def turn_stop(turn: Turn) -> bool:
    """End a turn that did not stop by itself, for good, and kill the process that is at it if that is on this machine.

    A process on another machine is killed by its parent, later; what it writes for the turn is not kept.
    """
    with transaction.atomic():
        if not ended(turn, ending(turn)):
            return False
    killed = presence.stop(turn.worker, turn_id=turn.pk, claimed=turn.started_at)
    log.warning("turn stopped from outside", turn=turn.pk, worker=turn.worker, killed=killed)
    return True


def ending(turn: Turn) -> dict[str, Any]:
    """The columns of a turn that is over: cancelled, or out of time."""
    change: dict[str, Any] = {"finished_at": timezone.now(), "input": shown_input(turn)}
    if turn.cancel_requested:
        return change | {"status": Turn.Status.CANCELLED}
    return change | {"status": Turn.Status.FAILED, "error": time_exceeded(turn) | last_place(turn)}


def last_place(turn: Turn) -> dict[str, Any]:
    """Where a turn was whose process cannot say so any more; empty where it left no word, as on another machine."""
    return presence.place_of(turn.worker, turn_id=turn.pk, claimed=turn.started_at)


@transaction.atomic
def take_back(turn: Turn, *, own_fault: bool) -> bool:
    """End an attempt whose worker is gone or silent: cancelled, failed for good, or queued for another worker.

    ``own_fault``: the turn may be why, because the rest of its worker lives on.
    """
    return ended(turn, after_loss(turn, own_fault=own_fault))


def after_loss(turn: Turn, *, own_fault: bool) -> dict[str, Any]:
    """The columns of a turn whose worker was lost."""
    lost = turn.attempt - turn.overtaken  # to begin again because of others is no fault of the worker
    kills = turn.kills + own_fault
    stopped = presence.was_stopped(turn.worker, turn_id=turn.pk, claimed=turn.started_at)
    if turn.cancel_requested or stopped:
        return ending(turn) | {"kills": kills}
    if kills >= MAX_KILLS:
        message = f"The process running this turn was killed {kills} times. The turn was given up."
    elif lost >= settings.TURN_MAX_ATTEMPTS:
        message = f"The worker stopped during this turn {lost} times. The turn was given up."
    else:
        return {"status": Turn.Status.QUEUED, "enqueued_at": timezone.now(), "kills": kills}
    return {
        "status": Turn.Status.FAILED,
        "finished_at": timezone.now(),
        "input": shown_input(turn),
        "error": {"code": "worker-lost", "message": message, **last_place(turn)},
        "kills": kills,
    }


def ended(turn: Turn, change: dict[str, Any]) -> bool:
    """Write the end of an attempt, if it is still the one that was looked at, inside the caller's transaction."""
    same = Turn.objects.filter(
        pk=turn.pk, status=Turn.Status.RUNNING, attempt=turn.attempt, lease_until=turn.lease_until
    )
    if not same.update(lease_until=None, deadline_at=None, **change):
        return False
    log.warning("turn taken back", turn=turn.pk, worker=turn.worker, attempt=turn.attempt, now=change["status"])
    queue.share_charge(share_id=turn.share_id, since=turn.started_at)
    if change["status"] == Turn.Status.QUEUED:
        turn_enqueue(turn_id=turn.pk)
    else:
        turn_release(turn=turn)
    Turn.objects.filter(pk=turn.pk).update(version=conversation_changed(conversation_id=turn.conversation_id))
    return True
