"""What the rules look at: one agent at a time, with the names it reads and writes and what refers to what.

It is made of parts (``abl.analysis.incremental.parts``). Lists such as ``reads`` hold everything where it is in the
text, and cost a copy of what an edit has moved; code that needs all of an agent repeatedly uses the sets, or goes
through ``parts``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

from abl.analysis.collect.records import (
    AgentRef,
    ExpressionUse,
    Mode,
    Read,
    StepKind,
    StepRef,
    TemplateUse,
    ToolRef,
    Write,
    WriteKind,
)
from abl.analysis.conditions.types import Types, types_of
from abl.analysis.flow.graph import FlowGraph, graph_of
from abl.analysis.incremental.parts import (
    AnyNode,
    AnyValue,
    Cleared,
    Part,
    Placed,
    owned,
    read_paths,
    read_roots,
    write_paths,
)
from abl.analysis.incremental.runs import AnyCollection, Run, runs_of
from abl.analysis.index import views
from abl.analysis.index.names import first_below, paths_above
from abl.analysis.index.views import first_line, is_true, value_of
from abl.source import Source
from abl.syntax import nodes
from abl.syntax.incremental.relocation import first_of

__all__ = [
    "AgentIndex", "AgentRef", "ExpressionUse", "Mode", "Read", "StepKind", "StepRef", "TemplateUse",
    "ToolRef", "Write", "WriteKind", "called_tool", "first_line", "is_true", "value_of",
]  # fmt: skip


class Origin(NamedTuple):
    """A write of a part, which ``placed`` puts into the text."""

    placed: Placed
    write: Write


@dataclass(eq=False)
class AgentIndex:
    """Everything known about one agent or fragment from its own text (docs/spec 02 §7, 10 §1)."""

    source: Source
    agent: nodes.Agent
    fragment: bool
    parts: tuple[Placed, ...]
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    imported_tools: Mapping[str, nodes.Tool] = field(default_factory=dict, repr=False)
    """Tools by name that other documents declare for it; their places are in those (``index.imported_tools``)."""
    is_corrected: bool = False
    """Words of its text are read in place of misspelt ones (``abl.analysis.conformance.misspelt``)."""

    @property
    def name(self) -> str:
        """The agent's name, empty for a fragment or a header without one."""
        return self.agent.name.value if self.agent.name else ""

    @property
    def own_source(self) -> Source:
        """The text, for a rule that reads only what stands within its thing, and so need not look again elsewhere."""
        return self.source

    # Everything where it stands ---------------------------------------------------------------------------------

    def all(self, kind: type[AnyNode]) -> list[AnyNode]:
        """Every node of exactly that class, in document order; remembered, as rules ask for each thing again."""
        found = self.kept.get(("all", kind))
        if found is None:
            parts = self.parts
            found = [
                parts[begin + number].at(node)
                for begin, run in self.runs
                for number, listed in run.all(kind)
                for node in listed
            ]
            self.kept["all", kind] = found
        return cast("list[AnyNode]", found)

    @cached_property
    def expressions(self) -> list[ExpressionUse]:
        """Every expression, in document order."""
        return [placed.use(use) for placed in self.parts for use in placed.part.uses]

    @cached_property
    def reads(self) -> list[Read]:
        """Every name that is read."""
        return [read for placed in self.parts for read in placed.reads]

    @cached_property
    def writes(self) -> list[Write]:
        """Every name that is declared or gets a value."""
        return [write for placed in self.parts for write in placed.writes]

    @cached_property
    def cleared(self) -> list[Cleared]:
        """The names that CLEAR names, and where."""
        return [item for placed in self.parts if placed.part.cleared for item in placed.cleared]

    @cached_property
    def step_refs(self) -> list[StepRef]:
        """The references to steps."""
        return [ref for placed in self.parts if placed.part.step_refs for ref in placed.step_refs]

    @cached_property
    def tool_refs(self) -> list[ToolRef]:
        """The references to tools."""
        return [ref for placed in self.parts if placed.part.tool_refs for ref in placed.tool_refs]

    @cached_property
    def agent_refs(self) -> list[AgentRef]:
        """The references to other agents."""
        return [ref for placed in self.parts if placed.part.agent_refs for ref in placed.agent_refs]

    def expressions_of(self, owner: nodes.Node) -> list[ExpressionUse]:
        """The expressions that stand directly in a node."""
        key = id(first_of(owner))
        placed = self._home(key)
        return [] if placed is None else [placed.use(use) for use in placed.part.derive(owned)[key]]

    def here(self, node: AnyNode) -> AnyNode:
        """A node as it was first read, where it stands."""
        placed = self._home(id(node)) or next(p for p in self.parts if any(node is n for n in p.part.nodes))
        return placed.at(node)

    def _home(self, owner: int) -> Placed | None:
        """The part of a node with expressions, by the id of the node as it was read."""
        number = self._homes.get(owner)
        return None if number is None else self.parts[number]

    @cached_property
    def _homes(self) -> dict[int, int]:
        """The number of the part of each node with expressions."""
        return {owner: begin + number for begin, run in self.runs for owner, number in run.derive(views.owners).items()}

    @cached_property
    def runs(self) -> tuple[tuple[int, Run], ...]:
        """The parts in runs, each with the number of its first part."""
        return tuple(runs_of(self.parts))

    # Declarations: of two with one name the first counts --------------------------------------------------------

    @cached_property
    def steps(self) -> dict[str, nodes.Step]:
        """Steps by name."""
        return self._declared(nodes.Step)

    @cached_property
    def session(self) -> dict[str, nodes.SessionVariable]:
        """Session variables by name."""
        return self._declared(nodes.SessionVariable)

    @cached_property
    def persistent(self) -> dict[str, nodes.PersistentPath]:
        """Persistent declarations by path."""
        return self._declared(nodes.PersistentPath)

    @cached_property
    def fields(self) -> dict[str, nodes.GatherField]:
        """Gather fields by name."""
        return self._declared(nodes.GatherField)

    @cached_property
    def tools(self) -> dict[str, nodes.Tool]:
        """Tools by name."""
        return self._declared(nodes.Tool)

    def _declared(self, kind: type[AnyNode]) -> dict[str, AnyNode]:
        found: dict[str, AnyNode] = {}
        for placed, declared in self.each(_NAMED[kind]):
            for name, node in declared:
                if name not in found:
                    found[name] = placed.at(node)
        return found

    def names(self, declarations: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The names of ``steps``, ``session`` … in order, and which nodes are first of those that share a name."""
        named = _NAMED[DECLARATIONS[declarations]]
        names = tuple([name for _, run in self.runs for name, _ in run.items(named)])
        if len(set(names)) == len(names):
            return names, ()
        first = dict(reversed(self.items(named)))
        return names, tuple([id(node) for name, node in first.items() if names.count(name) > 1])

    def path_of(self, dotted: str) -> nodes.PersistentPath | None:
        """The persistent declaration that a dotted path names or lies below; the longest wins."""
        persistent = self.persistent
        if not dotted or not persistent:
            return None
        if (declared := persistent.get(dotted)) is not None:
            return declared
        return next((persistent[path] for path in paths_above(dotted) if path in persistent), None)

    @cached_property
    def persistent_parents(self) -> dict[str, str]:
        """The paths above the persistent ones, each with the first below it."""
        return first_below(self.persistent)

    @cached_property
    def facts(self) -> tuple[Any, ...]:
        """What of the whole agent can be compared with an earlier text: the values of ``FACTS``, and names."""
        return (*(getattr(self, fact) for fact in FACTS), *(self.names(name) for name in DECLARATIONS))

    # What needs no place ----------------------------------------------------------------------------------------

    def first(self, kind: type[AnyNode]) -> Iterator[AnyNode]:
        """Every node of exactly that class as it was first read, for who does not ask where it stands."""
        return (node for _, run in self.runs for _, listed in run.all(kind) for node in listed)

    def each(self, function: Callable[[Part], AnyCollection]) -> Iterator[tuple[Placed, AnyCollection]]:
        """What a function says about each part, where that is anything."""
        parts = self.parts
        return ((parts[begin + number], value) for begin, run in self.runs for number, value in run.each(function))

    def items(self, function: Callable[[Part], Sequence[AnyValue]]) -> list[AnyValue]:
        """Everything that a function says about the parts, in order."""
        return [item for _, run in self.runs for item in run.items(function)]

    def union(self, function: Callable[[Part], frozenset[AnyValue]]) -> frozenset[AnyValue]:
        """Everything that a function says about the parts; remembered."""
        found = self.kept.get(function)
        if found is None:
            found = self.kept[function] = frozenset().union(*[run.union(function) for _, run in self.runs])
        return cast("frozenset[AnyValue]", found)

    def derive(self, function: Callable[[AgentIndex], AnyValue]) -> AnyValue:
        """What a function says about the agent, remembered: projects ask each of their agents again and again."""
        if function not in self.kept:
            self.kept[function] = function(self)
        return cast("AnyValue", self.kept[function])

    @cached_property
    def mentions(self) -> frozenset[str]:
        """Words of sections without a typed node: they may read or set anything."""
        return self.union(views.mentions)

    @cached_property
    def read_paths(self) -> frozenset[str]:
        """Every path that some expression or template of this agent reads."""
        return self.union(read_paths)

    @cached_property
    def read_roots(self) -> frozenset[str]:
        """First segments of these."""
        return self.union(read_roots)

    @cached_property
    def write_paths(self) -> frozenset[str]:
        """Every path that something in this agent declares or sets."""
        return self.union(write_paths)

    @cached_property
    def written_roots(self) -> frozenset[str]:
        """First segments of these."""
        return frozenset([path.partition(".")[0] for path in self.write_paths])

    def origins_of(self, root: str) -> list[Origin]:
        """What can give a name its value, by its first segment: every write but bare declarations."""
        parts = self.parts
        return [Origin(parts[number], write) for number, write in self._origins.get(root, ())]

    @cached_property
    def _origins(self) -> dict[str, list[tuple[int, Write]]]:
        """By root, the number of the part and the write."""
        found: dict[str, list[tuple[int, Write]]] = {}
        for begin, run in self.runs:
            for root, writes in run.derive(views.origins_by_root).items():
                found.setdefault(root, []).extend([(begin + number, write) for number, write in writes])
        return found

    @cached_property
    def given_roots(self) -> frozenset[str]:
        """First segments of the names that have such an origin."""
        return self.union(views.given_roots)

    def sources_of(self, root: str) -> list[Write]:
        """The same, where it stands."""
        return [origin.placed.write(origin.write) for origin in self.origins_of(root)]

    @cached_property
    def set_roots(self) -> frozenset[str]:
        """First segments of names that get a value while the agent runs, or have an INITIAL."""
        return self.union(views.set_roots)

    @cached_property
    def collected(self) -> frozenset[str]:
        """Names that a COLLECT of some ON_FAIL asks for (docs/spec 04 §5)."""
        return self.union(views.collected)

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters of its tools."""
        return frozenset([parameter.name.value for tool in self.tools.values() for parameter in tool.parameters])

    @cached_property
    def listed(self) -> frozenset[str]:
        """Names in the list of steps of the flow."""
        flow = self.agent.flow
        return frozenset([name.value for name in flow.listed]) if flow is not None else frozenset()

    @cached_property
    def sensitive(self) -> frozenset[str]:
        """Paths and fields that are declared SENSITIVE."""
        return self.union(views.sensitive)

    @cached_property
    def phases(self) -> frozenset[str]:
        """Names of the phases of CONSTRAINTS."""
        constraints = self.agent.constraints
        return frozenset([phase.name.value for phase in constraints.phases]) if constraints is not None else frozenset()

    @cached_property
    def opening_steps(self) -> frozenset[str]:
        """Steps that can run before the first message: from the entry up to the first that waits."""
        seen: set[str] = set()
        open_ = [self.graph.entry] if self.graph.entry in self.steps else []
        while open_:
            step = open_.pop()
            if step is None or step in seen:
                continue
            seen.add(step)
            if step not in self.graph.waits:
                open_.extend(edge.target for edge in self.graph.outgoing[step])
        return frozenset(seen)

    @cached_property
    def graph(self) -> FlowGraph:
        """The step graph (docs/spec 10 §1)."""
        return graph_of(self)

    @cached_property
    def types(self) -> Types:
        """Static types of this agent's names and expressions."""
        return types_of(self)

    @cached_property
    def options(self) -> dict[str, tuple[str, ...]]:
        """Text options of gather fields that list them."""
        listed: dict[str, tuple[nodes.Literal_, ...]] = {}
        for name, options in self.items(views.options):
            listed.setdefault(name, options)
        return {
            name: tuple(option.value for option in options)
            for name, options in listed.items()
            if options and all(isinstance(option.value, str) for option in options)
        }

    @cached_property
    def reasoning(self) -> bool:
        """True when a model may act in this agent: no flow, or a step with REASONING: true."""
        first = dict(reversed(self.items(views.reasoning)))
        return not first or any(first.values())


FACTS: Final = (
    "types", "options", "fragment", "name", "reasoning", "written_roots", "set_roots", "collected", "mentions", "graph",
    "listed", "phases", "sensitive", "imported_tools",
)  # fmt: skip


def _naming(kind: type[nodes.Node]) -> Callable[[Part], Sequence[tuple[str, Any]]]:
    """What gives the nodes of a class with their names."""

    def named(part: Part) -> Sequence[tuple[str, Any]]:
        named_nodes: Sequence[Any] = part.all(kind)
        return [(node.name.value, node) for node in named_nodes]

    return named


DECLARATIONS: Final[dict[str, type[nodes.Node]]] = {
    "steps": nodes.Step,
    "session": nodes.SessionVariable,
    "persistent": nodes.PersistentPath,
    "fields": nodes.GatherField,
    "tools": nodes.Tool,
}
_NAMED: Final = {kind: _naming(kind) for kind in DECLARATIONS.values()}


def called_tool(call: nodes.Call, agent: AgentIndex) -> nodes.Tool | None:
    """The tool that a call names, if its signature is known; its places may be those of another document."""
    if call.tool is None:
        return None
    return agent.tools.get(call.tool.value) or agent.imported_tools.get(call.tool.value)
