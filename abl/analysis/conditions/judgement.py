"""What can be said about a condition before anything runs: its shape, and its verdict while names are unset.

When in doubt nothing is reported: None means "it depends" (docs/spec 04 §6.1, §8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from abl.analysis.conditions.certainty import is_ordered, varies
from abl.analysis.conditions.reading import Reading
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, ExpressionUse, Write
from abl.analysis.index.names import SYSTEM_NAMES, is_stored
from abl.analysis.index.project import Index
from abl.analysis.index.visible_names import currencies
from abl.expressions import compile_expression
from abl.expressions import nodes as en
from abl.expressions.budget import KEYSTROKE, Budget
from abl.expressions.builtins import find
from abl.expressions.values import truthy
from abl.syntax import nodes

_budget: ContextVar[Budget | None] = ContextVar("abl_judgement_budget", default=None)


def condition_of(rule: nodes.Rule, agent: AgentIndex) -> ExpressionUse | None:
    """The condition of a rule."""
    return condition_among(agent.expressions_of(rule))


def gate_of(rule: nodes.Rule, agent: AgentIndex) -> ExpressionUse | None:
    """The (first) gate of a rule."""
    return gate_among(agent.expressions_of(rule))


def condition_among(uses: Iterable[ExpressionUse]) -> ExpressionUse | None:
    """Of the expressions of a rule its condition."""
    return next((use for use in uses if use.place != "GATE"), None)


def gate_among(uses: Iterable[ExpressionUse]) -> ExpressionUse | None:
    """Of the expressions of a rule its (first) gate."""
    return next((use for use in uses if use.place == "GATE"), None)


def shape(node: en.Node | None) -> Any:
    """A hashable value that is equal for expressions that differ only in layout and in the order of AND and OR.

    The order counts where a part can fail or searches: then only the layout may differ.
    """
    return None if node is None else _shape(node, tuple if is_ordered(node) else frozenset)


def steady_shape(node: en.Node | None) -> Any:
    """The shape, but equal to nothing for what two evaluations in one state may answer differently."""
    return object() if node is not None and varies(node) else shape(node)


def _shape(node: en.Node, group: Callable[[Iterable[Any]], Any]) -> Any:
    if node.__class__ is en.Path:
        return ("path", node.parts)
    if node.__class__ is en.Literal:
        return (node.form, node.value)
    children = [_shape(child, group) for child in en.children(node)]
    match node:
        case en.Test() | en.Binary() | en.Unary():
            return (node.op, *children)
        case en.Logical(op="AND" | "OR"):
            return (node.op, group(children))
        case en.Regex():
            return ("regex", node.pattern, node.flags)
        case en.Call():
            return ("function", node.prefixed, node.name, *children)
        case en.Method() | en.Member():
            return (node.kind, node.name, *children)
        case en.Logical():
            return (node.op, *children)
        case en.ObjectNode():
            return (node.keys, *children)
    return (node.__class__.__name__, *children)


def conjuncts(node: en.Node) -> tuple[en.Node, ...]:
    """The conditions that all have to hold; the node itself when it is no AND."""
    return node.operands if isinstance(node, en.Logical) and node.op == "AND" else (node,)


def holds_unset(reading: Reading, unset: Callable[[str], bool]) -> bool | None:
    """Whether the condition holds while the names that ``unset`` picks have no value and all others are unknown."""
    return None if reading.node is None else _holds(reading.node, reading, unset)


def _holds(
    node: en.Node, reading: Reading, unset: Callable[[str], bool], values: Mapping[str, Any] = MappingProxyType({})
) -> bool | None:
    match node:
        case en.Unary(op="NOT" | "!"):
            inner = _holds(node.operand, reading, unset, values)
            return None if inner is None else not inner
        case en.Logical(op="IMPLIES"):
            first, last = (_holds(operand, reading, unset, values) for operand in node.operands)
            return _either(None if first is None else not first, last)
        case en.Logical():
            truths = [_holds(operand, reading, unset, values) for operand in node.operands]
            decisive = node.op == "OR"
            return decisive if decisive in truths else None if None in truths else not decisive
    return _evaluated(node, reading, values) if all(_is_known(child, unset) for child in en.walk(node)) else None


def _either(one: bool | None, other: bool | None) -> bool | None:
    if one or other:
        return True
    return None if one is None or other is None else False


def _is_known(node: en.Node, unset: Callable[[str], bool]) -> bool:
    if isinstance(node, en.Path):
        return unset(".".join(node.parts))
    if isinstance(node, en.Call):
        function = find(node.name, node.prefixed)
        return function is not None and not function.impure
    return not (isinstance(node, en.Literal) and isinstance(node.value, str) and "{{" in node.value)


def _evaluated(node: en.Node, reading: Reading, values: Mapping[str, Any]) -> bool | None:
    whole = reading.expression if node is reading.node else None
    with _budget.get() or Budget.of(KEYSTROKE):
        outcome = (whole or compile_expression(reading.text[node.start : node.end])).evaluate_once(dict(values))
    return None if outcome.error else truthy(outcome.value)


@contextmanager
def evaluating() -> Iterator[None]:
    """One budget for all that is evaluated inside the block; what it does not reach is not judged."""
    token = _budget.set(Budget.of(KEYSTROKE))
    try:
        yield
    finally:
        _budget.reset(token)


def holds_at_start(reading: Reading, values: Mapping[str, Any]) -> bool | None:
    """Whether the condition holds while names have these values (None: unset) and all others are unknown."""
    return None if reading.node is None else _holds(reading.node, reading, values.__contains__, values)


def value_at_start(agent: AgentIndex, path: str) -> tuple[bool, Any]:
    """Whether it is known what a name holds when the first message is judged, and that value: INITIAL, or None."""
    if unset_at_start(agent, path):
        return True, None
    variable = agent.session.get(path)
    if variable is None or variable.initial is None or variable.initial.dynamic is not None or path in agent.mentions:
        return False, None
    writes = [origin.write for origin in agent.origins_of(path) if origin.write.kind != "session"]
    return all(_comes_later(agent, write) for write in writes), variable.initial.value


def _comes_later(agent: AgentIndex, write: Write) -> bool:
    """True for a write that is not made before the first message is judged."""
    if write.kind == "gather" or (write.step is not None and write.step not in agent.opening_steps):
        return True
    return behind_question(agent, write)


def behind_question(agent: AgentIndex, write: Write) -> bool:
    """True for a write that its step comes to after the answer to its own GATHER."""
    step = agent.steps.get(write.step or "")
    questions = [d.span.start for d in step.directives if isinstance(d, nodes.Gather)] if step is not None else []
    return write.kind != "gather" and bool(questions) and write.node.span.start > min(questions)


def fields_waited_for(use: ExpressionUse, agent: AgentIndex) -> list[str]:
    """GATHER fields that a rule reads and does not ask for by IS SET: it waits for them (04 §6.2)."""
    asked = {
        test.left.parts[0]
        for test in use.reading.tests
        if test.op in ("IS SET", "IS NOT SET") and isinstance(test.left, en.Path)
    }
    fields = agent.union(gathered_roots)
    roots = dict.fromkeys(name.path.partition(".")[0] for name in use.reading.names)
    return [root for root in roots if root in fields and root not in asked]


def gathered_roots(part: Part) -> frozenset[str]:
    """First segments of the gather fields of a part."""
    return frozenset([write.root for write in part.writes if write.kind == "gather"])


def never_set(agent: AgentIndex, project: Index, path: str) -> bool:
    """True for a name that nothing in the agent, the runtime or another agent ever gives a value."""
    known = project.known_names(agent)
    if path not in known:
        return not is_stored(path)
    root = path.partition(".")[0]
    given = root in agent.given_roots or root in agent.collected or root in agent.union(currencies)
    declared_only = root in agent.session and not given
    return declared_only and root not in agent.mentions and root not in project.received(agent) and path == root


def unset_at_start(agent: AgentIndex, path: str) -> bool:
    """True for a name that surely has no value when the first message of a session is judged (09 §3, T10).

    By then ON_START and the steps of turn 0 have run; what they may set is not unset, nor is what a store may hold.
    """
    root = path.partition(".")[0]
    if root in SYSTEM_NAMES or path in SYSTEM_NAMES or root in agent.mentions or agent.path_of(path) is not None:
        return False
    variable = agent.session.get(root)
    if variable is not None and variable.initial is not None:
        return variable.initial.value is None and variable.initial.dynamic is None
    if variable is None and root not in agent.given_roots:
        return False
    known = agent.derive(_set_later)
    if root not in known:
        known[root] = all(_comes_later(agent, origin.write) for origin in agent.origins_of(root))
    return known[root]


def _set_later(agent: AgentIndex) -> dict[str, bool]:
    """Cached answers by name: whether only what runs after the start sets it. Rules ask for the same names
    repeatedly.
    """
    return {}


def names_unset_at_start(use: ExpressionUse, agent: AgentIndex) -> tuple[str, ...]:
    """The names an expression reads that are unset at the start, each once."""
    return tuple(dict.fromkeys(name.path for name in use.reading.names if unset_at_start(agent, name.path)))


def assignments_of(directives: tuple[nodes.Directive, ...]) -> Iterator[nodes.Assignment]:
    """The SET lines that stand directly in a list of actions."""
    for directive in directives:
        if isinstance(directive, nodes.SetVariables):
            yield from directive.assignments
