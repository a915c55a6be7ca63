"""Arguments that a CALL gives (docs/spec 06 §5.8, 08 §7): names, positions, types, and what is not in the signature."""

from __future__ import annotations

from typing import Any

import pytest

from tests.abl.runtime.harness import events_of, session

FLOW = """MEMORY:
  session:
    - note
    - nothing
    - home
      INITIAL: "Oslo"
FLOW:
  steps: [a]
  a:
    REASONING: false
    CALL: CALLED
    THEN: COMPLETE
"""


def sent(called: str, signature: str = "title: string, n: number = 2") -> tuple[dict[str, Any], dict[str, str]]:
    """What a call sends and where each value comes from."""
    text = f"TOOLS:\n  find({signature}) -> object\n" + FLOW.replace("CALLED", called)
    (start,) = events_of(session(text, tools={"find": [{"result": {"ok": True}}]}, checked=True).start(), "call.start")
    return start["args"], start["sources"]


def test_names_and_positions_fill_parameters_and_the_rest_its_defaults():
    assert sent('find("Atlas")') == ({"title": "Atlas", "n": 2}, {"title": "explicit", "n": "default"})
    assert sent('find(n=5, title="Atlas")')[0] == {"title": "Atlas", "n": 5}
    assert sent('find("Atlas", 7)')[0] == {"title": "Atlas", "n": 7}


def test_an_argument_that_is_not_in_the_signature_is_sent_and_an_unset_one_is_not():
    assert sent('find("Atlas", color="red")')[0] == {"title": "Atlas", "n": 2, "color": "red"}
    assert sent('find("Atlas", color=nothing)')[0] == {"title": "Atlas", "n": 2}


def test_a_parameter_without_a_value_takes_the_variable_of_its_name():
    args, sources = sent('find("Atlas")', "title: string, home?: string")
    assert (args, sources["home"]) == ({"title": "Atlas", "home": "Oslo"}, "variable")


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        ("number", '"5"', 5), ("boolean", '"True"', True), ("boolean", '"false"', False), ("boolean", "true", True),
        ("string", "5", "5"), ("array", '"x"', ["x"]), ("array", "'[1, 2]'", [1, 2]),
        ("object", "'{\"a\": 1}'", {"a": 1}),
        ("date", '"2026-04-05"', "2026-04-05"), ("number", "2.5", 2.5),
    ],
)  # fmt: skip
def test_values_are_made_to_fit_the_declared_type(kind, written, value):
    found = sent(f"find({written})", f"x: {kind}")[0]["x"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("number", '"five"'),
        ("number", "true"),
        ("boolean", '"yes"'),
        ("boolean", "1"),
        ("date", '"soon"'),
        ("object", "5"),
    ],
)
def test_a_value_that_does_not_fit_is_an_invalid_argument(kind, written):
    text = f"TOOLS:\n  find(x: {kind}) -> object\n" + FLOW.replace("CALLED", f"find({written})")
    turn = session(text, tools={"find": [{"result": {"ok": True}}]}, checked=True).start()
    assert events_of(turn, "call.start") == []
    (end,) = events_of(turn, "call.end")
    assert end["error"]["error"]["subtype"] == "invalid_argument"
