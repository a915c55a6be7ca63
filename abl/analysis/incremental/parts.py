"""An agent in the parts that come back unchanged after an edit.

A ``Part`` is what was collected from one unit of the parser (``abl.syntax.incremental.reader_cache``): a step, a rule,
a variable. It goes with its unit from text to text, and its positions are those of the text in which the unit was first
read. A ``Placed`` is a part where it is in one text. Code that needs no position works on parts, and may cache with a
part what depends on it alone (``Part.derive``). So an edit costs only what was edited, and only reported places are
moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final, Protocol, TypeVar, cast

from abl.analysis.collect.records import AgentRef, ExpressionUse, Read, StepRef, TemplateUse, ToolRef, Write
from abl.diagnostics import Finding
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.incremental.relocation import Move, first_of

AnyNode = TypeVar("AnyNode", bound=nodes.Node)
AnyValue = TypeVar("AnyValue")
Cleared = tuple[nodes.Name, "nodes.Clear | nodes.OnFail"]


_serials = count()
_UNKNOWN: Final = object()
_EMPTY: Final[Mapping[type, Any]] = {list: [], frozenset: frozenset()}
"""Most of what is derived from a part is empty. All parts share these, so that there is less to keep and to collect;
nobody writes to what was derived."""


class Part:
    """What one unit says, or what stands between two units (then it is no ``unit``, and collected anew for each text).

    Lists are in the order in which things were met; ``order`` of reads and writes counts from 1 in each part.
    """

    __slots__ = (
        "agent_refs", "by_type", "cleared", "derived", "findings", "mentioned", "mentions", "nodes", "noted", "numbers",
        "reads", "run", "serial", "step_refs", "templates", "tool_refs", "unit", "uses", "writes",
    )  # fmt: skip

    def __init__(self, unit: bool) -> None:
        self.unit = unit
        self.nodes: list[nodes.Node] = []
        self.by_type: dict[type, list[nodes.Node]] = {}
        self.uses: list[ExpressionUse] = []
        self.templates: list[TemplateUse] = []
        self.reads: list[Read] = []
        self.writes: list[Write] = []
        self.cleared: list[Cleared] = []
        self.step_refs: list[StepRef] = []
        self.tool_refs: list[ToolRef] = []
        self.agent_refs: list[AgentRef] = []
        self.mentions: set[str] = set()
        self.mentioned: list[Span] = []  # where these stand
        self.findings: list[Finding] = []  # what the parser says about places that it keeps as lines
        self.numbers = 0  # how many reads and writes, and what else counts for their order, were met
        self.derived: dict[Callable[[Part], Any], Any] = {}
        self.noted: dict[str, Any] = {}  # of ``abl.analysis.incremental.segments``
        self.run: Any = None  # the run (``abl.analysis.incremental.runs``) that last began with this part
        self.serial = next(_serials)

    @property
    def empty(self) -> bool:
        """True while nothing was met."""
        refs = self.step_refs or self.agent_refs or self.tool_refs or self.cleared
        return not (self.nodes or self.numbers or self.mentions or refs or self.findings)

    def all(self, kind: type[AnyNode]) -> Sequence[AnyNode]:
        """Every node of exactly that class."""
        found: Any = self.by_type.get(kind, ())  # no cast: this is asked thousands of times a check
        return found  # type: ignore[no-any-return]

    def derive(self, function: Callable[[Part], AnyValue]) -> AnyValue:
        """What a function says about the part, remembered. It must not depend on where the part stands now."""
        known: Any = self.derived.get(function, _UNKNOWN)
        if known is _UNKNOWN:
            known = function(self)
            self.derived[function] = known = known or _EMPTY.get(known.__class__, known)
        return known  # type: ignore[no-any-return]  # no cast, as above


def contents(part: Part) -> frozenset[type | str]:
    """What a part holds, for rules that need it: classes of its nodes, and which of its lists are not empty."""
    return frozenset([*part.by_type, *(name for name in _LISTS if getattr(part, name))])


_LISTS: Final = ("agent_refs", "cleared", "reads", "step_refs", "writes")


class AgentParts(Protocol):
    """An agent for those who need only what its parts say. An ``AgentIndex`` is one."""

    @property
    def agent(self) -> nodes.Agent: ...

    @property
    def imported_tools(self) -> Mapping[str, nodes.Tool]: ...

    def first(self, kind: type[AnyNode]) -> Iterator[AnyNode]: ...

    def items(self, function: Callable[[Part], Sequence[AnyValue]]) -> list[AnyValue]: ...


def owned(part: Part) -> dict[int, list[ExpressionUse]]:
    """The expressions that stand directly in each node, by the id of the node as it was read."""
    found: dict[int, list[ExpressionUse]] = {}
    for use in part.uses:
        found.setdefault(id(first_of(use.owner)), []).append(use)
    return found


def read_paths(part: Part) -> frozenset[str]:
    """Every path that an expression or template reads."""
    return frozenset([read.path for read in part.reads])


def read_roots(part: Part) -> frozenset[str]:
    """First segments of these."""
    return frozenset([read.root for read in part.reads])


def write_paths(part: Part) -> frozenset[str]:
    """Every path that is declared or gets a value."""
    return frozenset([write.path for write in part.writes])


class Placed:
    """A part in one text. ``move`` leads to where it is there; ``before`` counts the numbers of earlier parts."""

    __slots__ = ("_moved", "before", "move", "part")

    def __init__(self, part: Part, move: Move | None, before: int) -> None:
        self.part = part
        self.move = move
        self.before = before
        self._moved: dict[int, Any] = {}  # uses by the id of what they stand for, which the part keeps alive

    def at(self, value: AnyValue) -> AnyValue:
        """A node, span, text or name of the part, where it stands now."""
        return value if self.move is None else self.move.of(value)

    def use(self, use: ExpressionUse) -> ExpressionUse:
        """An expression of the part, where it stands now; the same object each time."""
        return use if self.move is None else self._once(use, use.moved)

    def template(self, template: TemplateUse) -> TemplateUse:
        """A template of the part, where it stands now."""
        return template if self.move is None else self._once(template, template.moved)

    def _once(self, thing: AnyValue, moved: Callable[[Move], AnyValue]) -> AnyValue:
        known = self._moved.get(id(thing))
        if known is None and self.move is not None:
            known = self._moved.setdefault(id(thing), moved(self.move))
        return cast(AnyValue, known)

    def thing(self, number: int) -> Placed | nodes.Node | ExpressionUse:
        """The whole part for -1, then a node or, behind all nodes, an expression by its number."""
        if number < 0:
            return self
        part = self.part
        count = len(part.nodes)
        return self.at(part.nodes[number]) if number < count else self.use(part.uses[number - count])

    def read(self, read: Read) -> Read:
        """A read of the part, with its place and its number in the agent."""
        path, span, use, owner, step, order, certain = read
        use = None if use is None else self.use(use)
        return Read(path, self.at(span), use, self.at(owner), step, order + self.before, certain)

    def write(self, write: Write) -> Write:
        """A write of the part, with its place and its number in the agent."""
        path, span, kind, step, order, node, type_ = write
        return Write(path, self.at(span), kind, step, order + self.before, self.at(node), type_)

    @property
    def reads(self) -> list[Read]:
        """The names that are read."""
        return [self.read(read) for read in self.part.reads]

    @property
    def writes(self) -> list[Write]:
        """The names that are declared or get a value."""
        return [self.write(write) for write in self.part.writes]

    @property
    def cleared(self) -> Sequence[Cleared]:
        """The names that are cleared."""
        if self.move is None:
            return self.part.cleared
        return [(self.at(name), self.at(owner)) for name, owner in self.part.cleared]

    @property
    def step_refs(self) -> Sequence[StepRef]:
        """The references to steps."""
        if self.move is None:
            return self.part.step_refs
        refs = self.part.step_refs
        return [StepRef(self.at(r.name), r.kind, self.at(r.owner), r.source_step, r.key, r.tool) for r in refs]

    @property
    def tool_refs(self) -> Sequence[ToolRef]:
        """The references to tools."""
        if self.move is None:
            return self.part.tool_refs
        return [ToolRef(self.at(r.name), self.at(r.call), r.key, r.step) for r in self.part.tool_refs]

    @property
    def agent_refs(self) -> Sequence[AgentRef]:
        """The references to agents."""
        if self.move is None:
            return self.part.agent_refs
        return [AgentRef(self.at(r.name), r.key, self.at(r.owner), r.step, r.tool) for r in self.part.agent_refs]
