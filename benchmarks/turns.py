"""Traced turns a second in the engine: 10 constraints, 3 steps (docs/architecture.md §8: 2,000/s on one core)."""

from __future__ import annotations

import time
from typing import Any

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts, MockTools

RULES = "\n".join(
    f"""    - LIMIT items + {n} <= cap + {n}
      ON_FAIL: "You may hold {{{{cap}}}} items." """
    for n in range(5)
)
GATED = "\n".join(
    f"""    - REQUIRE member_active == true AND items > {n}
      WHEN: kind == "public"
      ON_FAIL: "Not active." """
    for n in range(5)
)
AGENT = f"""AGENT: Desk
GOAL: "Lend items"
MEMORY:
  session:
    - cap
      TYPE: number
      INITIAL: 50
    - member_active
      TYPE: boolean
      INITIAL: true
    - kind
      INITIAL: "public"
CONSTRAINTS:
  lending:
{RULES}
{GATED}
FLOW:
  steps: [ask, work, tell]
  ask:
    REASONING: false
    GATHER:
      - items: required
        type: number
        prompt: "How many?"
    THEN: work
  work:
    REASONING: false
    SET: total = items * 2
    CHECK: total < 1000
    THEN: tell
  tell:
    REASONING: false
    RESPOND: "{{{{items}}}} items, {{{{total}}}} in all."
    THEN: ask
"""


QUICK = {"turns": 50}


def measure(turns: int = 2_000) -> dict[str, Any]:
    """Turns and events a second of processor time, best of three runs over one session each."""
    best, events = 0.0, 0
    for _ in range(3):
        session = Session(
            {"desk.agent.abl": AGENT},
            facts=MemoryFacts(),
            tools=MockTools(),
            clock=FixedClock(),
            user="u",
            checked=True,
        )
        session.start()
        session.say("7")
        events = 0
        started = time.process_time()
        for number in range(turns):
            events += len(session.say(str(5 + number % 9)).events)
        best = max(best, turns / (time.process_time() - started))
    return {"name": "turns", "turns_per_second": round(best), "events_per_turn": round(events / turns, 1), "bar": 2_000}


if __name__ == "__main__":
    print(measure())
