"""A process that ended is known at once to be gone, and its turns go to another."""

from __future__ import annotations

import os
import signal
from datetime import timedelta

import pytest
from django.utils import timezone

from config.forked import fork
from constraints.conversations import services
from constraints.models import Turn
from constraints.running import presence
from tests.constraints.conftest import Runner


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    presence._name_of.cache_clear()
    yield tmp_path / "workers"
    presence._name_of.cache_clear()


@pytest.fixture
def other():
    """A process that holds its lock, and its name."""
    reading, writing = os.pipe()

    def live() -> None:
        os.write(writing, presence.worker_name().encode())
        os.close(writing)
        signal.pause()

    process = fork("a worker", live, keep=(writing,))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        process.worker = pipe.read()
    yield process
    end(process)


def end(process) -> None:
    """Kill a process and wait until it is gone."""
    process.send_signal(signal.SIGKILL)
    process.wait(10)


def test_a_process_has_one_name_which_tells_host_and_number():
    assert presence.worker_name() == presence.worker_name()
    assert f":{os.getpid()}-" in presence.worker_name()


def test_a_living_process_is_not_gone_and_a_killed_one_is(other):
    assert not presence.is_gone(presence.worker_name())
    assert not presence.is_gone(other.worker)
    end(other)
    assert presence.is_gone(other.worker)


def test_of_a_process_without_a_file_nothing_is_known(folder):
    assert not presence.is_gone("elsewhere:17-abcdef01")
    assert not presence.is_gone("w1")
    assert not presence.is_gone("")


def test_files_of_the_gone_are_removed_and_others_stay(folder, other):
    mine = presence.worker_name()
    end(other)
    assert len(list(folder.iterdir())) == 2
    presence.forget_the_gone()
    assert [path.name for path in folder.iterdir()] == [f"{mine.rpartition(':')[2]}.alive"]


def test_a_folder_that_cannot_be_written_leaves_it_to_the_lease(settings, tmp_path):
    (tmp_path / "file").touch()
    settings.VAR_DIR = tmp_path / "file"
    assert not presence.is_gone(presence.worker_name())
    presence.forget_the_gone()


@pytest.mark.django_db
class TestSweeping:
    def test_the_turn_of_a_process_that_ended_is_taken_back_although_its_lease_runs(self, start, other):
        turn = services.turn_claim(turn_id=start.pk, worker=other.worker)
        assert services.turn_sweep() == 0
        assert turn.lease_until > timezone.now()
        end(other)
        assert services.turn_sweep() == 1
        start.refresh_from_db()
        assert (start.status, start.attempt) == ("queued", 1)
        assert services.turn_run(turn_id=start.pk, runner=Runner()) == "done"

    def test_a_turn_at_work_in_a_living_process_stays_with_it(self, start):
        services.turn_claim(turn_id=start.pk)
        assert services.turn_sweep(thorough=True) == 0
        assert Turn.objects.get(pk=start.pk).status == "running"

    def test_a_new_worker_sends_every_turn_that_waits_however_young(self, start, sent):
        Turn.objects.filter(pk=start.pk).update(enqueued_at=timezone.now() - timedelta(milliseconds=10))
        assert services.turn_sweep() == 0
        assert services.turn_sweep(thorough=True) == 1
        assert sent == [start.pk]
