"""A worker's way through one turn: claim, run, write once (docs/architecture.md §2).

Events are appended in short batches while the turn runs, each batch guarded by the lease. Facts, snapshot, replies and
status are one transaction at the end, guarded by the same lease; a worker that lost it writes nothing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from django.utils import timezone

from constraints.models import Conversation, TraceEvent, Turn
from constraints.running import presence, room
from constraints.running.changes import conversation_changed, send
from constraints.running.event_log import EventLog
from constraints.running.leases import (
    CancelRequested,
    Lease,
    LeaseLost,
    Stopped,
    TimeExceeded,
    lease_end,
    seconds_of,
    time_exceeded,
    turn_claim,
    turn_claim_next,
)
from constraints.running.process_values import process_values_keep
from constraints.running.programs import shown_input
from constraints.running.queue import share_charge
from constraints.running.runner import Outcome, Overtaken, Task, TurnProblem, run_in_session
from constraints.running.stops import place_of
from constraints.running.turns import turn_enqueue_next, turn_release
from constraints.traces.storing import storable_and_size, storable_json
from memory.stores import services as stores
from web.errors import StorageFull, TooLarge
from web.storage import is_full

log = structlog.get_logger("abl_workbench.turns")

WORK_SECONDS = 1.0
"""A process that has worked for so long looks at the broker before the next turn."""
OVERTAKEN_AT_MOST = 50
"""Attempts at a turn whose facts others keep changing. Of the turns in conflict one always succeeds."""
OVERTAKEN_PAUSE = 0.02

Runner = Callable[[Task], Outcome]


def turn_run(*, turn_id: int, worker: str | None = None, runner: Runner = run_in_session) -> str | None:
    """Run a turn if it can be claimed. Returns its status afterwards, None when there was nothing to claim.

    Problems of the agents or of a tool end as status ``failed`` with an ``error``; they never raise.
    """
    turn = turn_claim(turn_id=turn_id, worker=worker)
    return None if turn is None else claimed_run(turn, runner)


def turns_work(*, runner: Runner = run_in_session) -> int:
    """Run turns that wait, one after the other and chosen by the fair queue; how many.

    Ends when none waits that may run, or after a while: the worker is asked to end between two tasks. It then sends
    another message if turns are left.
    """
    began, count = time.monotonic(), 0
    while (turn := turn_claim_next()) is not None:
        claimed_run(turn, runner)
        count += 1
        if time.monotonic() - began > WORK_SECONDS:
            waiting = Turn.objects.filter(status=Turn.Status.QUEUED).order_by("pk").values_list("pk", flat=True).first()
            if waiting is not None:
                send(waiting)
            break
    return count


def claimed_run(turn: Turn, runner: Runner) -> str | None:
    """Run a turn that this process has claimed; its status afterwards."""
    structlog.contextvars.bind_contextvars(turn=turn.pk, attempt=turn.attempt)
    limit, claimed_at = seconds_of(turn), turn.started_at
    lease = Lease(turn, until=time.monotonic() + limit)
    presence.begin(turn_id=turn.pk, claimed=claimed_at, seconds=limit)
    try:
        for number in range(1, OVERTAKEN_AT_MOST + 1):
            if attempted(lease, runner):
                break
            turn_begin_again(lease=lease, number=number)
    except CancelRequested:
        turn_drop(lease=lease, status=Turn.Status.CANCELLED)
    except TimeExceeded as stopped:
        turn_drop(lease=lease, status=Turn.Status.FAILED, error={**time_exceeded(turn), **stopped.place})
    except LeaseLost:
        log.warning("turn given up: its lease is lost")
    except TurnProblem as problem:
        turn_drop(lease=lease, status=Turn.Status.FAILED, error=problem.as_json())
    except TooLarge as error:  # of what the end of a session writes
        turn_drop(lease=lease, status=Turn.Status.FAILED, error={"code": error.code, "message": error.detail})
    except (OperationalError, InterfaceError) as error:
        if not is_full(error):
            # The database is away: the lease runs out and the sweeper queues the turn again when it is back.
            log.exception("turn interrupted")
            raise
        turn_drop_without_room(lease=lease)
    except Exception as error:
        log.exception("turn crashed")
        message = f"The turn stopped with an internal error ({type(error).__name__}). See the worker log for details."
        turn_drop(lease=lease, status=Turn.Status.FAILED, error={"code": "internal", "message": message})
    finally:
        presence.rest()
        structlog.contextvars.unbind_contextvars("turn", "attempt")
    share_charge(share_id=turn.share_id, since=claimed_at)
    return Turn.objects.filter(pk=turn.pk).values_list("status", flat=True).first()


def attempted(lease: Lease, runner: Runner) -> bool:
    """Run the turn and keep what it did. False when it was overtaken: nothing is kept but events to throw away."""
    events = EventLog(turn=lease.turn, lease=lease)
    try:
        with lease.kept():
            refuse_without_room(lease.turn)
            outcome = runner(Task.of(lease.turn, on_event=events.add, poll=lease.check))
            turn_finish(lease=lease, events=events, outcome=outcome, duration_us=events.elapsed_us)
    except Overtaken as why:
        log.info("turn overtaken", why=str(why))
        return False
    except TimeExceeded as stopped:
        stopped.place = place_of(events.all)
        raise
    except TurnProblem as problem:
        if problem.code == "budget-exceeded":
            problem.data |= place_of(events.all, str(problem.__cause__ or ""))
        raise
    return True


def refuse_without_room(turn: Turn) -> None:
    """Turns that wait may be many: each is let in only while there is room for what it leaves."""
    conversation = turn.conversation
    try:
        room.refuse_over_quota(project=conversation.project, started_by=conversation.started_by)
    except TooLarge as error:
        raise TurnProblem(error.code, f"The turn was not run: {error.fields['conversation']}.", **error.data) from error


def turn_begin_again(*, lease: Lease, number: int) -> None:
    """Make ready for another attempt by the same worker, after a moment that spreads those who wait for one fact."""
    if number == OVERTAKEN_AT_MOST:
        message = f"Other turns changed the same data {number} times while this turn ran. Send the message again."
        raise TurnProblem("overtaken", message)
    time.sleep(random.uniform(0, OVERTAKEN_PAUSE * min(number, 10)))  # noqa: S311
    turn = lease.turn
    with transaction.atomic():
        if not lease.held.update(lease_until=lease_end(), attempt=F("attempt") + 1, overtaken=F("overtaken") + 1):
            raise LeaseLost
        turn.attempt += 1
        turn.overtaken += 1
        TraceEvent.objects.filter(turn=turn).delete()
        turn.version = conversation_changed(conversation_id=turn.conversation_id)
        Turn.objects.filter(pk=turn.pk).update(version=turn.version)


def turn_finish(*, lease: Lease, events: EventLog, outcome: Outcome, duration_us: int) -> None:
    """Facts, snapshot, replies and status in one transaction, if the lease still holds; else ``Stopped``."""
    turn = lease.turn
    with transaction.atomic():
        # The row first: on PostgreSQL its lock keeps the sweeper out until all is written.
        if not lease.held.filter(cancel_requested=False).update(lease_until=None):
            lease.renew()
            raise lease.stop or LeaseLost
        version = conversation_changed(conversation_id=turn.conversation_id)
        events.complete(version=version)
        outcome.commit_facts()
        process_values_keep(conversation=turn.conversation, values=outcome.process_values)
        columns, size = stored_columns(outcome)
        room.take(conversation_id=turn.conversation_id, size=events.size + size)
        lease.held.update(
            status=Turn.Status.DONE,
            finished_at=timezone.now(),
            version=version,
            tally=dict(events.tally),
            duration_us=duration_us,
            **columns,
            clock_at=outcome.clock_at,
        )
        if outcome.ended:
            Conversation.objects.filter(pk=turn.conversation_id).update(state=Conversation.State.ENDED)
            stores.session_end(
                project=turn.conversation.project,
                session=turn.conversation.session_id,
                now=outcome.clock_at or timezone.now(),
            )
        turn_enqueue_next(conversation_id=turn.conversation_id)


def stored_columns(outcome: Outcome) -> tuple[dict[str, Any], int]:
    """The columns that a turn leaves in its row, as they are stored, and their bytes."""
    found = {name: storable_and_size(value) for name, value in outcome.columns().items() if name != "clock_at"}
    return {name: value for name, (value, _) in found.items()}, sum(size for _, size in found.values())


def turn_drop(*, lease: Lease, status: str, error: Mapping[str, Any] | None = None) -> None:
    """End an attempt that keeps nothing: cancelled, or failed with an error (docs/spec 09 §3, T18)."""
    turn = lease.turn
    with transaction.atomic():
        if not lease.held.update(
            status=status,
            lease_until=None,
            finished_at=timezone.now(),
            error=storable_json(error),
            input=shown_input(turn),
        ):
            return
        turn_release(turn=turn)
        version = conversation_changed(conversation_id=turn.conversation_id)
        Turn.objects.filter(pk=turn.pk).update(version=version)


def turn_drop_without_room(*, lease: Lease) -> None:
    """End an attempt that found the disk full. Storing the error needs little space, but even that may be missing.
    Then the sweeper queues the turn again once there is space, as after a lost worker.
    """
    error = {"code": StorageFull.code, "message": StorageFull.WORDS}
    log.error("turn stopped: the disk is full")
    try:
        turn_drop(lease=lease, status=Turn.Status.FAILED, error=error)
    except OperationalError as again:
        if not is_full(again):
            raise
        # Without removing its events, which takes more room than this.
        lease.held.update(status=Turn.Status.FAILED, lease_until=None, finished_at=timezone.now(), error=error)


__all__ = ["EventLog", "Stopped", "turn_finish", "turn_run"]
