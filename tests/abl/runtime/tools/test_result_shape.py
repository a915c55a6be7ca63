"""Results of tools beside their return types (docs/spec 08 §7)."""

import pytest

from tests.abl.runtime.harness import events_of, session

CALLING = """TOOLS:
  find(a: string) -> {type}
    description: "Finds"
FLOW:
  entry_point: a
  a:
    REASONING: false
    CALL: find("x")
      AS: found
    THEN: COMPLETE
"""


def told(returns, *cases):
    """The differences that the trace names, as (path, expected, found)."""
    turn = session(CALLING.replace("{type}", returns), tools={"find": list(cases)}).start()
    return [
        (one["path"], one["expected"], one["found"])
        for data in events_of(turn, "tool.result_shape")
        for one in data["differences"]
    ]


@pytest.mark.parametrize(
    ("returns", "result", "differences"),
    [
        ("{n: number, day: date}", {"n": 1, "day": "2026-03-01", "more": True}, []),
        ("{n: number}", {"n": "1"}, [("result.n", "number", "string")]),
        ("{n: number}", {}, [("result.n", "number", "missing")]),
        ("{n?: number}", {}, []),
        ("{n?: number}", {"n": None}, []),
        ("{n: number}", {"n": None}, [("result.n", "number", "null")]),
        ("{n: number}", [], [("result", "{n: number}", "array")]),
        ("{day: date}", {"day": "tomorrow"}, [("result.day", "date", "string")]),
        ("{at: datetime}", {"at": "2026-03-01"}, []),
        ("{note: string}", {"note": "2026-03-01"}, []),
        ("{on: boolean}[]", [{"on": True}, {"on": 1}], [("result[1].on", "boolean", "number")]),
        ("array<string>", ["a", 2], [("result[1]", "string", "number")]),
        ("string[]", "a", [("result", "string[]", "string")]),
        ("nullable<number>", None, []),
        ("nullable<number>", "a", [("result", "number", "string")]),
        ('enum<["a", "b"]>', "b", []),
        ('enum<["a", "b"]>', "c", [("result", 'enum<["a", "b"]>', "string")]),
        ("union<[number, string]>", "c", []),
        ("union<[number, string]>", True, [("result", "union<[number, string]>", "boolean")]),
        ("any", None, []),
        ("Hotel", {"x": 1}, []),
        ("Hotel", 3, [("result", "Hotel", "number")]),
    ],
)
def test_a_difference_is_named_with_its_place_and_without_its_value(returns, result, differences):
    assert told(returns, {"result": result}) == differences


def test_errors_and_samples_are_not_judged():
    assert told("{n: number}", {"error": {"type": "tool_error", "subtype": "rate_limit"}}) == []
    assert told("{n: number}") == []


def test_many_differences_are_cut():
    assert len(told("number[]", {"result": ["a"] * 100})) == 10
