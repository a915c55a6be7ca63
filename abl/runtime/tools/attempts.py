"""Executing a call: its time limit, its retries and its circuit breaker (docs/spec 08 §2, step 9 of §8)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from abl.language.entry import Entry
from abl.runtime.memory import tools as memory_tools
from abl.runtime.ports import ToolContext, ToolError, ToolResult
from abl.runtime.randomness import SeededRandom
from abl.runtime.tools.invocation import Invocation, entry_of

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

POLICY_RETRIES = 3
"""Retries of a ``retry_policy`` that says no number."""
BREAKER = {"threshold": 5, "resetMs": 30_000}
"""What a ``circuit_breaker`` does not say."""


def attempts(engine: Engine, thread: Thread, call: Invocation, values: dict[str, Any]) -> ToolResult:
    """The port's answer, asked again as often as the tool allows; delays are virtual time.

    Without an answer a call fails as ``circuit_open`` while its circuit is open.
    """
    if call.memory is not None:
        return memory_tools.run(engine, thread, call.memory, values)
    breaker = entry_of(call.tool).below("CIRCUIT_BREAKER")
    if _is_open(engine, call, breaker):
        return ToolResult(error=ToolError(subtype="circuit_open", message=f"{call.name} failed too often"), mode="none")
    attempt, retries = 0, _retries(call)
    while True:
        result = _once(engine, thread, call, values)
        is_open = _count(engine, call, breaker, failed=result.error is not None)
        if result.error is None or is_open or attempt >= retries:
            return result
        attempt += 1
        data = {"tool": call.name, "n": attempt, "delay": _delay(engine, call, attempt)}
        engine.recorder.emit("call.retry", data, span=call.span)


def _once(engine: Engine, thread: Thread, call: Invocation, values: dict[str, Any]) -> ToolResult:
    """One answer of the port; one that took longer than the limit is a failure."""
    state = engine.state
    given = entry_of(call.tool)
    timeout = given.below("HINTS").given("timeout") or given.given("TIMEOUT") or engine.program(thread).tool_timeout
    returns = call.tool.returns if call.tool is not None else None
    context = ToolContext(state.session_id, state.turn, engine.now(), returns, state.tool_memory)
    result = engine.tools.call(call.name, values, context)
    if result.delay_ms <= timeout:
        return result
    message = f"{call.name} took longer than {timeout} ms"
    error = ToolError(subtype="tool_timeout", message=message, retryable=True)
    return ToolResult(error=error, delay_ms=timeout, mode=result.mode)


# Retries ---------------------------------------------------------------------------------------------------------


def _retries(call: Invocation) -> int:
    """``retry_policy`` wins over ``retry``."""
    given = entry_of(call.tool)
    retry: int | None = given.given("RETRY")
    if not (policy := given.below("RETRY_POLICY")):
        return retry or 0
    most: int | None = policy.given("max_retries")
    return most if most is not None else POLICY_RETRIES if retry is None else retry


def _delay(engine: Engine, call: Invocation, attempt: int) -> int:
    """Milliseconds before a retry, counted from 1: fixed d, exponential d·m^(n−1); ``jitter: full`` takes a part."""
    given = entry_of(call.tool)
    policy = given.below("RETRY_POLICY")
    plain = int(given.value("RETRY_DELAY") or 0)
    if not policy:
        return plain
    first = policy.given("initial_delay_ms")
    delay: float = plain if first is None else first
    if policy.value("strategy") == "exponential":
        factor = policy.given("multiplier")
        delay *= float(2 if factor is None else factor) ** (attempt - 1)
    if (longest := policy.given("max_delay_ms")) is not None:
        delay = min(delay, longest)
    if policy.value("jitter") == "full":
        delay = delay * int(SeededRandom(engine.state).choice("0123456789")) / 10
    return int(delay)


# Circuit breaker -------------------------------------------------------------------------------------------------


def _is_open(engine: Engine, call: Invocation, breaker: Entry) -> bool:
    """True until ``resetMs`` are over; then one call is tried, and its failure opens the circuit again."""
    until = engine.state.breakers.get(call.name, {}).get("until") if breaker else None
    return until is not None and engine.now() < datetime.fromisoformat(until)


def _count(engine: Engine, call: Invocation, breaker: Entry, *, failed: bool) -> bool:
    """Count failures in a row; True when they open the circuit."""
    if not breaker:
        return False
    if not failed:
        engine.state.breakers.pop(call.name, None)
        return False
    kept = engine.state.breakers.setdefault(call.name, {"failures": 0, "until": None})
    kept["failures"] += 1
    if kept["failures"] < _setting(breaker, "threshold"):
        return False
    kept["until"] = (engine.now() + timedelta(milliseconds=_setting(breaker, "resetMs"))).isoformat()
    return True


def _setting(breaker: Entry, key: str) -> int:
    given: int | None = breaker.given(key)
    return BREAKER[key] if given is None else given
