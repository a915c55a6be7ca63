"""The step graph of a flow: edges, waiting steps, reachability, cycles (docs/spec 10 §1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple

from abl.analysis.collect.records import StepKind
from abl.analysis.flow.cycles import Cycles, cycles_in, shortest_cycle, strongly_connected_components
from abl.analysis.flow.tool_exits import ToolExit, ToolUse, exits_of, imported_exits, taken, uses_of
from abl.analysis.incremental.parts import AgentParts, Part, owned
from abl.analysis.incremental.recent import Recent
from abl.language.flow import OF_THE_MESSAGE
from abl.limits import MAX_CYCLE_STEPS
from abl.syntax import nodes
from abl.syntax.incremental.relocation import first_of
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import STEP_EXITS, TERMINALS

TERMINAL_WORDS = frozenset(word.lower() for word in TERMINALS)
_ALWAYS_WAITS = frozenset({"AWAIT_ATTACHMENT", "SECURE_INPUT"})
_BOUNDED = frozenset({"constraint", "model"})
"""Edges that form no cycle: a rule takes its edge only a few times (04 §5), and a model chooses when to take one."""
NO_EXITS = frozenset({"constraint", "skip"})
"""Ways on that are taken when a rule fails, or when the guard of a step does not hold (docs/spec 06 §4.2)."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A possible move from one step to another; ``certain`` when nothing can prevent it."""

    source: str
    target: str
    kind: StepKind | str
    certain: bool


@dataclass(eq=False)
class FlowGraph:
    """Edges between the steps that exist. ``globals`` are targets that any waiting step may reach."""

    entry: str | None
    steps: tuple[str, ...]
    edges: list[Edge] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    waits: set[str] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)  # steps with an exit, to another step or out of the flow
    ends: set[str] = field(default_factory=set)  # steps that may end the flow: by a terminal, a handoff, or no way on
    astray: dict[str | None, set[str]] = field(default_factory=dict)
    """By step, those that may be meant by an exit to one that does not exist; none where it may be any."""

    @cached_property
    def outgoing(self) -> dict[str, list[Edge]]:
        """Edges by source."""
        by_source: dict[str, list[Edge]] = {name: [] for name in self.steps}
        for edge in self.edges:
            by_source[edge.source].append(edge)
        return by_source

    @cached_property
    def reachable(self) -> frozenset[str]:
        """Steps that some path from the entry, a global digression or a constraint's GOTO leads to."""
        if self._leads_anywhere(None):
            return frozenset(self.steps)
        return frozenset(self.from_steps((self.entry,), *self.globals, *self.astray.get(None, ())))

    @cached_property
    def endless(self) -> bool:
        """True when no step that can be reached may end the flow."""
        return bool(self.reachable) and self.ends.isdisjoint(self.reachable)

    def goes_to(self, source: str, target: str) -> bool:
        """True when a step can be followed by another at once."""
        return any(edge.target == target for edge in self.outgoing.get(source, ()))

    def from_steps(self, starts: Iterable[str | None], *more: str) -> set[str]:
        """Every step on a path from the given ones, these included."""
        seen: set[str] = set()
        open_ = [s for s in (*starts, *more) if s is not None and s in self.outgoing]
        while open_:
            step = open_.pop()
            if step not in seen:
                if self._leads_anywhere(step):
                    return set(self.steps)
                seen.add(step)
                open_.extend(self._following(step))
        return seen

    @cached_property
    def _reachable(self) -> dict[str, int]:
        """For each step the set of steps that can run behind it, as bits by position."""
        bit = self._bits
        reachable_from: dict[str, int] = {}
        for group in strongly_connected_components(self.steps, self._following):
            reached = 0
            for name in group:
                if self._leads_anywhere(name):
                    reached = (1 << len(self.steps)) - 1
                for target in self._following(name):
                    reached |= bit[target] | reachable_from.get(target, 0)
            reachable_from.update(dict.fromkeys(group, reached))
        anywhere = 0
        for target in self.globals:
            anywhere |= bit[target] | reachable_from[target]
        return {name: reached | anywhere for name, reached in reachable_from.items()}

    @cached_property
    def _bits(self) -> dict[str, int]:
        return {name: 1 << position for position, name in enumerate(self.steps)}

    def _following(self, step: str) -> list[str]:
        return [*(edge.target for edge in self.outgoing[step]), *self.astray.get(step, ())]

    def _leads_anywhere(self, step: str | None) -> bool:
        """True for a step (None: for all of the flow) with an exit to one that does not exist and is near to none."""
        return step in self.astray and not self.astray[step]

    def leads_to(self, source: str, target: str) -> bool:
        """True when some path leads from one step to another; for a step and itself, when a cycle does."""
        return bool(self._reachable.get(source, 0) & self._bits.get(target, 0))

    def reachable_from(self, sources: Iterable[str]) -> StepSet:
        """The steps that some path from one of these leads to."""
        reached = 0
        for source in sources:
            reached |= self._reachable.get(source, 0)
        return StepSet(self._bits, reached)

    def cycles_without_wait(self) -> Iterator[tuple[list[str], bool]]:
        """Cycles of steps that do not wait for the user: the steps in order, and whether nothing can break it.

        For each step a shortest one through it. Where very many steps lead to each other not every step is gone
        round from: at least one cycle of each group of such steps is listed.
        """
        certain, any_ = self._cycles(True), self._cycles(False)
        reported: set[frozenset[str]] = set()
        listed: set[int] = set()
        left = MAX_CYCLE_STEPS
        for start in self.steps:
            group = any_.group.get(start)
            if group is None or (left <= 0 and group in listed):
                continue
            is_certain = start in certain.group
            cycle, seen = shortest_cycle(start, (certain if is_certain else any_).moves.__getitem__)
            left -= seen
            listed.add(group)
            if frozenset(cycle) not in reported:
                reported.add(frozenset(cycle))
                yield cycle, is_certain

    def _cycles(self, certain: bool) -> Cycles:
        """The steps that can run and lead back to themselves without waiting."""
        steps = [step for step in self.steps if step not in self.waits and step in self.reachable]
        inner = set(steps)
        moves = {
            step: [
                e.target
                for e in self.outgoing[step]
                if e.target in inner and (e.certain or not certain) and e.kind not in _BOUNDED
            ]
            for step in steps
        }
        return cycles_in(moves)


@dataclass(frozen=True, slots=True)
class StepSet:
    """A set of steps, as bits."""

    bits: dict[str, int]
    reached: int

    def __contains__(self, step: object) -> bool:
        return bool(self.reached & self.bits.get(step, 0)) if isinstance(step, str) else False


def is_terminal(name: str, steps: Iterable[str]) -> bool:
    """True for a terminal keyword in any case that no step of that exact name hides (docs/spec 06 §8)."""
    return name not in steps and name.lower() in TERMINAL_WORDS


class _Facts(NamedTuple):
    """What one part says about steps: each step, the references in it, and the steps that lead to other agents."""

    steps: tuple[_StepFacts, ...]
    refs: tuple[tuple[str, StepKind, str | None], ...]  # target, kind, source
    leaves: tuple[str, ...]
    exits: tuple[ToolExit, ...]
    uses: tuple[ToolUse, ...]


class _StepFacts(NamedTuple):
    name: str
    waits: bool
    always_by_then: bool  # nothing in the step can take another exit, skip it or stop it
    has_then: bool
    has_when: bool
    stays: bool  # with ON_INPUT, where no branch that leaves means to continue waiting
    is_free: bool  # in which a model may call any tool
    is_open: bool  # with an exit that names nothing (ABL116)


class _FlowFacts(NamedTuple):
    entry: str | None
    shape: str
    listed: tuple[str, ...]


_Given = tuple[_FlowFacts | None, list[_Facts], tuple[ToolExit, ...]]


def graph_of(agent: AgentParts) -> FlowGraph:
    """The graph of an agent's flow; empty without one. The same object for flows that differ in nothing it shows."""
    flow = agent.agent.flow
    listed = tuple([name.value for name in flow.listed]) if flow is not None else ()
    facts = agent.items(_facts)
    named = [step.name for part in facts for step in part.steps]
    whole = None
    if flow is not None:
        first = next(iter((*listed, *named)), None)
        whole = _FlowFacts(flow.entry_point.value if flow.entry_point is not None else first, flow.shape, listed)
    return _recent().get((whole, facts, imported_exits(agent.imported_tools)), _graph)


@cache
def _recent() -> Recent[_Given, FlowGraph]:
    return Recent(32)


def _graph(given: _Given) -> FlowGraph:
    flow, parts, imported = given
    steps: dict[str, _StepFacts] = {}
    for part in parts:
        for step in part.steps:
            steps.setdefault(step.name, step)
    graph = FlowGraph(flow.entry if flow is not None else None, tuple(steps))
    graph.waits.update(name for name, step in steps.items() if step.waits)
    for name in [name for name, step in steps.items() if step.is_open]:
        graph.astray[name] = set()
        graph.leaves.add(name)
        graph.ends.add(name)
    for part in parts:
        for target, kind, source in part.refs:
            if target not in steps and not is_terminal(target, steps):
                _leads_astray(graph, source, target)
            if source is None:
                if target in steps:
                    graph.globals.add(target)
                continue
            if kind != "constraint":  # the way of a failure
                graph.leaves.add(source)  # by a terminal or to a step that does not exist, too: an exit was written
            if target not in steps:
                graph.ends.add(source)
            else:
                certain = kind == "then" and steps[source].always_by_then
                graph.edges.append(Edge(source, target, kind, certain))
        graph.leaves.update(part.leaves)
        graph.ends.update(part.leaves)
    _tool_edges(graph, parts, imported, steps)
    if flow is not None:
        _implied_edges(graph, flow, steps)
        _assumed_edges(graph, flow, steps)
    led_on = {edge.source for edge in graph.edges if edge.kind == "then"}
    graph.ends.update(name for name, step in steps.items() if not (step.has_then or step.stays or name in led_on))
    return graph


def _tool_edges(
    graph: FlowGraph, parts: list[_Facts], imported: tuple[ToolExit, ...], steps: dict[str, _StepFacts]
) -> None:
    """Exits in the lists of tools, from the steps that call them (docs/spec 08 §7)."""
    exits = [*imported, *(one for part in parts for one in part.exits)]
    if not exits:
        return
    uses = [use for part in parts for use in part.uses]
    for step, target, by_model in taken(exits, uses, [name for name, each in steps.items() if each.is_free]):
        if target is not None and target not in steps and not is_terminal(target, steps):
            _leads_astray(graph, step, target)
        if step is None or step not in steps:
            graph.globals.update({target} & steps.keys() if target is not None else ())
            continue
        graph.leaves.add(step)
        if target is None or target not in steps:
            graph.ends.add(step)
        else:
            graph.edges.append(Edge(step, target, "model" if by_model else "tool", False))


def _leads_astray(graph: FlowGraph, source: str | None, target: str) -> None:
    """An exit to an unknown step is reported there; the steps that it may mean count as reached."""
    intended = closest(target, graph.steps)
    before = graph.astray.get(source)
    graph.astray[source] = set() if not intended or before == set() else {*intended, *(before or ())}


def _implied_edges(graph: FlowGraph, flow: _FlowFacts, steps: dict[str, _StepFacts]) -> None:
    """Default THEN of a chain, and the way round a step whose WHEN is false (docs/spec 06 §2 D, §4.2)."""
    for name, following in pairwise(_order(flow, steps)):
        step = steps[name]
        if not step.has_then and (flow.shape == "D" or step.has_when):
            graph.edges.append(Edge(name, following, "skip" if flow.shape != "D" else "then", False))


def _assumed_edges(graph: FlowGraph, flow: _FlowFacts, steps: dict[str, _StepFacts]) -> None:
    """A step without an exit (ABL602) is assumed to lead to the next one: most lack a THEN."""
    leads = graph.leaves.union(edge.source for edge in graph.edges if edge.kind not in NO_EXITS)
    for name, following in pairwise(_order(flow, steps)):
        if not (name in leads or name in graph.waits or steps[name].stays):
            graph.astray[name] = {following}


def _order(flow: _FlowFacts, steps: dict[str, _StepFacts]) -> list[str]:
    return [name for name in dict.fromkeys([*flow.listed, *steps]) if name in steps]


def _facts(part: Part) -> tuple[_Facts, ...]:
    steps = tuple([_step_facts(step, part) for step in part.all(nodes.Step)])
    refs = tuple([(ref.name.value, ref.kind, ref.source_step) for ref in part.step_refs if not ref.tool])
    leaves = tuple([ref.step for ref in part.agent_refs if ref.step is not None])
    facts = _Facts(steps, refs, leaves, exits_of(part), uses_of(part))
    return (facts,) if any(facts) else ()


def _step_facts(step: nodes.Step, part: Part) -> _StepFacts:
    by_then, has_when = _always_leaves_by_then(step), step.setting("WHEN") is not None
    then = next((d for d in reversed(step.directives) if d.keyword in STEP_EXITS), None)
    stays = any(isinstance(d, nodes.OnInput) for d in step.directives)
    is_open = isinstance(then, nodes.Transition) and then.target is None and then.agent is None
    is_free = bool(step.reasoning) and step.setting("AVAILABLE_TOOLS") is None
    waits = _waits(step, part)
    return _StepFacts(step.name.value, waits, by_then, then is not None, has_when, stays, is_free, is_open)


def _waits(step: nodes.Step, part: Part) -> bool:
    for directive in step.directives:
        match directive:
            case nodes.Gather() if _may_ask(directive, step):
                return True
            case nodes.ActionHandlers():
                return True
            case nodes.OnInput() if _needs_input(directive, part):
                return True
            case nodes.Setting(keyword=keyword) if keyword in _ALWAYS_WAITS or keyword == "ON_ACTION":
                return True
            case nodes.Check(on_fail=None):
                return True
    return bool(step.reasoning and step.setting("EXIT_WHEN"))


def _may_ask(gather: nodes.Gather, step: nodes.Step) -> bool:
    """False for one of optional fields alone, which are never prompted (docs/spec 07 §6)."""
    asks = any(field.required or field.prop("ACTIVATION") is not None for field in gather.fields)
    return asks or not gather.fields or step.setting("COMPLETE_WHEN") is not None


def _needs_input(on_input: nodes.OnInput, part: Part) -> bool:
    uses = part.derive(owned)
    return any(
        name.root in OF_THE_MESSAGE
        for branch in on_input.branches
        for use in uses.get(id(first_of(branch)), ())
        for name in use.reading.names
    )


def _always_leaves_by_then(step: nodes.Step) -> bool:
    """True when nothing in the step can take another exit, skip it or stop it."""
    for directive in step.directives:
        if isinstance(directive, nodes.Check | nodes.OnInput | nodes.Gather | nodes.Call):
            return False
        if isinstance(directive, nodes.Setting) and directive.keyword not in ("REASONING", "MESSAGE_KEY", "GOAL"):
            return False
    return not step.reasoning
