"""6xx about the course of the flow: cycles, transitions, assignments (docs/spec 06 §5.3, §8, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.flowgraph import is_terminal
from abl.analysis.model import AgentIndex, Write, first_line
from abl.analysis.parts import Part, Placed
from abl.analysis.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Severity
from abl.source import Span
from abl.syntax import nodes


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
            GATHER:
              - title: required
                prompt: "Which book?"
            THEN: again
          again:
            REASONING: false
            RESPOND: "Next one."
            THEN: greet
    """
    for cycle, certain in agent.graph.cycles_without_wait():
        bounded = any(agent.steps[name].setting("MAX_ATTEMPTS") for name in cycle)
        if certain or not (bounded or _counts(cycle, agent)):
            first = agent.steps[cycle[0]]
            severity: Severity = "error" if certain and not bounded else "warning"
            yield found(first.name.span, severity=severity, cycle=" → ".join([*cycle, cycle[0]]))


def _counts(cycle: list[str], agent: AgentIndex) -> bool:
    """True when a step of the cycle changes something that a condition in it reads."""
    changed = {w.root for w in agent.writes if w.step in cycle and w.kind in ("set", "as", "transform")}
    changed |= {"call_result", "result"} if any(r.step in cycle and r.call for r in agent.tool_refs) else set()
    read = {r.root for r in agent.reads if r.step in cycle and r.use is not None and r.use.mode == "condition"}
    called = {f"last_{r.name.value}_result" for r in agent.tool_refs if r.step in cycle} | {
        r.name.value for r in agent.tool_refs
    }
    return bool(read & (changed | called))


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
    if assignment.target is not None:
        return
    line = first_line(assignment)
    text = agent.source.text[line.start : line.end]
    at = text.find("==")
    if at >= 0 and "=" not in text[:at]:
        span = Span(line.start + at, line.start + at + 2)
        yield found(span, fixes.replace(span, "="))


@rule(
    "ABL629", "never-read", "hint", '"{v}" is set but never read', over=AgentIndex, project=True, tags=("unnecessary",)
)  # fmt: skip
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
                yield found(placed.at(write.span), v=write.path)


def _set_names(part: Part) -> list[tuple[str, Write]]:
    return [(write.root, write) for write in part.writes if write.kind in ("set", "as")]


@rule("ABL656", "terminal-case", "hint", "`{target}` is read as terminal {T}", over=Placed)
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
