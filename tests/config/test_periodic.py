"""Periodic work has a queue of its own, does not run twice at once, and says when it last finished."""

from __future__ import annotations

import os
import threading
import time

import pytest
from celery import current_app

from constraints import tasks as turn_tasks
from memory import tasks as memory_tasks
from web import periodic


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    return tmp_path / "periodic"


def queue_of(name: str) -> str:
    return current_app.amqp.router.route({}, name)["queue"].name


def test_turns_and_periodic_work_have_different_queues():
    assert queue_of(turn_tasks.run_turn.name) == "turns"
    names = {entry["task"] for entry in current_app.conf.beat_schedule.values()}
    assert {turn_tasks.sweep_turns.name, memory_tasks.purge_expired.name} < names
    assert {queue_of(name) for name in names} == {"periodic"}


def test_every_task_of_the_schedule_exists():
    current_app.loader.import_default_modules()
    assert {entry["task"] for entry in current_app.conf.beat_schedule.values()} <= set(current_app.tasks)


def test_every_periodic_message_is_dropped_when_it_comes_too_late():
    for name, entry in current_app.conf.beat_schedule.items():
        assert 0 < entry["options"]["expires"] <= entry["schedule"], name


def test_nothing_is_known_of_work_that_never_finished():
    assert periodic.lag("sweep") is None


def test_the_lag_is_the_time_since_work_finished(folder):
    periodic.finished("sweep")
    assert periodic.lag("sweep") < 60
    an_hour_ago = time.time() - 3600
    os.utime(folder / "sweep", (an_hour_ago, an_hour_ago))
    assert 3600 <= periodic.lag("sweep") < 3660


def test_work_that_fails_has_not_finished():
    @periodic.periodic("purge")
    def work() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert periodic.lag("purge") is None
    with pytest.raises(ZeroDivisionError):  # and it may be tried again
        work()


def test_work_that_still_runs_is_not_started_a_second_time():
    begun, go_on, calls = threading.Event(), threading.Event(), []

    @periodic.periodic("purge")
    def work() -> int:
        calls.append(1)
        begun.set()
        assert go_on.wait(60)
        return 7

    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    assert begun.wait(60)
    assert work() == 0
    go_on.set()
    thread.join(60)
    assert (results, calls) == ([7], [1])
    assert work() == 7


@pytest.mark.django_db
def test_the_tasks_record_when_they_finished():
    turn_tasks.sweep_turns()
    turn_tasks.settle_conversations()
    memory_tasks.purge_expired()
    memory_tasks.purge_records()
    memory_tasks.drop_tombstones()
    for name in ("sweep", "settle", "purge-facts", "purge-records", "drop-tombstones"):
        assert periodic.lag(name) is not None, name
