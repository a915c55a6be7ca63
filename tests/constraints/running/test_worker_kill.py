"""A worker that is killed in the middle of a turn: the turn completes by itself, once, on both brokers.

The turn is long because its agent has many steps: some hundred rules are judged before each of them, so the turn works
for a second and its events become visible in batches while it does. As soon as some are, every process of the worker is
killed with SIGKILL. The supervisor starts another worker, which finds that the process at work is gone.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time

import pytest

from tests.faults.servers import Redis
from tests.workbench import Workbench, busyness, eventually, running

pytestmark = pytest.mark.slow

STEPS, RULES = 12, 240


def long_agent() -> str:
    """Tools called one after the other, each behind all the rules; one fact remembered at the end."""
    rules = "".join(f'    - REQUIRE seen + {n} >= {n}\n      ON_FAIL: "rule {n}"\n' for n in range(RULES))
    names = [f"s{n}" for n in range(STEPS)]
    steps = "".join(
        f"""
  {name}:
    REASONING: false
    CALL: look_up({n}) AS found_{n}
    SET: seen = seen + 1
    THEN: {names[n + 1] if n + 1 < STEPS else "ask"}
"""
        for n, name in enumerate(names)
    )
    return f"""AGENT: Slow_Desk
GOAL: "Work for a while"

MEMORY:
  session:
    - NAME: seen
      TYPE: number
      INITIAL: 0
    - NAME: word
      TYPE: string
  persistent:
    - PATH: user.last_word
      TYPE: string
  remember:
    - WHEN: word IS SET
      STORE: word -> user.last_word
      TTL: "30d"

TOOLS:
  look_up(n: number) -> {{ok: boolean}}
    description: "Looks something up"

CONSTRAINTS:
  always:
{rules}
FLOW:
  entry_point: ask
  steps: [ask, {", ".join(names)}]

  ask:
    REASONING: false
    GATHER:
      - word: required
        type: string
    THEN: s0
{steps}"""


@pytest.fixture
def redis(tmp_path):
    """A broker of the test's own, which has nothing left of an earlier run."""
    if not Redis.is_here():
        pytest.skip("redis-server is not here")
    server = Redis(tmp_path).start()
    yield server
    server.kill()


@pytest.fixture(params=["embedded", pytest.param("redis", marks=pytest.mark.server)])
def workbench(request, tmp_path):
    settings = {"BROKER_URL": request.getfixturevalue("redis").url} if request.param == "redis" else {}
    with running(tmp_path, settings) as found:
        yield found


def rows(workbench: Workbench, query: str):
    """Rows of the workbench's database, read beside its processes."""
    with sqlite3.connect(f"file:{workbench.var_dir / 'workbench.sqlite3'}?mode=ro", uri=True) as connection:
        return connection.execute(query).fetchall()


def started(workbench: Workbench, client, user: str = "u-1") -> str:
    """Address of a conversation of the long agent whose start is done."""
    workbench.shell(MAKE_PROJECT.format(agent=long_agent()))
    answer = client.post("/api/v1/projects/slow/conversations/", json={"user": user})
    assert answer.status_code == 201, answer.text
    address = f"/api/v1/projects/slow/conversations/{answer.json()['number']}/"
    eventually(lambda: turn(client, address, 0)["status"] == "done", 90, "the conversation has started")
    return address


MAKE_PROJECT = '''
from editor import services
from editor.models import User
owner = User.objects.get(username="admin")
if not owner.memberships.filter(project__slug="slow").exists():
    project = services.project_create(user=owner, name="Slow", slug="slow", description="")
    services.document_create(project=project, user=owner, path="slow.agent.abl", text="""{agent}""", message="")
'''


def turn(client, address: str, index: int) -> dict:
    return client.get(f"{address}turns/{index}/").json()


def killed_within(workbench: Workbench, client, name: str) -> tuple[str, dict[str, str]] | None:
    """Address and message of a turn whose worker was killed when it had shown events; none if it was over by then."""
    address = started(workbench, client, name)
    body = {"kind": "say", "text": "hello", "message_id": name}
    assert client.post(f"{address}turns/", json=body).status_code == 202
    eventually(lambda: rows(workbench, f"SELECT 1 FROM constraints_traceevent WHERE {of(name)} LIMIT 1"), 90, "events")
    for pid in workbench.pids("config worker"):
        os.kill(pid, signal.SIGKILL)
    after = turn(client, address, 1)
    return None if (after["status"], after["attempt"]) == ("done", 1) else (address, body)


def of(name: str) -> str:
    """The condition for events of the turn of a message."""
    return f"turn_id IN (SELECT id FROM constraints_turn WHERE message_id = '{name}')"


def test_a_turn_whose_worker_is_killed_completes_by_itself_and_once(workbench):
    with workbench.client() as client:
        for name in ("m-1", "m-2", "m-3"):
            if caught := killed_within(workbench, client, name):
                break
        assert caught, "every turn was over before its worker was killed"
        killed = time.monotonic()
        address, body = caught
        done_row = f"SELECT 1 FROM constraints_turn WHERE message_id = '{name}' AND status = 'done'"
        eventually(lambda: rows(workbench, done_row), 120, "the turn completed")
        assert (time.monotonic() - killed) / busyness() < 10
        done = turn(client, address, 1)
        # The same message again, as a browser that heard nothing would send it.
        assert client.post(f"{address}turns/", json=body).json()["index"] == 1

        assert done["attempt"] == 2
        counted = "attempt, COUNT(*), COUNT(DISTINCT seq)"
        attempts = rows(workbench, f"SELECT {counted} FROM constraints_traceevent WHERE {of(name)} GROUP BY 1")
        assert len(attempts) == 1
        assert attempts[0][0] == 2
        assert attempts[0][1] == attempts[0][2]
        remembered = f"WHERE path = 'user.last_word' AND owner = '{name}'"
        facts = rows(workbench, f"SELECT version FROM memory_fact {remembered}")
        assert facts == [(1,)]
        changes = rows(workbench, f"SELECT COUNT(*) FROM memory_factchange {remembered}")
        assert changes == [(1,)]
        assert client.get(f"{address}turns/").json()["results"][-1]["index"] == 1
