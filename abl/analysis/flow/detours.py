"""The steps of a detour: in them a rule without BEFORE lets the flow change what it demands (docs/spec 04 §5.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from abl.analysis.flow.cycles import strongly_connected_components
from abl.analysis.flow.graph import graph_of
from abl.analysis.index.model import AgentIndex
from abl.source import Span
from abl.syntax import nodes

Changes = Callable[[str, "nodes.Assignment | None"], bool]
"""Whether a write of a path, by an assignment or otherwise, may change what the rule demands."""
_HANDLER: Final = re.compile(r"\.(?:DIGRESSIONS|SUB_INTENTS)\b|\bglobal_digressions\b")
_BY_STEPS: Final = frozenset({"gather", "set", "as", "transform", "return", "collect"})
_DECIDING: Final = frozenset({"SET", "IF", "CHECK", "EXIT_WHEN", "WHEN", "FILTER", "MAP", "ARGUMENT", "WITH"})
"""Where a step reads the result of a call to go on with it, rather than to show it."""


@dataclass(frozen=True, slots=True)
class Detour:
    """``steps`` are those of the detour, each with the tools that a model may call there.

    ``leading`` are the steps from which a write is ahead without the target, ``places`` what writes, ``elsewhere``
    the tools that a CALL outside of the detour calls, ``used`` those whose result a step of it reads to go on, and
    ``needed`` the steps that every way from the target to a write of some part passes.
    """

    steps: dict[str, tuple[str, ...]]
    leading: frozenset[str] = frozenset()
    places: frozenset[Span] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()


def detour_of(agent: AgentIndex, target: str, parts: Sequence[Changes]) -> Detour:
    """The detour of a rule whose open parts are ``parts`` to ``target``.

    Beside the target these are the steps that the flow cannot reach from its entry without it and from which a write
    that one of ``parts`` accepts is ahead, on a way through such steps. A step that calls a tool and is reached behind
    a write of each part is none of them, unless every way from it leads to a write or the target: that is the work.
    A step from which only the target is ahead belongs to them when it calls no tool and cannot be left and come back
    to without the target.
    """
    graph = graph_of(agent)
    if target not in graph.steps:
        return Detour({})
    following: dict[str, set[str]] = {name: set() for name in graph.steps}
    for edge in graph.edges:
        if edge.kind != "constraint":
            following[edge.source].add(edge.target)
    inside = set(graph.steps) - _reached(agent, graph.entry, target, following)
    inner = {step: following[step] & inside for step in inside}
    writes = [_writes(agent, changes) for changes in parts]
    writing = {step for places in writes for step in places} & inside
    onward = {step: inner[step] - {target} for step in inside - {target}}
    beyond = set.intersection(*(_behind(agent, places, onward) for places in writes)) if writes else set()
    work = beyond & _calling(agent) - _surely_leading_to(writing | {target}, following, agent.graph.ends)
    leading = _leading_to(writing - {target}, onward) - work
    back = _leading_to({target}, inner) - leading
    returning = _without_cycles(back - {target} - _calling(agent), inner)
    steps = {target} | leading | returning
    elsewhere = _called_elsewhere(agent, steps)
    not_here = elsewhere | {
        tool for tool in _offered_elsewhere(agent, steps) if not _decides(agent, tool, steps, parts)
    }
    return Detour(
        steps={step: tuple(sorted(_offered(agent, step) - not_here)) for step in sorted(steps)},
        leading=frozenset(leading - {target}),
        places=frozenset(node.span for places in writes for found in places.values() for node in found),
        elsewhere=frozenset(elsewhere),
        used=frozenset(_used(agent, steps)),
        needed=frozenset(
            step for step in steps if any(_needs(step, places.keys(), target, inner) for places in writes)
        ),
    )


def _reached(agent: AgentIndex, entry: str | None, target: str, following: dict[str, set[str]]) -> set[str]:
    """What the flow reaches from its entry without the target, by a digression as well."""
    if entry is None or entry == target:
        return set()
    rules = {ref.name.value for ref in agent.step_refs if ref.kind == "constraint"}
    others = {ref.name.value for ref in agent.step_refs if ref.kind != "constraint" and ref.source_step is None}
    starts = [entry, *((graph_of(agent).globals - rules) | (others & following.keys()))]
    seen: set[str] = set()
    while starts:
        step = starts.pop()
        if step != target and step not in seen:
            seen.add(step)
            starts.extend(following[step])
    return seen


def _leading_to(goals: Iterable[str], following: dict[str, set[str]]) -> set[str]:
    """The goals, and every step from which a path leads to one."""
    found = set(goals)
    while more := {step for step, ways in following.items() if step not in found and ways & found}:
        found |= more
    return found


def _needs(step: str, writing: Iterable[str], target: str, following: dict[str, set[str]]) -> bool:
    """True for a step without which no write can be reached from the target."""
    others = {name: ways - {step} for name, ways in following.items() if name != step}
    return target == step or target not in _leading_to(set(writing) - {step}, others)


def _without_cycles(steps: set[str], following: dict[str, set[str]]) -> set[str]:
    """Those that no cycle among ``steps`` goes through."""
    groups = strongly_connected_components(sorted(steps), lambda step: sorted(following[step] & steps))
    return {step for group in groups for step in group if len(group) == 1 and step not in following[step]}


def _behind(agent: AgentIndex, writes: dict[str, list[nodes.Node]], onward: dict[str, set[str]]) -> set[str]:
    """Steps that are reached after a write, without the target; what fails a CHECK has not written what it should."""
    spared: set[tuple[str | None, str]] = set()
    counted: set[tuple[str | None, str]] = set()
    for ref in agent.step_refs:
        places = writes.get(ref.source_step or "", [])
        fails = ref.kind == "on_fail" or all(_apart(ref.owner.path, node.path) for node in places)
        (spared if fails else counted).add((ref.source_step, ref.name.value))
    open_ = [
        edge.target
        for edge in agent.graph.edges
        if edge.source in writes and edge.target in onward and (edge.source, edge.target) not in spared - counted
    ]
    seen: set[str] = set()
    while open_:
        step = open_.pop()
        if step not in seen:
            seen.add(step)
            open_.extend(onward[step])
    return seen


def _apart(one: str, other: str) -> bool:
    """True for paths in branches of which only one runs: of one list, or of a success and a failure."""
    for first, second in zip(one.split("."), other.split("."), strict=False):
        if first != second:
            names = (first.partition("[")[0], second.partition("[")[0])
            return names[0] == names[1] or set(names) == {"ON_SUCCESS", "ON_FAILURE"}
    return False


def _surely_leading_to(goals: set[str], following: dict[str, set[str]], ends: set[str]) -> set[str]:
    """The goals, and every step from which each way leads to one."""
    found = set(goals)
    while more := {s for s, ways in following.items() if s not in found and s not in ends and ways and ways <= found}:
        found |= more
    return found


def _writes(agent: AgentIndex, changes: Changes) -> dict[str, list[nodes.Node]]:
    """Steps whose own directives, or tools that they call, write what may change the rule, each with the places."""
    found: dict[str, list[nodes.Node]] = {}
    by_tool: dict[str, list[str]] = {}
    for write in agent.writes:
        if write.kind not in _BY_STEPS or _HANDLER.search(write.node.path):
            continue
        assignment = write.node if isinstance(write.node, nodes.Assignment) else None
        if write.step is not None and changes(write.path, assignment):
            found.setdefault(write.step, []).append(write.node)
        elif write.step is None and write.node.path.startswith("tools."):
            by_tool.setdefault(write.node.path.split(".")[1], []).append(write.path)
    tools = {tool.name.value: tool for tool in agent.agent.tools}
    for ref in agent.tool_refs:
        if ref.step is not None and not _HANDLER.search(ref.call.path if ref.call is not None else ""):
            node = ref.call if ref.call is not None else agent.steps[ref.step]
            name = ref.name.value
            paths = [*by_tool.get(name, ()), *bound_by(name, tools.get(name))]
            if any(changes(path, None) for path in paths):
                found.setdefault(ref.step, []).append(node)
    return found


def bound_by(name: str, tool: nodes.Tool | None) -> tuple[str, ...]:
    """Names that a call binds besides AS (docs/spec 06 §5.8); fields of the result are read as names, too."""
    fields = tool.returns.fields if tool is not None and tool.returns is not None else ()
    return (name, f"last_{name}_result", "call_result", "result", *(field for field, _, _ in fields))


def _calling(agent: AgentIndex) -> set[str]:
    """Steps that call a tool, or whose model may."""
    models = {name for name, step in agent.steps.items() if step.reasoning}
    return models | {ref.step for ref in agent.tool_refs if ref.step is not None and ref.call is not None}


def _offered(agent: AgentIndex, step: str) -> set[str]:
    """The tools that AVAILABLE_TOOLS of a step names."""
    return {ref.name.value for ref in agent.tool_refs if ref.step == step and ref.key == "AVAILABLE_TOOLS"}


def _offered_elsewhere(agent: AgentIndex, steps: set[str]) -> set[str]:
    """The tools that AVAILABLE_TOOLS of other steps names."""
    return {r.name.value for r in agent.tool_refs if r.key == "AVAILABLE_TOOLS" and r.step not in steps}


def _decides(agent: AgentIndex, tool: str, steps: set[str], parts: Sequence[Changes]) -> bool:
    """True for a tool whose result a step of the detour reads to go on, or which writes what the rule demands."""
    own = (tool, f"last_{tool}_result")
    if {name for name, _ in _read(agent, steps)} & {*own}:
        return True
    paths = (*own, *(write.path for write in agent.writes if write.node.path.startswith(f"tools.{tool}.")))
    return any(changes(path, None) for path in paths for changes in parts)


def _called_elsewhere(agent: AgentIndex, steps: set[str]) -> set[str]:
    """Tools that a CALL outside of these steps, or of a handler, calls."""
    calls = [ref for ref in agent.tool_refs if ref.call is not None]
    return {r.name.value for r in calls if r.step not in steps or (r.call is not None and _HANDLER.search(r.call.path))}


def _read(agent: AgentIndex, steps: set[str]) -> set[tuple[str, str | None]]:
    """First segments that conditions, SET, TRANSFORM and arguments of these steps read, each with its step."""
    return {
        (path.partition(".")[0], step)
        for path, _, use, owner, step, *_ in agent.reads
        if step in steps
        and (use.place in _DECIDING if use is not None else isinstance(owner, nodes.Transform))
        and not _HANDLER.search(owner.path)
    }


def _used(agent: AgentIndex, steps: set[str]) -> set[str]:
    """Tools that CALLs of these steps call and whose result a condition, SET, TRANSFORM or argument there reads."""
    read = _read(agent, steps)
    roots = {root for root, _ in read}
    tools = {tool.name.value: tool for tool in agent.agent.tools}
    found = set()
    for ref in agent.tool_refs:
        if ref.step in steps and ref.call is not None and not _HANDLER.search(ref.call.path):
            name = ref.name.value
            own = {name, f"last_{name}_result"} | ({ref.call.as_.value.partition(".")[0]} if ref.call.as_ else set())
            if own & roots or any((each, ref.step) in read for each in bound_by(name, tools.get(name))):
                found.add(name)
    return found
