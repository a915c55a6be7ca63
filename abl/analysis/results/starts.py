"""Where a path into a tool's result begins, and the type of that (docs/spec 02 §9, 06 §5.5, §5.8, 08 §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from abl.analysis.collect.records import ExpressionUse
from abl.analysis.conditions.chains import Chain, chains_of, type_at, unwrapped
from abl.analysis.index.model import AgentIndex, called_tool
from abl.analysis.index.names import SYSTEM_NAMES
from abl.analysis.results.fields import lists_around
from abl.analysis.results.latest import RESULT_NAMES, latest_calls
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import TypeRef
from abl.syntax.recovery.suggest import closest

_THIS: Final = "this"
_OF_TOOL: Final = "result"
Names = tuple[str | None, ...]


class Start(NamedTuple):
    """A type, the steps that lead on from there, and what it is the type of; ``whole``: of all that a tool returns."""

    type: TypeRef
    names: Names
    of: str
    whole: bool = False
    inside: bool = False
    """The first of the steps is the root of the path: a field of an item by its bare name."""


def in_lists(uses: Iterable[ExpressionUse], agent: AgentIndex) -> Iterator[tuple[ExpressionUse, list[TypeRef | None]]]:
    """Every expression with the types of the items that the ``#each`` around it go through, outermost first."""
    items: dict[int, TypeRef | None] = {}
    for use, around in lists_around(uses):
        lists = [items.get(id(each)) for each in around]
        yield use, lists
        if use.role == "each":
            items[id(use)] = _item_of(use, lists, agent)


def _item_of(use: ExpressionUse, lists: Sequence[TypeRef | None], agent: AgentIndex) -> TypeRef | None:
    chains = list(chains_of(use.reading))
    return _item_at(start_of(chains[0], use, lists, agent) if len(chains) == 1 else None, agent)


def _item_at(start: Start | None, agent: AgentIndex) -> TypeRef | None:
    """The item of the list at the end of a path; None where something else may have filled its root."""
    if start is None or (start.whole and start.of in agent.types.declared):
        return None
    return _item(type_at(start.type, start.names))


def _item(type_: TypeRef | None) -> TypeRef | None:
    type_ = unwrapped(type_)
    return unwrapped(type_.item) if type_ is not None and type_.item is not None else None


def start_of(chain: Chain, use: ExpressionUse, lists: Sequence[TypeRef | None], agent: AgentIndex) -> Start | None:
    """The start of a path in an expression; None where it is no result, or may be something else."""
    names = tuple(step.name for step in chain.steps)
    for item in reversed(lists):
        if chain.root == _THIS:
            return Start(item, names, _THIS) if item is not None else None
        if item is None or not item.fields:
            return None  # which may have any field
        if any(name == chain.root for name, _, _ in item.fields):
            return Start(item, (chain.root, *names), _THIS, inside=True)
    if lists and lists[-1] is not None and _is_slip(chain.root, lists[-1], agent):
        return Start(lists[-1], (chain.root, *names), "#each", inside=True)
    if chain.root in use.locals:
        return _local(chain.root, names, use, agent)
    return named(chain.root, names, use.step, use.whole, agent)


def _is_slip(root: str, item: TypeRef, agent: AgentIndex) -> bool:
    """True for a bare name that is nothing but nearly a field of the item."""
    if not closest(root, [name for name, _, _ in item.fields]):
        return False
    known = agent.written_roots | agent.mentions | agent.tools.keys() | agent.types.results.keys()
    return root not in known and root not in {name.partition(".")[0] for name in SYSTEM_NAMES}


def _local(root: str, names: Names, use: ExpressionUse, agent: AgentIndex) -> Start | None:
    if isinstance(use.owner, nodes.Transform):
        item = item_in(use.owner, use.step, agent)
        named_so = use.owner.item is not None and use.owner.item.value == root
        return Start(item, names, root) if item is not None and named_so else None
    if root != _OF_TOOL or use.place == "PROCESS":  # there it is what comes back, of which the declared result is made
        return None
    at = use.whole.start
    around = [tool for tool in agent.tools.values() if tool.span.start <= at < tool.span.end]
    returns = around[0].returns if len(around) == 1 else None
    return Start(returns, names, root, whole=True) if returns is not None else None


def item_in(transform: nodes.Transform, step: str | None, agent: AgentIndex) -> TypeRef | None:
    """The type of the item that a pipeline goes through."""
    source = transform.source
    if source is None:
        return None
    root, *names = source.value.split(".")
    return _item_at(named(root, tuple(names), step, source.span, agent), agent)


def named(root: str, names: Names, step: str | None, span: Span, agent: AgentIndex) -> Start | None:
    """What a name of the agent holds: a result that has it, or the latest one."""
    if root in RESULT_NAMES:
        return _latest(root, names, step, span, agent) if root not in agent.written_roots else None
    type_ = agent.types.results.get(root)
    return Start(type_, names, root, whole=True) if type_ is not None else None


def _latest(root: str, names: Names, step: str | None, span: Span, agent: AgentIndex) -> Start | None:
    """The result of the CALL above, where it is the same tool's on each path (06 §5.8)."""
    node = agent.steps.get(step) if step is not None else None
    calls = latest_calls(node, span, agent) if node is not None else None
    tools = [called_tool(call, agent) for call in calls or ()]
    if not tools or any(tool is not tools[0] for tool in tools) or tools[0] is None or tools[0].returns is None:
        return None
    return Start(tools[0].returns, names, root, whole=True)
