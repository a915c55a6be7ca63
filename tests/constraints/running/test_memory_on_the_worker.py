"""Memory in the running product: the sequence of docs/spec 11 §3 on the real worker, and sleep-time memory by beat."""

from __future__ import annotations

import sqlite3

import httpx
import pytest

from memory.client import MemoryClient
from tests.workbench import eventually, running

pytestmark = pytest.mark.slow

NUMBERS = "/api/v1/projects/number-keeper/conversations/"
ENTRY = "/api/v1/memory/banks/numbers/entries/"
PATIENCE = 60


@pytest.fixture
def api(live_workbench):
    """A client with a token of the admin in the example that keeps numbers."""
    token = live_workbench.manage("api_token", "admin", "number-keeper").stdout.split()[-1]
    with httpx.Client(base_url=live_workbench.url, headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
        yield client


def start(api, base, **body):
    answer = api.post(base, json=body)
    assert answer.status_code == 201, answer.text
    turns = f"{base}{answer.json()['number']}/turns/"
    finished(api, turns, 0)
    return turns


def finished(api, turns, index):
    """The turn, once it is over."""

    def over():
        turn = api.get(f"{turns}{index}/").json()
        return turn if turn["status"] not in ("queued", "running") else None

    turn = eventually(over, PATIENCE, f"turn {index} is over")
    assert turn["status"] == "done", turn
    return turn


def say(api, turns, text="Next, please"):
    posted = api.post(turns, json={"kind": "say", "text": text})
    assert posted.status_code == 202, posted.text
    return finished(api, turns, posted.json()["index"])["replies"]


def kept(api, agent):
    return api.get(ENTRY + agent).json()["content"]


def test_asked_five_times_the_keeper_answers_1_1_2_3_5(api):
    api.delete(f"{ENTRY}Number_Keeper")
    turns = start(api, NUMBERS, entry="Number_Keeper")
    seen = [(say(api, turns), kept(api, "Number_Keeper")) for _ in range(5)]
    assert seen == [(["1"], "0|1"), (["1"], "1|1"), (["2"], "1|2"), (["3"], "2|3"), (["5"], "3|5")]


def test_seeded_with_21_34_it_answers_55_89_144_and_touches_no_other_text(api):
    api.put(f"{ENTRY}Number_Keeper", json={"content": "its own"})
    api.put(f"{ENTRY}Late_Keeper", json={"content": "21|34"})
    turns = start(api, NUMBERS, entry="Late_Keeper")
    assert [say(api, turns) for _ in range(3)] == [["55"], ["89"], ["144"]]
    assert (kept(api, "Late_Keeper"), kept(api, "Number_Keeper")) == ("89|144", "its own")


def test_what_a_conversation_stored_is_in_memory_once_it_has_settled(tmp_path):
    with running(tmp_path, {"ABL_MEMORY_SETTLE_SECONDS": "1"}) as workbench:
        token = workbench.manage("api_token", "admin", "support-desk").stdout.split()[-1]
        headers = {"Authorization": f"Bearer {token}"}
        base = "/api/v1/projects/support-desk/conversations/"
        with httpx.Client(base_url=workbench.url, headers=headers, timeout=30) as api:
            turns = start(api, base, user="admin", entry="Support_Desk")
            say(api, turns, "mail")
            stored = api.get("/api/v1/projects/support-desk/facts/?scope=user&owner=admin").json()["results"]
        assert stored
        with MemoryClient(workbench.url, token) as memory:
            block = eventually(lambda: next(iter(memory.list()), None), PATIENCE, "the block is there")
            assert block.block_type == "archival"
            assert f"- {stored[0]['path']}: " in block.content
            assert memory.recall(str(stored[0]["value"]))
        with sqlite3.connect(workbench.var_dir / "workbench.sqlite3") as database:
            [(written,)] = database.execute("SELECT count(*) FROM memory_factchange WHERE system = 'block'")
            unsettled = database.execute("SELECT unsettled_since FROM constraints_conversation").fetchall()
        # With the write the conversation is settled: whoever comes by next finds nothing to do.
        assert (written, unsettled) == (1, [(None,)])
