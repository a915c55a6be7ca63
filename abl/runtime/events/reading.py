"""Reading a trace: the state at any event is a fold over the events before it (docs/spec 12 §4).

Events that change state carry ``data["state"]``, a mapping with up to five keys:

========== =====================================================================================
``set``    names and new values of variables of the event's agent; roots only (``loan``, not ``loan.total``)
``unset``  names that are gone
``facts``  paths and new values of persistent facts; a value None = gone
``flow``   ``{"step", "waiting"}`` of the event's agent
``active`` name of the agent that has control from here on
========== =====================================================================================

Everything else in an event is commentary. Values are as shown: masked where sensitive, cut above 2 kB.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def state_at(events: Iterable[Mapping[str, Any]], seq: int) -> dict[str, Any]:
    """State right after event ``seq``: agent, step, waiting, its variables, all threads, facts, messages so far."""
    agents: dict[str, dict[str, Any]] = {}
    flows: dict[str, dict[str, Any]] = {}
    facts: dict[str, Any] = {}
    messages: list[dict[str, str]] = []
    active: str | None = None
    for event in events:
        if event["seq"] > seq:
            break
        data = event["data"]
        change = data.get("state")
        if event["kind"] == "turn.start" and data.get("input") is not None:
            messages.append({"from": "user", "text": data["input"]})
        elif event["kind"] == "turn.end":
            messages.extend({"from": "agent", "text": text} for text in data.get("replies", ()))
        if change is None:
            continue
        agent = event["agent"]
        variables = agents.setdefault(agent, {})
        variables.update(change.get("set", {}))
        for name in change.get("unset", ()):
            variables.pop(name, None)
        for path, value in change.get("facts", {}).items():
            facts.pop(path, None) if value is None else facts.__setitem__(path, value)
        if "flow" in change:
            flows[agent] = change["flow"]
        active = change.get("active", active)
    flow = flows.get(active or "", {})
    return {
        "agent": active,
        "step": flow.get("step"),
        "waiting": flow.get("waiting"),
        "variables": dict(agents.get(active or "", {})),
        "threads": agents,
        "facts": facts,
        "messages": messages,
    }


def without_durations(events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The events for comparing two runs: ``duration_us``, the only thing that differs, is left out at every depth."""
    return [_strip(event) for event in events]


def _strip(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _strip(item) for key, item in value.items() if key != "duration_us"}
    if isinstance(value, list | tuple):
        return [_strip(item) for item in value]
    return value
