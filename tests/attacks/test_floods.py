"""Much of something that is cheap once: streams, descriptions, headers, projects, aliases, large sessions."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from itertools import cycle
from urllib.parse import urlsplit

import httpx
import pytest

from tests.attacks.bounds import proof
from tests.attacks.people import client_of, conversation, over, populate
from tests.attacks.strangers import strangers
from tests.attacks.test_turns import HELLO
from tests.attacks.viewers import Stream
from tests.attacks.watching import watched
from tests.workbench import Workbench, busyness

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

STREAMS = 1_100
PAGE_MS = 1_000


NAMED: dict[str, Callable[[Workbench, dict[str, str]], list[str]]] = {
    "one session": lambda workbench, cookies: [header_of(cookies)],
    "fifty tokens": lambda workbench, cookies: [
        f"Authorization: Bearer {secret}" for secret in json.loads(workbench.shell(TOKENS))
    ],
    "as many sessions that are none": lambda workbench, cookies: [
        header_of({**cookies, name: f"{number:032}"})
        for number in range(STREAMS)
        for name in cookies
        if "session" in name
    ],
}
"""In whose name the streams are asked for, as headers."""
TOKENS = """
import json
from editor import services
from editor.models import ApiToken, Project, User
project, user = Project.objects.get(slug="streamed"), User.objects.get(username="greedy")
ApiToken.objects.filter(user=user).delete()
print(json.dumps([services.token_create(project=project, user=user)[1] for _ in range(50)]))
"""


@pytest.mark.parametrize("named", NAMED)
def test_one_viewer_with_a_thousand_streams_leaves_room_for_others(
    workbench: Workbench, setup: str, named: str
) -> None:
    cookies = populate(workbench, "streamed", {"hello.agent.abl": HELLO}, greedy="viewer", writer="editor")
    headers = NAMED[named](workbench, cookies["greedy"])
    with (
        proof(setup, f"one viewer with {STREAMS:,} streams, {named}") as found,
        client_of(workbench, cookies["writer"]) as writer,
    ):
        address = conversation(writer, "streamed")
        over(writer, address, 0)
        path = f"{address}events/stream/"
        with watched(workbench, {"/": writer}) as seen:
            others = asyncio.run(streams_of(workbench, path, headers, header_of(cookies["writer"])))
        found.at_most("a page of others, p95", seen.milliseconds("/", 0.95), PAGE_MS, "ms")
        found.is_one_of("statuses of that page", sorted(seen.statuses("/")), [200])
        found.is_one_of("a stream of somebody else", others, "open")
        seen.judge(found)


def header_of(cookies: dict[str, str]) -> str:
    """The header line with cookies."""
    return "Cookie: " + "; ".join(f"{name}={value}" for name, value in cookies.items())


async def streams_of(workbench: Workbench, path: str, headers: list[str], other: str) -> str:
    """Open streams of one person, in turn with each of the headers, then one of another; what became of that one."""
    url = urlsplit(workbench.url)
    address = [url.hostname, url.port]

    def opened(header: str) -> tuple[Stream, asyncio.Task[None]]:
        stream = Stream()
        return stream, asyncio.create_task(stream.listen(address, path, header))

    many = [opened(header) for _, header in zip(range(STREAMS), cycle(headers), strict=False)]
    await asyncio.sleep(10)
    mine, task = opened(other)
    for _ in range(100):
        await asyncio.sleep(0.1)
        if mine.seen or mine.refused:
            break
    for each in [task, *(task for _, task in many)]:
        each.cancel()
    await asyncio.gather(task, *(task for _, task in many), return_exceptions=True)
    return "open" if mine.seen else mine.refused or "silent"


@pytest.mark.parametrize("path", ["/api/schema/", "/login/", "/static/dist/editor.js", "/nothing/" + "a/" * 5_000])
def test_strangers_who_ask_for_the_same_page_again_and_again(workbench: Workbench, setup: str, path: str) -> None:
    cookies = populate(workbench, "asked", worker="editor")
    with (
        proof(setup, f"20 strangers who ask for {path[:30]}") as found,
        client_of(workbench, cookies["worker"]) as worker,
    ):
        with watched(workbench, {"/": worker}) as seen:
            until = time.monotonic() + 6
            threads = [threading.Thread(target=ask_again, args=(f"{workbench.url}{path}", until)) for _ in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        found.at_most("a page of others, p95", seen.milliseconds("/", 0.95), PAGE_MS, "ms")
        seen.judge(found)


def ask_again(url: str, until: float) -> None:
    """Ask on one connection until a time."""
    with httpx.Client(timeout=20) as client:
        while time.monotonic() < until:
            try:
                client.get(url)
            except httpx.TransportError:
                time.sleep(0.05)


CONNECTIONS = 600
CALLED: dict[str, str] = {
    "sessions": "Cookie: sessionid={:032}",
    "tokens": "Authorization: Bearer abl_{:043}",
    "none": "Accept: */*",
}
"""Header lines by which strangers call themselves."""


@pytest.mark.parametrize("path", ["/login/", "/api/v1/projects/"])
@pytest.mark.parametrize("called", CALLED)
def test_strangers_who_call_themselves_otherwise_each_time(
    workbench: Workbench, setup: str, path: str, called: str
) -> None:
    cookies = populate(workbench, "asked", worker="editor")
    session = next(each for each in cookies["worker"] if "session" in each)
    names = [CALLED[called].replace("sessionid", session).format(number) for number in range(CONNECTIONS)]
    with (
        proof(setup, f"{CONNECTIONS} connections to {path}, names: {called}") as found,
        client_of(workbench, cookies["worker"]) as worker,
        strangers(workbench, path, names) as begin,
    ):
        with watched(workbench, {"/": worker}) as seen:
            begin()
            seen.settle(8)
        found.at_most("a page of somebody else, p95", seen.milliseconds("/", 0.95), PAGE_MS, "ms")
        found.is_one_of("statuses of that page", sorted(seen.statuses("/")), [200])
        seen.judge(found)


HEADERS: dict[str, str] = {
    "Accept": "a/b;q=0.1," * 5_000,
    "Accept-Language": "de-DE-x," * 6_000,
    "Accept-Encoding": "gzip;q=0.1," * 5_000,
    "Cookie": "a=b;" * 12_000,
    "If-None-Match": '"a",' * 12_000,
    "Range": "bytes=" + "0-1," * 12_000,
    "Content-Type": "multipart/form-data; boundary=" + "a" * 40_000,
    "Authorization": "Bearer " + "a" * 50_000,
    "X-Forwarded-For": "10.0.0.1," * 5_000,
    "Host": "a." * 20_000,
    "Last-Event-ID": "9" * 50_000,
}


@pytest.mark.parametrize("header", HEADERS)
def test_a_large_header_costs_little(workbench: Workbench, setup: str, header: str) -> None:
    cookies = populate(workbench, "asked", worker="editor")
    with proof(setup, f"a header {header} of 50 KB") as found, client_of(workbench, cookies["worker"]) as worker:
        for path in ("/", "/api/v1/projects/", "/static/dist/editor.js"):
            busy, began = busyness(), time.perf_counter()
            status = status_of(worker, path, {header: HEADERS[header]})
            found.at_most(f"{path}, time", (time.perf_counter() - began) * 1000 / busy, 500, "ms")
            found.is_one_of(f"{path}, is an error of ours", status >= 500, False)


def status_of(client: httpx.Client, path: str, headers: dict[str, str]) -> int:
    """The status of an answer; 400 where the server hangs up on it."""
    try:
        return client.get(path, headers=headers).status_code
    except httpx.TransportError:
        return 400


def aliases(levels: int) -> str:
    """A catalogue of which each line holds the one before twice."""
    lines = (f"k{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, levels))
    return "k0: &a0 {x: t}\n" + "".join(lines)


CHECKED: dict[str, Callable[[], dict[str, str]]] = {
    "a catalogue whose lines double": lambda: {"de-DE.locale.yaml": aliases(40)},
    "a test case whose lines double": lambda: {"one.scenario.yaml": aliases(40)},
    "a catalogue that holds itself": lambda: {"de-DE.locale.yaml": "a: &a {b: *a}\n"},
    "a number in base 60": lambda: {"de-DE.locale.yaml": f"a: {':'.join(['59'] * 300)}.5\n"},
}


@pytest.mark.parametrize("what", CHECKED)
def test_files_of_a_few_lines_are_checked_quickly(workbench: Workbench, setup: str, what: str) -> None:
    cookies = populate(workbench, "checked", viewer="viewer")
    files = {**CHECKED[what](), "a.agent.abl": 'AGENT: A\nGOAL: "Help"\n'}
    with proof(setup, f"/check/ with {what}") as found, client_of(workbench, cookies["viewer"]) as client:
        with watched(workbench) as seen:
            began = time.monotonic()
            try:
                status = client.post("/api/v1/check/", json={"files": files}, timeout=20).status_code
            except httpx.TransportError:
                status = 0
            took = time.monotonic() - began
        found.at_most("time", took / seen.busy, 2.0, "s")
        found.is_one_of("status", status, 200, 422)
        seen.judge(found)


def test_large_sessions_do_not_fill_the_disk(workbench: Workbench, setup: str) -> None:
    lines = "\n".join(f'    SET: a{n} = REPEAT("x", 100000)' for n in range(150))
    text = HELLO.replace("AGENT: Hello", "AGENT: Large").replace("    RESPOND:", f"{lines}\n    RESPOND:")
    cookies = populate(workbench, "large", {"large.agent.abl": text}, hostile="editor")
    with (
        proof(setup, "20 turns of sessions with 15 MB of text") as found,
        client_of(workbench, cookies["hostile"]) as client,
    ):
        talks = [conversation(client, "large") for _ in range(4)]
        with watched(workbench) as seen:
            for talk in talks:
                for _ in range(5):
                    client.post(f"{talk}turns/", json={"kind": "say", "text": "go"})
            for talk in talks:
                over(client, talk, 5, 40)
        seen.judge(found)


def test_somebody_with_a_thousand_projects(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "other", keen="editor", other="editor")
    workbench.shell(PROJECTS)
    with (
        proof(setup, "somebody with 1,000 projects") as found,
        client_of(workbench, cookies["keen"]) as keen,
        client_of(workbench, cookies["other"]) as other,
    ):
        with watched(workbench, {"/": keen, "/p/other/": other}) as seen:
            seen.settle(5)
        found.at_most("the list of projects, p95", seen.milliseconds("/", 0.95), PAGE_MS, "ms")
        found.at_most("a page of others, p95", seen.milliseconds("/p/other/", 0.95), PAGE_MS, "ms")
        seen.judge(found)


PROJECTS = """
from editor.models import Membership, Project, User
keen = User.objects.get(username="keen")
if keen.memberships.count() < 1000:
    made = Project.objects.bulk_create(Project(name=f"Project {n}", slug=f"many-{n}") for n in range(1000))
    Membership.objects.bulk_create(Membership(project=each, user=keen, role="owner") for each in made)
"""
