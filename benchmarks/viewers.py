"""From a commit to 200 open streams of a conversation, each time after two quiet seconds (docs/architecture.md §8).

The viewers are twenty members, each with ten streams. Their rights are asked again while nothing happens, so the first
event after a quiet time shows whether anybody waits for that.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.workbench import Workbench, running

VIEWERS, MEMBERS = 200, 20
GAPS = 10
QUICK = {"gaps": 1}
QUIET_SECONDS = 2.5
LONGEST_SECONDS = 30.0

PREPARE = f"""
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from constraints.conversations import services
from constraints.models import Conversation
from editor.models import Membership, Project, User
project = Project.objects.get(slug="transfer-desk")
store = import_module(settings.SESSION_ENGINE).SessionStore
conversation = Conversation.objects.filter(project=project).first()
if conversation is None:
    admin = User.objects.get(username="admin")
    conversation = services.conversation_start(project=project, started_by=admin, entry="Transfer_Desk")
print(conversation.pk, conversation.number)
for n in range({MEMBERS}):
    user, _ = User.objects.get_or_create(username=f"viewer{{n}}")
    Membership.objects.get_or_create(project=project, user=user, role="viewer")
    session = store()
    backend = "django.contrib.auth.backends.ModelBackend"
    mark = user.get_session_auth_hash()
    session.update({{SESSION_KEY: str(user.pk), BACKEND_SESSION_KEY: backend, HASH_SESSION_KEY: mark}})
    session.create()
    print(f"{{settings.SESSION_COOKIE_NAME}}={{session.session_key}}")
"""

COMMIT = """
import time
from django.db import transaction
from django.db.models import F
from constraints.models import Conversation, Turn
from web.streams import announce
with transaction.atomic():
    Conversation.objects.filter(pk={pk}).update(version=F("version") + 1)
    version = Conversation.objects.values_list("version", flat=True).get(pk={pk})
    Turn.objects.filter(conversation={pk}, index=0).update(version=version)
    announce()
print(version, time.time())
"""


class Stream:
    """One open stream over a socket; ``seen`` is when each version arrived, ``size`` the bytes since it was opened."""

    def __init__(self) -> None:
        self.seen: dict[int, float] = {}
        self.size = 0

    async def listen(self, workbench: Workbench, cookie: str, number: int) -> None:
        """Read until the server ends the stream or the task is cancelled."""
        url = urlsplit(workbench.url)
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        path = f"/p/transfer-desk/test/{number}/stream/?brief"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {url.netloc}\r\nCookie: {cookie}\r\n\r\n".encode())
        status = await reader.readline()
        if b" 200 " not in status:
            raise AssertionError(f"the stream is refused: {status!r}")
        try:
            while line := await reader.readline():
                self.size += len(line)
                if line.startswith(b"id: "):
                    self.seen[int(line[4:])] = time.time()
        finally:
            writer.close()


async def reached(streams: list[Stream], has: Callable[[Stream], bool]) -> None:
    """Wait until something holds for every stream."""
    async with asyncio.timeout(LONGEST_SECONDS):
        while not all(has(stream) for stream in streams):
            await asyncio.sleep(0.02)


async def watch(workbench: Workbench, cookies: list[str], pk: int, number: int, gaps: int) -> tuple[list[float], int]:
    """Milliseconds from each commit to each stream, and the bytes of the largest stream."""
    streams = [Stream() for _ in range(VIEWERS)]
    tasks = [
        asyncio.create_task(stream.listen(workbench, cookies[n % len(cookies)], number))
        for n, stream in enumerate(streams)
    ]
    await reached(streams, lambda stream: bool(stream.seen))
    times: list[float] = []
    for _ in range(gaps):
        await asyncio.sleep(QUIET_SECONDS)
        version, at = (await asyncio.to_thread(workbench.shell, COMMIT.format(pk=pk))).split()
        await reached(streams, lambda stream: max(stream.seen) >= int(version))  # noqa: B023 - awaited here
        times += [(stream.seen[int(version)] - float(at)) * 1000 for stream in streams]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return times, max(stream.size for stream in streams)


def measure(gaps: int = GAPS) -> dict[str, Any]:
    """Milliseconds from the commit to a viewer: ``median`` and ``p95``; ``stream_kb`` is the largest stream."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as workbench:
        return measure_on(workbench, gaps)


def measure_on(workbench: Workbench, gaps: int) -> dict[str, Any]:
    """The same on a workbench that runs, after so many quiet times."""
    first, *cookies = workbench.shell(PREPARE).splitlines()
    pk, number = map(int, first.split())
    times, size = asyncio.run(watch(workbench, cookies, pk, number, gaps))
    times.sort()
    return {
        "viewers": VIEWERS,
        "median": round(statistics.median(times), 1),
        "p95": round(times[int(len(times) * 0.95)], 1),
        "stream_kb": round(size / 1000, 1),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
