"""The process that takes connections: the health is told whatever the web process does, and a hang of it is ended."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from config.listener import questions
from config.threads import RequestThreads
from tests.workbench import ROOT, busyness, eventually, plain_environment, running

pytestmark = pytest.mark.slow

PROMISED_SECONDS = 0.5
PREFIX = "/abl"
BUSY = """
import json, socket, sys, threading
import config.server
from config.sockets import listen
from config.supervisor import Supervisor, front
import django.core.management
django.core.management.call_command("migrate", verbosity=0)
django.db.connections.close_all()
document = "{" + ",".join(f'"k{n}":{n}' for n in range(200_000)) + "}"
real, threads = config.server.application, []

def burn():
    while True:
        json.loads(document)  # one call into C, in which no other thread of the process runs

async def application(scope, receive, send):
    if not threads:
        threads.extend(threading.Thread(target=burn, daemon=True) for _ in range(16))
        for each in threads:
            each.start()
    await real(scope, receive, send)

config.server.application = application
opened = listen("127.0.0.1", 0)
print(opened.getsockname()[1], flush=True)
Supervisor(front(opened, 600)).run()
"""


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    with running(tmp_path_factory.mktemp("listener"), {"ABL_HANG_SECONDS": "4"}) as workbench:
        yield workbench


@pytest.fixture
def busy_port(tmp_path):
    """Listener and web process, of which sixteen threads compute all the time."""
    env = {**plain_environment(), "ABL_VAR_DIR": str(tmp_path / "var")}
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def asked(port: int) -> tuple[float, dict]:
    """How long the health takes over a connection of its own, in seconds, and what it says."""
    began = time.perf_counter()
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    link.request("GET", "/healthz")
    state = json.load(link.getresponse())
    link.close()
    return time.perf_counter() - began, state


def test_the_health_is_told_in_time_while_sixteen_threads_compute(busy_port):
    eventually(lambda: asked(busy_port)[1]["web"] != "ok", 60, "the web process is too busy to answer")
    times = sorted(asked(busy_port)[0] for _ in range(200))
    assert times[int(len(times) * 0.99)] / busyness() < PROMISED_SECONDS, f"median {statistics.median(times)}"
    state = asked(busy_port)[1]
    assert state["status"] == "unavailable"
    assert re.fullmatch(r"has not answered (yet|for \d+ s)", state["web"])
    assert state["database"] == "ok"
    assert state["free_request_threads"] is None


def test_a_web_process_that_hangs_is_named_killed_and_started_again(workbench):
    hanging = workbench.pids("config.server")[0]
    os.kill(hanging, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as beside:
        waiting = beside.submit(httpx.get, f"{workbench.url}/login/", timeout=120)
        eventually(lambda: "has not answered for" in workbench.health()["web"], what="the health names it")
        eventually(lambda: workbench.pids("config.server") not in ([hanging], []), what="another process serves")
        assert re.search(r"web has not answered for \d+ s; it is killed and starts again", workbench.log)
        assert waiting.result().status_code == 200, "a request that came meanwhile was kept"
    eventually(lambda: workbench.health()["status"] == "ok", what="healthy again")


def test_a_listener_that_hangs_is_started_again(workbench):
    hanging = workbench.pids("config.listener")[0]
    os.kill(hanging, signal.SIGSTOP)
    eventually(lambda: workbench.pids("config.listener") not in ([hanging], []), what="another process listens")
    assert re.search(r"listener has not answered for \d+ s; it is killed and starts again", workbench.log)
    eventually(lambda: workbench.health()["status"] == "ok", what="healthy again")


def test_the_health_tells_how_work_goes(workbench):
    state = eventually(
        lambda: found if (found := workbench.health())["purge_lag_seconds"] is not None else None,
        what="a purge was done",
    )
    assert state["queued_turn_seconds"] == 0.0
    assert 0 < state["free_request_threads"] <= 16
    assert state["waiting_requests"] == 0
    assert state["sweep_lag_seconds"] is not None


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_health_needs_no_name_and_ends_the_connection(workbench, method):
    answer = httpx.request(method, f"{workbench.url}/healthz?x=1", headers={"Host": "anything.example"}, timeout=60)
    assert answer.status_code == 200
    assert answer.headers["Connection"] == "close"
    assert answer.headers["Cache-Control"] == "no-store"
    assert bool(answer.content) == (method == "GET")


def test_other_methods_and_addresses_reach_the_web_process(workbench):
    assert httpx.post(f"{workbench.url}/healthz", timeout=60).status_code in (403, 405)
    assert httpx.get(f"{workbench.url}/healthzz", timeout=60).status_code == 404


def test_a_connection_that_is_kept_open_may_ask_too(workbench):
    with httpx.Client(base_url=workbench.url, timeout=60) as client:
        client.get("/login/")
        assert eventually(lambda: client.get("/healthz").json()["status"] == "ok", what="all is well")


def test_a_request_may_come_byte_by_byte_and_several_on_one_connection(workbench):
    url = urlsplit(workbench.url)
    request = f"GET /login/ HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode()
    last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with socket.create_connection((url.hostname, url.port), timeout=60) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for n in range(len(request)):
            link.sendall(request[n : n + 1])
        link.sendall(request + last)
        raw = b""
        while chunk := link.recv(65536):
            raw += chunk
    assert raw.count(b"HTTP/1.1 200 OK") == 3


def test_the_questions_are_known_with_and_without_the_prefix():
    assert questions(PREFIX) == [b"GET /abl/healthz", b"GET /healthz", b"HEAD /abl/healthz", b"HEAD /healthz"]


def test_work_whose_client_leaves_before_it_begins_never_runs():
    threads, ran = RequestThreads(1), []
    begun, released = threading.Event(), threading.Event()
    running_now = threads.submit(lambda: (begun.set(), released.wait(60)))
    begun.wait(60)
    given_up = threads.submit(ran.append, "given up")
    assert (threads.free, threads.waiting) == (0, 1)
    assert given_up.cancel()
    assert threads.waiting == 0
    released.set()
    running_now.result(60)
    threads.shutdown()
    assert (threads.free, ran) == (1, [])
