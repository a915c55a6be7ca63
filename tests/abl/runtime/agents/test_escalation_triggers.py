"""Triggers of ESCALATE: the forms in which they are read, and none that fires without a condition (docs/spec 09 §7)."""

from __future__ import annotations

from abl.runtime import Session
from tests.every import every

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\nESCALATE:\n'
MESSAGE = "Escalating to human agent. Reason: by wish"


def replies(triggers: str) -> list[str]:
    session = Session({"desk.agent.abl": HEAD + triggers}, problems=())  # as if nothing had been told before
    return [*session.start().replies, *session.say("hello").replies, *session.say("help").replies]


@every(
    (
        ("as a map", ('  triggers:\n    WHEN: input == "help"\n    REASON: "by wish"\n',)),
        ("without WHEN", ('  triggers:\n    - REASON: "by wish"\n',)),
        ("with an empty WHEN", ('  triggers:\n    - WHEN:\n      REASON: "by wish"\n',)),
        ("below ESCALATE", ('  - WHEN: input == "help"\n    REASON: "by wish"\n',)),
    )
)
def test_what_is_no_trigger_with_a_condition_never_fires(triggers: str) -> None:
    assert MESSAGE not in replies(triggers)


@every(
    (
        ("in lines", ('  triggers:\n    - WHEN: input == "help"\n      REASON: "by wish"\n',)),
        ("reason first", ('  triggers:\n    - REASON: "by wish"\n      WHEN: input == "help"\n',)),
        ("entries in braces", ('  triggers:\n    - {WHEN: input == "help", REASON: "by wish"}\n',)),
        ("a list in brackets", ('  triggers: [{WHEN: input == "help", REASON: "by wish"}]\n',)),
    )
)
def test_a_trigger_fires_when_its_condition_holds(triggers: str) -> None:
    assert replies(triggers) == [MESSAGE]
