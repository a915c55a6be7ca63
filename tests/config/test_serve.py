"""``make run``: one process that starts, keeps and ends the others (docs/architecture.md §7)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from tests.workbench import PASSWORD, ROOT, Workbench, busyness, eventually, is_running, running

pytestmark = pytest.mark.slow
PARTS = ("config.listener", "config.server", "config worker", "config periodic", "config beat")


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    """One that began with an empty folder, as everybody's does."""
    workbench = Workbench(tmp_path_factory.mktemp("serve")).start()
    yield workbench
    workbench.stop()


def all_ended(pids: list[int]) -> bool:
    return not any(is_running(pid) for pid in pids)


def test_it_runs_web_worker_and_beat_under_one_process(workbench):
    for part in PARTS:
        assert workbench.pids(part), part
    assert len(workbench.pids("config worker")) == 5, "the worker and its four processes"


def test_it_prints_the_address_and_the_sign_in_which_works(workbench):
    assert workbench.url in workbench.log
    assert "Sign in as admin with the password from ABL_ADMIN_PASSWORD" in workbench.log
    assert PASSWORD not in workbench.log
    with workbench.client() as client:
        assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_dies_starts_again(workbench, part):
    killed = workbench.pids(part)[0]
    os.kill(killed, signal.SIGKILL)
    name = {"config.server": "web", "config.listener": "listener"}.get(part, part.removeprefix("config "))
    eventually(lambda: f"{name} ended (signal SIGKILL); it starts again" in workbench.log, what="its end is logged")
    eventually(lambda: workbench.pids(part) and killed not in workbench.pids(part), what=f"{part} starts again")
    assert eventually(lambda: workbench.health()["status"] == "ok", what="healthy again")


def test_requests_wait_while_the_web_process_starts_again(workbench):
    os.kill(workbench.pids("config.server")[0], signal.SIGKILL)
    assert httpx.get(f"{workbench.url}/healthz", timeout=120).status_code in (200, 503)


def test_processes_of_the_pool_end_with_a_killed_worker(workbench):
    before = workbench.pids("config worker")
    os.kill(before[0], signal.SIGKILL)
    eventually(lambda: all_ended(before), what="no process of the pool is left behind")
    assert eventually(lambda: workbench.health()["worker"] == "ok" and len(workbench.pids("config worker")) == 5)


def test_a_second_workbench_on_the_same_data_is_refused(workbench):
    second = workbench.manage("serve", check=False)
    assert second.returncode == 2
    assert "already runs" in second.stderr
    assert str(workbench.var_dir) in second.stderr


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = Workbench(tmp_path, PORT=port).manage("serve", check=False)
    assert answer.returncode == 2
    assert f"Cannot listen on 127.0.0.1 port {port}: Address already in use" in answer.stderr
    assert "Traceback" not in answer.stderr


NO_FILE = "unable to open database file"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"PORT": "abc"}, "PORT: abc is not a whole number from 0 to 65535."),
        ({"ABL_VARDIR": "x"}, "Unknown setting ABL_VARDIR. Did you mean ABL_VAR_DIR?"),
        ({"ABL_VAR_DIR": "/dev/null/var"}, "ABL_VAR_DIR: /dev/null/var cannot be used: Not a directory."),
        (
            {"DATABASE_URL": "sqlite:////dev/null/x"},
            f"The database cannot be used: {NO_FILE}. Start it or set DATABASE_URL.",
        ),
        ({"DATABASE_URL": "postgres://ann:secret@127.0.0.1:1/x"}, "The database cannot be used: connection failed:"),
        ({"DATABASE_URL": "postgres://ann:secret@db:one/x"}, "DATABASE_URL: its port is not a whole number"),
    ],
    ids=["number", "name", "folder", "file", "server", "url"],
)
def test_a_start_that_is_refused_says_why_in_one_line(tmp_path, settings, words):
    answer = Workbench(tmp_path, **settings).manage("serve", check=False)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert "secret" not in answer.stderr
    assert answer.stdout == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_ends_everything_within_five_seconds(tmp_path, number):
    # setsid: without a terminal, as under a service manager.
    workbench = Workbench(tmp_path).start(("setsid", sys.executable, "manage.py", "serve"))
    everything = [workbench.process.pid, *workbench.pids()]
    with httpx.Client(base_url=workbench.url) as idle:
        idle.get("/healthz")  # a connection that is kept open must not hold the end up
        assert workbench.stop(number) / busyness() < 5
    assert workbench.process.returncode == 0
    assert all_ended(everything)
    assert "Traceback" not in workbench.log


def test_nothing_lives_on_when_the_process_is_killed(tmp_path):
    workbench = Workbench(tmp_path).start()
    # Listener, web, beat, the two workers, and the four processes of the pool.
    everything = eventually(lambda: found if len(found := workbench.pids()) == 9 else None, what="everything runs")
    workbench.stop(signal.SIGKILL)
    assert eventually(lambda: all_ended(everything), what="children end with their parent")


def test_the_first_start_makes_a_password_and_the_second_says_how_to_reset_it(tmp_path):
    workbench = Workbench(tmp_path, ABL_ADMIN_PASSWORD="").start()
    workbench.stop()
    password = workbench.log.split("with the password ")[1].split()[0]
    first = len(workbench.log)
    workbench.start()
    try:
        with workbench.client(password=password) as client:
            assert client.get("/admin/").status_code == 200
        assert "manage.py changepassword admin" in workbench.log[first:]
        assert password not in workbench.log[first:]
    finally:
        workbench.stop()


def test_two_workbenches_do_not_share_cookies_or_work(workbench, tmp_path):
    with running(tmp_path) as other, workbench.client() as client, other.client() as other_client:
        names = set(client.cookies.keys()) | set(other_client.cookies.keys())
        assert len(names) == 4, "a browser keeps cookies of both, although they differ in the port only"
        other.stop()
        eventually(lambda: workbench.health()["status"] == "ok", what="the other works on")


def test_it_ends_with_the_make_that_started_it(tmp_path):
    makefile = tmp_path / "Makefile"
    makefile.write_text(f"run:\n\t@cd {ROOT} && exec {sys.executable} manage.py serve\n")
    workbench = Workbench(tmp_path)
    workbench.start(("make", "-f", str(makefile), "run"))
    everything = workbench.pids()
    workbench.stop(signal.SIGKILL)
    assert eventually(lambda: all_ended(everything), what="the workbench ends after its make")


def test_make_passes_the_signal_on(tmp_path):
    """The command of the README, from make to the end."""
    workbench = Workbench(tmp_path)
    workbench.start(("make", "run"))
    everything = workbench.pids()
    assert workbench.stop(signal.SIGTERM) / busyness() < 5
    eventually(lambda: all_ended(everything), what="everything has ended")
    assert subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.count("make ") >= 8
