"""6xx about the course of the flow: cycles, transitions, assignments (docs/spec 06 §5.3, §8, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from abl.analysis import fixes
from abl.analysis.fixes.flow import add_directive, bound_attempts
from abl.analysis.fixes.steps import remove_as, remove_assignment
from abl.analysis.flow.graph import is_terminal
from abl.analysis.incremental.parts import Part, Placed
from abl.analysis.index.model import AgentIndex, Write
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Severity
from abl.syntax import nodes
from abl.syntax.readers.state import compared_at

_ANSWERS = ("answer", "users_answer", "answer_to_this")


@rule("ABL604", "spinning-steps", "warning", "Steps {cycle} repeat without waiting for the user", over=nodes.Flow)
def spinning_steps(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Steps lead back to themselves and none of them waits. If nothing can break the circle it is an error.
    Why: The run is stopped by the loop guard; the user sees an error.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet, again]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: again
          again:
            REASONING: false
            RESPOND: "Hello again."
            THEN: greet
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet, again]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: again
          again:
            REASONING: false
            RESPOND: "Once more?"
            ON_INPUT:
              - IF: input == "yes"
                THEN: greet
              - ELSE:
                THEN: COMPLETE
    """
    for cycle, certain in agent.graph.cycles_without_wait():
        bounded = any(agent.steps[name].setting("MAX_ATTEMPTS") for name in cycle)
        if certain or not (bounded or _counts(cycle, agent)):
            first = agent.steps[cycle[0]]
            severity: Severity = "error" if certain and not bounded else "warning"
            repairs = _broken(agent, first, certain)
            yield found(first.name.span, *repairs, severity=severity, cycle=" → ".join([*cycle, cycle[0]]))


def _broken(agent: AgentIndex, step: nodes.Step, certain: bool) -> Iterator[Fix]:
    """Wait for the user in the step, or bound its attempts where something may break the circle."""
    if not any(isinstance(directive, nodes.Gather) for directive in step.directives):
        name = next((name for name in _ANSWERS if name not in agent.written_roots), _ANSWERS[-1])
        lines = ("GATHER:", f"  - {name}: required", '    prompt: "…"')
        yield from add_directive(agent, step, f"Ask something in `{step.name.value}`", *lines)
    if not certain:
        yield from bound_attempts(agent, step)


def _counts(cycle: list[str], agent: AgentIndex) -> bool:
    """True when a step of the cycle changes something that a condition in it reads."""
    known = agent.derive(_changes)
    steps = [known.steps[name] for name in cycle if name in known.steps]
    changed = known.called.union(*[step.changed for step in steps])
    return any(not step.read.isdisjoint(changed) for step in steps)


class _Changes(NamedTuple):
    """What the steps change and read, and the names of the results of all tools that are called."""

    steps: dict[str, _InStep]
    called: frozenset[str]


class _InStep(NamedTuple):
    changed: set[str]
    read: set[str]


def _changes(agent: AgentIndex) -> _Changes:
    steps: dict[str, _InStep] = {}

    def of(step: str | None) -> _InStep:
        return steps.setdefault(step or "", _InStep(set(), set()))

    for write in agent.writes:
        if write.kind in ("set", "as", "transform"):
            of(write.step).changed.add(write.root)
    for ref in agent.tool_refs:
        of(ref.step).changed.add(f"last_{ref.name.value}_result")
        of(ref.step).changed.update({"call_result", "result"} if ref.call else ())
    for read in agent.reads:
        if read.use is not None and read.use.mode == "condition":
            of(read.step).read.add(read.root)
    return _Changes(steps, frozenset([ref.name.value for ref in agent.tool_refs]))


@rule("ABL628", "comparison-in-set", "error", "Use `=` to assign; `==` compares", over=nodes.Assignment)
def comparison_in_set(assignment: nodes.Assignment, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SET has `==` where it should assign.
    Why: Nothing is assigned.
    Bad:
        SET: open_loans == 3
    Good:
        SET: open_loans = 3
    """
    line = assignment.block.value if assignment.block is not None and assignment.target is None else None
    span = compared_at(agent.source.text, line.inner) if line is not None else None
    if span is not None:
        yield found(span, fixes.replace(span, "="))


@rule(
    "ABL629", "never-read", "hint", '"{v}" is set but never read', over=AgentIndex, project=True, tags=("unnecessary",)
)
def never_read(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: SET or AS gives a name a value that nothing reads, here or in an agent that takes it back.
    Why: The line has no effect, or a name is misspelt where it should be read.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          count:
            REASONING: false
            SET: open_loans = 3
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          count:
            REASONING: false
            SET: open_loans = 3
            RESPOND: "You have {{open_loans}} loans."
            THEN: COMPLETE
    """
    if agent.fragment or agent.reasoning:
        return
    known = (
        agent.read_roots
        | agent.mentions
        | agent.parameters
        | {name.partition(".")[0] for name in project.returned(agent)}
        | {"_meta", *agent.names("session")[0], *agent.names("fields")[0]}
    )
    for placed, writes in agent.each(_set_names):
        for root, write in writes:
            if root not in known and not agent.path_of(write.path):
                node = placed.at(write.node)
                yield found(placed.at(write.span), later=partial(_without, agent, node), v=write.path)


def _without(agent: AgentIndex, node: nodes.Node) -> tuple[Fix, ...]:
    """What is written there taken out, where that is possible."""
    if isinstance(node, nodes.Assignment):
        return remove_assignment(agent, node)
    return remove_as(agent, node) if isinstance(node, nodes.Call) else ()


def _set_names(part: Part) -> list[tuple[str, Write]]:
    return [(write.root, write) for write in part.writes if write.kind in ("set", "as") and "[" not in write.path]


@rule("ABL656", "terminal-case", "hint", "`{target}` is read as terminal {T}", over=Placed, needs="step_refs")
def terminal_case(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A transition names a terminal in lower or mixed case, and no step has that name.
    Why: It works, but reads like a step.
    Bad:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: complete
    Good:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    for ref in part.step_refs:
        name = ref.name.value
        if ref.kind != "constraint" and name != name.upper() and is_terminal(name, agent.steps):
            yield found(ref.name.span, fixes.replace(ref.name.span, name.upper()), target=name, T=name.upper())
