"""``hidden: true`` of a parameter (docs/spec 08 §4): the model does not see it, and it is sent."""

from __future__ import annotations

from typing import Any

import pytest

from abl.runtime.memory.in_memory import MockTools
from tests.abl.runtime.harness import HEAD, FixedClock, Session, events_of, session
from tests.abl.runtime.models import Steps

TOOL = """TOOLS:
  find(title: string, branch: string, desk: string = "front") -> object
    description: "Find a book"
    parameters:
      branch:
        source: expr
        value: home_branch
        hidden: true
      desk:
        hidden: HIDES
MEMORY:
  session:
    - home_branch
      TYPE: string
      INITIAL: "North"
"""


def asked(tool: str, *answers: Any) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    """The parameters that the model is given, the starts of calls, and what the log says."""
    model = Steps(*answers)
    tools = MockTools({"find": [{"result": {"shelf": "B"}}]})
    run = Session({"desk.agent.abl": HEAD + tool}, tools=tools, clock=FixedClock(), model=model)
    run.start()
    turn = run.say("Where is Atlas?")
    offered = {each["name"]: each for each in model.requests[0]["declarations"]}
    return offered["find"]["parameters"], events_of(turn, "call.start"), [e["text"] for e in events_of(turn, "log")]


def test_the_model_is_not_offered_it_and_the_tool_gets_it():
    schema, (start,), told = asked(TOOL.replace("HIDES", "true"), ("find", {"title": "Atlas"}), "On shelf B.")
    assert list(schema["properties"]) == ["title"]
    assert schema["required"] == ["title"]
    assert start["args"] == {"title": "Atlas", "branch": "North", "desk": "front"}
    assert start["sources"]["branch"] == "expr"
    assert told == []


def test_what_is_not_hidden_is_offered():
    schema, (start,), _ = asked(
        TOOL.replace("HIDES", "false"), ("find", {"title": "Atlas", "desk": "back"}), "On shelf B."
    )
    assert list(schema["properties"]) == ["title", "desk"]
    assert schema["properties"]["desk"]["default"] == "front"
    assert start["args"] == {"title": "Atlas", "branch": "North", "desk": "back"}


def test_the_source_wins_over_what_a_model_sends_for_it():
    _, (start,), told = asked(
        TOOL.replace("HIDES", "true"), ("find", {"title": "Atlas", "branch": "South"}), "On shelf B."
    )
    assert start["args"]["branch"] == "North"
    assert told == ["branch of find comes from its source expr; the argument is ignored"]


LOOKED_UP = """LOOKUP_TABLES:
  zones:
    map: {a17x9q: "north-17x9"}
TOOLS:
  send(zone: string) -> object
    description: "Send"
    parameters:
      zone:
        source: lookup
        table: zones
        key: code
FLOW:
  steps: [ask, work]
  ask:
    REASONING: false
    GATHER:
      - code: required
        prompt: "Code?"
SENSITIVE    THEN: work
  work:
    REASONING: false
    CALL: send() AS sent
    RESPOND: "Sent to {{sent.to}}."
    THEN: COMPLETE
"""


@pytest.mark.parametrize(("sensitive", "shown"), [("", "north-17x9"), ("        sensitive: true\n", "[REDACTED]")])
def test_what_a_table_has_behind_a_sensitive_key_is_hidden_also_where_the_tool_gives_it_back(sensitive, shown):
    tools = {"send": [{"result": {"to": "north-17x9"}}]}
    run = session(LOOKED_UP.replace("SENSITIVE", sensitive), tools=tools)
    run.start()
    turn = run.say("a17x9q")
    assert events_of(turn, "call.start")[0]["args"] == {"zone": shown}
    assert [event["text"] for event in events_of(turn, "respond")] == [f"Sent to {shown}."]
    assert turn.replies == ["Sent to north-17x9."]
