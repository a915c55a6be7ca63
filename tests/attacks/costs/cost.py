"""What a conversation costs, in a process of its own that may not have more than a bound of time and memory.

Each is a fork of one process that has the language loaded, so that hundreds of agents are measured quickly.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SPACE = 3_000_000_000
"""Bytes of address space for one conversation."""


@dataclass(frozen=True)
class Cost:
    """What the most expensive turn took, and what is left behind.

    ``seconds`` are of the processor, ``memory`` is the growth of resident memory in MB, ``events`` and ``snapshot`` are
    bytes of JSON, ``text`` is the length of the agents. ``outcome`` is ``done``, the name of an exception, ``time`` or
    ``memory``.
    """

    seconds: float = 0.0
    memory: float = 0.0
    events: int = 0
    snapshot: int = 0
    text: int = 0
    outcome: str = "done"


def measured(work: Callable[[], Cost], seconds: float) -> Cost:
    """The cost that ``work`` tells, from a fork that is killed after so much time on the clock."""
    reading, writing = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os._exit(told(work, writing, seconds))
    os.close(writing)
    try:
        ready, _, _ = select.select([reading], [], [], 8 * seconds)
        with os.fdopen(reading, "rb", closefd=False) as answer:
            line = answer.read() if ready else b""
    finally:
        os.close(reading)
        if not line:
            os.kill(child, signal.SIGKILL)
        used = os.wait4(child, 0)[2]
    if line:
        return Cost(**json.loads(line))
    lost = (
        "time" if used.ru_utime + used.ru_stime >= 0.9 * seconds or time.monotonic() - began > 8 * seconds else "crash"
    )
    return Cost(seconds=used.ru_utime + used.ru_stime, memory=used.ru_maxrss / 1e3, outcome=lost)


def told(work: Callable[[], Cost], writing: int, seconds: float) -> int:
    """In the fork: work within bounds and write the cost as a line of JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    spent = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent + seconds) + 1, int(spent + seconds) + 2))
    try:
        cost = work()
    except MemoryError:
        cost = Cost(outcome="memory", memory=SPACE / 1e6)
    except BaseException as error:
        cost = Cost(outcome=type(error).__name__)
    os.write(writing, json.dumps(asdict(cost)).encode())
    return 0


def memory_mb(name: str) -> float:
    """A line of ``/proc/self/status``, such as ``VmHWM``, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1e3
    raise AssertionError(f"/proc/self/status has no {name}")


def spoken(files: dict[str, str], says: tuple[str, ...], tools: dict[str, Any]) -> Cost:
    """Have a conversation; its cost. An exception out of a turn ends it and is the outcome."""
    from abl.runtime import Session
    from abl.runtime.memory.in_memory import MockTools

    cases = {name: [{"default": True, "result": result}] for name, result in tools.items()}
    talk = Session(files, tools=MockTools(cases), user="u", entry="Desk", checked=True, timer=time.monotonic_ns)
    before, longest, events, outcome = memory_mb("VmRSS"), 0.0, 0, "done"
    for text in (None, *says):
        began = time.process_time()
        try:
            turn = talk.start() if text is None else talk.say(text)
        except Exception as error:
            outcome = getattr(error, "code", None) or type(error).__name__
            longest = max(longest, time.process_time() - began)
            break
        events = max(events, len(json.dumps(turn.events, default=str)))
        snapshot = len(json.dumps(talk.snapshot()))
        longest = max(longest, time.process_time() - began)
        if turn.ended:
            break
    else:
        snapshot = len(json.dumps(talk.snapshot()))
    return Cost(
        seconds=longest,
        memory=memory_mb("VmHWM") - before,
        events=events,
        snapshot=snapshot if outcome == "done" else 0,
        text=sum(map(len, files.values())) + sum(map(len, says)),
        outcome=str(outcome),
    )
