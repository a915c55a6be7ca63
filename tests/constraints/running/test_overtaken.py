"""Turns that read and write what others change meanwhile: none of the changes is lost."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from constraints.conversations import services
from constraints.models import TraceEvent, Turn
from constraints.running import worker as running
from constraints.running.runner import run_in_session
from memory.facts.services import fact_put
from memory.log.verification import verify_some
from memory.models import Fact, FactChange
from tests.constraints.conftest import member
from tests.factories import DocumentFactory, ProjectFactory

COUNTER = """\
AGENT: Counter
GOAL: "Count"
MEMORY:
  persistent:
    - PATH: project.visits
      SCOPE: project
      TYPE: number
      DEFAULT: 0
    - PATH: project.others
      SCOPE: project
      TYPE: number
      DEFAULT: 0
FLOW:
  ask:
    REASONING: false
    GATHER:
      - word: required
        prompt: "Yes?"
    THEN: count
  count:
    REASONING: false
    SET: project.visits = project.visits + 1
    RESPOND: "Number {{project.visits}}."
    CLEAR: word
    THEN: ask
"""
THREADS = 8


@pytest.fixture
def project(db):
    project = ProjectFactory(slug="counter")
    DocumentFactory(project=project, path="counter.agent.abl", text=COUNTER)
    return project


@pytest.fixture
def turn_of(project):
    """A message that waits for a worker, in a conversation of its own."""
    owner = member(project, "owner")

    def make():
        conversation = services.conversation_start(project=project, started_by=owner, user="u-1")
        start = conversation.turns.get()
        assert services.turn_run(turn_id=start.pk) == "done", start.error
        services.turn_post(conversation=conversation, author=owner, kind="say", data={"text": "hello"}, message_id="")
        return conversation.turns.get(index=1)

    return make


class Overtaking:
    """A runner; each time when the turn is about to be kept, something happens first."""

    def __init__(self, *happenings):
        self.waiting = list(happenings)

    def __call__(self, task):
        outcome = run_in_session(task)
        if self.waiting:
            self.waiting.pop(0)()
        return outcome


@pytest.mark.slow
def test_a_turn_begins_again_on_what_another_one_wrote(project, turn_of):
    one, other = turn_of(), turn_of()
    runner = Overtaking(lambda: services.turn_run(turn_id=other.pk))
    assert services.turn_run(turn_id=one.pk, runner=runner) == "done"
    one.refresh_from_db()
    other.refresh_from_db()
    assert (other.replies[0], one.replies[0]) == ("Number 1.", "Number 2.")
    assert (one.attempt, one.overtaken, other.attempt, other.overtaken) == (2, 1, 1, 0)
    assert set(TraceEvent.objects.filter(turn=one).values_list("attempt", flat=True)) == {2}
    assert Fact.objects.get(path="project.visits").value == 2
    assert sorted(FactChange.objects.filter(path="project.visits").values_list("version", flat=True)) == [1, 2]
    assert verify_some(project=project).whole


@pytest.mark.slow
def test_somebody_who_writes_by_hand_counts_as_well(project, turn_of):
    turn = turn_of()
    write = {"project": project, "scope": "project", "owner": "", "path": "project.visits"}
    runner = Overtaking(lambda: fact_put(**write, value=40), lambda: fact_put(**write, value=41))
    assert services.turn_run(turn_id=turn.pk, runner=runner) == "done"
    turn.refresh_from_db()
    assert (turn.replies[0], turn.overtaken) == ("Number 42.", 2)


def test_what_a_turn_did_not_read_may_change(project, turn_of):
    turn = turn_of()
    others = {"project": project, "scope": "project", "owner": "", "path": "project.others", "value": 1}
    assert services.turn_run(turn_id=turn.pk, runner=Overtaking(lambda: fact_put(**others))) == "done"
    turn.refresh_from_db()
    assert turn.overtaken == 0


def test_a_turn_that_is_always_overtaken_ends_with_words_and_keeps_nothing(project, turn_of, monkeypatch):
    monkeypatch.setattr(running, "OVERTAKEN_AT_MOST", 3)
    turn = turn_of()
    write = {"project": project, "scope": "project", "owner": "", "path": "project.visits"}
    happenings = [lambda value=value: fact_put(**write, value=value) for value in range(5)]
    assert services.turn_run(turn_id=turn.pk, runner=Overtaking(*happenings)) == "failed"
    turn.refresh_from_db()
    assert turn.error["code"] == "overtaken"
    assert "3 times" in turn.error["message"]
    assert not turn.events.exists()
    assert Fact.objects.get(path="project.visits").value == 2


def test_to_begin_again_is_not_counted_as_a_lost_worker(project, turn_of, settings):
    turn = turn_of()
    Turn.objects.filter(pk=turn.pk).update(
        status="running",
        attempt=settings.TURN_MAX_ATTEMPTS + 2,
        overtaken=5,
        lease_until=timezone.now() - timedelta(seconds=1),
        worker="gone",
    )
    services.turn_sweep()
    turn.refresh_from_db()
    assert turn.status == "queued"


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_turns_of_many_conversations_at_once_all_count(project, turn_of):
    turns = [turn_of() for _ in range(THREADS)]
    ready = threading.Barrier(THREADS)
    ended = []

    def run(turn):
        try:
            ready.wait()
            ended.append(services.turn_run(turn_id=turn.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(turn,)) for turn in turns]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == ["done"] * THREADS
    assert Fact.objects.get(path="project.visits").value == THREADS
    replies = {turn.replies[0] for turn in Turn.objects.filter(index=1)}
    assert replies == {f"Number {number}." for number in range(1, THREADS + 1)}
    assert verify_some(project=project).whole
