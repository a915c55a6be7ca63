"""Tools of other files in a run (docs/spec 08 §9): which are known, and what they take over from their file."""

from __future__ import annotations

from typing import Any

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from tests.abl.runtime.harness import events_of

SHARED = """TOOLS:
  base_url: "https://lib.test/v1/"
  timeout: 4000
  retry: 2
  headers:
    X-Branch: "north"
    X-Kind: "shared"

  find(title: string) -> object
    type: http
    endpoint: "/books"
    method: GET
    headers:
      X-Kind: "own"
    on_result:
      set:
        shelf: result.shelf

  borrow(title: string) -> object
    type: http
    endpoint: "https://other.test/loans"
    method: POST
    retry: 0
"""
AGENT = """AGENT: Desk
GOAL: "Lend"
TOOLS:
  file: "shared.tools.abl"NAMES
FLOW:
  steps: [work]
  work:
    REASONING: false
    CALL: TOOL("Atlas")
    RESPOND: "{{shelf}}"
    THEN: COMPLETE
"""


def turn_of(tool: str, names: str = "", shared: str = SHARED, **mock: Any) -> Any:
    """The first turn of an agent that calls one imported tool."""
    files = {"desk.agent.abl": AGENT.replace("NAMES", names).replace("TOOL", tool), "shared.tools.abl": shared}
    files["desk.agent.abl"] = files["desk.agent.abl"].replace(f"{tool}S:", "TOOLS:")
    case = {"result": {"shelf": "B"}, **mock} if "error" not in mock else mock
    return Session(files, tools=MockTools({tool: [case]}), clock=FixedClock(), checked=True).start()


def test_a_tool_takes_over_what_its_file_says_for_all():
    turn = turn_of("find")
    (start,) = events_of(turn, "call.start")
    assert start["request"]["endpoint"] == "https://lib.test/v1/books"
    assert start["request"]["headers"] == {"X-Branch": "north", "X-Kind": "own"}
    assert turn.replies == ["B"]


def test_an_endpoint_with_a_host_keeps_it():
    (start,) = events_of(turn_of("borrow"), "call.start")
    assert start["request"]["endpoint"] == "https://other.test/loans"
    assert start["request"]["headers"] == {"X-Branch": "north", "X-Kind": "shared"}


def test_the_retries_of_the_file_hold_unless_the_tool_has_its_own():
    failing = {"error": {"type": "tool_error", "subtype": "tool_timeout"}}
    assert [e["n"] for e in events_of(turn_of("find", **failing), "call.retry")] == [1, 2]
    assert events_of(turn_of("borrow", **failing), "call.retry") == []


def test_the_timeout_of_the_file_holds():
    (end,) = events_of(turn_of("find", shared=SHARED.replace("retry: 2", "retry: 0"), delay_ms=4001), "call.end")
    assert end["error"]["error"]["subtype"] == "tool_timeout"
    (end,) = events_of(turn_of("find", delay_ms=4000), "call.end")
    assert end["status"] == "ok"


def test_a_list_of_names_takes_these_and_no_others():
    assert events_of(turn_of("find", " [find]"), "call.start")
    turn = turn_of("borrow", " [find]")
    assert events_of(turn, "call.start") == []
    assert [e["error"]["error"]["subtype"] for e in events_of(turn, "call.end")] == ["unknown_tool"]


def test_what_happens_in_an_imported_tool_is_shown_where_it_is_written():
    turn = turn_of("find")
    (span,) = [e["span"] for e in turn.events if e["kind"] == "set" and e["data"]["name"] == "shelf"]
    assert span["path"] == "shared.tools.abl"
    assert SHARED.splitlines()[span["start"]["line"] - 1] == "        shelf: result.shelf"
    assert span["end"]["line"] == span["start"]["line"]


def test_the_base_of_a_file_stands_before_every_endpoint_however_it_is_written():
    for written in (
        "endpoint: /books",
        "endpoint : '/books'",
        '"endpoint": "/books"',
        "endpoint: |\n      /books",
        "Endpoint: /books",
    ):
        turn = turn_of("find", shared=SHARED.replace('endpoint: "/books"', written))
        (start,) = events_of(turn, "call.start")
        assert start["request"]["endpoint"].strip() == "https://lib.test/v1/books", written


def test_a_line_of_a_body_is_no_endpoint():
    body = 'body: |\n      endpoint: /loans\n    endpoint: "/books"'
    turn = turn_of("find", shared=SHARED.replace('endpoint: "/books"', body).replace("method: GET", "method: POST", 1))
    (start,) = events_of(turn, "call.start")
    assert start["request"]["endpoint"] == "https://lib.test/v1/books"
    assert start["request"]["body_template"] == "endpoint: /loans"


def test_the_base_of_a_file_stands_before_the_endpoints_of_variants():
    variants = "request_variants:\n      - name: a\n        default: true\n        endpoint: /a\n    endpoint: /books"
    turn = turn_of("find", shared=SHARED.replace('endpoint: "/books"', variants))
    (start,) = events_of(turn, "call.start")
    assert start["request"]["endpoint"] == "https://lib.test/v1/a"
