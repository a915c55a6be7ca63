"""Which turn runs next: accounts that had little go first, turns of one conversation in order, some processes free."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from constraints import selectors
from constraints.conversations import services
from constraints.models import Conversation, Share, Turn
from constraints.running import queue
from constraints.running.leases import turn_claim_next
from editor.models import User
from tests.constraints.conftest import Runner, member
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db

WORKER = "host/1:{}-x"


@pytest.fixture(autouse=True)
def four_processes():
    queue.set_processes(4)
    yield
    queue._processes.clear()


@pytest.fixture
def wait_in_queue(project):
    """Queues turns of an account, each in a conversation of its own unless told otherwise; gives the turns."""

    def post(name, count=1, *, where=None, conversations=None):
        user = User.objects.get_or_create(username=name)[0]
        where = where or project
        turns = []
        for n in range(count):
            if conversations is None or n < conversations:
                number = selectors.conversation_last_number(project=where) + 1
                talk = Conversation.objects.create(project=where, number=number, user="u", started_by=user)
            index = Turn.objects.filter(conversation=talk).count()
            share, kind = queue.share_of(talk), "say" if index else "start"
            turns.append(
                Turn.objects.create(conversation=talk, share=share, index=index, message_id=f"m{index}", kind=kind)
            )
        return turns

    return post


def claim(process=1):
    return turn_claim_next(worker=WORKER.format(process))


def accounts(turns):
    return [turn.conversation.started_by.username for turn in turns]


def finish(turn, seconds=0.0):
    """As if the turn had held its process for so long."""
    Turn.objects.filter(pk=turn.pk).update(status="done")
    queue.share_charge(share_id=turn.share_id, since=timezone.now() - timedelta(seconds=seconds))


def pairs_of(count, *, whole=False):
    """Turns as they are claimed one after the other, two and two: their accounts, or ``whole``."""
    order = []
    for _ in range(count):
        turn = claim()
        order += [turn] if whole else accounts([turn])
        finish(turn, 0.5)
    return list(zip(order[::2], order[1::2], strict=True))


class TestOrder:
    def test_nothing_waits(self, project):
        assert claim() is None

    def test_a_hundred_turns_of_one_wait_behind_the_one_of_another(self, wait_in_queue):
        wait_in_queue("mallory", 100)
        wait_in_queue("ann")
        first = claim()
        assert accounts([first, claim()]) == ["mallory", "ann"]

    def test_two_who_wait_take_turns(self, wait_in_queue):
        wait_in_queue("mallory", 4)
        wait_in_queue("ann", 4)
        assert all(len(set(pair)) == 2 for pair in pairs_of(8))

    def test_many_projects_give_no_more(self, wait_in_queue):
        projects = [ProjectFactory() for _ in range(5)]
        for each in projects:
            wait_in_queue("mallory", 2, where=each)
        wait_in_queue("ann", 3)
        assert all(len(set(pair)) == 2 for pair in pairs_of(6))

    def test_the_projects_of_one_account_take_turns(self, project, wait_in_queue):
        wait_in_queue("ann", 3)
        other = ProjectFactory()
        wait_in_queue("ann", 3, where=other)
        assert all({turn.conversation.project for turn in pair} == {project, other} for pair in pairs_of(4, whole=True))

    def test_whoever_used_less_lately_goes_first(self, wait_in_queue):
        finish(wait_in_queue("mallory")[0], 5.0)
        finish(wait_in_queue("ann")[0], 0.5)
        wait_in_queue("mallory")
        wait_in_queue("ann")
        assert accounts([claim()]) == ["ann"]

    def test_what_was_used_long_ago_hardly_counts(self, wait_in_queue):
        finish(wait_in_queue("mallory")[0], 5.0)
        finish(wait_in_queue("ann")[0], 0.5)
        Share.objects.filter(account__username="mallory").update(used_at=timezone.now() - timedelta(minutes=10))
        wait_in_queue("mallory")
        wait_in_queue("ann")
        assert accounts([claim()]) == ["mallory"]

    def test_the_oldest_turn_of_an_account_goes_first(self, wait_in_queue):
        turns = wait_in_queue("ann", 3)
        assert claim() == turns[0]

    def test_turns_of_one_conversation_run_in_order_and_not_at_once(self, wait_in_queue):
        first, second = wait_in_queue("ann", 2, conversations=1)
        assert claim(1) == first
        assert claim(2) is None
        finish(first)
        assert claim(2) == second

    def test_turns_of_conversations_that_nobody_known_started_run_too(self, conversation, start):
        Conversation.objects.update(started_by=None)
        assert start.share is None
        assert claim() == start


class TestFreeProcesses:
    def test_one_account_alone_takes_half(self, wait_in_queue):
        wait_in_queue("mallory", 100)
        assert accounts(filter(None, [claim(n) for n in range(4)])) == ["mallory"] * 2

    @pytest.mark.full
    def test_two_accounts_leave_a_process_to_a_third_at_once(self, wait_in_queue):
        wait_in_queue("mallory", 100)
        wait_in_queue("eve", 100)
        taken = list(filter(None, [claim(n) for n in range(4)]))
        assert sorted(accounts(taken)) == ["eve", "mallory"]
        wait_in_queue("ann")
        assert accounts([claim(9)]) == ["ann"]

    def test_those_who_run_much_leave_a_process_to_those_who_run_little(self, wait_in_queue):
        names = ["mallory", "eve", "oscar", "trudy", "craig"]
        for name in names:
            finish(wait_in_queue(name)[0], 60.0)
            wait_in_queue(name, 10)
        assert len(list(filter(None, [claim(n) for n in range(6)]))) == 3
        wait_in_queue("ann")
        assert accounts([claim(9)]) == ["ann"]

    def test_a_turn_that_runs_for_long_makes_its_account_heavy_before_it_ends(self, wait_in_queue):
        for name in ("mallory", "eve", "oscar", "trudy"):
            wait_in_queue(name, 2)
        for n in range(3):
            claim(n)
        Turn.objects.filter(status="running").update(started_at=timezone.now() - timedelta(seconds=20))
        finish(wait_in_queue("trudy")[0], 20)
        assert claim(4) is None
        wait_in_queue("ann")
        assert accounts([claim(5)]) == ["ann"]

    def test_a_worker_with_one_process_runs_everybodys_turns(self, wait_in_queue):
        queue.set_processes(1)
        finish(wait_in_queue("mallory")[0], 60.0)
        turns = wait_in_queue("mallory", 2)
        assert claim() == turns[0]
        finish(turns[0], 60.0)
        assert claim() == turns[1]

    def test_processes_of_other_workers_are_not_counted(self, wait_in_queue):
        wait_in_queue("mallory", 10)
        assert turn_claim_next(worker="elsewhere/7:1-x")
        assert turn_claim_next(worker="elsewhere/7:2-x")
        assert turn_claim_next(worker="elsewhere/7:3-x") is None
        assert claim()


class TestWorking:
    def test_one_message_is_enough_for_all_that_wait(self, wait_in_queue, monkeypatch):
        monkeypatch.setattr("constraints.running.worker.WORK_SECONDS", 60)
        turns = wait_in_queue("ann", 3) + wait_in_queue("bob", 2)
        assert services.turns_work(runner=Runner()) == len(turns)
        assert set(Turn.objects.values_list("status", flat=True)) == {"done"}

    def test_a_process_looks_at_the_broker_after_a_while_and_says_that_turns_are_left(
        self, wait_in_queue, sent, monkeypatch
    ):
        monkeypatch.setattr("constraints.running.worker.WORK_SECONDS", 0)
        monkeypatch.setattr("constraints.running.worker.send", sent.append)
        _, second = wait_in_queue("ann", 2)
        assert services.turns_work(runner=Runner()) == 1
        assert sent == [second.pk]
        assert services.turns_work(runner=Runner()) == 1
        assert sent == [second.pk]

    def test_the_time_of_a_turn_counts_against_its_account(self, project, owner, conversation, say):
        turn = say()
        Turn.objects.filter(index=0).delete()
        Turn.objects.filter(pk=turn.pk).update(kind="start")
        services.turn_run(turn_id=turn.pk, runner=Runner())
        assert Share.objects.get(project=project, account=owner).used_us > 0

    def test_posted_turns_belong_to_who_started_the_conversation_not_to_who_speaks(self, project, conversation, owner):
        other = member(project, "editor")
        turn, _ = services.turn_post(conversation=conversation, author=other, kind="say", data={"text": "5"})
        assert turn.share == Share.objects.get(project=project, account=owner)


def test_the_age_of_the_queue_is_that_of_the_oldest_turn(start):
    Turn.objects.update(queued_at=timezone.now() - timedelta(seconds=60))
    assert 60 <= selectors.queue_age() < 120
    Turn.objects.update(status="running")
    assert selectors.queue_age() == 0.0


def many_waiting(project, *, accounts, conversations, turns):
    """Turns of so many accounts, each with so many conversations of so many turns; gives the conversations."""
    users = User.objects.bulk_create(User(username=f"user-{n}") for n in range(accounts))
    users = list(User.objects.filter(username__startswith="user-"))
    shares = {
        share.account_id: share
        for share in Share.objects.bulk_create(Share(project=project, account=user) for user in users)
    }
    talks = Conversation.objects.bulk_create(
        Conversation(project=project, number=100 + n * accounts + m, user="u", started_by=user)
        for n in range(conversations)
        for m, user in enumerate(users)
    )
    shared = [(talk, shares[talk.started_by_id]) for talk in talks]
    wait_for_turns(shared, range(turns))
    return shared


def wait_for_turns(talks, indexes):
    """Turns of each conversation, with the share that each is of."""
    Turn.objects.bulk_create(
        Turn(conversation=talk, share=share, index=index, message_id=str(index), kind="say")
        for index in indexes
        for talk, share in talks
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def seconds_to_choose():
    """Processor time of choosing a turn, the quickest of twenty."""
    times = []
    for n in range(20):
        began = time.process_time()
        chosen = queue.next_turn(worker=WORKER.format(n))
        times.append(time.process_time() - began)
        assert chosen is not None
        Turn.objects.filter(pk=chosen).update(status="done")
    return min(times)


@pytest.mark.full
def test_choosing_among_ten_thousand_waiting_turns_takes_little_longer_than_among_four_hundred(project):
    talks = many_waiting(project, accounts=20, conversations=10, turns=2)
    few = seconds_to_choose()
    wait_for_turns(talks, range(2, 50))
    assert Turn.objects.count() == 10_000
    assert seconds_to_choose() < 4 * max(few, 0.0005)  # what looks at each turn takes 25 times as long


@pytest.mark.django_db(transaction=True)
def test_processes_that_choose_at_the_same_time_keep_to_the_rules(wait_in_queue):
    wait_in_queue("mallory", 20)
    wait_in_queue("eve", 20)
    barrier, taken = threading.Barrier(6), []

    def work(n):
        try:
            barrier.wait()
            taken.append(claim(n))
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    found = [turn.pk for turn in taken if turn is not None]
    assert len(found) == len(set(found)) == 2
    assert Turn.objects.filter(status="running").count() == 2
