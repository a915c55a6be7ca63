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


@pytest.mark.parametrize(
    ("call", "mock", "subtype", "retryable"),
    [
        ("count(n=1)", {"result": {}, "delay_ms": 90}, "tool_timeout", True),
        ("count(n=later)", {"result": {}}, "missing_argument", False),
    ],
)
def test_a_call_that_failed_gave_no_sample_and_says_whether_it_may_be_tried_again(call, mock, subtype, retryable):
    agent = f"""TOOLS:
  count(n: number) -> object
    description: "Counts"
    timeout: 50
MEMORY:
  session:
    - later
      TYPE: number
FLOW:
  a:
    REASONING: false
    CALL: {call}
"""
    ended = events_of(session(agent, tools={"count": [mock]}).start(), "call.end")
    found = [
        (each["error"]["error"]["subtype"], each["error"]["error"]["retryable"], each["generated"]) for each in ended
    ]
    assert found == [(subtype, retryable, False)]
