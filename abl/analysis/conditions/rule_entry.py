"""A rule of an agent as it is compared with others: what it demands, and when (docs/spec 04 §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl.analysis.conditions.certainty import can_fail
from abl.analysis.conditions.implication import Demand, implies, reverses_order, single_demands
from abl.analysis.conditions.intervals import Limits, bounds_of, met
from abl.analysis.conditions.judgement import condition_among, gate_among, steady_shape
from abl.analysis.incremental.parts import Part, owned
from abl.analysis.index.model import ExpressionUse
from abl.once import once
from abl.syntax import nodes
from abl.syntax.incremental.relocation import first_of
from abl.syntax.readers.constraints import STEP_PHASE

_ENDS = frozenset({"message", "respond", "handoff", "escalate", "block", "redact"})


@dataclass(eq=False)
class Entry:
    """A rule with its condition and gate as they were first read; ``agent.here(entry.rule)`` is where it stands."""

    rule: nodes.Rule
    use: ExpressionUse
    gate: ExpressionUse | None

    book: tuple[Any, Any, Any] | None = None
    """Of the first entry of a step: the rules above and in the list, and their book (``rulebook``)."""

    @once
    def scope(self) -> str:
        """The list of the step that the rule belongs to; empty for one of the agent's own rules."""
        return self.rule.path.rpartition("[")[0] if self.rule.phase == STEP_PHASE else ""

    @property
    def forbids(self) -> bool:
        """True for RESTRICT, whose condition must not hold."""
        return self.rule.kind.value == "RESTRICT"

    @once
    def core(self) -> Any:
        """The shape of what must hold."""
        inner = steady_shape(self.use.reading.node)
        return ("NOT", inner) if self.forbids else inner

    @once
    def setting(self) -> tuple[Any, Any]:
        """The shape of the gate, and the checkpoint: rules with the same setting are judged together."""
        before = self.rule.before
        checkpoint = None if before is None else (before.kind, before.tool.value if before.tool else before.text.value)
        return (steady_shape(self.gate.reading.node) if self.gate is not None else None, checkpoint)

    @once
    def verdict(self) -> bool | None:
        """Whether the rule holds whatever the state: by a constant condition, or by demands that cannot be met."""
        node = self.use.reading.node
        if node is None:
            return None
        value = self.use.reading.constant
        if value is not None:
            return value.holds is not self.forbids
        if self.limits.impossible:
            return False
        forbidden = self.forbidden
        never = forbidden is not None and forbidden.contradicts(forbidden, strict=True) and not can_fail(node)
        return True if never else None

    @once
    def limits(self) -> Limits:
        """Within what the rule wants numbers and values to lie, whatever else it demands."""
        return met([demand.bounds for demand in self.demands])

    @once
    def forbidden(self) -> Limits | None:
        """Within what they lie wherever a RESTRICT fails."""
        node = self.use.reading.node
        return bounds_of(node) if node is not None and self.forbids else None

    @once
    def denials(self) -> tuple[Limits, ...]:
        """Within what the rule fails, for demands that set no limits themselves: those of ``!=`` and NOT IN."""
        demands = [each for each in self.demands if not (each.bounds.numbers or each.bounds.values)]
        limits = [demand.opposite.limits for demand in demands]
        return tuple([each for each in limits if each is not None and (each.numbers or each.values)])

    def denies(self, other: Entry) -> bool:
        """True when the rule fails wherever the other one holds."""
        return any(other.limits.implies(denial) for denial in self.denials)

    @once
    def demands(self) -> tuple[Demand, ...]:
        """What must hold, part by part."""
        node = self.use.reading.node
        return single_demands(Demand(node, self.forbids)) if node is not None else ()

    @once
    def opening(self) -> Demand | None:
        """The gate as a demand; none where it turns a comparison round, which a date may pass both ways."""
        node = self.gate.reading.node if self.gate is not None else None
        return Demand(node) if node is not None and not reverses_order(node) else None

    @once
    def is_closed(self) -> bool:
        """True for a gate that can never open."""
        if self.gate is None or self.opening is None:
            return False
        value = self.gate.reading.constant
        return not value.holds if value is not None else self.opening.is_impossible

    @property
    def has_safe_gate(self) -> bool:
        """False for a gate that can fail: an error in it fails the rule (04 §6)."""
        node = self.gate.reading.node if self.gate is not None else None
        return node is None or Demand(node).safe

    @once
    def is_demanded_by_gate(self) -> bool:
        """True when the rule holds whenever its gate is open."""
        return self.opening is not None and all(implies(self.opening, demand) for demand in self.demands)

    @once
    def is_forbidden_by_gate(self) -> bool:
        """True when the rule fails whenever its gate is open."""
        opening = self.opening
        return opening is not None and any(
            opening.bounds.contradicts(demand.bounds) or implies(opening, demand.opposite) for demand in self.demands
        )

    @property
    def binding(self) -> bool:
        """True when the rules behind this one run only if it holds: an error that ends the pass without a detour."""
        action = self.rule.on_fail
        ends = action is None or action.form in _ENDS or (action.form == "structured" and action.order == ("RESPOND",))
        return ends and not self.rule.is_warning

    def spares(self, other: Entry) -> bool:
        """True when a later rule may act although this one fails: in the step that this one leads to (04 §5, detour).

        Within one list that is no reason to repeat or contradict a rule; a step may be there for the others.
        """
        action = self.rule.on_fail
        leads_away = action is not None and action.goto is not None and self.rule.before is None
        return leads_away and self.scope != other.scope


def entries_of(part: Part) -> list[Entry]:
    """The readable rules of a part; those of a step in which no model acts are dead text (ABL608)."""
    silent = {step.name.value for step in part.all(nodes.Step) if not step.reasoning}
    return [
        Entry(rule, use, gate_among(uses))
        for rule in part.all(nodes.Rule)
        for uses in [part.derive(owned).get(id(first_of(rule)), [])]
        if (use := condition_among(uses)) is not None
        and use.reading.node is not None
        and not (silent and use.step in silent)
        and (rule.before is None or rule.before.kind != "other")
    ]
