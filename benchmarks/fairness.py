"""One normal user beside two who do what they can to hold all workers, on a whole workbench (docs/decisions/0007).

Each of the two posts 100 messages, in ten conversations, whose turns compute for ``seconds`` each. The normal user says
something every 200 ms meanwhile; measured is the time from posting it to its turn being done. Without arguments both
set-ups are measured where their servers are: ``python -m benchmarks.fairness [sqlite|servers] [seconds of a turn]``.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.prepared import begin_run, end_run
from tests.workbench import PASSWORD, Workbench, eventually, running

CONVERSATIONS, MESSAGES = 10, 10
SAID = 60
PROJECT = "/api/v1/projects/hotel-desk/conversations/"
PEOPLE = f"""
from editor.models import Membership, Project, User
for name in ("ann", "mallory", "eve"):
    user = User.objects.create_user(name, password="{PASSWORD}")
    Membership.objects.create(project=Project.objects.get(slug="hotel-desk"), user=user, role="editor")
"""

WAITED = """
from constraints.models import Turn
found = Turn.objects.filter(conversation__started_by__username="ann", kind="say").order_by("pk")
for turn in found:
    print((turn.started_at - turn.queued_at).total_seconds())
"""
"""Prints how long each turn of the normal user waited in the queue, in seconds."""


def started(client: httpx.Client) -> str:
    """Address of the turns of a new conversation."""
    answer = client.post(PROJECT, json={})
    answer.raise_for_status()
    return f"{PROJECT}{answer.json()['number']}/turns/"


def done(client: httpx.Client, address: str) -> None:
    """Wait until a turn is over; it must have gone well."""
    deadline = time.monotonic() + 120
    while (status := client.get(address).json()["status"]) in ("queued", "running"):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{address} is {status} after two minutes")
        time.sleep(0.01)
    if status != "done":
        raise RuntimeError(f"{address} is {status}")


def attack(client: httpx.Client, text: str) -> None:
    """Post a hundred messages."""
    addresses = [started(client) for _ in range(CONVERSATIONS)]
    for _ in range(MESSAGES):
        for address in addresses:
            client.post(address, json={"kind": "say", "text": text}).raise_for_status()


def says(client: httpx.Client, address: str, count: int) -> list[float]:
    """Seconds from posting to the end of the turn, of so many messages."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        turn = client.post(address, json={"kind": "say", "text": "two nights"})
        turn.raise_for_status()
        done(client, f"{address}{turn.json()['index']}/")
        times.append(time.perf_counter() - began)
        time.sleep(0.2)
    return times


def compared(seconds: float = 5.0, settings: dict[str, str] | None = None) -> dict[str, Any]:
    """Milliseconds of the normal user's turns: alone, and beside the two."""
    unruly = {"DJANGO_SETTINGS_MODULE": "tests.faults.unruly.settings", "ABL_API_RATE": "0"}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), unruly | (settings or {})) as workbench:
        workbench.shell(PEOPLE)
        with (
            workbench.client("ann", PASSWORD) as ann,
            workbench.client("mallory", PASSWORD) as mallory,
            workbench.client("eve", PASSWORD) as eve,
        ):
            address = started(ann)
            done(ann, f"{address}0/")
            alone = says(ann, address, 15)
            threads = [threading.Thread(target=attack, args=(each, f"work {seconds}")) for each in (mallory, eve)]
            for thread in threads:
                thread.start()
            eventually(lambda: running_turns(workbench) >= 2, 60, "both are at work")
            beside = says(ann, address, SAID)
            for thread in threads:
                thread.join()
            waited = [float(word) for word in workbench.shell(WAITED).split()][-SAID:]
            return {
                "seconds_each": seconds,
                "load": os.getloadavg()[0],
                "alone": figures(alone),
                "beside": figures(beside),
                "beside_in_the_queue": figures(waited),
            }


def running_turns(workbench: Workbench) -> int:
    """How many turns are at work."""
    code = 'from constraints.models import Turn\nprint(Turn.objects.filter(status="running").count())'
    return int(workbench.shell(code).strip() or 0)


def figures(times: list[float]) -> dict[str, float]:
    """Median, 95th percentile and longest in milliseconds."""
    ordered = sorted(times)
    ms = [round(1000 * value, 1) for value in ordered]
    return {"median": round(statistics.median(ms), 1), "p95": ms[int(len(ms) * 0.95)], "max": ms[-1], "n": len(ms)}


def main(chosen: list[str]) -> None:
    """Print what was measured."""
    seconds = next((float(word) for word in chosen if word[:1].isdigit()), 5.0)
    set_ups: dict[str, dict[str, str]] = {"sqlite": {}}
    if os.environ.get("DATABASE_URL") and os.environ.get("BROKER_URL"):
        set_ups["servers"] = {name: os.environ[name] for name in ("DATABASE_URL", "BROKER_URL")}
    begin_run()
    try:
        for name, settings in set_ups.items():
            if not (set(chosen) & {"sqlite", "servers"}) or name in chosen:
                print(json.dumps({name: compared(seconds, settings)}, indent=2), flush=True)
    finally:
        end_run()


if __name__ == "__main__":
    main(sys.argv[1:])
