"""POLICIES and STATE of a supervisor (docs/spec 09 §4): conditions that are reported and block nothing."""

from __future__ import annotations

from typing import Any

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of

DESK = """SUPERVISOR: Desk
GOAL: "Lend"
STATE:
  trip:
    stage:
      type: string
      default: "open"
    goal:
      type: string
      required: true
    seats:
      type: number
      default: 2
MEMORY:
  session:
    - n
      TYPE: number
      INITIAL: 1
POLICIES:
  - NAME: small
    DESCRIPTION: "Few items"
    RULES:
      - allowedWhen: n < 3
        triggerSignal: too_many
      - forbiddenWhen: n == 9
        behavior: "say so"
  - NAME: some
    RULES:
      - forbiddenWhen: n == 0
GATHER:
  n:
    type: number
    prompt: "How many?"
"""


def said(text: str) -> tuple[Any, Any]:
    run = Session({"desk.agent.abl": DESK}, tools=MockTools({}), clock=FixedClock(), checked=True)
    start = run.start()
    return start, run.say(text)


@pytest.mark.parametrize(
    ("text", "violated"),
    [
        ("2", []),
        ("0", [("some", "forbiddenWhen", "n == 0", {})]),
        ("3", [("small", "allowedWhen", "n < 3", {"signal": "too_many"})]),
        (
            "9",
            [
                ("small", "allowedWhen", "n < 3", {"signal": "too_many"}),
                ("small", "forbiddenWhen", "n == 9", {"behavior": "say so"}),
            ],
        ),
    ],
)
def test_a_policy_is_reported_while_its_condition_is_not_as_it_should_be(text, violated):
    turn = said(text)[1]
    found = [
        (e["name"], e["rule"], e["condition"]["condition_text"], {k: e[k] for k in ("signal", "behavior") if k in e})
        for e in events_of(turn, "policy.violation")
    ]
    assert found == violated


def test_state_has_its_defaults_and_names_what_is_required():
    start = said("2")[0]
    (context,) = events_of(start, "context")
    assert context["state"]["set"]["trip"] == {"stage": "open", "seats": 2}
    assert [note["message"] for note in context["notes"]] == ["required by STATE and not set: trip.goal"]
