"""Connections that take their time: to ask, to send, to read, or for ever."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.attacks.bounds import proof
from tests.attacks.people import client_of, populate
from tests.attacks.watching import data_size, watched
from tests.workbench import Workbench

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

SOCKETS = 100
CLOSED_SECONDS = 45.0
"""When the last slow connection is closed: a client that takes nothing of its answer has half a minute."""
STEP_SECONDS = 0.5
ESTABLISHED = "01"
BODY = 23_000_000

Opener = Callable[[socket.socket, str], None]
Dripper = Callable[[socket.socket], None]


def head(path: str, *lines: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()


def nothing(opened: socket.socket, cookies: str) -> None:
    """Say nothing at all."""


def half_a_header(opened: socket.socket, cookies: str) -> None:
    opened.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")


def part_of_a_body(opened: socket.socket, cookies: str) -> None:
    lines = ("Content-Type: application/json", f"Content-Length: {BODY}", f"Cookie: {cookies}")
    opened.sendall(head("/api/v1/check/", *lines, method="POST") + b'{"a":')


def a_chunked_body(opened: socket.socket, cookies: str) -> None:
    opened.sendall(head("/login/", "Transfer-Encoding: chunked", method="POST") + b"5\r\nhello\r\n")


def a_page_that_is_not_read(opened: socket.socket, cookies: str) -> None:
    """Many requests on one connection, whose answers nobody takes."""
    with suppress(BlockingIOError, OSError):
        for _ in range(40):
            opened.send(head("/static/dist/editor.js", f"Cookie: {cookies}"))


def a_stream_that_is_not_read(opened: socket.socket, cookies: str) -> None:
    opened.sendall(head("/api/schema/", f"Cookie: {cookies}") * 20)


def still(opened: socket.socket) -> None:
    """Send no more."""


def a_byte(opened: socket.socket) -> None:
    opened.send(b"x")


SLOW: dict[str, tuple[Opener, Dripper]] = {
    "say nothing": (nothing, still),
    "send a header byte by byte": (half_a_header, a_byte),
    "stop in a body": (part_of_a_body, still),
    "stop in a body without a length": (a_chunked_body, still),
    "do not read a large file": (a_page_that_is_not_read, still),
    "do not read a long answer": (a_stream_that_is_not_read, still),
}


@pytest.mark.parametrize("how", SLOW)
def test_a_hundred_slow_sockets_are_closed_and_stop_nobody(workbench: Workbench, setup: str, how: str) -> None:
    cookies = populate(workbench, "slow", slow="editor", patient="editor")
    jar = "; ".join(f"{name}={value}" for name, value in cookies["slow"].items())
    open_it, drip = SLOW[how]
    with (
        proof(setup, f"{SOCKETS} sockets that {how}") as found,
        client_of(workbench, cookies["patient"]) as client,
        sockets(workbench, SOCKETS) as opened,
    ):
        with watched(workbench, {"/": client}) as seen:
            for each in opened:
                open_it(each, jar)
            closed = seconds_until_closed(opened, drip)
        found.at_most("until all are closed", closed, CLOSED_SECONDS, "s")
        found.at_most("a page of others, p95", seen.milliseconds("/", 0.95), 500, "ms")
        seen.judge(found)


@contextmanager
def sockets(workbench: Workbench, number: int) -> Iterator[list[socket.socket]]:
    """So many connections to a workbench. They take little at a time, so that its answers find no room."""
    allow(number + 200)
    url = urlsplit(workbench.url)
    opened = []
    try:
        for _ in range(number):
            each = socket.socket()
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            each.connect((url.hostname, url.port))
            each.setblocking(False)
            opened.append(each)
        yield opened
    finally:
        for each in opened:
            each.close()


def allow(files: int) -> None:
    """Let this process have so many files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, hard), hard))


def seconds_until_closed(opened: list[socket.socket], drip: Dripper) -> float:
    """Seconds until the server has closed all, which are fed meanwhile; far too many when it does not."""
    began, left = time.monotonic(), {each.getsockname()[1]: each for each in opened}
    server = opened[0].getpeername()[1]
    while left and time.monotonic() - began < CLOSED_SECONDS + 5:
        time.sleep(STEP_SECONDS)
        for each in left.values():
            with suppress(OSError):
                drip(each)
        served = peers(server)
        left = {port: each for port, each in left.items() if port in served}
    return time.monotonic() - began if not left else 9_999.0


def peers(server: int) -> set[int]:
    """Ports of clients whose connection a server on a port still has.

    As the kernel says for the server's side: a client that does not read never learns that its connection is closed.
    """
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, remote, state = line.split()[1:4]
        if state == ESTABLISHED and int(local.rpartition(":")[2], 16) == server:
            found.add(int(remote.rpartition(":")[2], 16))
    return found


def test_bodies_that_never_end_leave_nothing_on_the_disk(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "slow", patient="editor")["patient"]
    with (
        proof(setup, "8 POSTs of 23 MB that never end") as found,
        client_of(workbench, cookies) as client,
        sockets(workbench, 8) as opened,
    ):
        before = data_size(workbench)
        with watched(workbench, {"/": client}) as seen:
            for each in opened:
                each.setblocking(True)
                each.settimeout(10)
                lines = ("Content-Type: application/json", f"Content-Length: {BODY + 1}")
                with suppress(OSError):
                    each.sendall(head("/api/v1/check/", *lines, method="POST") + b" " * BODY)
                each.setblocking(False)
            closed = seconds_until_closed(opened, still)
            seen.settle(1)
        found.at_most("until all are closed", closed, CLOSED_SECONDS, "s")
        found.at_most("left on the disk", data_size(workbench) - before, 5, "MB")
        found.at_most("a page of others, p95", seen.milliseconds("/", 0.95), 1_000, "ms")
        seen.judge(found)


def test_a_thousand_connections_leave_room_for_one_more(workbench: Workbench, setup: str) -> None:
    """A stranger holds as many as the workbench takes; the next one is served at once, not behind them."""
    cookies = populate(workbench, "slow", patient="editor")["patient"]
    with (
        proof(setup, "1,200 connections of a stranger") as found,
        client_of(workbench, cookies) as client,
        sockets(workbench, 1_200) as opened,
    ):
        with watched(workbench, {"/": client}) as seen:
            for each in opened:
                with suppress(OSError):
                    half_a_header(each, "")
            seen.settle(5)
            times = [asked(workbench, cookies) for _ in range(5)]
        found.at_most("a page on a new connection, slowest of five", max(times) / seen.busy, 2.0, "s")
        seen.judge(found)


def asked(workbench: Workbench, cookies: dict[str, str]) -> float:
    """Seconds for a page on a connection of its own; 30 when it fails."""
    began = time.monotonic()
    try:
        httpx.get(f"{workbench.url}/", cookies=cookies, timeout=30).raise_for_status()
    except httpx.HTTPError:
        return 30.0
    return time.monotonic() - began
