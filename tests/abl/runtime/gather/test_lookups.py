"""Values of LOOKUP_TABLES as they are written (docs/spec 07 §8)."""

from __future__ import annotations

import pytest

from abl.runtime.gather.lookups import LookupTable
from tests.abl.runtime.harness import events_of, session

AGENT = """LOOKUP_TABLES:
  marks:
    map:
      yes: true
      no: false
      none: null
      number: 2.5
      quoted: "7"
      word: seven
TOOLS:
  send(mark: any) -> object
    PARAMETERS:
      mark:
        source: lookup
        table: marks
        key: "wanted"
MEMORY:
  session:
    - wanted
      INITIAL: "KEY"
FLOW:
  steps: [a]
  a:
    REASONING: false
    CALL: send()
    THEN: COMPLETE
"""


@pytest.mark.parametrize(
    ("key", "sent"),
    [
        ("yes", {"mark": True}), ("no", {"mark": False}), ("number", {"mark": 2.5}), ("quoted", {"mark": "7"}),
        ("word", {"mark": "seven"}),
    ],
)  # fmt: skip
def test_a_value_is_what_is_written(key, sent):
    turn = session(AGENT.replace("KEY", key), tools={"send": [{"result": {"ok": True}}]}, checked=True).start()
    (start,) = events_of(turn, "call.start")
    assert start["args"] == sent
    assert [type(v) for v in start["args"].values()] == [type(v) for v in sent.values()]


@pytest.mark.parametrize("key", ["none", "other"])
def test_null_and_a_key_that_is_not_there_give_nothing(key):
    turn = session(AGENT.replace("KEY", key), tools={"send": [{"result": {"ok": True}}]}, checked=True).start()
    assert [e["error"]["error"]["subtype"] for e in events_of(turn, "call.end") if e["error"]] == ["missing_argument"]


@pytest.mark.parametrize(
    ("more", "text", "key"),
    [
        ({}, "madrid", "Madrid"),
        ({}, " Madrid ", "Madrid"),
        ({}, "Madird", None),
        ({}, "", None),
        ({"case_sensitive": True}, "madrid", None),
        ({"fuzzy": True, "threshold": 0.6}, "Madird", "Madrid"),
        ({"fuzzy": True, "threshold": 0.6}, "", None),
        ({"fuzzy": True, "threshold": 0.6}, "Rome", "Rome"),
        ({"fuzzy": True, "threshold": 0.6}, "Romx", None),
        ({"fuzzy": True, "threshold": 0.75}, "Parix", "Paris"),
        ({"fuzzy": True, "threshold": 0.8}, "Parix", "Paris"),
        ({"fuzzy": True, "threshold": 0.81}, "Parix", None),
    ],
)
def test_a_text_names_a_key_exactly_or_the_only_one_that_is_near_enough(more, text, key):
    table = LookupTable("cities", {"Madrid": 1, "Rome": 2, "Roma": 3, "Paris": 4}, **more)
    assert table.find(text) == key
