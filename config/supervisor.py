"""One process that keeps listener, web, worker and beat running and ends them all (docs/architecture.md §7)."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from config.forked import Forked, fork
from config.heartbeats import Heartbeats
from config.options import PERIODIC, TURNS

log = logging.getLogger("abl_workbench.supervisor")

STOP_SECONDS = 3.0
"""Seconds that children get to finish after SIGTERM, so that everything has ended five seconds after the signal."""
FIRST_BACKOFF_SECONDS = 0.1
LONGEST_BACKOFF_SECONDS = 10.0
LONGEST_BACKOFF_KILLED_SECONDS = 0.5
"""The longest delay for a child that is killed from outside: it is not broken, and people wait for it.
"""
STEADY_SECONDS = 3.0
"""Seconds of life after which a child is restarted at once."""
TICK_SECONDS = 0.05


@dataclass
class Child:
    """A program that is kept running. ``title`` is what ``ps`` shows, ``keep`` are descriptors that stay open in it.

    ``silence`` gives the seconds for which it has not answered, not counting what was before a time, ``standstill``
    those for which it answers but finishes none of the waiting work. A program of which either is longer than
    ``patience`` is killed, and so starts again.
    """

    name: str
    title: str
    main: Callable[[], object]
    keep: tuple[int, ...] = ()
    silence: Callable[[float], float] = lambda since: 0.0
    standstill: Callable[[float], float] = lambda since: 0.0
    patience: float = float("inf")
    process: Forked | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    backoff: float = 0.0
    given_up: bool = False
    """Killed for its silence, and not yet gone: the kernel may take a while."""

    def start(self) -> None:
        """Start it."""
        self.started_at = time.monotonic()
        self.given_up = False
        self.process = fork(self.title, self.main, self.keep)

    def watch(self) -> None:
        """Start it when it is time to; notice that it ended and set the time of the next start."""
        now = time.monotonic()
        if self.process is not None:
            code = self.process.poll()
            if code is None:
                self.end_if_stuck()
                return
            self.kill()
            self.process = None
            self.backoff = self.pause(code, lived=now - self.started_at)
            self.start_at = now + self.backoff
            log.warning("%s ended (%s); it starts again in %.2g s", self.name, ending(code), self.backoff)
        if now >= self.start_at:
            self.start()

    def end_if_stuck(self) -> None:
        """Kill it, once, if it has not answered, or got nothing done, for too long."""
        if self.given_up:
            return
        if (silent := self.silence(self.started_at)) > self.patience:
            log.warning("%s has not answered for %.0f s; it is killed and starts again", self.name, silent)
        elif (stuck := self.standstill(self.started_at)) > self.patience:
            words = "%s has finished no request for %.0f s while others wait; it is killed and starts again"
            log.warning(words, self.name, stuck)
        else:
            return
        self.given_up = True
        self.kill()

    def pause(self, code: int, *, lived: float) -> float:
        """Seconds until it starts again: none after a steady life, twice as many as before after a short one."""
        if lived >= STEADY_SECONDS:
            return 0.0
        longest = LONGEST_BACKOFF_KILLED_SECONDS if code < 0 else LONGEST_BACKOFF_SECONDS
        return min(max(self.backoff * 2, FIRST_BACKOFF_SECONDS), longest)

    def signal(self, number: int) -> None:
        """Send a signal to the program itself."""
        if self.process is not None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """End it and whatever it started and left behind."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)  # it leads no group yet if it has just begun
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


def ending(code: int) -> str:
    """How a process ended, in words."""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class Supervisor:
    """Runs children until SIGINT or SIGTERM. ``on_tick`` is called every twentieth of a second while they run."""

    def __init__(self, children: list[Child], on_tick: Callable[[], None] = lambda: None) -> None:
        self.children = children
        self.on_tick = on_tick
        self.stopping = False
        # Killing make does not kill its children; the workbench that it started should end too.
        self.parent = os.getppid() if "MAKELEVEL" in os.environ else None

    def run(self) -> None:
        """Return when everything has ended, at most five seconds after the signal."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        try:
            while not self.stopping and self.parent in (None, os.getppid()):
                for child in self.children:
                    child.watch()
                self.on_tick()
                time.sleep(TICK_SECONDS)
        finally:
            self._end_all()

    def _stop(self, *_: object) -> None:
        self.stopping = True

    def _end_all(self) -> None:
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            child.signal(signal.SIGTERM)
        for child in self.children:
            if child.process is None:
                continue
            child.process.wait(deadline - time.monotonic())
            child.kill()
            child.process.wait(STOP_SECONDS)


def children(listening: socket.socket, var_dir: Path, concurrency: int, patience: float) -> list[Child]:
    """The programs of the workbench. Names of workers hold our id: two workbenches may share a broker.

    Periodic work has a worker of its own, with threads: it is at the database most of the time. ``patience`` are the
    seconds for which the listener and the web process may be silent.
    """
    worker = ["worker", "--pool", "prefork", "--concurrency", str(concurrency), "--hostname", f"{os.getpid()}@%h"]
    periodic = ["worker", "--pool", "threads", "--concurrency", "4", "--hostname", f"{os.getpid()}-periodic@%h"]
    periodic += ["--queues", PERIODIC]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    beat = ["beat", "--schedule", str(var_dir / "beat"), "--pidfile", ""]
    return [
        *front(listening, patience),
        Child("worker", "celery --app config worker", partial(celery, *worker, "--queues", TURNS, *quiet)),
        Child(
            "periodic",
            "celery --app config periodic",
            partial(celery_periodic, *periodic, "--queues", PERIODIC, *quiet),
        ),
        Child("beat", "celery --app config beat", partial(celery, *beat)),
    ]


def front(listening: socket.socket, patience: float) -> list[Child]:
    """The two programs that speak HTTP. Connections wait in the socket between them while either starts again."""
    heartbeats = Heartbeats()
    # Messages with a beginning and an end, each with the descriptor of a connection. Both ends live as long as we do.
    listener_end, web_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    accepting, handing, taking = listening.fileno(), listener_end.detach(), web_end.detach()
    return [
        Child(
            "listener",
            "python -m config.listener",
            partial(listener, accepting, handing, heartbeats),
            keep=(accepting, handing),
            silence=heartbeats.listener_silence,
            patience=patience,
        ),
        Child(
            "web",
            "python -m config.server",
            partial(serve, taking),
            keep=(taking,),
            silence=heartbeats.web_silence,
            standstill=heartbeats.web_standstill,
            patience=patience,
        ),
    ]


def listener(accepting: int, handing: int, heartbeats: Heartbeats) -> None:
    """The process that takes connections."""
    from config.listener import listen as take

    take(accepting, handing, heartbeats)


def serve(taking: int) -> None:
    """The web process."""
    from config.server import serve as answer

    answer(socket.socket(fileno=taking))


def celery(*arguments: str) -> None:
    """A program of Celery. What it would check first was checked before the fork."""
    from celery.__main__ import main

    os.environ["CELERY_SKIP_CHECKS"] = "1"
    sys.argv = ["celery", "--quiet", "--app", "config", *arguments, "--loglevel", "WARNING"]
    main()


def celery_periodic(*arguments: str) -> None:
    """The worker for periodic work. It answers no ping through the broker, which asks for a worker that runs turns."""
    from config.celery import app

    app.conf.worker_enable_remote_control = False
    celery(*arguments)
