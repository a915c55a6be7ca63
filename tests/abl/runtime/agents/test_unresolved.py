"""Conditions of moves that compare names without a value (docs/spec 09 §4)."""

import pytest

from abl.runtime import Session
from tests.abl.runtime.harness import HEAD

OTHER = '\nAGENT: Books\nGOAL: "Lend"\nFLOW:\n  a:\n    REASONING: false\n    RESPOND: "Books."\n'
FLOW = "FLOW:\n  a:\n    REASONING: false\n    SET: {set}\n    THEN: COMPLETE\n"
MOVES = {
    "HANDOFF to Books": "HANDOFF:\n  - TO: Books\n    WHEN: {when}\n",
    "DELEGATE to Books": "DELEGATE:\n  - AGENT: Books\n    WHEN: {when}\n",
    "ROUTING gold": "ROUTING:\n  - NAME: gold\n    WHEN: {when}\n    THEN: ROUTE_TO Books\n",
    "ESCALATE 1": 'ESCALATE:\n  triggers:\n    - WHEN: {when}\n      REASON: "gold"\n',
}


def told(move, when, given="n = 1"):
    """The findings at the end of the turn in which the agent starts."""
    agent = f"{HEAD}{MOVES[move].replace('{when}', when)}{FLOW.replace('{set}', given)}{OTHER}"
    events = Session({"desk.agent.abl": agent}, entry="Desk").start().events
    found = [note for event in events if event["kind"] == "turn.end" for note in event["data"].get("notes", ())]
    return [note["message"] for note in found if note["name"] == "route_condition_unresolved"]


@pytest.mark.parametrize("move", MOVES)
def test_a_name_without_a_value_is_told_at_the_end_of_the_turn(move):
    assert told(move, 'tier == "gold" AND n == 1') == [f"Desk: {move}: no value for tier in WHEN"]


@pytest.mark.parametrize(
    "when", ['n == "gold"', "tier IS SET", "tier IS NOT SET AND n == 2", 'intent.name == "x"', "_error == 1", "true"]
)
def test_what_has_a_value_is_no_comparison_or_is_the_runtimes_is_not_told(when):
    assert told("HANDOFF to Books", when) == []
