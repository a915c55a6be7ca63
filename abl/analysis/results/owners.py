"""Names that certainly hold the result of a tool: those that CALL gives it, and the runtime's (06 §5.8, 08 §7)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from abl.analysis.collect.records import ExpressionUse, Write
from abl.analysis.conditions.chains import Chain, chain_of
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import Symbol, exchanged, homes_of
from abl.analysis.results.latest import RESULT_NAMES, latest_calls
from abl.analysis.results.returned import Held, Returned, declared_tool, only
from abl.analysis.symbols.agent_links import theirs_of
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Name

_KEPT: Final = "owners"
_EXCHANGED: Final = "exchanged"
_IN_TOOLS: Final = "result"


class Owners:
    """What holds results in one agent or fragment."""

    def __init__(self, agent: AgentIndex, index: Index) -> None:
        self.agent, self.index = agent, index
        self._bound: dict[str, Held | None] = {}
        self._tools: dict[str, Returned | None] = {}
        self._spans = sorted((tool.span.start, tool.name.value, tool.span.end) for tool in agent.all(nodes.Tool))
        self._items: dict[Span, Held | None] = {}

    @property
    def any(self) -> bool:
        """False where nothing can hold a result: no tool is known."""
        agent = self.agent
        if agent.tools or agent.imported_tools or agent.fragment:
            return True
        return not agent.read_roots.isdisjoint(_exchanged(self.index))  # which others may give it

    def at(self, root: str, step: str | None, span: Span, use: ExpressionUse | None = None) -> Held | None:
        """What a name holds where it is read; None where that is no result, or may be another."""
        if use is not None and root in use.locals:
            return self._whole(self._around(span)) if root == _IN_TOOLS else self._item(root, use)
        if root in RESULT_NAMES:
            return self._whole(self._latest(step, span)) if root not in self.agent.written_roots else None
        if root not in self._bound:
            self._bound[root] = None  # for code that assigns a name its own value
            self._bound[root] = self._of_name(root)
        return self._bound[root]

    def path(self, path: str, step: str | None, span: Span) -> Held | None:
        """What a dotted path leads to that stands by itself."""
        root, *names = path.split(".")
        held = self.at(root, step, span)
        for name in names:
            held = held.below(name) if held is not None else None
        return held

    def tool(self, name: str) -> Returned | None:
        """The declaration that the name of a tool means in this agent."""
        if name not in self._tools:
            self._tools[name] = declared_tool(name, self.agent, self.index)
        return self._tools[name]

    def _whole(self, returned: Returned | None) -> Held | None:
        type_ = returned.tool.returns if returned is not None else None
        return Held(returned, (), type_) if returned is not None and type_ is not None else None

    def _around(self, span: Span) -> Returned | None:
        """The tool in whose ``on_result`` or ``process`` a place is."""
        at = bisect_right(self._spans, (span.start, "\uffff", 0)) - 1
        if at < 0 or self._spans[at][2] < span.end:
            return None
        return self.tool(self._spans[at][1])

    def _latest(self, step: str | None, span: Span) -> Returned | None:
        node = self.agent.steps.get(step) if step is not None else None
        calls = latest_calls(node, span, self.agent) if node is not None else None
        return only([self.tool(call.tool.value) if call.tool is not None else None for call in calls or ()])

    def _of_name(self, root: str) -> Held | None:
        """What ``last_find_result``, ``find`` or the name behind AS holds."""
        homes = agents_sharing(root, self.agent, self.index)
        if any(root in home.written_roots for home in homes):
            return self._given(root, homes)
        is_last = root.startswith("last_") and root.endswith("_result")
        return self._whole(self.tool(root.removeprefix("last_").removesuffix("_result") if is_last else root))

    def _given(self, root: str, homes: Sequence[AgentIndex]) -> Held | None:
        """The result, or part of one, that CALL, SET or TRANSFORM gives a name, where all of them give it the same.

        SET may also give it an object or list as it would be: the stand-in for a call that fails.
        """
        if root in _exchanged(self.index) and any(
            theirs.given and not theirs.shared for _, theirs in exchanged(self.index, root, homes)
        ):
            return None
        found: list[Held] = []
        made: list[ExpressionUse] = []
        for home in homes:
            if _says_fields(home.session.get(root)):
                return None
            for write in home.derive(_writes).get(root, ()):
                use = home.derive(_values).get(write.node.span) if write.kind == "set" else None
                if use is not None and isinstance(use.reading.node, en.ObjectNode | en.ListNode):
                    made.append(use)
                elif write.kind != "session" and "." not in write.path:
                    held = owners_of(home, self.index).given_by(write, use)
                    if held is None:
                        return None
                    found.append(held)
        if len({(held.returned.name_of(held.fields), held.type.span) for held in found}) != 1:
            return None
        return found[0] if all(keys_in(found[0], use) is not None for use in made) else None

    def given_by(self, write: Write, use: ExpressionUse | None) -> Held | None:
        """What one line gives a name; ``use`` is the value of a SET."""
        match write.node:
            case nodes.Call(tool=Name() as tool) if write.kind == "as":
                return self._whole(self.tool(tool.value))
            case nodes.Transform(source=Name() as source, mapping=()):
                return self.path(source.value, write.step, source.span)
        chain = (
            chain_of(use.reading.node, use.reading.text) if use is not None and use.reading.node is not None else None
        )
        return self.led_to(chain, use) if chain is not None and use is not None else None

    def led_to(self, chain: Chain, use: ExpressionUse) -> Held | None:
        """What a path in an expression leads to."""
        inner = without_scope(chain)
        held = self.at(inner.root, use.step, use.whole, use)
        return held.along(inner) if held is not None else None

    def _item(self, root: str, use: ExpressionUse) -> Held | None:
        """What the item of a pipeline is, where it goes through a list of a result (06 §5.5)."""
        transform = use.owner
        if not isinstance(transform, nodes.Transform) or transform.item is None or root not in use.locals:
            return None
        return self.item_in(transform, use.step) if transform.item.value == root else None

    def item_in(self, transform: nodes.Transform, step: str | None) -> Held | None:
        """The item that a pipeline goes through."""
        if transform.span not in self._items:
            source = transform.source
            whole = self.path(source.value, step, source.span) if source is not None else None
            self._items[transform.span] = whole.item if whole is not None else None
        return self._items[transform.span]


def without_scope(chain: Chain) -> Chain:
    """``session.offer.price`` is ``offer.price`` (02 §7)."""
    inner = chain.steps[0].name if chain.root == "session" and chain.steps else None
    return Chain(inner, chain.steps[1:], chain.node) if inner is not None else chain


def owners_of(agent: AgentIndex, index: Index) -> Owners:
    """The owners of an agent, remembered with the index."""
    found: Owners | None = index.kept.get((_KEPT, id(agent)))
    if found is None:
        found = index.kept[_KEPT, id(agent)] = Owners(agent, index)
    return found


def _says_fields(variable: nodes.SessionVariable | None) -> bool:
    """True for a variable whose type or first value names fields itself."""
    if variable is None:
        return False
    first = variable.initial.value if variable.initial is not None else None
    return bool(isinstance(first, dict | list) and first) or (variable.type is not None and "{" in variable.type.value)


def keys_in(held: Held, use: ExpressionUse) -> list[tuple[Held, Name]] | None:
    """The keys of an object or list that stands in for a value, with what they are; None where it is another value."""
    found: list[tuple[Held, Name]] = []
    return found if use.reading.node is not None and _keys(held, use.reading.node, use, found) else None


def _keys(held: Held, node: en.Node, use: ExpressionUse, found: list[tuple[Held, Name]]) -> bool:
    match node:
        case en.ListNode():
            inner = held.below(None)
            return inner is not None and all(_keys(inner, item, use, found) for item in node.items)
        case en.ObjectNode():
            at = node.start
            for key, value in zip(node.keys, node.values, strict=True):
                start = use.reading.text.find(key, at, value.start)
                inner = held.below(key)
                if start < 0 or inner is None or inner.fields == held.fields:  # ``{a}``, or no such field
                    return False
                found.append((inner, Name(key, use.span(start, start + len(key)))))
                if not _keys(inner, value, use, found):
                    return False
                at = value.end
    return True


def agents_sharing(name: str, agent: AgentIndex, index: Index) -> Sequence[AgentIndex]:
    """The agents for which a variable of that name is the same word."""
    if name not in _exchanged(index):
        return (agent,)
    return homes_of(index, Symbol("variable", name, Span(0, 0), agent))


def _exchanged(index: Index) -> frozenset[str]:
    """Every name that agents hand each other, or that profiles and tool files write or read."""
    found: frozenset[str] | None = index.kept.get(_EXCHANGED)
    if found is None:
        handed = {theirs.name.value.partition(".")[0] for agent in index.each() for theirs in agent.derive(theirs_of)}
        fragments = [agent for agent in index.each() if agent.fragment]
        used = [names for each in fragments for names in (each.written_roots, each.read_roots)]
        found = index.kept[_EXCHANGED] = frozenset(handed).union(*used)
    return found


def _writes(agent: AgentIndex) -> dict[str, list[Write]]:
    """What gives each name a value."""
    found: dict[str, list[Write]] = {}
    for write in agent.writes:
        found.setdefault(write.root, []).append(write)
    return found


def _values(agent: AgentIndex) -> dict[Span, ExpressionUse]:
    """The values of SET, by the place of the assignment."""
    return {use.owner.span: use for use in agent.expressions if use.place == "SET" and _is_assignment(use.owner)}


def _is_assignment(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Assignment)


def stand_ins(agent: AgentIndex) -> Iterator[tuple[Write, ExpressionUse]]:
    """Every SET of an object or list, with its value."""
    values = agent.derive(_values)
    for write in agent.writes if values else ():
        use = values.get(write.node.span) if write.kind == "set" and "." not in write.path else None
        if use is not None and isinstance(use.reading.node, en.ObjectNode | en.ListNode):
            yield write, use
