"""3xx about how session variables are used (docs/spec 03 §2, 05 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.judgement import never_set
from abl.analysis.conditions.types import canonical_type, value_type
from abl.analysis.fixes.entries import add_property, remove_entry, set_property
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, Write
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.session_memory import reset_of
from abl.syntax import nodes


@rule(
    "ABL305",
    "step-reset-without-flow",
    "warning",
    "`RESET: per_step` has no effect without FLOW",
    over=nodes.SessionVariable,
    needs="RESET",
)
def step_reset_without_flow(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A variable is reset on entering a step, but the agent has no steps.
    Why: It is never reset.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - tries
              INITIAL: 0
              RESET: per_step
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - tries
              INITIAL: 0
              RESET: per_session
    """
    reset = variable.reset
    if reset is not None and reset_of(variable) == "per_step" and not agent.fragment and agent.agent.flow is None:
        yield found(reset.inner, fixes.replace(reset.inner, "per_session"), node=f"{variable.path}.RESET")


@rule("ABL309", "untyped-variable", "hint", "Declare TYPE for `{n}` (used as {type})", over=AgentIndex)
def untyped_variable(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A session variable has no TYPE, although everything that sets it gives the same type.
    Why: With TYPE wrong values and comparisons are noticed.
    Bad:
        MEMORY:
          session:
            - tries
              INITIAL: 0
    Good:
        MEMORY:
          session:
            - tries
              TYPE: number
              INITIAL: 0
    """
    typed = {variable.name.value for variable in agent.all(nodes.SessionVariable) if variable.type}
    for name, variable in agent.session.items():
        if name in typed or not name:
            continue
        kinds = {_written_type(write, agent) for write in agent.sources_of(name)} - {"null"}
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind is not None:
            repairs = add_property(agent, variable, f"TYPE: {kind}")
            yield found(variable.name.span, *repairs, node=variable.path, n=name, type=kind)


def _written_type(write: Write, agent: AgentIndex) -> str | None:
    """The type that a write gives; None when it is not known."""
    node = write.node
    if isinstance(node, nodes.SessionVariable):
        literal = node.initial
        return value_type(literal.value) if literal is not None and literal.dynamic is None else None
    if isinstance(node, nodes.Assignment) and write.path == write.root:
        uses = agent.expressions_of(node)
        tree = uses[0].reading.node if len(uses) == 1 else None
        return agent.types.of(tree) if tree is not None else None
    return canonical_type(write.type) if write.type else None


@rule(
    "ABL310",
    "unused-variable",
    "hint",
    "Session variable `{n}` is never used",
    over=AgentIndex,
    project=True,
    tags=("unnecessary",),
)
def unused_variable(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: Nothing reads or sets a declared session variable, in the agent or in the profiles that it uses.
    Why: It may be left over, or its name is spelled differently where it should be used.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - shelf
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - shelf
        FLOW:
          greet:
            REASONING: false
            SET: shelf = "A"
            RESPOND: "Shelf {{shelf}}."
            THEN: COMPLETE
    """
    if agent.fragment or agent.reasoning:
        return
    used = agent.read_roots | agent.union(_set_or_cleared) | agent.collected | agent.mentions | agent.parameters
    elsewhere = project.used_by_profiles(agent)
    if elsewhere is None:
        return
    used |= elsewhere | project.received(agent)
    for name in dict.fromkeys(agent.names("session")[0]):
        if name and name not in used:
            variable = agent.session[name]
            yield found(
                variable.name.span, *remove_entry(agent, variable, f"Remove `{name}`"), node=variable.path, n=name
            )


def _set_or_cleared(part: Part) -> frozenset[str]:
    names = [write.root for write in part.writes if write.kind != "session"]
    return frozenset([*names, *(name.value for name, _ in part.cleared)])


@rule(
    "ABL311",
    "variable-never-set",
    "info",
    "Session variable `{n}` is read but never set",
    over=AgentIndex,
    project=True,
)
def variable_never_set(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A declared session variable is read, but has no INITIAL and nothing sets it.
    Why: It never has a value.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - shelf
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Shelf {{shelf}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - shelf
              INITIAL: "A"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Shelf {{shelf}}."
            THEN: COMPLETE
    """
    read = agent.read_roots
    for name in dict.fromkeys(agent.names("session")[0]):
        if name in read and never_set(agent, project, name):
            variable = agent.session[name]
            yield found(variable.name.span, node=variable.path, n=name)


@rule(
    "ABL314",
    "reset-before-read",
    "warning",
    "`{n}` goes back to INITIAL on entering `{s}`, before it is read there",
    over=AgentIndex,
)
def reset_before_read(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step reads a variable that is reset on entering each step, without giving it a value first.
    Why: The step always sees INITIAL, whatever was set before.
    Bad:
        MEMORY:
          session:
            - tries
              INITIAL: 0
              RESET: per_step
        FLOW:
          ask:
            REASONING: false
            SET: tries = tries + 1
            THEN: tell
          tell:
            REASONING: false
            RESPOND: "That was attempt {{tries}}."
            THEN: COMPLETE
    Good:
        MEMORY:
          session:
            - tries
              INITIAL: 0
              RESET: per_session
        FLOW:
          ask:
            REASONING: false
            SET: tries = tries + 1
            THEN: tell
          tell:
            REASONING: false
            RESPOND: "That was attempt {{tries}}."
            THEN: COMPLETE
    """
    stepwise = {name for name, variable in agent.session.items() if reset_of(variable) == "per_step"}
    stepwise -= {write.root for write in agent.writes if write.kind == "gather" and write.step} if stepwise else set()
    if not stepwise:  # what a step collects is ABL730
        return
    set_in: dict[tuple[str, str | None], int] = {}
    for write in agent.writes:
        if write.root in stepwise and write.step is not None:
            set_in.setdefault((write.root, write.step), write.order)
    reported: set[tuple[str, str]] = set()
    for read in agent.reads:
        if read.root not in stepwise or read.step is None or read.use is None or (read.root, read.step) in reported:
            continue
        if read.use.place not in ("CHECK", "IF", "TAG") or not read.certain:
            continue
        order = set_in.get((read.root, read.step))
        if order is None or (order > read.order and read.step not in agent.graph.waits):
            reported.add((read.root, read.step))
            repair = set_property(agent, agent.session[read.root], "RESET", "per_session")
            yield found(read.span, *repair, node=read.owner.path, n=read.root, s=read.step)
