"""Celery tasks: they take ids and call a service."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_init, worker_ready

from constraints.conversations import services
from constraints.running import programs
from constraints.running.queue import set_processes
from web.periodic import periodic


@shared_task(name="constraints.run_turn", acks_late=True, ignore_result=True)
def run_turn(turn_id: int) -> None:
    """Run turns that wait. The id says which one is new; the fair queue says which runs."""
    services.turns_work()


@shared_task(name="constraints.sweep_turns", ignore_result=True)
@periodic("sweep")
def sweep_turns(thorough: bool = False) -> int:
    """Take turns from dead workers and send lost messages again."""
    return services.turn_sweep(thorough=thorough)


@shared_task(name="constraints.settle_conversations", ignore_result=True)
@periodic("settle")
def settle_conversations() -> int:
    """Write what conversations stored into the memory of their users, once nothing has happened in them for the set
    time.
    """
    return services.conversations_settle()


@worker_init.connect
def warm_up(sender: Any, **_: Any) -> None:
    """Load the language before the pool forks: no first message waits for imports. Touches no database."""
    programs.warm_up()
    if isinstance(sender.concurrency, int):
        set_processes(sender.concurrency)


@worker_ready.connect
def sweep_at_once(sender: Any, **_: Any) -> None:
    """A worker that takes the place of a dead one looks for its turns without waiting for the schedule."""
    with sender.app.connection_for_write() as connection:
        sweep_turns.apply_async(kwargs={"thorough": True}, connection=connection, retry=False)
