"""A turn ends: at its time limit, when it is cancelled, and when its process has to be killed for it.

With real workers: ``tests/faults/test_turns_that_hang.py``.
"""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from config.forked import fork
from constraints.conversations import services
from constraints.models import Turn
from constraints.running import presence, sweeping
from editor import services as editing
from tests.constraints.conftest import Runner


@pytest.fixture
def folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    presence._name_of.cache_clear()
    yield tmp_path / "workers"
    presence._name_of.cache_clear()


def overdue(turn, seconds=60):
    """As if the turn had passed its deadline long ago."""
    Turn.objects.filter(pk=turn.pk).update(deadline_at=timezone.now() - timedelta(seconds=seconds))


@pytest.mark.django_db
class TestDeadline:
    def test_a_claim_sets_the_limit_of_the_installation(self, start, settings):
        turn = services.turn_claim(turn_id=start.pk)
        assert turn.deadline_at - turn.started_at >= timedelta(seconds=settings.TURN_SECONDS)

    def test_a_project_may_have_its_own(self, start, project):
        editing.project_update(project=project, turn_seconds=200)
        turn = services.turn_claim(turn_id=start.pk)
        assert turn.deadline_at - turn.started_at >= timedelta(seconds=200)

    def test_a_turn_that_looks_at_its_limit_fails_there_and_keeps_nothing(self, start, say, settings, sent):
        settings.TURN_SECONDS = 0

        def during(task):
            task.poll()

        later, runner = say(), Runner(during=during)
        sent.clear()
        assert services.turn_run(turn_id=start.pk, runner=runner) == "failed"
        start.refresh_from_db()
        assert start.error["code"] == "time-exceeded"
        assert start.error["limit"] == 0
        assert not start.events.exists()
        assert runner.facts_committed == 0
        assert services.turn_run(turn_id=start.pk, runner=runner) is None
        assert Turn.objects.get(pk=later.pk).status == "queued"

    def test_a_cancel_reaches_a_turn_that_computes(self, start):
        def during(task):
            services.turn_cancel(turn=start)
            lease.renew()  # as its thread does every second
            task.poll()

        lease = None

        def run(task):
            nonlocal lease
            lease = task.poll.__self__
            return Runner(during=during)(task)

        assert services.turn_run(turn_id=start.pk, runner=run) == "cancelled"


@pytest.mark.django_db
class TestSweeping:
    def test_a_turn_past_its_deadline_is_ended_for_good(self, start):
        turn = services.turn_claim(turn_id=start.pk, worker="elsewhere/1:2-x")
        overdue(turn)
        assert services.turn_sweep() == 1
        start.refresh_from_db()
        assert (start.status, start.error["code"]) == ("failed", "time-exceeded")
        assert services.turn_sweep() == 0

    def test_it_gets_a_moment_to_end_by_itself(self, start):
        turn = services.turn_claim(turn_id=start.pk, worker="elsewhere/1:2-x")
        overdue(turn, seconds=sweeping.GRACE_SECONDS / 2)
        assert services.turn_sweep() == 0

    def test_one_that_was_cancelled_ends_as_cancelled(self, start):
        turn = services.turn_claim(turn_id=start.pk, worker="elsewhere/1:2-x")
        services.turn_cancel(turn=turn)
        assert services.turn_sweep() == 0
        overdue(turn)
        assert services.turn_sweep() == 1
        start.refresh_from_db()
        assert start.status == "cancelled"

    def test_a_silent_process_that_lives_here_and_is_at_the_turn_keeps_it_until_the_deadline(self, folder, start):
        turn = services.turn_claim(turn_id=start.pk)
        presence.begin(turn_id=turn.pk, claimed=turn.started_at, seconds=30)
        Turn.objects.update(lease_until=timezone.now() - timedelta(seconds=9))
        assert services.turn_sweep() == 0
        presence.rest()
        assert services.turn_sweep() == 1

    def test_a_turn_that_is_ended_from_outside_says_where_it_was(self, folder, start, monkeypatch):
        monkeypatch.setattr(presence, "stop", lambda *_, **__: False)  # it would end this process

        def during(task):
            overdue(start)
            services.turn_sweep()

        assert services.turn_run(turn_id=start.pk, runner=Runner(during=during)) == "failed"
        start.refresh_from_db()
        assert start.error["code"] == "time-exceeded"
        assert start.error["at"] == {"agent": "Lending_Desk", "event": "Log"}
        assert [each["kind"] for each in start.error["last_events"]] == ["log"]

    def test_the_place_of_another_claim_is_not_that_of_this_one(self, folder, start):
        turn = services.turn_claim(turn_id=start.pk)
        presence.note(turn_id=turn.pk, claimed=turn.started_at - timedelta(seconds=1), place={"at": {"step": "a"}})
        assert presence.place_of(turn.worker, turn_id=turn.pk, claimed=turn.started_at) == {}
        presence.note(turn_id=turn.pk, claimed=turn.started_at, place={"at": {"step": "b" * 100}})
        presence.note(turn_id=turn.pk, claimed=turn.started_at, place={"at": {"step": "b"}})
        assert presence.place_of(turn.worker, turn_id=turn.pk, claimed=turn.started_at) == {"at": {"step": "b"}}
        presence.begin(turn_id=turn.pk, claimed=turn.started_at, seconds=30)
        assert presence.is_at_work(turn.worker, turn_id=turn.pk, claimed=turn.started_at)

    def test_a_place_with_long_names_is_not_noted(self, folder, start):
        turn = services.turn_claim(turn_id=start.pk)
        presence.note(turn_id=turn.pk, claimed=turn.started_at, place={"at": {"step": "b" * presence.PLACE_BYTES}})
        assert presence.place_of(turn.worker, turn_id=turn.pk, claimed=turn.started_at) == {}

    def test_a_turn_whose_own_process_is_killed_three_times_is_given_up(self, start, monkeypatch):
        monkeypatch.setattr(presence, "is_gone", lambda worker: True)
        monkeypatch.setattr(presence, "parent_lives", lambda worker: True)
        for kills in (1, 2, 3):
            services.turn_claim(turn_id=start.pk)
            services.turn_sweep()
            start.refresh_from_db()
            assert start.kills == kills
        assert (start.status, start.error["code"]) == ("failed", "worker-lost")
        assert "killed 3 times" in start.error["message"]

    def test_one_whose_whole_worker_dies_is_tried_more_often(self, start, monkeypatch, settings):
        monkeypatch.setattr(presence, "is_gone", lambda worker: True)
        monkeypatch.setattr(presence, "parent_lives", lambda worker: False)
        for _ in range(settings.TURN_MAX_ATTEMPTS - 1):
            services.turn_claim(turn_id=start.pk)
            services.turn_sweep()
        start.refresh_from_db()
        assert (start.status, start.kills) == ("queued", 0)
        services.turn_claim(turn_id=start.pk)
        services.turn_sweep()
        start.refresh_from_db()
        assert start.status == "failed"


class TestKilling:
    CLAIMED = timezone.now()

    @pytest.fixture
    def other(self, folder):
        """A process that is at turn 7 for less than a moment, and its name."""
        reading, writing = os.pipe()

        def live() -> None:
            name = presence.worker_name()
            presence.begin(turn_id=7, claimed=self.CLAIMED, seconds=-1)
            os.write(writing, name.encode())
            os.close(writing)
            while True:
                signal.pause()

        process = fork("a worker", live, keep=(writing,))
        os.close(writing)
        with os.fdopen(reading) as pipe:
            process.worker = pipe.read()
        yield process
        process.send_signal(signal.SIGKILL)
        process.wait(10)

    def test_a_process_at_the_turn_is_killed_and_word_is_left(self, other):
        assert presence.is_at_work(other.worker, turn_id=7, claimed=self.CLAIMED)
        assert presence.stop(other.worker, turn_id=7, claimed=self.CLAIMED)
        assert other.wait(10) == -signal.SIGKILL
        assert presence.was_stopped(other.worker, turn_id=7, claimed=self.CLAIMED)
        assert presence.ended_at_work(other.pid)
        assert not presence.stop(other.worker, turn_id=7, claimed=self.CLAIMED)

    def test_one_that_is_at_another_turn_or_another_claim_goes_on(self, other):
        assert not presence.stop(other.worker, turn_id=8, claimed=self.CLAIMED)
        assert not presence.stop(other.worker, turn_id=7, claimed=self.CLAIMED + timedelta(seconds=1))
        assert not presence.is_gone(other.worker)
        state = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[0]
        assert state in ("R", "S")

    def test_its_parent_kills_it_when_nobody_else_did(self, other):
        assert not presence.stop_overdue(other.pid, grace=3600)
        assert presence.stop_overdue(other.pid, grace=0)
        assert other.wait(10) == -signal.SIGKILL

    def test_nothing_is_done_about_processes_that_are_not_known(self, folder):
        assert not presence.stop("elsewhere/1:1-abc", turn_id=7, claimed=self.CLAIMED)
        assert not presence.stop("", turn_id=7, claimed=None)
        assert not presence.stop_overdue(1, grace=0)

    @pytest.mark.django_db
    def test_a_turn_whose_process_was_killed_for_it_never_runs_again(self, other, start):
        turn = services.turn_claim(turn_id=start.pk, worker=other.worker)
        presence._write_stopped(presence.path_of(other.worker))
        record = presence.Work(turn.pk, turn.started_at.isoformat(), presence.STOPPED)
        presence.path_of(other.worker).write_bytes(presence._record(record))
        other.send_signal(signal.SIGKILL)
        other.wait(10)
        assert services.turn_sweep() == 1
        start.refresh_from_db()
        assert (start.status, start.error["code"]) == ("failed", "time-exceeded")
