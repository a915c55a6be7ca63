"""Turns that do not come back, in real workers: they end at their limit, and nobody else waits for that.

Some hold Python's interpreter lock in C code, where nothing looks at a limit (``tests.faults.unruly``).
"""

from __future__ import annotations

import time
from functools import partial

import pytest

from tests.workbench import busyness, eventually, running

pytestmark = pytest.mark.slow

PROJECT = "/api/v1/projects/hotel-desk/conversations/"
UNRULY = {"DJANGO_SETTINGS_MODULE": "tests.faults.unruly.settings", "ABL_TURN_SECONDS": "4"}
ANN = """
from editor.models import Membership, Project, User
user = User.objects.create_user("ann", password="correct horse battery")
Membership.objects.create(project=Project.objects.get(slug="hotel-desk"), user=user, role="editor")
"""


@pytest.fixture(params=["sqlite and files", pytest.param("servers", marks=pytest.mark.server)])
def workbench(request, tmp_path):
    settings = dict(UNRULY)
    if request.param == "servers":
        postgres, redis = request.getfixturevalue("postgres"), request.getfixturevalue("redis")
        settings |= {"DATABASE_URL": postgres.url, "BROKER_URL": redis.url}
    with running(tmp_path, settings) as found:
        yield found


@pytest.fixture
def said(workbench):
    """Begins a conversation, says something in it, and gives a function that reads the turn."""
    with workbench.client() as client:

        def say(text):
            address = f"{PROJECT}{client.post(PROJECT, json={}).json()['number']}/turns/"
            eventually(lambda: client.get(f"{address}0/").json()["status"] == "done", what="the conversation begins")
            assert client.post(address, json={"kind": "say", "text": text}).status_code == 202
            read = lambda: client.get(f"{address}1/").json()  # noqa: E731
            read.cancel = lambda: client.post(f"{address}1/cancel/")
            return read

        yield say


def finished(read):
    found = read()
    return found if found["status"] not in ("queued", "running") else None


def ended(turn, seconds=90):
    """Status, code of the error and attempts of a turn once it is over."""
    found = eventually(partial(finished, turn), seconds, "the turn is over")
    return found["status"], (found["error"] or {}).get("code"), found["attempt"]


def test_turns_end_at_their_limit_or_when_cancelled_and_the_rest_of_the_worker_lives_on(workbench, said):
    worker, *_ = workbench.pids("config worker")
    computes, hangs = said("work 600"), said("hang")
    assert ended(computes) == ("failed", "time-exceeded", 1)
    assert ended(hangs) == ("failed", "time-exceeded", 1), "nothing in it looks at a limit: its process was killed"
    cancelled = said("hang")
    eventually(lambda: cancelled()["status"] == "running", what="it is at work")
    cancelled.cancel()
    assert ended(cancelled) == ("cancelled", None, 1)
    assert ended(said("die")) == ("failed", "worker-lost", 3), "its process dies each time: it is tried three times"
    assert ended(said("two nights")) == ("done", None, 1)
    assert workbench.pids("config worker")[0] == worker, "only processes of the pool were killed"


def test_while_all_that_one_account_may_hold_hangs_others_are_answered(workbench, said):
    for _ in range(4):
        said("hang")
    workbench.shell(ANN)
    with workbench.client("ann") as client:
        began = time.monotonic()
        address = f"{PROJECT}{client.post(PROJECT, json={}).json()['number']}/turns/0/"
        eventually(lambda: client.get(address).json()["status"] == "done", 60, "the conversation begins")
        waited = (time.monotonic() - began) / busyness()
    assert waited < 4, "it did not wait for the limit of those that hang"
