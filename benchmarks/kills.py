"""Thousands of turns while processes are killed again and again: nothing is lost, doubled or out of order.

``python -m benchmarks.kills [sqlite|servers] [turns] [kills]``, without numbers 5000 and 1000; with ``servers`` on
DATABASE_URL and BROKER_URL, whose data it adds to. It ends by itself: when all turns are over, or when none ended for
two minutes. Victims are chosen at random: a process of the pool, a whole worker, the periodic worker, the beat.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.prepared import begin_run, end_run
from tests.workbench import ADMIN, PASSWORD, Workbench, eventually, running

AGENT = """AGENT: Counting_Desk
GOAL: "Count what is said"

MEMORY:
  session:
    - NAME: said
      TYPE: number
      INITIAL: 0
    - NAME: word
      TYPE: string
  persistent:
    - PATH: user.count
      TYPE: number
  remember:
    - WHEN: said > 0
      STORE: said -> user.count
      TTL: "30d"

FLOW:
  entry_point: ask
  steps: [ask, count]

  ask:
    REASONING: false
    GATHER:
      - word: required
        type: string
    THEN: count

  count:
    REASONING: false
    SET: said = said + 1
    RESPOND: "{{said}}"
    CLEAR: word
    THEN: ask
"""
SLUG = "kills"
PREPARE = f'''
from editor import services
from editor.models import Project, User
owner = User.objects.get(username="{ADMIN}")
Project.objects.filter(slug="{SLUG}").delete()
project = services.project_create(user=owner, name="Kills", slug="{SLUG}", description="")
services.document_create(project=project, user=owner, path="count.agent.abl", text="""{AGENT}""", message="")
for n in range(4):
    user, new = User.objects.get_or_create(username=f"killer-{{n}}")
    user.set_password("{PASSWORD}"); user.save()
    services.member_set(project=project, username=user.username, role="editor")
'''
PER_CONVERSATION = 25
STILL_SECONDS = 120
PROJECT = f"/api/v1/projects/{SLUG}/conversations/"

CHECK = f'''
import json
from collections import Counter
from constraints.models import Conversation, TraceEvent, Turn
from memory.models import Fact, FactChange
talks = Conversation.objects.filter(project__slug="{SLUG}")
turns = Turn.objects.filter(conversation__in=talks)
found = {{
    "status": dict(Counter(turns.values_list("status", flat=True))),
    "errors": dict(Counter(each["code"] for each in turns.values_list("error", flat=True) if each)),
    "attempts": {{str(k): v for k, v in sorted(Counter(turns.values_list("attempt", flat=True)).items())}},
    "wrong_replies": 0, "out_of_order": 0, "events_of_old_attempts": 0, "wrong_facts": 0,
}}
for talk in talks:
    rows = list(Turn.objects.filter(conversation=talk).order_by("index"))
    done = [row for row in rows if row.status == "done"]
    counted = [next(filter(str.isdigit, row.replies), None) for row in done if row.kind == "say"]
    found["wrong_replies"] += counted != [str(n + 1) for n in range(len(counted))]
    ends = [row.finished_at for row in rows if row.finished_at]
    found["out_of_order"] += ends != sorted(ends)
    last = {{row.pk: row.attempt for row in rows}}
    events = TraceEvent.objects.filter(conversation=talk).values_list("turn_id", "attempt").distinct()
    found["events_of_old_attempts"] += sum(last[turn] != attempt for turn, attempt in events)
    fact = Fact.objects.filter(project__slug="{SLUG}", owner=talk.user, path="user.count").first()
    kept = (fact.value, fact.version) if fact else (0, 0)
    found["wrong_facts"] += kept != (len(counted), len(counted))
print(json.dumps(found))
'''


class Killer(threading.Thread):
    """Kills something now and then, spread over the whole run: as many as the share of turns that are over."""

    def __init__(self, workbench: Workbench, kills: int, share: Any) -> None:
        super().__init__(daemon=True)
        self.workbench, self.kills, self.share = workbench, kills, share
        self.victims: Counter[str] = Counter()
        self.over = threading.Event()
        self.chance = random.Random(7)

    def run(self) -> None:
        while not self.over.wait(0.02) and self.victims.total() < self.kills:
            if self.victims.total() < self.kills * self.share():
                self.kill()

    def kill(self) -> None:
        """Kill one victim."""
        kind = self.chance.choices(["process", "worker", "periodic", "beat"], [70, 20, 7, 3])[0]
        part = {"process": "config worker", "worker": "config worker"}.get(kind, f"config {kind}")
        pids = self.workbench.pids(part)
        if not pids:
            return
        victims = pids if kind == "worker" else [self.chance.choice(pids[1:] or pids)]
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.victims[kind] += 1


def posted(workbench: Workbench, person: int, conversations: int) -> None:
    """Conversations of one person, each with its messages, posted as fast as the workbench takes them."""
    with workbench.client(f"killer-{person}", PASSWORD) as client:
        addresses = []
        for n in range(conversations):
            answer = asked(lambda n=n: client.post(PROJECT, json={"user": f"u-{person}-{n}"}))
            addresses.append(f"{PROJECT}{answer.json()['number']}/turns/")
        for number in range(PER_CONVERSATION - 1):
            for address in addresses:
                body = {"kind": "say", "text": "go", "message_id": f"m-{number}"}
                asked(lambda address=address, body=body: client.post(address, json=body))


def asked(request: Any) -> httpx.Response:
    """The answer, asked again while the workbench cannot give one."""
    while True:
        try:
            answer: httpx.Response = request()
        except httpx.TransportError:
            time.sleep(0.2)
            continue
        if answer.status_code in (201, 202, 200):
            return answer
        if answer.status_code not in (409, 429, 503):
            raise RuntimeError(f"{answer.status_code}: {answer.text[:300]}")
        time.sleep(0.2)


def over(workbench: Workbench) -> int:
    """How many turns are over."""
    code = f"""
from constraints.models import Turn
print(Turn.objects.filter(conversation__project__slug="{SLUG}", finished_at__isnull=False).count())
"""
    return int(workbench.shell(code).strip() or 0)


def survived(turns: int, kills: int, settings: dict[str, str]) -> dict[str, Any]:
    """Run it and count what went wrong; every figure that tells of a fault should be 0."""
    people, progress = 4, [0]
    conversations = max(1, turns // PER_CONVERSATION // people)
    total = conversations * people * PER_CONVERSATION
    settings = {"ABL_API_RATE": "0", **settings}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), settings) as workbench:
        workbench.shell(PREPARE)
        killer = Killer(workbench, kills, lambda: min(1.0, (progress[0] + 1) / (0.95 * total)))
        began = time.monotonic()
        with ThreadPoolExecutor(people) as pool:
            posting = [pool.submit(posted, workbench, person, conversations) for person in range(people)]
            killer.start()
            moved = time.monotonic()
            while progress[0] < total and time.monotonic() - moved < STILL_SECONDS:
                time.sleep(0.5)
                now = over(workbench)
                if now != progress[0]:
                    progress[0], moved = now, time.monotonic()
            for each in posting:
                each.result(timeout=STILL_SECONDS)
        killer.over.set()
        killer.join()
        eventually(lambda: workbench.health()["status"] == "ok", 60, "everything is well again")
        found: dict[str, Any] = json.loads(workbench.shell(CHECK))
        seconds = round(time.monotonic() - began, 1)
        lost = total - found["status"].get("done", 0)
        return {"turns": total, "kills": dict(killer.victims), "seconds": seconds, "not_done": lost, **found}


def main(chosen: list[str]) -> None:
    """Print what was measured; exit 1 when a turn was lost, doubled or out of order."""
    numbers = [int(word) for word in chosen if word.isdigit()]
    turns, kills = (*numbers, *(5000, 1000)[len(numbers) :])[:2]
    names = ("DATABASE_URL", "BROKER_URL") if "servers" in chosen else ()
    begin_run()
    try:
        found = survived(turns, kills, {name: os.environ[name] for name in names})
    finally:
        end_run()
    print(json.dumps(found, indent=2))
    faults = ("not_done", "wrong_replies", "out_of_order", "events_of_old_attempts", "wrong_facts")
    sys.exit(int(any(found[name] for name in faults)))


if __name__ == "__main__":
    main(sys.argv[1:])
