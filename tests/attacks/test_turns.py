"""Turns that want to run for ever or to have all memory, beside people who want to work."""

from __future__ import annotations

import threading
import time

import httpx
import pytest

from tests.attacks.bounds import LONG, Proof, percentile, proof
from tests.attacks.costs.constructs import CONSTRUCTS
from tests.attacks.costs.grammar import combined
from tests.attacks.people import client_of, conversation, over, populate
from tests.attacks.watching import Seen, watched
from tests.workbench import Workbench, busyness, eventually

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

HELLO = """AGENT: Hello
GOAL: "Say hello"

FLOW:
  entry_point: ask
  steps: [ask]
  ask:
    REASONING: false
    GATHER:
      - word: required
        type: string
    RESPOND: "You said {{word}}."
    CLEAR: [word]
    THEN: ask
"""
TURN_SECONDS = 8.0
"""From saying something expensive to the end of its turn: five seconds of work, and what surrounds them."""
CODES = ("budget-exceeded", "time-exceeded", "out-of-time", "time-limit", "memory-limit")


def agents_of(*names: str) -> dict[str, str]:
    """The texts of expensive agents by path, beside one that is not."""
    texts = {
        f"{n}.agent.abl": named(CONSTRUCTS[name](100_000 if "loop" in name else 26), n) for n, name in enumerate(names)
    }
    return {"hello.agent.abl": HELLO, **texts}


def named(talk: object, number: int) -> str:
    """The text of the only agent of a talk under a name of its own."""
    (text,) = talk.files.values()  # type: ignore[attr-defined]
    return str(text).replace("AGENT: Desk", f"AGENT: Desk_{number}", 1)


def ended_by_its_bound(found: Proof, turn: dict[str, object], what: str) -> None:
    """A turn has failed with the code of a bound, in its first attempt."""
    error = turn.get("error") or {}
    code = error.get("code") if isinstance(error, dict) else error
    found.is_one_of(f"{what}: status", turn["status"], "failed")
    found.is_one_of(f"{what}: code", code, *CODES)
    found.at_most(f"{what}: attempts", float(str(turn.get("attempt") or 1)), 1)


def test_two_conversations_that_loop_stop_nobody(workbench: Workbench, setup: str) -> None:
    agents = agents_of("a loop over a list")
    cookies = populate(workbench, "looping", agents, hostile="editor", normal="editor")
    with (
        proof(setup, "two conversations with loops of SPLIT(REPEAT)") as found,
        client_of(workbench, cookies["hostile"]) as hostile,
        client_of(workbench, cookies["normal"]) as normal,
    ):
        talks = [conversation(hostile, "looping", entry="Desk_0") for _ in range(2)]
        for talk in talks:
            over(hostile, talk, 0)
        with watched(workbench, {"/": normal}) as seen:
            began = time.monotonic()
            for talk in talks:
                hostile.post(f"{talk}turns/", json={"kind": "say", "text": "go"}).raise_for_status()
            mine = normal_turn(normal, "looping")
            turns = [over(hostile, talk, 1, 30) for talk in talks]
            took = time.monotonic() - began
        for number, turn in enumerate(turns, 1):
            ended_by_its_bound(found, turn, f"turn {number}")
        found.at_most("until both are over", took / seen.busy, 2 * TURN_SECONDS, "s")
        found.at_most("a turn of somebody else", mine / seen.busy, TURN_SECONDS, "s")
        seen.judge(found)


def test_a_turn_that_loops_can_be_cancelled(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "looping", agents_of("a loop over a list"), hostile="editor", normal="editor")
    with (
        proof(setup, "Cancel during a loop of SPLIT(REPEAT)") as found,
        client_of(workbench, cookies["hostile"]) as client,
        client_of(workbench, cookies["normal"]) as normal,
    ):
        talks = [conversation(client, "looping", entry="Desk_0") for _ in range(2)]
        for talk in talks:
            over(client, talk, 0)
            client.post(f"{talk}turns/", json={"kind": "say", "text": "go"}).raise_for_status()
        eventually(lambda: client.get(f"{talks[0]}turns/1/").json()["status"] != "queued", 20, "the turn runs")
        busy, began = busyness(), time.monotonic()
        for talk in talks:
            client.post(f"{talk}turns/1/cancel/")
        turns = [over(client, talk, 1, 20) for talk in talks]
        found.at_most("from Cancel to the end", (time.monotonic() - began) / busy, 3.0, "s")
        for turn in turns:
            found.is_one_of("status", turn["status"], "cancelled", "failed")
        found.at_most("a turn of somebody else behind that", normal_turn(normal, "looping") / busy, 3.0, "s")


@pytest.mark.parametrize("lines", [22, 26, 60])
def test_a_list_that_doubles_is_cut(workbench: Workbench, setup: str, lines: int) -> None:
    doubled = "\n".join(["    SET: x = [1]", *["    SET: x = [x, x]"] * lines])
    text = HELLO.replace("AGENT: Hello", f"AGENT: Doubled_{lines}").replace("    RESPOND:", f"{doubled}\n    RESPOND:")
    cookies = populate(workbench, "doubling", {f"d{lines}.agent.abl": text}, hostile="editor", normal="editor")
    with proof(setup, f"SET: x = [x, x], {lines} times") as found, client_of(workbench, cookies["hostile"]) as client:
        talk = conversation(client, "doubling", entry=f"Doubled_{lines}")
        over(client, talk, 0)
        with watched(workbench) as seen:
            client.post(f"{talk}turns/", json={"kind": "say", "text": "go"}).raise_for_status()
            turn = over(client, talk, 1, 40)
        ended_by_its_bound(found, turn, "turn")
        seen.judge(found)


def normal_turn(client: httpx.Client, project: str, talk: str = "", index: int = 0, seconds: float = 60) -> float:
    """Seconds from saying something simple to its answer; of a new conversation, until it has begun."""
    began = time.monotonic()
    if talk:
        answer = client.post(f"{talk}turns/", json={"kind": "say", "text": "hello"})
        answer.raise_for_status()
        index = answer.json()["index"]
    else:
        talk = conversation(client, project, entry="Hello")
    turn = over(client, talk, index, seconds)
    return time.monotonic() - began if turn["status"] == "done" else seconds


@pytest.mark.parametrize("kind", ["simple", "expensive", "long"])
def test_two_hostile_users_beside_a_normal_one(workbench: Workbench, setup: str, kind: str) -> None:
    # Cut early, since it makes much; and one that makes little, and computes for as long as a turn may.
    lasting = combined("a list of texts", "contains", "a filter")(4_096)
    agents = agents_of("a loop over a list") | {"lasting.agent.abl": named(lasting, 1)}
    cookies = populate(workbench, "crowded", agents, hostile1="editor", hostile2="editor", normal="editor")
    entry = {"simple": "Hello", "expensive": "Desk_0", "long": "Desk_1"}[kind]
    with (
        proof(setup, f"two users with 100 {kind} turns each, beside a third") as found,
        client_of(workbench, cookies["normal"]) as normal,
        client_of(workbench, cookies["hostile1"]) as first,
        client_of(workbench, cookies["hostile2"]) as second,
    ):
        talk = conversation(normal, "crowded", entry="Hello")
        over(normal, talk, 0)
        crowds = [hostile_talks(each, entry) for each in (first, second)]
        with watched(workbench, {"/": normal}) as seen:
            began, times = time.monotonic(), []
            posts = [
                threading.Thread(target=post_all, args=crowd) for crowd in zip((first, second), crowds, strict=True)
            ]
            for thread in posts:
                thread.start()
            threading.Event().wait(0.5)
            while time.monotonic() - began < (60 if LONG else 15):
                times.append(normal_turn(normal, "crowded", talk, seconds=20))
            for thread in posts:
                thread.join()
        found.at_most("his turns, p95", percentile(times, 0.95) / seen.busy, 1.0, "s")
        seen.judge(found)
        stop(first, crowds[0], seen)
        stop(second, crowds[1], seen)


def hostile_talks(client: httpx.Client, entry: str) -> list[str]:
    """Five conversations that have begun."""
    talks = [conversation(client, "crowded", entry=entry) for _ in range(5)]
    for talk in talks:
        over(client, talk, 0)
    return talks


def post_all(client: httpx.Client, talks: list[str]) -> None:
    """Twenty turns in each conversation; refusals are what an attacker gets."""
    for _ in range(20):
        for talk in talks:
            client.post(f"{talk}turns/", json={"kind": "say", "text": "go"})


def stop(client: httpx.Client, talks: list[str], seen: Seen) -> None:
    """Cancel what still waits, so that the next attack begins alone."""
    for talk in talks:
        waiting = client.get(f"{talk}turns/", params={"page_size": 200}).json()["results"]
        for turn in waiting:
            if turn["status"] in ("queued", "running"):
                client.post(f"{talk}turns/{turn['index']}/cancel/")
