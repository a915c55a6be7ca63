"""The rules of one agent side by side: what each demands, and how that compares (docs/spec 04 §8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from abl.analysis.intervals import Limits, constant, limits_of
from abl.analysis.judgement import condition_among, gate_among, shape
from abl.analysis.model import AgentIndex, ExpressionUse
from abl.analysis.parts import Part, owned
from abl.analysis.recent import Recent
from abl.limits import MAX_COMPARED_RULES
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

    @cached_property
    def core(self) -> Any:
        """The shape of what must hold."""
        inner = shape(self.use.reading.node)
        return ("NOT", inner) if self.forbids else inner

    @cached_property
    def setting(self) -> tuple[Any, Any]:
        """The shape of the gate, and the checkpoint: rules with the same setting are judged together."""
        before = self.rule.before
        checkpoint = None if before is None else (before.kind, before.tool.value if before.tool else before.text.value)
        return (shape(self.gate.reading.node) if self.gate is not None else None, checkpoint)

    @cached_property
    def verdict(self) -> bool | None:
        """Whether the rule holds whatever the state: by a constant condition, or by demands that cannot be met."""
        node = self.use.reading.node
        if node is None:
            return None
        value = constant(node, self.use.reading.text)
        if value is not None:
            return value.holds is not self.forbids
        if self.limits is not None and self.limits.impossible:
            return False
        return True if self.forbidden is not None and self.forbidden.impossible else None

    @cached_property
    def limits(self) -> Limits | None:
        """What the rule demands of numbers and values, if it is that simple."""
        node = self.use.reading.node
        return limits_of(node, negated=self.forbids) if node is not None else None

    @cached_property
    def forbidden(self) -> Limits | None:
        """What a RESTRICT forbids."""
        node = self.use.reading.node
        return limits_of(node) if node is not None and self.forbids else None

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

    @cached_property
    def duplicates(self) -> dict[int, Entry]:
        """For each rule (by id) that repeats an earlier one, that one."""
        seen: dict[Any, Entry] = {}
        repeated: dict[int, Entry] = {}
        for entry in self.entries:
            first = seen.setdefault((entry.rule.kind.value, entry.core, entry.setting), entry)
            if first is not entry:
                repeated[id(entry.rule)] = first
        return repeated

    @cached_property
    def _by_path(self) -> dict[str, list[Entry]]:
        by_path: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for path in {**entry.limits.numbers, **entry.limits.values} if entry.limits is not None else ():
                by_path.setdefault(path, []).append(entry)
        return by_path

    def related(self, entry: Entry) -> Iterator[Entry]:
        """Earlier rules that set limits on a name that this one limits, too; of very many the first ones."""
        limits = entry.limits
        for path in {**limits.numbers, **limits.values} if limits is not None else ():
            for other in self._by_path[path][:MAX_COMPARED_RULES]:
                if other is entry:
                    break
                yield other

    @cached_property
    def binding(self) -> dict[Any, Entry]:
        """The first binding rule without gate and checkpoint for each core."""
        found: dict[Any, Entry] = {}
        for entry in self.entries:
            if entry.binding and entry.setting == (None, None):
                found.setdefault(entry.core, entry)
        return found


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
