"""SIGKILLs while conversations continue: ``python -m tests.attacks.kills --turns 5000 --kills 1000``.

People say numbered words in many conversations. Meanwhile processes of the workbench are killed: of the pool, the whole
worker, web, beat, or the supervisor with all of them. The agent lists the words in the session and counts them in a
fact, so at the end each conversation shows what was lost, what was done twice, and what came out of order.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.attacks.people import populate
from tests.faults.servers import Postgres, Redis, free_port
from tests.prepared import begin_run, end_run, put_database
from tests.workbench import Workbench, command_line, csrf_token, eventually

AGENT = """AGENT: Counter
GOAL: "Count words"

MEMORY:
  session:
    - words
      TYPE: string
      INITIAL: ""
    - count
      TYPE: number
      INITIAL: 0
  persistent:
    - user.count
      TYPE: number
  remember:
    - WHEN: count > 0
      STORE: count -> user.count
      TTL: "30d"

FLOW:
  entry_point: ask
  steps: [ask]
  ask:
    REASONING: false
    GATHER:
      - word: required
        type: string
        prompt: "Word?"
    SET:
      count = count + 1
      words = words + word + " "
    RESPOND: "{{count}}: {{words}}"
    CLEAR: [word]
    THEN: ask
"""
PROJECT = "killed"
AHEAD = 3
"""Turns of a conversation that wait at a time."""
TARGETS = {
    "pool": 40,
    "config worker": 25,
    "config.server": 12,
    "config.listener": 8,
    "config periodic": 8,
    "config beat": 5,
    "supervisor": 2,
}
"""What is killed, by weight."""


@dataclass
class Report:
    """What a run came to. ``wrong`` lists what was lost, doubled or out of order, in words."""

    turns: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    attempts: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def as_json(self) -> str:
        """A line for the log of the run."""
        return json.dumps({**vars(self), "kills": dict(self.kills), "attempts": dict(sorted(self.attempts.items()))})


class Run:
    """Conversations that talk, and a hand that kills. ``killed`` counts what was killed."""

    def __init__(self, workbench: Workbench, *, turns: int, kills: int, conversations: int, seed: int = 0) -> None:
        self.workbench = workbench
        self.turns, self.kills = turns, kills
        self.talks = [turns // conversations + (n < turns % conversations) for n in range(conversations)]
        self.random = random.Random(seed)
        self.said = 0
        self.longest = 0.0
        self.counting = threading.Lock()
        self.report = Report(turns=turns)

    def go(self) -> Report:
        """Talk and kill, then look at what is there."""
        began = time.monotonic()
        people = {f"person{n}": "editor" for n in range(len(self.talks))}
        self.cookies = populate(self.workbench, PROJECT, {"counter.agent.abl": AGENT}, **people)
        threads = [threading.Thread(target=self.talk, args=(n,), daemon=True) for n in range(len(self.talks))]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.kill_when_due()
            time.sleep(0.01)
        self.report.seconds = round(time.monotonic() - began, 1)
        self.report.slowest = round(self.longest, 2)
        self.look()
        return self.report

    # Talking ------------------------------------------------------------------------------------------------------

    def talk(self, number: int) -> None:
        """Say all words of one conversation, a few ahead of the answers; the last one's answer is waited for."""
        cookies = self.cookies[f"person{number}"]
        base = f"/api/v1/projects/{PROJECT}/conversations/"
        with httpx.Client(timeout=10, cookies=cookies) as client:
            body = {"user": f"user{number}", "entry": "Counter"}
            address = f"{base}{self.sent(client, 'POST', base, body)['number']}/"
            posted: list[tuple[int, float]] = []
            for word in range(1, self.talks[number] + 1):
                message = {"kind": "say", "text": f"w{word}", "message_id": f"{number}-{word}"}
                index = self.sent(client, "POST", f"{address}turns/", message)["index"]
                posted.append((index, time.monotonic()))
                while len(posted) >= AHEAD or (posted and word == self.talks[number]):
                    self.wait(client, address, *posted.pop(0))

    def wait(self, client: httpx.Client, address: str, index: int, since: float) -> None:
        """Wait for the end of a turn."""
        while True:
            turn = self.sent(client, "GET", f"{address}turns/{index}/")
            if turn["status"] not in ("queued", "running"):
                break
            time.sleep(0.05)
        with self.counting:
            self.said += 1
            self.longest = max(self.longest, time.monotonic() - since)

    def sent(self, client: httpx.Client, method: str, path: str, body: object = None) -> dict[str, object]:
        """The answer to a request, sent again as a browser does while the workbench is away or busy."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with suppress(httpx.TransportError, StopIteration):
                url = self.workbench.url
                if "X-CSRFToken" not in client.headers:
                    client.get(f"{url}/")
                    client.headers.update({"X-CSRFToken": csrf_token(client)})
                client.headers["Referer"] = url
                answer = client.request(method, f"{url}{path}", json=body)
                if answer.status_code < 300:
                    return dict(answer.json())
                if answer.status_code not in (409, 429, 500, 502, 503):
                    raise AssertionError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
            time.sleep(0.05)
        raise AssertionError(f"{method} {path} was not answered for two minutes")

    # Killing ------------------------------------------------------------------------------------------------------

    def kill_when_due(self) -> None:
        """Kill one process for every so many turns that are over."""
        done = self.report.kills.total()
        if done < self.kills and self.said * self.kills >= (done + 1) * self.turns - self.kills:
            (target,) = self.random.choices(list(TARGETS), TARGETS.values())
            if self.kill(target):
                self.report.kills[target] += 1

    def kill(self, target: str) -> bool:
        """Kill a process of a kind; False when there is none just now."""
        process = self.workbench.process
        assert process is not None
        if target == "supervisor":
            process.kill()
            process.wait()
            self.workbench.start()
            return True
        pids = [pid for pid in self.workbench.pids() if self.is_a(pid, target)]
        if not pids:
            return False
        with suppress(ProcessLookupError):
            os.kill(self.random.choice(pids), signal.SIGKILL)
            return True
        return False

    @staticmethod
    def is_a(pid: int, target: str) -> bool:
        """Whether a process is of a kind; a process of the pool is a worker whose parent is one."""
        if target != "pool":
            return target in command_line(pid)
        return "config worker" in command_line(pid) and "config worker" in command_line(parent_of(pid))

    # Looking ------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Compare what is in the database with what was said."""
        found = json.loads(self.workbench.shell(LOOK))
        self.report.wrong = found["wrong"]
        self.report.attempts = Counter({int(name): count for name, count in found["attempts"].items()})
        for number, expected in enumerate(self.talks):
            self.report.wrong += list(differences(number, expected, found["talks"].get(f"user{number}", {})))


def parent_of(pid: int) -> int:
    """The parent of a process; 0 once it ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def differences(number: int, expected: int, found: Mapping[str, object]) -> Iterator[str]:
    """What is wrong with one conversation."""
    words = " ".join(f"w{n}" for n in range(1, expected + 1))
    if found.get("last") != f"{expected}: {words}":
        last = str(found.get("last"))[:200]
        yield f"conversation {number}: the last reply is {last!r}, not {expected} words in order"
    if found.get("statuses") != {"done": expected + 1}:
        yield f"conversation {number}: turns are {found.get('statuses')}, not {expected + 1} done"
    if found.get("fact") != [expected, expected]:
        yield f"conversation {number}: value and version of the fact are {found.get('fact')}, not {expected}"
    if found.get("changes") != expected:
        yield f"conversation {number}: the log has {found.get('changes')} changes, not {expected}"


LOOK = """
import json
from collections import Counter
from constraints.models import Conversation, TraceEvent, Turn
from memory.models import Fact, FactChange
from memory.log.verification import verify
from editor.models import Project
project = Project.objects.get(slug="killed")
talks, wrong, attempts = {}, [], Counter()
for conversation in Conversation.objects.filter(project=project):
    turns = list(conversation.turns.order_by("index"))
    attempts.update(turn.attempt for turn in turns)
    fact = Fact.objects.filter(project=project, owner=conversation.user, path="user.count").first()
    talks[conversation.user] = {
        "last": "".join(r if isinstance(r, str) else json.dumps(r) for r in turns[-1].replies[:1]).strip(),
        "statuses": dict(Counter(turn.status for turn in turns)),
        "fact": [fact.value, fact.version] if fact else None,
        "changes": FactChange.objects.filter(project=project, owner=conversation.user, path="user.count").count(),
    }
    events = TraceEvent.objects.filter(conversation=conversation).order_by("turn__index", "seq")
    seqs = list(events.values_list("seq", "attempt", "turn__attempt"))
    if [seq for seq, _, _ in seqs] != list(range(1, len(seqs) + 1)):
        wrong.append(f"{conversation.user}: the events are not numbered without gaps")
    if any(attempt != last for _, attempt, last in seqs):
        wrong.append(f"{conversation.user}: events of an earlier attempt are left")
count, broken = verify(project)
if broken is not None:
    wrong.append(f"the log of changes is broken: {broken}")
print(json.dumps({"talks": talks, "wrong": wrong, "attempts": attempts}))
"""


@contextmanager
def killable(folder: Path, setup: str) -> Iterator[Workbench]:
    """A workbench on a port that stays the same when it is started again."""
    with ExitStack() as stack:
        settings = {"PORT": str(free_port())}
        if setup == "servers":
            postgres = Postgres().start()
            stack.callback(postgres.remove)
            redis = Redis(folder).start()
            stack.callback(redis.kill)
            settings |= {"DATABASE_URL": postgres.url, "BROKER_URL": redis.url}
        workbench = Workbench(folder, **settings)
        if setup == "embedded":
            put_database(workbench.var_dir, workbench.env)
        stack.callback(workbench.stop)
        yield workbench.start()
        eventually(lambda: workbench.health()["status"] == "ok", 60, "the workbench is well after all")


def main() -> int:
    """Run from the command line: 1 when anything was lost, doubled or out of order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5_000)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--conversations", type=int, default=20)
    parser.add_argument("--setup", choices=("embedded", "servers"), default="embedded")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    begin_run()
    try:
        with tempfile.TemporaryDirectory() as folder, killable(Path(folder), given.setup) as workbench:
            run = Run(
                workbench, turns=given.turns, kills=given.kills, conversations=given.conversations, seed=given.seed
            )
            report = run.go()
    finally:
        end_run()
    print(report.as_json())
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
