"""Programs in forks: how they start, how they end, and how soon they start again."""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from config.forked import Forked, fork
from config.heartbeats import Heartbeats
from config.supervisor import FIRST_BACKOFF_SECONDS, LONGEST_BACKOFF_KILLED_SECONDS, STEADY_SECONDS, Child
from tests.workbench import command_line, eventually

KILLED = -signal.SIGKILL


def told(main, keep=()) -> str:
    """What a program in a fork writes to the pipe that it is given; it is over then."""
    reading, writing = os.pipe()
    child = fork("a program", lambda: os.write(writing, main().encode()), keep=(writing, *keep))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    assert child.wait(10) == 0
    return text


def ended(main) -> int | None:
    """The code with which a program ends."""
    return fork("a program", main).wait(10)


def test_a_program_has_a_session_of_its_own_and_only_the_files_that_are_meant_for_it(tmp_path):
    with (tmp_path / "lock").open("w") as lock, socket.socket() as kept:
        files = told(lambda: " ".join(os.listdir("/proc/self/fd")), keep=(kept.fileno(),)).split()
        assert str(kept.fileno()) in files
        assert str(lock.fileno()) not in files
    assert told(lambda: str(os.getsid(0) == os.getpid())) == "True"
    assert told(lambda: os.readlink("/proc/self/fd/0")) == os.devnull


def test_ps_shows_the_title_of_a_program_as_far_as_there_is_room():
    child = fork("a b", signal.pause)
    try:
        eventually(lambda: command_line(child.pid).startswith("a b "), what="the title is there")
        assert not command_line(child.pid).removeprefix("a b ").strip()
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait(10)
    assert told(lambda: Path("/proc/self/cmdline").read_text().replace("\0", " ").strip()) == "a program"


def test_a_program_ends_with_the_code_that_it_gives():
    def fails() -> None:
        raise ZeroDivisionError

    assert ended(lambda: None) == 0
    assert ended(lambda: sys.exit(7)) == 7
    assert ended(lambda: sys.exit("words")) == 1
    assert ended(fails) == 1


def test_a_signal_ends_a_program_that_has_no_handler_for_it_yet():
    child = fork("a program", signal.pause)
    child.send_signal(signal.SIGTERM)
    assert child.wait(10) == -signal.SIGTERM
    child.send_signal(signal.SIGTERM)  # nobody is there any more
    assert child.poll() == -signal.SIGTERM


def test_waiting_is_bounded():
    child = fork("a program", signal.pause)
    assert child.wait(0.05) is None
    child.send_signal(signal.SIGKILL)
    assert child.wait(10) == KILLED


@pytest.mark.parametrize("code", [KILLED, 1])
def test_a_child_that_ran_for_a_while_starts_again_at_once(code):
    child = Child("worker", "a program", lambda: None, backoff=9.0)
    assert child.pause(code, lived=STEADY_SECONDS) == 0


def pauses(code: int) -> list[float]:
    """The waits of a child that ends at once, again and again."""
    child = Child("worker", "a program", lambda: None)
    found = []
    for _ in range(12):
        child.backoff = child.pause(code, lived=0.1)
        found.append(child.backoff)
    return found


def test_a_child_that_fails_waits_twice_as_long_each_time_and_a_killed_one_never_long():
    assert pauses(1)[:3] == [FIRST_BACKOFF_SECONDS, 2 * FIRST_BACKOFF_SECONDS, 4 * FIRST_BACKOFF_SECONDS]
    assert pauses(1)[-1] == 10
    assert max(pauses(KILLED)) == LONGEST_BACKOFF_KILLED_SECONDS


def test_a_child_that_is_silent_for_too_long_is_killed_and_the_log_says_why(caplog):
    silence = {"seconds": 0.0}
    child = Child("web", "a program", signal.pause, silence=lambda since: silence["seconds"], patience=30)
    child.watch()
    first = child.process
    child.watch()
    assert child.process is first
    silence["seconds"] = 31.0
    child.watch()
    assert first.wait(10) == KILLED
    assert "web has not answered for 31 s; it is killed and starts again" in caplog.text


def test_the_log_speaks_once_of_a_silent_child_that_takes_its_time_to_end(caplog, monkeypatch):
    child = Child("web", "a program", signal.pause, silence=lambda since: 31.0, patience=30)
    child.watch()
    first = child.process
    with monkeypatch.context() as slow:
        slow.setattr(first, "poll", lambda: None)  # the kernel has not ended it yet
        for _ in range(3):
            child.watch()
    assert first.wait(10) == KILLED
    assert caplog.text.count("it is killed and starts again") == 1
    child.watch()
    child.start()
    child.watch()
    assert child.process.wait(10) == KILLED
    assert caplog.text.count("it is killed and starts again") == 2, "the one after it is killed too"


def test_silence_of_the_web_process_counts_only_while_the_listener_asks(monkeypatch):
    now = {"at": 100.0}
    monkeypatch.setattr("config.heartbeats.time.monotonic", lambda: now["at"])
    beats = Heartbeats()
    beats.beat("web")
    beats.beat("listener")
    now["at"] = 150.0
    assert beats.listener_silence(since=0.0) == 50
    assert beats.web_silence(since=0.0) == 0, "nobody asked it"
    beats.beat("listener")
    assert beats.web_silence(since=0.0) == 50
    assert beats.web_silence(since=140.0) == 10, "it did not run before"


def test_a_child_that_answers_but_gets_nothing_done_is_killed_and_the_log_says_why(caplog):
    stuck = {"seconds": 0.0}
    child = Child("web", "a program", signal.pause, standstill=lambda since: stuck["seconds"], patience=30)
    child.watch()
    first = child.process
    stuck["seconds"] = 30.0
    child.watch()
    assert child.process is first
    stuck["seconds"] = 31.0
    child.watch()
    assert first.wait(10) == KILLED
    assert "web has finished no request for 31 s while others wait; it is killed and starts again" in caplog.text


def test_a_standstill_is_that_of_the_process_that_runs_and_as_old_as_its_last_answer(monkeypatch):
    now = {"at": 100.0}
    monkeypatch.setattr("config.heartbeats.time.monotonic", lambda: now["at"])
    beats = Heartbeats()
    beats.beat("web")
    beats.beat("progress", ago=31.0)
    assert beats.web_standstill(since=0.0) == 31
    assert beats.web_standstill(since=95.0) == 5, "it did not run before"
    now["at"] = 200.0
    assert beats.web_standstill(since=0.0) == 31, "nobody asked it"
    beats.beat("web")
    beats.beat("progress")
    assert beats.web_standstill(since=0.0) == 0


def test_a_child_that_was_killed_is_there_again():
    child = Child("worker", "a program", signal.pause)
    child.watch()
    first = child.process
    assert isinstance(first, Forked)
    first.send_signal(signal.SIGKILL)

    def another() -> bool:
        child.watch()
        return child.process is not None and child.process is not first

    try:
        eventually(another, what="it runs again")
    finally:
        child.kill()
        assert child.process.wait(10) == KILLED
