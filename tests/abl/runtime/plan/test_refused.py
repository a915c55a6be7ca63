"""What has an error is not simulated, and the rest still runs (docs/spec 05 §1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abl.runtime import NotRunnable, Session
from abl.runtime.memory.in_memory import MockTools

DESK = """AGENT: Desk
GOAL: "Lend books"
TOOLS:
  find(a: string) -> string
    description: "Find a book"
  lend(a: string) -> string
    description: "Lend a book"
    type: nonsense
MEMORY:
  session:
    - title
      INITIAL: "Emma"
  remember:
    - WHEN: title ==
      STORE: title -> user.first
    - WHEN: title IS SET
      STORE: title -> user.second
  recall:
    - ON: session:start
      ACTION: guess
      INSTRUCTION: "Never"
CONSTRAINTS:
  all:
    - REQUIRE input != "stop"
      ON_FAIL: "Stopped"
HANDOFF:
  - TO: Cashier
    WHEN: input == "pay"
  - TO: Nobody
    WHEN: input == "nobody"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    ON_INPUT:
      - IF: input == "broken"
        THEN: broken
      - IF: input == "lend"
        THEN: lending
      - IF: input == "find"
        THEN: finding
      - ELSE:
        RESPOND: "Again?"
  broken:
    REASONING: false
    RESPOND: "Never said"
    THEN: nowhere
  lending:
    REASONING: false
    CALL: lend("x")
    ON_FAILURE:
      RESPOND: "Not lent"
      THEN: ask
    ON_SUCCESS:
      RESPOND: "Lent"
      THEN: ask
  finding:
    REASONING: false
    CALL: find("x")
    RESPOND: "Found"
    THEN: ask
"""
CASHIER = 'AGENT: Cashier\nGOAL: "Take fines"\nMEMORY:\n  session:\n    - fine\n      RESET: sometimes\n'


class Desk:
    """A session over the files, and what was recorded in it."""

    def __init__(self, **more: Any) -> None:
        self.events: list[dict[str, Any]] = []
        self.session = Session(
            {"desk.agent.abl": DESK, "cashier.agent.abl": CASHIER},
            entry="Desk",
            user="u1",
            on_event=self.events.append,
            **more,
        )
        self.session.start()

    def refused(self) -> set[tuple[str, str]]:
        """Construct and code of everything that was reached and not simulated."""
        data = [event["data"] for event in self.events if event["kind"] == "error"]
        return {(found["construct"], found["diagnostic"]) for found in data if found["name"] == "refused"}


def test_a_conversation_starts_and_the_rest_runs():
    desk = Desk()
    assert ("recall", "ABL366") in desk.refused()
    assert desk.session.say("hello").replies == ["Again?"]
    assert desk.session.say("stop").replies == ["Stopped"]
    assert desk.session.fact("user.second") == "Emma"
    assert desk.session.fact("user.first") is None
    assert ("remember trigger", "ABL201") in desk.refused()


def test_a_step_with_an_error_is_not_entered():
    desk = Desk()
    turn = desk.session.say("broken")
    assert turn.replies == ["An error occurred."]
    assert not turn.ended
    error = next(event for event in desk.events if event["data"].get("construct") == "step")
    assert error["data"]["diagnostic"] == "ABL501"
    assert "nowhere" in error["data"]["message"]
    assert error["span"]["start"]["line"] == DESK[: DESK.index("  broken:")].count("\n") + 1


def test_a_call_of_a_tool_with_an_error_fails():
    desk = Desk()
    assert desk.session.say("lend").replies[0] == "Not lent"
    assert ("tool", "ABL810") in desk.refused()
    end = next(event for event in desk.events if event["kind"] == "call.end")
    assert end["data"]["error"]["error"]["subtype"] == "refused"
    assert Desk().session.say("find").replies[0] == "Found"


def test_a_handoff_with_an_error_and_one_to_an_agent_with_an_error_do_not_happen():
    desk = Desk()
    assert desk.session.say("nobody").agent == "Desk"
    assert ("handoff", "ABL508") in desk.refused()
    plain = 'AGENT: Front\nGOAL: "x"\nHANDOFF:\n  - TO: Cashier\n    WHEN: input == "pay"\n'
    events: list[dict[str, Any]] = []
    front = Session({"a.agent.abl": plain, "b.agent.abl": CASHIER}, entry="Front", on_event=events.append)
    front.start()
    turn = front.say("pay")
    assert turn.agent == "Front"
    assert turn.replies[-1] == "The transfer did not work."
    said = [event["data"]["message"] for event in events if event["data"].get("name") == "invalid_handoff"]
    assert said
    assert "'Cashier' is not simulated" in said[0]


def test_a_snapshot_keeps_what_is_refused():
    desk = Desk()
    snapshot = json.loads(json.dumps(desk.session.snapshot()))
    files = {"desk.agent.abl": DESK, "cashier.agent.abl": CASHIER}
    again = Session.restore(snapshot, files)
    assert again.say("broken").replies == ["An error occurred."]


HEAD = 'AGENT: Desk\nGOAL: "x"\n'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("AGENT: Desk\n", "ABL102"),
        (f"{HEAD}MEMORY:\n  session:\n    - a\n      RESET: sometimes\n", "ABL304"),
        (f"{HEAD}CONSTRAINTS:\n  p:\n    - REQUIRE a ==\n", "ABL201"),
        (f"{HEAD}FLOW:\n  entry_point: b\n  a:\n    REASONING: false\n", "ABL502"),
        (f"BEHAVIOR_PROFILE: p\nPRIORITY: many\n\n{HEAD}", ""),
    ],
)
def test_an_error_of_the_whole_agent_or_document_refuses_the_run(text, code):
    with pytest.raises(NotRunnable) as refused:
        Session({"desk.agent.abl": text})
    assert not code or code in {found.code for found in refused.value.diagnostics}


def test_known_problems_are_not_looked_for_again():
    files = {"a.agent.abl": 'AGENT: A\nGOAL: "x"\nCOMPLETE:\n  - WHEN: a ==\n'}
    found = Session(files).problems
    assert [problem.code for problem in found] == ["ABL201"]
    assert Session(files, problems=found).start().replies == []
    assert Session(files, checked=True).problems == []


def test_more_problems_than_are_told_refuse_the_agent():
    rules = "".join(f"    - REQUIRE a{n} ==\n" for n in range(300))
    with pytest.raises(NotRunnable):
        Session({"a.agent.abl": f'AGENT: A\nGOAL: "x"\nCONSTRAINTS:\n  p:\n{rules}'})


def test_where_it_is_not_clear_which_agent_begins_the_errors_of_all_are_given_and_no_warnings():
    broken = 'AGENT: One\nGAOL: "g"\n'
    other = 'AGENT: Two\nGOAL: "g"\nMEMORY:\n  persistent:\n    - limit\n'
    with pytest.raises(NotRunnable) as problem:
        Session({"a.agent.abl": broken, "b.agent.abl": other})
    assert problem.value.diagnostics
    assert {d.severity for d in problem.value.diagnostics} == {"error"}


@pytest.mark.parametrize(
    "guard",
    [
        "confirmation: {require=always}",
        "confirmation: {require;always}",
        "confirmation:\n      always",
        "confirmation:\n      require always",
        "confirmation:\n      {require: always}",
        "process:\n      before:\n        n < 5",
        "process:\n      before: {require=n < 5}",
    ],
)
def test_a_tool_whose_guard_lacks_its_colon_is_not_called(guard: str) -> None:
    tool = f'TOOLS:\n  pay(n: number) -> string\n    description: "Pay"\n    {guard}\n'
    flow = (
        "FLOW:\n  entry_point: pay\n  pay:\n    REASONING: false\n    CALL: pay(9)\n"
        '    ON_FAILURE:\n      RESPOND: "Not paid"\n      THEN: COMPLETE\n    RESPOND: "Paid"\n    THEN: COMPLETE\n'
    )
    tools = MockTools({"pay": [{"result": "done"}]})
    session = Session({"desk.agent.abl": f'AGENT: Desk\nGOAL: "Pay"\n{tool}{flow}'}, tools=tools)
    turn = session.start()
    assert turn.replies == ["Not paid"]
    assert [event["data"]["error"]["error"]["subtype"] for event in turn.events if event["kind"] == "call.end"] == [
        "refused"
    ]
