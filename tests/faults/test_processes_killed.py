"""Processes of the workbench are killed one after the other, and again: a turn completes by itself, soon and once."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import httpx
import pytest

from tests.constraints.running.test_worker_kill import RULES, STEPS, started
from tests.workbench import Workbench, busyness, eventually, running

pytestmark = pytest.mark.slow

SECONDS = 10.0
"""What a turn may take after the last kill, also on a busy machine."""
FACTS = "/api/v1/projects/slow/facts/"


@pytest.fixture(params=["sqlite and files", pytest.param("postgres and redis", marks=pytest.mark.server)])
def workbench(request, tmp_path):
    settings = {}
    if request.param == "postgres and redis":
        postgres, redis = request.getfixturevalue("postgres"), request.getfixturevalue("redis")
        settings = {"DATABASE_URL": postgres.url, "BROKER_URL": redis.url}
    with running(tmp_path, settings) as found:
        yield found


def asked(client: httpx.Client, address: str, **params: Any) -> dict[str, Any]:
    """What the API answers, asked again while the web process is away."""

    def answer() -> dict[str, Any] | None:
        try:
            found = client.get(address, params=params or None)
        except httpx.TransportError:
            return None
        return found.json() if found.status_code == 200 else None

    return eventually(answer, 20, f"{address} answers")


def kill(workbench: Workbench, *parts: str) -> None:
    """Kill every process of some parts."""
    for pid in [pid for part in parts for pid in workbench.pids(part)]:
        os.kill(pid, signal.SIGKILL)


KILLS = [
    ("config worker",),
    ("config worker", "config beat"),
    ("config worker", "config.server"),
    ("config worker", "config.server", "config beat"),
]


def test_a_turn_survives_worker_web_and_beat_being_killed_again_and_again(workbench):
    with workbench.client() as client:
        address = started(workbench, client)
        before = asked(client, f"{address}events/", page_size=200)["results"][-1]["seq"]
        body = {"kind": "say", "text": "hello", "message_id": "m-1"}
        assert client.post(f"{address}turns/", json=body).status_code == 202

        def at_work(attempt: int) -> bool:
            found = asked(client, f"{address}turns/1/")
            assert found["status"] in ("queued", "running"), f"the turn was over before kill {attempt}: {found}"
            return found["attempt"] == attempt and asked(client, f"{address}events/", after=before)["results"] != []

        for attempt, parts in enumerate(KILLS, 1):
            eventually(lambda n=attempt: at_work(n), 20, f"events of attempt {attempt}")
            kill(workbench, *parts)
        killed = time.monotonic()
        eventually(lambda: asked(client, f"{address}turns/1/")["status"] == "done", 120, "the turn completed")
        assert (time.monotonic() - killed) / busyness() < SECONDS

        done = asked(client, f"{address}turns/1/")
        assert done["attempt"] == len(KILLS) + 1
        assert client.post(f"{address}turns/", json=body).json()["index"] == 1, "the same message makes no other turn"
        assert_once(client, address)


def assert_once(client: httpx.Client, address: str) -> None:
    """The events of the turn and its fact are there, once."""
    seqs: list[int] = []
    page: dict[str, Any] = {"next": f"{address}events/?page_size=200"}
    while page["next"]:
        page = asked(client, page["next"])
        seqs += [event["seq"] for event in page["results"]]
    assert seqs == sorted(set(seqs))
    assert len(seqs) > STEPS * RULES
    facts = asked(client, FACTS)["results"]
    assert [(fact["path"], fact["version"]) for fact in facts] == [("user.last_word", 1)]
    assert len(asked(client, f"{FACTS}{facts[0]['id']}/history/")["results"]) == 1
