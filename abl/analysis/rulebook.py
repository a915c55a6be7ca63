"""The rules of one agent side by side: what each demands, and how that compares (docs/spec 04 §8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from abl.analysis.certainty import can_fail
from abl.analysis.implication import Demand, asked, implies, single_demands
from abl.analysis.intervals import Limits, bounds_of, met
from abl.analysis.judgement import condition_among, gate_among, steady_shape
from abl.analysis.model import AgentIndex, ExpressionUse
from abl.analysis.parts import Part, owned
from abl.analysis.recent import Recent
from abl.limits import MAX_COMPARED_RULES
from abl.once import once
from abl.syntax import nodes
from abl.syntax.moving import first_of

_ENDS = frozenset({"message", "respond", "handoff", "escalate", "block", "redact"})


@dataclass(eq=False)
class Entry:
    """A rule with its condition and gate as they were first read; ``agent.here(entry.rule)`` is where it stands."""

    rule: nodes.Rule
    use: ExpressionUse
    gate: ExpressionUse | None

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
    def demands(self) -> tuple[Demand, ...]:
        """What must hold, part by part."""
        node = self.use.reading.node
        return single_demands(Demand(node, self.forbids)) if node is not None else ()

    @once
    def opening(self) -> Demand | None:
        """The gate as a demand."""
        node = self.gate.reading.node if self.gate is not None else None
        return Demand(node) if node is not None else None

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
        return self.opening is None or self.opening.safe

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


class Rulebook:
    """The readable rules of an agent in declaration order; where they stand does not count."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries

    @once
    def duplicates(self) -> dict[int, Entry]:
        """For each rule (by id) that repeats an earlier one, that one."""
        seen: dict[Any, Entry] = {}
        repeated: dict[int, Entry] = {}
        for entry in self.entries:
            first = seen.setdefault((entry.rule.kind.value, entry.core, entry.setting), entry)
            if first is not entry:
                repeated[id(entry.rule)] = first
        return repeated

    @once
    def _by_path(self) -> dict[str, list[Entry]]:
        by_path: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for path in paths_of(entry.limits):
                by_path.setdefault(path, []).append(entry)
        return by_path

    @once
    def _numbers(self) -> dict[int, int]:
        return {id(entry): number for number, entry in enumerate(self.entries)}

    def related(self, entry: Entry, paths: Iterable[str] = ()) -> Iterator[Entry]:
        """Earlier rules that limit a name that this one limits, or one of ``paths``; of very many the first ones."""
        last = self._numbers[id(entry)]
        seen: set[int] = set()  # many may limit more than one of the names
        for path in {**paths_of(entry.limits), **dict.fromkeys(paths)}:
            for other in self._by_path.get(path, ())[:MAX_COMPARED_RULES]:
                if self._numbers[id(other)] >= last:
                    break
                if id(other) not in seen:
                    seen.add(id(other))
                    yield other

    @once
    def binding(self) -> dict[Any, Entry]:
        """The first binding rule for each single demand, by its shape, gate and checkpoint."""
        found: dict[Any, Entry] = {}
        for entry in self.entries:
            if entry.binding and entry.verdict is None:
                for demand in (part for part in entry.demands if part.shape is not None):
                    found.setdefault((demand.shape, *entry.setting), entry)
        return found

    @once
    def stronger(self) -> dict[int, Entry]:
        """By id of an entry: the last of the earlier ones that together end the pass whenever it would fail."""
        found: dict[int, Entry] = {}
        for entry in self.entries:
            holding: list[Entry] = []
            for demand in entry.demands:
                other = self._holding(demand, entry)
                if other is None:
                    break
                holding.append(other)
            if holding and len(holding) == len(entry.demands):
                found[id(entry)] = max(holding, key=lambda other: other.rule.index)
        return found

    def _holding(self, demand: Demand, entry: Entry) -> Entry | None:
        """An earlier rule that sees to it that a demand of this one is met."""
        gate, checkpoint = entry.setting
        for setting in product(dict.fromkeys((None, gate)), dict.fromkeys((None, checkpoint))):
            same = self.binding.get((demand.shape, *setting))
            if same is not None and same.rule.index < entry.rule.index:
                return same
        if asked(demand):  # where rules over unset names are skipped, one that only compares does not answer that
            return None
        for other in self.related(entry, paths_of(demand.opposite.bounds)):
            if other.binding and other.verdict is None and other.setting[1] in (None, checkpoint):
                open_too = other.opening is None or other.setting[0] == gate
                if open_too and _limited_by(demand, other):
                    return other
        return None


def _limited_by(demand: Demand, other: Entry) -> bool:
    """True when a demand is met wherever the limits of a rule hold."""
    limits = other.limits
    within = demand.limits is not None and limits.implies(demand.limits)
    return within or (demand.safe and bool(limits.contradicts(demand.opposite.bounds, strict=True)))


def paths_of(limits: Limits) -> dict[str, None]:
    """The names that are limited."""
    return {**dict.fromkeys(limits.numbers), **dict.fromkeys(limits.values)}


def rulebook_of(agent: AgentIndex) -> Rulebook:
    """The rules of an agent; the same object while no rule of it is edited."""
    return _recent().get(agent.items(_entries), Rulebook)


@cache
def _recent() -> Recent[list[Entry], Rulebook]:
    return Recent(32)


def _entries(part: Part) -> list[Entry]:
    return [
        Entry(rule, use, gate_among(uses))
        for rule in part.all(nodes.Rule)
        for uses in [part.derive(owned).get(id(first_of(rule)), [])]
        if (use := condition_among(uses)) is not None
        and use.reading.node is not None
        and (rule.before is None or rule.before.kind != "other")
    ]
