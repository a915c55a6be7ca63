"""Facts between two at once: 64 writers, readers at the moment of expiry, purging against renewing, a killed process, a
clock that steps back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from memory.facts.purge import purge_expired
from memory.facts.selectors import fact_now
from memory.facts.services import fact_put
from memory.management.commands.verify_facts import verify
from memory.models import Fact, FactChange
from tests.factories import ProjectFactory
from tests.memory.crowd import alone
from tests.memory.facts.test_facts_writers import at_once
from web.errors import Conflict

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MANY = 64
PLACE = {"scope": "project", "owner": "", "path": "project.counter"}


def test_of_64_writers_on_one_version_exactly_one_wins():
    project = ProjectFactory()
    version = fact_put(project=project, **PLACE, value="none").version
    for _ in range(3):
        together = threading.Barrier(MANY)

        def write(n, seen=version, together=together):
            together.wait(60)
            try:
                return fact_put(project=project, **PLACE, value=n, expected_version=seen).version
            except Conflict as error:
                return -error.current["version"]

        with alone():
            after = at_once(write, MANY)
        won = [(n, each) for n, each in enumerate(after) if each > 0]
        assert [each for _, each in won] == [version + 1]
        assert set(map(abs, after)) == {version + 1}
        assert Fact.objects.get().value == won[0][0]
        version += 1
    assert verify(project) == (4, None)


def test_no_update_of_64_writers_is_lost():
    project = ProjectFactory()
    fact_put(project=project, **PLACE, value=0)

    def count(_):
        while True:
            read = Fact.objects.get(project=project)
            try:
                return fact_put(project=project, **PLACE, value=read.value + 1, expected_version=read.version)
            except Conflict:
                continue

    with alone():
        at_once(count, MANY)
    fact = Fact.objects.get()
    assert (fact.value, fact.version) == (MANY, MANY + 1)
    assert verify(project) == (MANY + 1, None)


def test_no_read_that_begins_at_or_after_expiry_gives_the_value():
    project = ProjectFactory()
    fact = fact_put(project=project, **PLACE, value="gold", ttl="1h")
    moments = [fact.expires_at + timedelta(microseconds=n) for n in range(-25, 26)]

    def read(_):
        return [
            (at < fact.expires_at, fact_now(project=project, place=PLACE, now=at) is not None)
            for at in (*moments, *reversed(moments))
        ]

    reads = [pair for pairs in at_once(read, 4) for pair in pairs]
    assert set(reads) == {(True, True), (False, False)}


def test_what_is_renewed_while_it_is_purged_stays():
    project = ProjectFactory()
    paths = [f"project.f{n}" for n in range(60)]
    long_ago = timezone.now() - timedelta(hours=1)
    for path in paths:
        fact_put(project=project, **{**PLACE, "path": path}, value="old", ttl="1m", now=long_ago)
    Fact.objects.update(virtual_clock=False)  # as if it had been the real clock then
    together = threading.Barrier(2)

    def work(n):
        together.wait(60)
        if n == 0:
            return purge_expired(limit=5)
        return [fact_put(project=project, **{**PLACE, "path": path}, value="new", ttl="1h") for path in reversed(paths)]

    at_once(work, 2)
    purge_expired()
    for path in paths:
        fact = fact_now(project=project, place={**PLACE, "path": path}, now=timezone.now())
        assert fact is not None
        assert fact.value == "new"
    assert verify(project)[1] is None


CUT_OFF = """
import django, sys
django.setup()
from django.db import transaction
from editor.models import Project
from memory.facts.services import fact_put
with transaction.atomic():
    fact_put(project=Project.objects.get(slug="cut"), scope="project", owner="", path="project.counter", value=2)
    print("written", flush=True)
    sys.stdin.read()
"""


def address_of_the_test_database():
    """``DATABASE_URL`` of the database that this test uses."""
    of = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{of['NAME']}"
    return f"postgres://{of['USER']}:{of['PASSWORD']}@{of['HOST']}:{of['PORT']}/{of['NAME']}"


def test_a_process_that_is_killed_between_writing_and_committing_leaves_nothing(tmp_path):
    project = ProjectFactory(slug="cut")
    fact_put(project=project, **PLACE, value=1)
    connection.close()
    environment = {**os.environ, "DATABASE_URL": address_of_the_test_database(), "ABL_VAR_DIR": str(tmp_path)}
    writer = subprocess.Popen(
        [sys.executable, "-c", CUT_OFF],
        cwd=Path(__file__).resolve().parents[3],
        env={**environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "written\n"
    writer.kill()
    writer.communicate()
    fact = Fact.objects.get()
    assert (fact.value, fact.version) == (1, 1)
    assert FactChange.objects.count() == 1
    assert fact_put(project=project, **PLACE, value=3, expected_version=1).version == 2
    assert verify(project) == (2, None)


def test_a_clock_that_steps_back_an_hour_breaks_neither_versions_nor_the_log():
    project = ProjectFactory()
    now = timezone.now()
    before = now - timedelta(hours=1)
    fact_put(project=project, **PLACE, value="first", ttl="30m", now=now)
    second = fact_put(project=project, **PLACE, value="second", ttl="30m", expected_version=1, now=before)
    assert (second.version, second.expires_at) == (2, before + timedelta(minutes=30))
    # Each reader judges by its own clock; what is purged does not come back with an earlier one.
    assert fact_now(project=project, place=PLACE, now=before).value == "second"
    assert fact_now(project=project, place=PLACE, now=now) is None
    Fact.objects.update(virtual_clock=False)  # the clock of the machine it was
    assert purge_expired(now=now) == 1
    assert fact_now(project=project, place=PLACE, now=before) is None
    assert fact_put(project=project, **PLACE, value="third", now=before).value == "third"
    assert verify(project)[1] is None
