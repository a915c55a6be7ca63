"""What an attack does to a workbench, seen from beside it: answers, memory, and the size of its data."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.attacks.bounds import Proof, percentile
from tests.workbench import ROOT, Workbench, busyness, command_line

HEALTH_MS = 500
"""``/healthz`` answers within this, p99, under every attack."""
PAGE_MS = 200
"""A page of somebody who is signed in, p95, while others sign in."""
MEMORY_MB = 600
"""Resident memory of any process of the workbench."""
ENOUGH_MB = 2_500
"""A process that has this much is killed, so that a failed bound does not take the machine along."""
GROWTH_MB = 100
"""What an attack may leave in the database and in files beside it."""
ENDED = re.compile(r"\w+ ended \([^)]+\)")
"""What the supervisor says of a program that it starts again."""
LEAST_SECONDS = 3.0
"""How long an attack is watched at least: a percentile needs enough answers."""
PARTS = {
    "config.listener": "listener",
    "config.server": "web",
    "config worker": "worker",
    "config periodic": "periodic worker",
    "config beat": "beat",
}


@dataclass
class Seen:
    """Figures of one attack.

    ``times`` holds (seconds, status) by name of the request, ``memory`` MB by part, ``grown`` MB of data, and ``ended``
    the processes that did not survive it.
    """

    times: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    busy: float = 1.0
    grown: float = 0.0

    def milliseconds(self, name: str, share: float) -> float:
        """A percentile of the answers, as on a machine that does nothing else than being attacked."""
        return percentile([seconds for seconds, _ in self.times.get(name, [])], share) * 1000 / self.busy

    def statuses(self, name: str) -> set[int]:
        """The statuses of the answers; 0 for one that did not come."""
        return {status for _, status in self.times.get(name, [])}

    def settle(self, seconds: float) -> None:
        """Go on watching for so long: what an attack left behind is still worked on."""
        threading.Event().wait(seconds)

    def judge(self, proof: Proof) -> None:
        """The bounds that hold under every attack."""
        proof.at_most("/healthz, p99", self.milliseconds("health", 0.99), HEALTH_MS, "ms")
        for part, size in sorted(self.memory.items()):
            proof.at_most(f"memory of {part}", size, MEMORY_MB, "MB")
        proof.at_most("growth of database and files", self.grown, GROWTH_MB, "MB")
        proof.is_one_of("processes that ended", ", ".join(self.ended) or "none", "none")
        errors = sorted({f"{path}: {status}" for path in self.times for status in self.statuses(path) if status == 500})
        proof.is_one_of("pages that crashed", ", ".join(errors) or "none", "none")


@contextmanager
def watched(workbench: Workbench, pages: Mapping[str, httpx.Client] | None = None) -> Iterator[Seen]:
    """Watch a workbench for the length of a block; the figures are whole behind it.

    How busy the machine is otherwise is measured right before and behind, not during the attack: what the attack
    itself costs excuses nothing.

    :param pages: pages to ask for besides ``/healthz``, each with a client that is signed in.
    """
    seen, before, size, logged = Seen(), busyness(), data_size(workbench), len(workbench.log)
    over = threading.Event()
    sizes = threading.Thread(target=measure_memory, args=(workbench, seen, over))
    with probing(workbench, pages or {}) as probe:
        sizes.start()
        began = time.monotonic()
        try:
            yield seen
            seen.settle(max(0.0, LEAST_SECONDS - (time.monotonic() - began)))
        finally:
            over.set()
            sizes.join()
            answers, _ = probe.communicate(timeout=60)
    seen.times = {name: [tuple(each) for each in times] for name, times in json.loads(answers).items()}
    seen.busy = (before + busyness()) / 2
    seen.grown = data_size(workbench) - size
    seen.ended += ENDED.findall(workbench.log[logged:])


@contextmanager
def probing(workbench: Workbench, pages: Mapping[str, httpx.Client]) -> Iterator[subprocess.Popen[str]]:
    """The process that asks for pages."""
    url = urlsplit(workbench.url)
    requests = {"health": ["/healthz", ""]}
    for path, client in pages.items():
        requests[path] = [path, "; ".join(f"{name}={value}" for name, value in client.cookies.items())]
    given = {"address": [url.hostname, url.port], "pause": 0.05, "requests": requests}
    command = [sys.executable, "-m", "tests.attacks.probe"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(given) + "\n")
        process.stdin.flush()
        try:
            yield process
        finally:
            process.kill()


def measure_memory(workbench: Workbench, seen: Seen, over: threading.Event) -> None:
    """The largest memory of each part until it is over. What has far too much is killed."""
    while not over.wait(0.1):
        for pid in workbench.pids():
            size, part = resident_mb(pid), part_of(pid)
            seen.memory[part] = max(size, seen.memory.get(part, 0.0))
            if size > ENOUGH_MB:
                seen.ended.append(f"{part} killed with {size:,.0f} MB")
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def part_of(pid: int) -> str:
    """Which part of the workbench a process belongs to."""
    words = command_line(pid)
    return next((part for text, part in PARTS.items() if text in words), "supervisor and others")


def resident_mb(pid: int) -> float:
    """Resident memory of a process in MB; 0 once it ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def data_size(workbench: Workbench) -> float:
    """Megabytes of the database and of the files of the workbench, those that uploads wait in included."""
    folders = [workbench.var_dir, workbench.folder / "tmp"]
    found = sum(size_of(path) for folder in folders for path in folder.rglob("*"))
    if "DATABASE_URL" in workbench.env:
        found += int(workbench.shell(DATABASE_SIZE))
    return found / 1e6


DATABASE_SIZE = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT pg_database_size(current_database())")
    print(cursor.fetchone()[0])
"""


def size_of(path: Path) -> int:
    """Bytes of a file; 0 for a folder and for what is gone."""
    try:
        return path.stat().st_blocks * 512 if path.is_file() else 0
    except OSError:
        return 0
