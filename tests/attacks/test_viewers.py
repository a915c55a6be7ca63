"""Two hundred people who watch a conversation in which nothing happens for a while, and then something."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

from tests.attacks.bounds import LONG, percentile, proof
from tests.attacks.people import client_of, conversation, over, populate
from tests.attacks.test_turns import HELLO
from tests.attacks.watching import watched
from tests.workbench import ROOT, Workbench

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

VIEWERS, MEMBERS = 200, 20
FIRST_EVENT_MS = 60
QUIET_SECONDS = 2.5
GAPS = 40 if LONG else 8

COMMIT = """
import time
from django.db import transaction
from django.db.models import F
from constraints.models import Conversation, Turn
from web.streams import announce
conversation = Conversation.objects.get(project__slug="watched", number={number})
with transaction.atomic():
    Conversation.objects.filter(pk=conversation.pk).update(version=F("version") + 1)
    version = Conversation.objects.values_list("version", flat=True).get(pk=conversation.pk)
    Turn.objects.filter(conversation=conversation, index=0).update(version=version)
    announce()
print(version, time.monotonic())
"""


def test_a_conversation_after_quiet_seconds(workbench: Workbench, setup: str) -> None:
    people = {f"viewer{n}": "viewer" for n in range(MEMBERS)}
    cookies = populate(workbench, "watched", {"hello.agent.abl": HELLO}, writer="editor", **people)
    with (
        proof(setup, f"{VIEWERS} viewers of a conversation after {QUIET_SECONDS:g} quiet seconds") as found,
        client_of(workbench, cookies["writer"]) as client,
    ):
        address = conversation(client, "watched")
        over(client, address, 0)
        number = int(address.rstrip("/").rpartition("/")[2])
        jars = [cookies[f"viewer{n % MEMBERS}"] for n in range(VIEWERS)]
        path = f"/p/watched/test/{number}/stream/?brief"
        with Viewers(workbench, path, jars) as viewers, watched(workbench, {"/": client}) as seen:
            times = [each for _ in range(GAPS) for each in one_gap(workbench, viewers, number)]
        found.at_most("event to viewer, p95", percentile(times, 0.95) / seen.busy, FIRST_EVENT_MS, "ms")
        found.at_most("event to viewer, the slowest", max(times) / seen.busy, 1_000, "ms")
        seen.judge(found)


def one_gap(workbench: Workbench, viewers: Viewers, number: int) -> list[float]:
    """Milliseconds from a commit after a quiet time to every viewer."""
    time.sleep(QUIET_SECONDS)
    version, at = workbench.shell(COMMIT.format(number=number)).split()
    arrived = viewers.arrived(int(version))
    return [(each - float(at)) * 1000 for each in arrived]


class Viewers:
    """Open streams, in a process of their own. A context manager."""

    def __init__(self, workbench: Workbench, path: str, jars: list[dict[str, str]]) -> None:
        url = urlsplit(workbench.url)
        cookies = ["; ".join(f"{name}={value}" for name, value in jar.items()) for jar in jars]
        given = {"address": [url.hostname, url.port], "path": path, "cookies": cookies}
        command = [sys.executable, "-m", "tests.attacks.viewers"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        self.tell(given)

    def tell(self, given: object) -> None:
        """Send a line to the process."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(given) + "\n")
        self.process.stdin.flush()

    def arrived(self, version: int) -> list[float]:
        """When each viewer had a version, by the clock that all processes share."""
        self.tell(version)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the viewers have ended"
        answer = json.loads(line)
        assert "refused" not in answer, answer
        return list(answer)

    def __enter__(self) -> Viewers:
        self.arrived(0)  # all are open
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
