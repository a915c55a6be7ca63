"""Which values fit a declared TYPE, how long a TTL is (docs/spec 03 §4), and samples of return types (08 §10)."""

from __future__ import annotations

import pytest

from abl.limits import MAX_TTL_DAYS
from abl.runtime.memory.facts import type_fits
from abl.runtime.memory.in_memory import ttl_seconds
from tests.abl.runtime.harness import events_of, session


@pytest.mark.parametrize(
    ("declared", "value", "fits"),
    [
        ("string", "x", True),
        ("string", "2026-03-01", True),
        ("string", 1, False),
        ("number", 1, True),
        ("number", "1", False),
        ("boolean", True, True),
        ("boolean", "true", False),
        ("date", "2026-03-01", True),
        ("date", "2026-03-01T09:00:00Z", False),
        ("datetime", "2026-03-01", True),
        ("datetime", "soon", False),
        ("string[]", ["x"], True),
        ("string[]", "x", False),
        ("array", ["x"], True),
        ("object", {}, True),
        ("object", [], False),
        ("Address", 1, True),
        (None, 1, True),
        ("number", None, True),
    ],
)
def test_a_value_fits_its_declared_type_or_is_told_of(declared, value, fits):
    assert type_fits(declared, value) is fits


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("45s", 45),
        ("1m", 60),
        ("2h", 7_200),
        ("90d", 7_776_000),
        (' "10m" ', 600),
        ("0d", None),
        ("01d", None),
        ("d", None),
        ("10", None),
        ("10w", None),
        ("-1d", None),
        ("²d", None),
        ("", None),
        ("999999999999d", MAX_TTL_DAYS * 86_400),
        ("9999999999999s", MAX_TTL_DAYS * 86_400),
    ],
)
def test_a_ttl_is_a_number_and_a_unit(written, seconds):
    assert ttl_seconds(written) == seconds


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        ("string", "<value>"),
        ("number", 1),
        ("boolean", True),
        ("date", "2026-03-01"),
        ("number[]", [1]),
        ("{a: {b: string}, c: boolean[]}", {"a": {"b": "<b>"}, "c": [True]}),
        ("object", {}),
    ],
)
def test_without_a_mock_a_result_is_made_of_the_return_type(kind, result):
    agent = f"""TOOLS:
  get() -> {kind}
    description: "Get"
FLOW:
  steps: [a]
  a:
    REASONING: false
    CALL: get()
    THEN: COMPLETE
"""
    (ended,) = events_of(session(agent).start(), "call.end")
    assert (ended["result"], ended["generated"]) == (result, True)
