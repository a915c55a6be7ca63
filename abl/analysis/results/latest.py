"""Which CALL the latest result comes from, and what its fields are (docs/spec 06 §5.8, 08 §1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from abl.analysis import fixes
from abl.analysis.collect.records import Read
from abl.analysis.flow.graph import StepSet
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes

RESULT_NAMES = frozenset({"call_result", "result"})
ALWAYS_THERE = frozenset({"success", "error", "length", "message", "status"})
"""Fields that a result may have whatever its type says."""


_OF_ANY_FIELDS = frozenset({"object", "array", "any"})


class Called(NamedTuple):
    """A CALL with the step where it stands."""

    call: nodes.Call
    step: str | None


def calls_of(agent: AgentIndex) -> list[Called]:
    """Every CALL of a tool, where it stands now."""
    return [Called(placed.at(call), step) for placed, calls in agent.each(_calls) for call, step in calls]


def _calls(part: Part) -> list[tuple[nodes.Call, str | None]]:
    return [(ref.call, ref.step) for ref in part.tool_refs if ref.call is not None]


def result_fields(tool: str, agent: AgentIndex) -> frozenset[str] | None:
    """The fields of a tool's declared result; None when they are not known."""
    declared = agent.tools.get(tool) or agent.imported_tools.get(tool)
    if declared is None or declared.returns is None or not declared.returns.fields:
        return None
    return frozenset([name for name, _, _ in declared.returns.fields])


def only_holds_result(root: str, agent: AgentIndex) -> bool:
    """True for a declared variable that says nothing of its fields, and that nothing here but CALL gives a value."""
    variable = agent.session.get(root)
    if variable is None or (variable.type is not None and variable.type_word not in _OF_ANY_FIELDS):
        return False
    origins = agent.origins_of(root)
    whole = [each.write for each in origins if "." not in each.write.path]
    return bool(whole) and all(write.kind == "as" for write in whole) and root not in agent.mentions


def comes_before(called: Called, span: Span, step: str | None, agent: AgentIndex) -> bool:
    """True for a call that may have run when something at a place of a step is looked at."""
    if called.step is None or step is None:
        return True
    if called.step == step and called.call.span.start < span.start:
        return True
    return agent.graph.leads_to(called.step, step)


def named_result(call: nodes.Call, agent: AgentIndex) -> tuple[str, tuple[Edit, ...]]:
    """The name of a call's result, and what gives it one: AS where there is none."""
    if call.as_ is not None:
        return call.as_.value, ()
    name = f"{call.tool.value if call.tool is not None else 'call'}_result"
    if call.block is None:
        return name, ()
    pad = " " * (call.block.column - 1)
    return name, fixes.insert_line_below(agent.source, call.block.line_span, f"{pad}AS: {name}", "").edits


def through_name(call: nodes.Call, span: Span, rest: str, agent: AgentIndex) -> Fix:
    """Read a field of a result through the name of the result."""
    name, edits = named_result(call, agent)
    return Fix(f"Read it from `{name}`", (*edits, Edit(span, f"{name}.{rest}")), preferred=not edits)


def latest_calls(step: nodes.Step, before: Span, agent: AgentIndex) -> list[nodes.Call] | None:
    """The calls of which one was the latest, on each path, when something in a step is looked at.

    None when calls within branches make that depend on more than the steps.
    """
    own = _of_step(step)
    if own is None:
        return None
    sources, calls_of_steps = agent.derive(_sources), agent.derive(_calls_of_steps)
    earlier = [call for call in own if call.span.start < before.start and not _is_argument(call, before)]
    if earlier:
        return [earlier[-1]]
    found: list[nodes.Call] = []
    seen: set[str] = set()
    open_ = list(sources.get(step.name.value, ()))
    while open_:
        name = open_.pop()
        if name in seen or name not in calls_of_steps:
            continue
        seen.add(name)
        calls = calls_of_steps[name]
        if calls is None:
            return None
        if calls:
            found.append(calls[-1])
        else:
            open_.extend(sources.get(name, ()))
    return found


def _sources(agent: AgentIndex) -> dict[str, list[str]]:
    """The steps that lead to each."""
    found: dict[str, dict[str, None]] = {}
    for edge in agent.graph.edges:
        found.setdefault(edge.target, {})[edge.source] = None
    return {target: list(sources) for target, sources in found.items()}


def _calls_of_steps(agent: AgentIndex) -> dict[str, list[nodes.Call] | None]:
    return {name: _of_step(step) for name, step in agent.steps.items()}


def _of_step(step: nodes.Step) -> list[nodes.Call] | None:
    """The calls of a step in order; None when one of them stands within a branch or handler."""
    calls = [directive for directive in step.directives if isinstance(directive, nodes.Call)]
    inner = list(_inner(step.directives))
    return None if inner else calls


def _inner(directives: Iterable[nodes.Directive]) -> Iterator[nodes.Call]:
    for directive in directives:
        lists: list[Iterable[nodes.Directive]] = []
        match directive:
            case nodes.Call():
                branches = (*directive.on_success, *directive.on_failure, *directive.on_result)
                lists = [branch.actions for branch in branches]
            case nodes.OnInput() | nodes.Outcome():
                lists = [branch.actions for branch in directive.branches]
            case nodes.IntentHandlers():
                lists = [handler.actions for handler in directive.handlers]
            case nodes.ActionHandlers():
                lists = [reaction.actions for reaction in directive.handlers]
        for actions in lists:
            yield from (action for action in actions if isinstance(action, nodes.Call))


def _is_argument(call: nodes.Call, span: Span) -> bool:
    """True for a place among the arguments of a call, which are worked out before it runs."""
    return any(argument.span.start <= span.start < argument.span.end for argument in (*call.arguments, *call.with_))


def found_in_results(reads: Iterable[Read], agent: AgentIndex) -> tuple[Read, ...]:
    """Those of the reads that an earlier CALL's declared result answers (docs/spec 06 §5.8)."""
    givers: dict[str, _Givers] = {}
    for called in calls_of(agent):
        for name in (called.call.tool is not None and result_fields(called.call.tool.value, agent)) or ():
            givers.setdefault(name, _Givers()).add(called)
    behind = {name: agent.graph.reachable_from(giver.first) for name, giver in givers.items()}
    return tuple([read for read in reads if read.root in givers and givers[read.root].before(read, behind[read.root])])


class _Givers:
    """The calls that give one field: whether one is in no step, and where the first of each step stands."""

    def __init__(self) -> None:
        self.anywhere = False
        self.first: dict[str, int] = {}

    def add(self, called: Called) -> None:
        if called.step is None:
            self.anywhere = True
        else:
            start = called.call.span.start
            self.first[called.step] = min(start, self.first.get(called.step, start))

    def before(self, read: Read, behind: StepSet) -> bool:
        """``comes_before`` for any of the calls."""
        if self.anywhere or read.step is None:
            return True
        start = self.first.get(read.step)
        return (start is not None and start < read.span.start) or read.step in behind
