"""Bodies that cost more to read than to send."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

import httpx
import pytest

from tests.attacks.bounds import proof
from tests.attacks.people import client_of, populate
from tests.attacks.watching import watched
from tests.workbench import Workbench, busyness

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

KEYS = 20_000
QUICK_MS = 500
"""What a refusal may take: reading the body takes a tenth of it."""
ENDPOINTS = ("/api/v1/check/", "/api/v1/evaluate/", "/api/v1/projects/", "/api/v1/projects/bodies/conversations/")


def with_a_key_twice(keys: int = KEYS) -> bytes:
    """An object whose last key was there before. It goes through all others to be found."""
    names = [f'"k{n}":0' for n in range(keys - 1)]
    return ("{" + ",".join([*names, f'"k{keys - 2}":1']) + "}").encode()


def within(keys: int) -> bytes:
    """The same, inside of a list inside of an object."""
    return b'{"files":[[' + with_a_key_twice(keys) + b"]]}"


def many_objects(keys: int) -> bytes:
    """Small objects, each with a key twice."""
    return b'{"files":[' + b",".join([b'{"a":1,"a":2}'] * (keys // 2)) + b"]}"


def long_names(keys: int) -> bytes:
    """Keys that differ at their end only."""
    body = {"x" * 900 + str(n): 0 for n in range(keys // 10)}
    text = json.dumps(body)
    return (text[:-1] + f', "{next(reversed(body))}": 1}}').encode()


SHAPES: dict[str, Callable[[int], bytes]] = {
    "in the body": with_a_key_twice,
    "deeper": within,
    "small objects": many_objects,
    "long names": long_names,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_key_twice_is_refused_quickly(workbench: Workbench, setup: str, shape: str) -> None:
    cookies = populate(workbench, "bodies", viewer="viewer")
    body, headers = SHAPES[shape](KEYS), {"Content-Type": "application/json"}
    with proof(setup, f"{KEYS:,} keys, one twice: {shape}") as found, client_of(workbench, cookies["viewer"]) as client:
        for path in ENDPOINTS:
            best, busy = float("inf"), busyness()
            for _ in range(3):
                began = time.perf_counter()
                status = client.post(path, content=body, headers=headers).status_code
                best = min(best, (time.perf_counter() - began) * 1000 / busy)
                if best <= QUICK_MS:
                    break
            found.at_most(f"{path}, best of three", best, QUICK_MS, "ms")
            found.is_one_of(f"{path}, status", status, 400, 403)


def test_sixteen_such_bodies_whose_clients_are_gone_stop_nobody(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "bodies", viewer="viewer")
    with (
        proof(setup, "16 bodies with a key twice, clients gone after 2 s") as found,
        client_of(workbench, cookies["viewer"]) as client,
    ):
        with watched(workbench, {"/login/": httpx.Client(), "/": client}) as seen:
            threads = [threading.Thread(target=post_and_go, args=(workbench, client)) for _ in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seen.settle(3)  # what they left behind is still worked on
        seen.judge(found)
        found.at_most("sign-in page, p95", seen.milliseconds("/login/", 0.95), 1_000, "ms")
        found.at_most("a page of others, p95", seen.milliseconds("/", 0.95), 1_000, "ms")


def post_and_go(workbench: Workbench, client: httpx.Client) -> None:
    """Send a body and hang up after two seconds."""
    headers = {**client.headers, "Content-Type": "application/json"}
    with httpx.Client(base_url=workbench.url, timeout=2, cookies=client.cookies, headers=headers) as hasty:
        try:
            hasty.post("/api/v1/check/", content=with_a_key_twice())
        except httpx.TimeoutException:
            return
