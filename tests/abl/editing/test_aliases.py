"""What AGENTS of a supervisor calls other agents: names of its own for its routing (docs/spec 09 §4)."""

from __future__ import annotations

import abl
from abl.editing.completion.complete import complete
from abl.editing.hover import hover
from tests.abl.editing.test_rename import at, refusal, renamed, shown

DESK = """\
SUPERVISOR: Desk
GOAL: "Route"
AGENTS:
  - REF: till.agent.abl
    ALIAS: money
    CAPABILITIES: [pay]
  - REF: clerk.agent.abl
    ALIAS: Clerk
    CAPABILITIES: [ask]
ROUTING:
  - NAME: pay
    WHEN: paid > 1
    THEN: ROUTE_TO money
  - NAME: ask
    INTENT_MATCH:
      - INTENTS: [ask]
        ACTION: ROUTE_TO money
HANDOFF:
  - TO: Clerk
    WHEN: paid > 2
"""
FILES = {
    "clerk.agent.abl": 'AGENT: Clerk\nGOAL: "x"\n',
    "desk.agent.abl": DESK,
    "till.agent.abl": 'AGENT: Till\nGOAL: "x"\n',
}
MAP = DESK.replace(DESK[DESK.index("  - REF: till") : DESK.index("ROUTING")], "  money: Till\n")


def test_an_alias_is_a_name_of_its_supervisor() -> None:
    for text in (DESK, MAP):
        files = {**FILES, "desk.agent.abl": text}
        found = abl.references(files, *at("desk.agent.abl", "THEN: ROUTE_TO mo|ney", files))
        assert [place["role"] for place in found] == ["declaration", "read", "read"]
        assert shown(found, files)[1:] == ["desk: THEN: ROUTE_TO money", "desk: ACTION: ROUTE_TO money"]
        after = renamed(at("desk.agent.abl", "THEN: ROUTE_TO mo|ney", files), "cash", files)
        assert after["desk.agent.abl"] == text.replace("money", "cash")


def test_an_alias_that_is_the_name_of_an_agent_is_that_agent() -> None:
    after = renamed(at("desk.agent.abl", "ALIAS: Cl|erk", FILES), "Helper", FILES)
    assert after["clerk.agent.abl"].startswith("AGENT: Helper")
    assert after["desk.agent.abl"] == DESK.replace("Clerk", "Helper")


def test_hover_tells_what_it_stands_for() -> None:
    about = hover(FILES, *at("desk.agent.abl", "THEN: ROUTE_TO mo|ney", FILES))
    assert about is not None
    assert about["title"] == "agent alias money"
    assert about["text"].split("\n") == [
        "stands for till.agent.abl",
        "declared: desk.agent.abl:5",
        "used: desk.agent.abl:13, desk.agent.abl:17",
    ]


def test_agents_and_aliases_share_one_space() -> None:
    assert "has the agent `Till`" in refusal(at("desk.agent.abl", "ALIAS: mo|ney", FILES), "Till", FILES)
    assert "has the agent alias `money`" in refusal(at("till.agent.abl", "AGENT: Ti|ll", FILES), "money", FILES)


def test_an_alias_is_offered_where_a_route_leads_and_not_to_a_handoff() -> None:
    for mark in ("THEN: ROUTE_TO |money", "ACTION: ROUTE_TO |money"):
        assert [item["label"] for item in offered(mark)] == ["Clerk", "Till", "money"]
    assert [item["label"] for item in offered("TO: |Clerk")] == ["Clerk", "Till"]


def offered(mark: str) -> list[dict[str, str]]:
    path, line, column = at("desk.agent.abl", mark, FILES)
    whole = mark.replace("|", "")
    text = DESK.replace(whole, mark.partition("|")[0])
    return complete({**FILES, "desk.agent.abl": text}, path, line, column)
