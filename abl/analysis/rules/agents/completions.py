"""9xx about COMPLETE: completions that repeat, and ones that come too early (docs/spec 09 §3, §7, 10 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import read_value
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, Origin
from abl.analysis.index.names import SYSTEM_NAMES
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.flow.steps import MAX_STEPS
from abl.diagnostics import Fix
from abl.expressions import nodes as en
from abl.syntax import nodes


@rule(
    "ABL939",
    "repeated-completion",
    "warning",
    "Non-terminal COMPLETE does not reset `{v}` and will repeat",
    over=nodes.Completion,
)
def repeated_completion(completion: nodes.Completion, agent: AgentIndex) -> Iterator[Found]:
    """
    What: COMPLETE with `TERMINAL: false` changes nothing that its condition depends on.
    Why: It holds again on the next message, and the session is ended as a loop.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: loan_done == true
            RESPOND: "Enjoy the book. Anything else?"
            TERMINAL: false
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: loan_done == true
            RESPOND: "Enjoy the book. Anything else?"
            SET: loan_done = false
            TERMINAL: false
    """
    if completion.terminal is None or completion.typed.value("TERMINAL"):
        return
    names = [name for use in agent.expressions_of(completion) for name in use.reading.names if use.place == "COMPLETE"]
    roots = list(dict.fromkeys(name.root for name in names))
    if not roots or any(root in SYSTEM_NAMES for root in roots):
        return
    touched = {root for action in completion.actions for root in _touched(action)}
    undone = agent.union(_cleared_roots)
    sets = {root: sum(1 for origin in agent.origins_of(root) if origin.write.kind == "set") for root in roots}
    if touched & set(roots) or undone & set(roots) or any(count > 1 for count in sets.values()):
        return
    yield found(completion.terminal.span, *_reset(completion, names[0].path, agent), v=names[0].path)


def _cleared_roots(part: Part) -> frozenset[str]:
    return frozenset([name.value.partition(".")[0] for name, _ in part.cleared])


def _touched(action: nodes.Directive) -> Iterator[str]:
    """First segments of the names that an action gives or takes a value."""
    match action:
        case nodes.SetVariables():
            yield from (a.target.value.partition(".")[0] for a in action.assignments if a.target is not None)
        case nodes.Clear():
            yield from (name.value.partition(".")[0] for name in action.names)
        case nodes.Call() if action.as_ is not None:
            yield action.as_.value


def _reset(completion: nodes.Completion, path: str, agent: AgentIndex) -> tuple[Fix, ...]:
    prop = completion.prop("TERMINAL")
    if prop is None or prop.block.item or any(action.keyword == "SET" for action in completion.actions):
        return ()
    line = f"{' ' * (prop.block.column - 1)}SET: {path} = null"
    return (fixes.insert_line_above(agent.source, prop.block.span, line, f"Reset `{path}`", preferred=False),)


@rule("ABL940", "early-completion", "warning", "COMPLETE may fire while the flow waits in `{s}`", over=nodes.Completion)
def early_completion(completion: nodes.Completion, agent: AgentIndex) -> Iterator[Found]:
    """
    What: All that a COMPLETE waits for is set in a step behind which the flow still asks the user something.
    Why: COMPLETE is looked at after every turn, so the conversation ends at that question.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: loan_done == true
            RESPOND: "Enjoy the book."
        FLOW:
          lend:
            REASONING: false
            SET: loan_done = true
            THEN: ask
          ask:
            REASONING: false
            GATHER:
              - rating: required
                prompt: "How was the service?"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: loan_done == true AND rating IS SET
            RESPOND: "Enjoy the book."
        FLOW:
          lend:
            REASONING: false
            SET: loan_done = true
            THEN: ask
          ask:
            REASONING: false
            GATHER:
              - rating: required
                prompt: "How was the service?"
            THEN: COMPLETE
    """
    if agent.agent.flow is None or len(agent.steps) > MAX_STEPS or not completion.typed.value("TERMINAL"):
        return
    use = next((use for use in agent.expressions_of(completion) if use.place == "COMPLETE"), None)
    terms = list(_terms(use.reading.node)) if use is not None and use.reading.node is not None else []
    if use is None or not terms or None in terms:
        return
    steps = [_only_step(path, value, agent) for term in terms if term is not None for path, value in (term,)]
    known = [step for step in steps if step is not None]
    if len(known) != len(steps):
        return
    last = next((step for step in known if all(o == step or agent.graph.leads_to(o, step) for o in known)), None)
    waiting = _waits_behind(last, agent) if last is not None else None
    if waiting is not None:
        yield found(use.text.span, s=waiting)


def _terms(node: en.Node) -> Iterator[tuple[str, object] | None]:
    """The names that must have a value, or one certain value, joined by AND; None for anything else."""
    match node:
        case en.Logical(op="AND"):
            for operand in node.operands:
                yield from _terms(operand)
        case en.Test(op="==", left=en.Path() as path, right=en.Literal() as literal):
            yield ".".join(path.parts), literal.value
        case _:
            yield None


def _only_step(path: str, value: object, agent: AgentIndex) -> str | None:
    """The one step that sets a name, to just that value, if nothing else gives or takes it."""
    origins: list[Origin] = agent.origins_of(path.partition(".")[0])
    if len(origins) != 1 or origins[0].write.path != path or path in agent.mentions:
        return None
    write = origins[0].write
    if write.kind != "set" or not isinstance(write.node, nodes.Assignment) or write.node.value is None:
        return None
    if path.partition(".")[0] in agent.union(_cleared_roots):
        return None
    node = read_value(write.node.value.value).node
    same = isinstance(node, en.Literal) and node.value == value and type(node.value) is type(value)
    return write.step if same else None


def _waits_behind(step: str, agent: AgentIndex) -> str | None:
    """A step behind this one that waits for the user, on the only way that leads on from it."""
    graph = agent.graph
    seen = {step}
    while True:
        edges = graph.outgoing.get(step, [])
        if len({edge.target for edge in edges}) != 1 or edges[0].target in seen:
            return None
        step = edges[0].target
        seen.add(step)
        if step in graph.waits:
            return step
