"""The state at a step and what changed, folded from the trace (``abl.runtime.events.reading``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abl.runtime.events.reading import state_at
from constraints.traces.kinds import named
from constraints.traces.wording import WAITS

Event = Mapping[str, Any]
MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class Value:
    """One name at a step. ``before`` is its value when the turn began; ``MISSING`` = unset.

    ``by`` is the step that changed it last, ``by_name`` what kind of event that was.
    """

    name: str
    kind: str
    before: Any
    after: Any
    by: int | None = None
    by_name: str = ""
    now: bool = False

    @property
    def changed(self) -> bool:
        """Whether the turn changed it up to the step."""
        return self.before is MISSING or self.after is MISSING or self.before != self.after

    @property
    def was_unset(self) -> bool:
        return self.before is MISSING

    @property
    def is_unset(self) -> bool:
        return self.after is MISSING


@dataclass(frozen=True, slots=True)
class StateView:
    """``changed`` in the turn up to the step, the step's own first; ``same`` is everything else that has a value."""

    agent: str
    step: str
    waiting: str
    """What the flow waits for, in words."""
    changed: list[Value]
    same: list[Value]


def state_view(events: Sequence[Event], *, seq: int, turn_begins: int) -> StateView:
    """The state after event ``seq`` against that before ``turn_begins``, the first event of its turn."""
    now = state_at(events, seq)
    begin = values_of(state_at(events, turn_begins - 1), now["agent"])
    after = values_of(now, now["agent"])
    by = changes_between(events, turn_begins, seq, now["agent"])
    names = {event["seq"]: named(event["kind"])[1] for event in events}
    listed = [
        Value(
            name=name,
            kind=kind,
            before=begin.get((kind, name), MISSING),
            after=after.get((kind, name), MISSING),
            by=by.get((kind, name)),
            by_name=names.get(by.get((kind, name), 0), ""),
            now=by.get((kind, name)) == seq,
        )
        for kind, name in dict.fromkeys([*after, *begin])
    ]
    changed = [value for value in listed if value.changed]
    return StateView(
        agent=now["agent"] or "",
        step=now["step"] or "",
        waiting=WAITS.get(now["waiting"] or "", now["waiting"] or ""),
        changed=sorted(changed, key=lambda value: (not value.now, value.kind, value.name)),
        same=[value for value in listed if not value.changed],
    )


def values_of(state: Mapping[str, Any], agent: str | None) -> dict[tuple[str, str], Any]:
    """Values by (kind, name): variables of one agent, and facts."""
    variables = state["threads"].get(agent, {})
    found = {("variable", name): variables[name] for name in sorted(variables)}
    found.update({("fact", path): state["facts"][path] for path in sorted(state["facts"])})
    return found


def last_changes(events: Sequence[Event], seq: int) -> dict[str, int]:
    """Name or path to the ``seq`` of the last event before ``seq`` that changed it, for the agent of that event."""
    agent = next((event["agent"] for event in reversed(events) if event["seq"] <= seq), None)
    return {name: by for (_, name), by in changes_between(events, 0, seq - 1, agent).items()}


def changes_between(events: Sequence[Event], first: int, last: int, agent: str | None) -> dict[tuple[str, str], int]:
    """(kind, name) to the ``seq`` of the last event of the turn that changed it."""
    found: dict[tuple[str, str], int] = {}
    for event in events:
        change = event["data"].get("state") if first <= event["seq"] <= last else None
        if not change:
            continue
        if event["agent"] == agent:
            for name in (*change.get("set", {}), *change.get("unset", ())):
                found["variable", name] = event["seq"]
        for path in change.get("facts", {}):
            found["fact", path] = event["seq"]
    return found
