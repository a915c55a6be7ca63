"""Many writers at once: nothing is lost, and the log stays whole."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memory.facts.purge import purge_expired
from memory.facts.services import fact_put
from memory.management.commands.verify_facts import verify
from memory.models import Fact, FactChange
from tests.factories import ProjectFactory
from web.errors import Conflict

WRITERS = 8
ROUNDS = 12

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(work, number=WRITERS):
    """Run ``work(n)`` in as many threads, each with a connection of its own."""

    def run(n):
        try:
            return work(n)
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))


def test_no_update_of_a_counter_is_lost():
    project = ProjectFactory()
    place = {"project": project, "scope": "project", "owner": "", "path": "project.counter"}
    fact_put(**place, value=0)

    def count(_):
        stale = []
        for _ in range(ROUNDS):
            while True:
                read = Fact.objects.get(project=project)
                try:
                    fact_put(**place, value=read.value + 1, expected_version=read.version)
                    break
                except Conflict as error:
                    stale.append((read.version, error.current["version"]))
        return stale

    stale = [pair for pairs in at_once(count) for pair in pairs]
    assert all(read < current for read, current in stale)
    fact = Fact.objects.get()
    assert (fact.value, fact.version) == (WRITERS * ROUNDS, WRITERS * ROUNDS + 1)
    assert verify(project) == (WRITERS * ROUNDS + 1, None)


def test_one_of_many_creators_wins():
    project = ProjectFactory()

    def create(n):
        try:
            fact_put(project=project, scope="user", owner="u1", path="user.tier", value=n, expected_version=None)
        except Conflict:
            return None
        return n

    winners = [n for n in at_once(create) if n is not None]
    assert [Fact.objects.get().value] == winners
    assert verify(project) == (1, None)


def test_the_log_is_whole_while_writers_purge_and_write_different_facts():
    project = ProjectFactory()

    def work(n):
        for number in range(ROUNDS):
            if n == 0:
                purge_expired(now=timezone.now() + timedelta(hours=1))
            else:
                fact_put(
                    project=project, scope="user", owner=f"u{n}", path=f"user.f{number % 3}", value=number, ttl="1m"
                )

    at_once(work)
    seq, found = verify(project)
    assert found is None
    assert FactChange.objects.filter(kind="write").count() == (WRITERS - 1) * ROUNDS
    assert seq == FactChange.objects.count()


def test_a_write_that_is_rolled_back_leaves_no_trace():
    project = ProjectFactory()
    with suppress(RuntimeError), transaction.atomic():
        fact_put(project=project, scope="user", owner="u1", path="user.tier", value=1)
        raise RuntimeError
    assert not Fact.objects.exists()
    assert not FactChange.objects.exists()
    assert verify(project) == (0, None)
