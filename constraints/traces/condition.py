"""A judged condition for the pane of a step: the ruler, the rows beneath it, what would flip it (docs/spec 04 §10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from constraints.traces.flips import Flip, flips
from constraints.traces.kinds import shown_outcome
from constraints.traces.ruler import Row, highlighted, rows, ruler

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Condition:
    """What the template prints. ``ruler`` is empty for a condition that was not judged; ``other`` is the outcome under
    the other policy, where that differs."""

    code: SafeString
    outcome: str
    kind: str
    ruler: str
    rows: list[Row]
    flips: list[Flip]
    when: str
    gate_open: bool
    gate_ruler: str
    before: str
    policy: str
    other: str
    unset: list[str]
    lowered: str


def condition_of(kind: str, data: Record, by: Mapping[str, int]) -> Condition | None:
    """The condition of an event that judges one: rule, CHECK, remember, handoff, complete; else None.

    ``by`` is the step that last set a name.
    """
    record = data if kind in ("constraint", "check") else data.get("condition")
    if not isinstance(record, Mapping) or not record.get("condition_text"):
        return None
    return condition(record, by, is_rule=kind == "constraint")


def condition(record: Record, by: Mapping[str, int], *, is_rule: bool) -> Condition:
    """A record of docs/spec 04 §10, drawn."""
    text = str(record["condition_text"])
    restrict = record.get("kind") == "RESTRICT"
    outcome = shown_outcome(record.get("outcome"))
    tree, gate, when = record.get("tree"), record.get("gate_tree"), str(record.get("when_text") or "")
    refs = {ref["path"]: {**ref, "by": setter(ref, by)} for ref in record.get("refs") or []}
    fallen = outcome in ("failed", "warned")
    wanted = f"the rule needs {'false' if restrict else 'true'}" if is_rule and fallen else ""
    gate_open = bool(gate and gate.get("truthy"))
    lowered = str(record.get("lowered_text") or "")
    return Condition(
        code=highlighted(text),
        outcome=outcome,
        kind=record.get("kind") or "",
        ruler=ruler(text, tree, outcome=outcome) if tree else "",
        rows=rows(tree, refs, outcome=outcome, wanted=wanted) if tree else [],
        flips=flips(tree, wanted=not restrict) if fallen else [],
        when=highlighted(when) if when else "",
        gate_open=gate_open,
        gate_ruler=ruler(when, gate, outcome="gated") if when and gate and not gate_open else "",
        before=record.get("before_text") or "",
        policy=record.get("policy") or "",
        other=shown_outcome(record.get("other_policy_outcome")),
        unset=list(record.get("unset_refs") or []),
        lowered="" if lowered == text else lowered,
    )


def setter(ref: Record, by: Mapping[str, int]) -> int | None:
    """The step that gave a name its value, None for what was there before the trace or is unset."""
    if ref.get("origin") in ("unset", "system", "default"):
        return None
    path = str(ref.get("path"))
    return by.get(path) or by.get(path.partition(".")[0])
