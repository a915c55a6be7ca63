"""Retries and circuit breakers of tools, and hooks whose calls must succeed (docs/spec 08 §2, 09 §3)."""

import pytest

from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases


@spec_cases("retrying")
def test_a_sentence_on_retries(files, scenario):
    assert_case(files, scenario)


@spec_cases("critical")
def test_a_sentence_on_critical_hooks(files, scenario):
    assert_case(files, scenario)


@pytest.mark.parametrize(
    ("policy", "delays"),
    [
        ("{strategy: fixed, initial_delay_ms: 40, max_retries: 3}", [40, 40, 40]),
        ("{strategy: exponential, initial_delay_ms: 40}", [40, 80, 160]),
        (
            "{strategy: exponential, initial_delay_ms: 40, multiplier: 3, max_delay_ms: 200, max_retries: 3}",
            [40, 120, 200],
        ),
        ("{strategy: fixed, max_retries: 2}", [7, 7]),
    ],
)
def test_delays_grow_as_the_policy_says(policy, delays):
    assert waited(policy) == delays


def test_full_jitter_takes_a_part_of_each_delay_and_the_same_one_in_each_run():
    policy = "{strategy: fixed, initial_delay_ms: 1000, max_retries: 20, jitter: full}"
    found = waited(policy)
    assert found == waited(policy)
    assert len(set(found)) > 3
    assert all(0 <= delay < 1000 for delay in found)


def waited(policy):
    agent = f"""TOOLS:
  count() -> object
    description: "Counts"
    retry_delay: 7
    retry_policy: {policy}
FLOW:
  a:
    REASONING: false
    CALL: count()
"""
    turn = session(agent, tools={"count": [{"error": {"type": "tool_error"}}]}).start()
    return [event["delay"] for event in events_of(turn, "call.retry")]
