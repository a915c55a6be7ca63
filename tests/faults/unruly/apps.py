"""Puts the misbehaviour between the worker and the runtime."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Any

from django.apps import AppConfig

POLL_SECONDS = 0.05


class UnrulyConfig(AppConfig):
    """See the package."""

    name = "tests.faults.unruly"

    def ready(self) -> None:
        from constraints.running import runner

        ordinary = runner.act

        def act(session: Any, task: Any) -> Any:
            misbehave(str(task.input.get("text", "")), task.poll)
            return ordinary(session, task)

        runner.act = act


def misbehave(text: str, poll: Any) -> None:
    """Do what the message says."""
    word, _, rest = text.partition(" ")
    if word == "hang":
        ctypes.PyDLL(None).sleep(600)  # PyDLL keeps the lock of the interpreter
    elif word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif word in ("work", "wait"):
        end = time.monotonic() + float(rest)
        while time.monotonic() < end:
            if word == "wait":
                time.sleep(POLL_SECONDS)
            else:
                compute()
            poll()


def compute() -> None:
    """Keep the processor busy until it is time to look again."""
    end = time.monotonic() + POLL_SECONDS
    while time.monotonic() < end:
        sum(range(1000))
