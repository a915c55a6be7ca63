"""Clients that send or read slowly, or not at all, hold nobody up and are disconnected in the end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import statistics
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from config.protocol import BoundedProtocol, held_since, make_room
from tests.faults.test_too_large import kept_bytes, web_process
from tests.workbench import Workbench, busyness, eventually, running
from web.bodies import SMALL_BODY, Body, Refused
from web.limits import MAX_HEADERS
from web.problems import status_of

pytestmark = pytest.mark.slow

LIMITS = {
    "ABL_HEAD_SECONDS": "3",
    "ABL_IDLE_SECONDS": "3",
    "ABL_BODY_SECONDS": "6",
    "ABL_READ_SECONDS": "3",
    "ABL_CONNECTIONS": "130",
    "ABL_BODIES_BYTES": "60000000",
}
LARGE = 23_000_000


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    with running(tmp_path_factory.mktemp("slow"), LIMITS) as workbench:
        yield workbench


def connect(workbench: Workbench, sent: bytes = b"") -> socket.socket:
    url = urlsplit(workbench.url)
    link = socket.create_connection((url.hostname, url.port), timeout=60)
    link.sendall(sent)
    return link


def head(workbench: Workbench, line: str, *headers: str) -> bytes:
    """The line and the header of a request of the admin."""
    cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in workbench.cookies())
    lines = [f"{line} HTTP/1.1", f"Host: {urlsplit(workbench.url).netloc}", f"Cookie: {cookies}", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


def everything(link: socket.socket) -> bytes:
    """What comes until the server hangs up; fails if it does not."""
    raw = b""
    try:
        while chunk := link.recv(65536):
            raw += chunk
    except ConnectionResetError:
        pass
    return raw


def uploads(workbench: Workbench) -> int:
    """Files and bytes of bodies that the web process keeps: unnamed ones, and those in the folder."""
    return kept_bytes(web_process(workbench)) + len(list(Path(workbench.var_dir, "uploads").iterdir()))


def test_a_hundred_slow_clients_hold_nobody_up_and_are_disconnected(workbench):
    post = head(workbench, "POST /api/v1/check/", "Content-Type: application/json", "Content-Length: 1000000")
    read = head(workbench, "GET /static/dist/editor.js")
    with ExitStack() as open_links, workbench.client() as client:
        slow = [connect(workbench) for _ in range(25)]  # they say nothing
        slow += [connect(workbench, b"GET / HTTP/1.1\r\nHost: x") for _ in range(25)]
        slow += [connect(workbench, post + b'{"files": ') for _ in range(25)]
        for _ in range(25):  # they read nothing of answers that are larger than what the kernel keeps
            link = socket.socket()
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.settimeout(60)
            link.connect((urlsplit(workbench.url).hostname, urlsplit(workbench.url).port))
            link.sendall(read * 20)
            slow.append(link)
        for link in slow:
            open_links.enter_context(closing(link))
        times = []
        for _ in range(20):
            began = time.perf_counter()
            assert client.get("/").status_code == 200
            times.append(time.perf_counter() - began)
        assert statistics.median(times) / busyness() < 1.0
        answers = [everything(link) for link in slow[:75]]
        assert not any(answers[:25])
        assert all(answer.startswith(b"HTTP/1.1 408 ") for answer in answers[25:75])
        eventually(lambda: connections(workbench) <= 5, what="those that read nothing are disconnected")


def connections(workbench: Workbench) -> int:
    """Sockets that the web process has open."""
    port = urlsplit(workbench.url).port
    inodes = set()
    for link in Path(f"/proc/{web_process(workbench)}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed since
            inodes.add(os.readlink(link))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and f"socket:[{row[9]}]" in inodes for row in rows)


def test_a_body_that_stops_is_a_problem_that_says_so_and_nothing_of_it_is_kept(workbench):
    kind = "Content-Type: application/json"
    request = head(workbench, "POST /api/v1/check/", kind, f"Content-Length: {LARGE}")
    with closing(connect(workbench, request)) as link:
        link.sendall(b" " * (LARGE - 1))
        eventually(lambda: uploads(workbench) > 0, what="it arrives")
        answer = everything(link)
    assert answer.startswith(b"HTTP/1.1 408 ")
    problem = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (problem["code"], problem["status"], problem["part"], problem["seconds"]) == ("too-slow", 408, "body", 3)
    assert "nothing of it came for 3 s" in problem["detail"]
    eventually(lambda: uploads(workbench) == 0, what="nothing is kept")


def test_a_body_that_drips_ends_after_the_whole_time(workbench):
    request = head(workbench, "POST /login/", "Content-Type: text/plain", "Content-Length: 1000")
    with closing(connect(workbench, request)) as link:
        link.settimeout(1)
        answer = b""
        deadline = time.monotonic() + 60
        while not answer and time.monotonic() < deadline:
            link.sendall(b"x")
            try:
                answer = link.recv(65536)
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"text/html" in answer


def test_nothing_is_kept_of_a_client_that_disappears(workbench):
    request = head(workbench, "POST /api/v1/check/", "Content-Type: application/json", f"Content-Length: {LARGE}")
    with closing(connect(workbench, request)) as link:
        link.sendall(b" " * (LARGE - 1))
        eventually(lambda: uploads(workbench) > 0, what="it arrives")
    eventually(lambda: uploads(workbench) == 0, what="nothing is kept")


def test_bodies_that_hold_too_much_together_give_way_to_new_ones(workbench):
    request = head(workbench, "POST /api/v1/check/", "Content-Type: application/json", f"Content-Length: {LARGE}")
    with ExitStack() as open_links:
        links = [open_links.enter_context(closing(connect(workbench, request))) for _ in range(3)]
        for link in links:
            link.sendall(b" " * (LARGE - 1))
        # On a machine that is busy the first may have been too slow before the third was there.
        assert everything(links[0]).startswith((b"HTTP/1.1 503 ", b"HTTP/1.1 408 "))
    eventually(lambda: uploads(workbench) == 0, what="nothing is kept")


def test_the_body_that_makes_room_is_the_oldest_large_one(settings):
    settings.BODIES_BYTES = 5_000_000

    async def never():
        await asyncio.Event().wait()

    def sends(size):
        pieces = [{"type": "http.request", "body": b" " * size, "more_body": True}]

        async def receive():
            return pieces.pop() if pieces else await never()

        return receive

    async def go():
        bodies = [Body(sends(size), 10_000_000) for size in (SMALL_BODY, 2_000_000, 2_000_000, 2_000_000)]
        try:
            for body in bodies[:3]:
                await body.next()
            waiting = asyncio.create_task(bodies[1].next())
            await asyncio.sleep(0)
            assert not any(body.given_up for body in bodies)
            await bodies[3].next()
            with pytest.raises(Refused) as refused:
                await waiting
            assert [body.given_up for body in bodies] == [False, True, False, False]
            return refused.value.error
        finally:
            for body in bodies:
                Body.arriving.pop(body, None)

    error = asyncio.run(go())
    assert (status_of(error), error.data) == (503, {"what": "uploads"})


def test_what_a_killed_process_leaves_is_removed_at_the_next_start(workbench):
    left = Path(workbench.var_dir, "uploads", "tmp1.upload")
    left.write_bytes(b"x")
    os.kill(web_process(workbench), signal.SIGKILL)
    eventually(lambda: not left.exists(), what="it is removed")


def test_beyond_the_limit_the_connection_that_waits_the_longest_makes_room(workbench):
    with ExitStack() as open_links:
        for _ in range(140):
            open_links.enter_context(closing(connect(workbench, b"GET / HTTP/1.1\r\nX: ")))
        with workbench.client() as client:
            assert client.get("/").status_code == 200
        eventually(lambda: connections(workbench) <= 130, what="others made room")


class Transport:
    """What a connection is written to."""

    def __init__(self):
        self.closing = False

    def is_closing(self):
        return self.closing

    def abort(self):
        self.closing = True


def connection(everybody, *, since, answering=False):
    """One that has waited for its client since a time, or that is being answered."""
    protocol = BoundedProtocol.__new__(BoundedProtocol)
    protocol.connections, protocol.transport = everybody, Transport()
    protocol.head_since, protocol.opened_at = None if answering else since, since
    cycle = SimpleNamespace(response_complete=False, more_body=False, scope={"state": {}})
    protocol.cycle = cycle if answering else None
    everybody.add(protocol)
    return protocol


def test_who_makes_room_has_waited_for_its_client_the_longest_and_nobody_who_is_being_answered(settings):
    settings.CONNECTIONS = 3
    everybody = set()
    answered, late, early = (
        connection(everybody, since=1, answering=True),
        connection(everybody, since=3),
        connection(everybody, since=2),
    )
    assert make_room(early), "there is room"
    assert make_room(connection(everybody, since=4))
    assert early.transport.closing
    assert make_room(connection(everybody, since=5)), "the one before was aborted and is not gone yet"
    assert late.transport.closing
    assert not answered.transport.closing

    busy = set()
    for n in range(3):
        connection(busy, since=n, answering=True)
    assert not make_room(connection(busy, since=4)), "everybody waits for the server"
    refused = min(busy, key=lambda each: each.opened_at)
    held_since(refused.cycle.scope, now=3)
    assert make_room(connection(busy, since=5)), "a refusal that is held back is no answer that must be waited for"
    assert refused.transport.closing


def test_a_header_without_end_is_refused(workbench):
    with closing(connect(workbench, b"GET / HTTP/1.1\r\nX-Filler: " + b"x" * MAX_HEADERS)) as link:
        assert everything(link).startswith(b"HTTP/1.1 431 ")
