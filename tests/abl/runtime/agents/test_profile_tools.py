"""TOOLS of profiles (docs/spec 09 §12): ADD while the profile holds, HIDE, and which of two wins."""

from __future__ import annotations

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of
from tests.abl.runtime.models import Steps

DESK = """AGENT: Desk
GOAL: "Lend"
USE BEHAVIOR_PROFILE: evening
USE BEHAVIOR_PROFILE: strict
TOOLS:
  find(title: string) -> object
    description: "Finds"
MEMORY:
  session:
    - late
      TYPE: boolean
      INITIAL: LATE
    - hard
      TYPE: boolean
      INITIAL: HARD
"""
EVENING = """BEHAVIOR_PROFILE: evening
PRIORITY: LEVEL
WHEN: late == true
TOOLS:
  ADD:
    ring(title: string) -> object
      description: "Rings"
"""
STRICT = """BEHAVIOR_PROFILE: strict
PRIORITY: 2
WHEN: hard == true
TOOLS:
  HIDE: [find, ring]
"""


@pytest.mark.parametrize(
    ("late", "hard", "priority", "known"),
    [
        (False, False, 1, ["find"]),
        (True, False, 1, ["find", "ring"]),
        (False, True, 1, []),
        (True, True, 1, []),
        (True, True, 2, []),
        (True, True, 3, ["ring"]),
    ],
)
def test_which_tools_are_known(late, hard, priority, known):
    desk = DESK.replace("LATE", str(late).lower()).replace("HARD", str(hard).lower())
    files = {"d.agent.abl": desk, "e.profile.abl": EVENING.replace("LEVEL", str(priority)), "s.profile.abl": STRICT}
    model = Steps(("ring", {"title": "Atlas"}), "Done.")
    tools = MockTools({"ring": [{"result": {"ok": True}}]})
    run = Session(files, tools=tools, clock=FixedClock(), model=model, checked=True)
    run.start()
    turn = run.say("ring me")
    assert sorted(tool["name"] for tool in model.requests[0]["declarations"]) == known
    assert bool(events_of(turn, "call.start")) is ("ring" in known)
